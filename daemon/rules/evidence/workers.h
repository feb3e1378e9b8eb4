/*
 * rules/evidence/workers.h: how much the processes that prepare data for the program, as a
 * loader's workers, had to do, and when. Pure.
 */
#ifndef CADV_WORKERS_H
#define CADV_WORKERS_H

#include "model/model.h"

/* When something happens in a run, ns since its begin; to_ns 0: all the time. */
struct during {
	uint64_t from_ns, to_ns;
};

/* workers_leave_s(run, during, s): of ${s} seconds that a change would save in what the program
 * launches at a time, how many it saves if the processes have no less to do: while they work,
 * the loop waits for them as much longer. If it was counted for less than half of it how much
 * they work, of the rest all. */
double workers_leave_s(const struct run *run, struct during during, double s);

/* workers_worked(run, at_ns, n): how much each of them used a processor at a time of the run, in
 * the mean, 0..1, and *${n}, how many they were; NAN: not known, or there were none. */
double workers_worked(const struct run *run, uint64_t at_ns, double *n);

#endif
