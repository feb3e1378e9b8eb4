/*
 * rules/evidence/vacant.h: whole warps of a block that have nothing to work on: a block
 * of 256 threads for a row of 30, whose length is a parameter or was loaded. Where
 * executions are not counted by instruction, the loads that a warp executed tell how many
 * warps came behind the guards ("threadIdx.x < n"). Pure; bounded work.
 *
 * The warps without data wait at barriers, and so keep their places, and execute all that
 * is not guarded. It is not found where these have work of their own: loads for the whole
 * grid or a halo, shared memory that others filled, results.
 */
#ifndef CADV_VACANT_H
#define CADV_VACANT_H

#include "rules/engine/rule.h"

struct vacant {
	double used;		/* the share of the warps that load any of the row, at
				 * most; at least one of each block */
	double left;		/* of the instructions, were the others not launched */
	double waves;		/* of the wavefronts of L1 and shared memory, at most */
	double loads, always;	/* loads that a warp executes: measured; without any
				 * of the row */
};

/* vacant_of(v, x): false if the code or the counters do not tell. */
bool vacant_of(struct vacant *v, const struct rule_view *x);

/* vacant_most(x): are at least half of the warps without data? */
bool vacant_most(struct vacant *v, const struct rule_view *x);

#endif
