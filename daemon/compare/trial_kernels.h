/* compare/trial_kernels.h: the kernels of two sets of runs, matched, with what each
 * took in each run. For trial*.c. */
#ifndef CADV_TRIAL_KERNELS_H
#define CADV_TRIAL_KERNELS_H

#include "compare/trial.h"

/* What a kernel took in the runs of one side that had it. */
struct taken {
	double *log_s;		/* of a launch, or of all if they are not alike */
	size_t runs;
	double total_s;		/* a run, on average */
	double within;		/* variance of log_s that its launches explain */
	const json_t *shown;	/* a run's document of it, NULL */
	const json_t *counted;	/* that of its set's counted run, NULL */
};

struct trial_kernel {
	const char *name;	/* the documents' */
	enum kin_match match;
	struct taken side[SIDES];
};

struct trial_kernels {
	struct trial_kernel *kernel;	/* most time first */
	size_t kernels;
	double total_s[SIDES];		/* of all, a run */
	/* inside: */
	json_t *all[SIDES];
	struct kinship kin;
	double *pool;
};

/* ${one_program} as of kinship_make. -1 without memory; trial_kernels_release either
 * way. The runs must live on. */
int trial_kernels_make(struct trial_kernels *t,
    const struct trial_set set[SIDES], bool one_program);
void trial_kernels_release(struct trial_kernels *t);

/* trial_counters(k): what moved by more than a fiftieth between both documents of
 * it, most first. New reference, an array. */
json_t *trial_counters(const struct trial_kernel *k);

#endif
