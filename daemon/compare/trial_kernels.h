/* compare/trial_kernels.h: the kernels of two sets of runs, matched, with the time of
 * each in each run. For trial*.c. */
#ifndef CADV_TRIAL_KERNELS_H
#define CADV_TRIAL_KERNELS_H

#include "compare/trial.h"

/* The time of a kernel in the runs of one side that had it. */
struct taken {
	double *log_s;		/* by run: of a launch; if the shapes of the two
				 * sides differ, of all launches */
	size_t runs;		/* that had it: length of log_s */
	double total_s;		/* per run, the mean over all runs */
	double within;		/* variance of log_s that its launches explain */
	const json_t *shown;	/* its document in one of the runs, or NULL */
	const json_t *counted;	/* in the set's run for counters, or NULL */
};

struct trial_kernel {
	const char *name;	/* owned by the documents */
	enum kin_match match;
	struct taken side[SIDES];
};

struct trial_kernels {
	struct trial_kernel *kernel;	/* most time first */
	size_t kernels;
	double total_s[SIDES];		/* of all kernels, per run */
	/* private: */
	json_t *all[SIDES];
	struct kinship kin;
	double *pool;
};

/* trial_kernels_make(t, set, one_program): match the kernels of both sides;
 * ${one_program} as in kinship_make. -1 without memory; call trial_kernels_release in
 * either case. Borrows the documents of the runs. */
int trial_kernels_make(struct trial_kernels *t,
    const struct trial_set set[SIDES], bool one_program);
void trial_kernels_release(struct trial_kernels *t);

/* trial_counters(k): the counters that differ by more than 2 % (MOVED_LEAST) between the
 * two sides, up to 5, the most first. New reference, an array; NULL without memory. */
json_t *trial_counters(const struct trial_kernel *k);

#endif
