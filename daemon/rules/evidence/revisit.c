/*
 * rules/evidence/revisit.c: see revisit.h.
 */
#include <math.h>

#include "rules/evidence/revisit.h"
#include "rules/evidence/reuse.h"

#define COPIES_FEW 0.1		/* of the launches: set-up, results */
#define COPIES_A_ROW 2.0	/* its input, its result */
#define TWICE 0.1		/* of what two launches touch, what must be touched
				 * twice: the volumes are known to a few percent */

double
revisit_row(const struct rule_view *x, const struct kernel *k, double least)
{
	const struct run *run = x->run;
	double launches = (double)k->launches, copies = 0, rows;

	if (k->next != k->id || k->device >= run->devices ||
	    (double)k->next_count < fmax(least, launches / 2))
		return 0;
	for (size_t i = 0; i < run->copies; i++)
		if (run->copy[i].device == k->device)
			copies += (double)run->copy[i].count;
	rows = fmax(1, launches - (double)k->next_count);
	return copies < COPIES_FEW * launches + COPIES_A_ROW * rows ?
	    launches / rows : 0;
}

static bool
set_times(struct revisit *a, const struct rule_view *x, const struct kernel *k)
{
	double memory = reuse_memory(x->run), twice = 2 * a->touched;
	double l2 = (double)x->run->device[k->device].limits.l2_bytes;

	a->times = (double)k->launches * a->touched / memory;
	/* Only this kernel ran before: what is in L2 it left there. That may be the state
	 * of the step before, which it looks up, unless there is no memory for both. */
	a->sure = twice - memory >= TWICE * twice ?
	    a->state.others != OTHERS_ANY : a->state.others == OTHERS_NONE &&
	    twice > (1 + TWICE) * l2 &&
	    k->metric[METRIC_DRAM_READ] <= a->touched / 2;
	return isfinite(a->times) && a->touched > 0;
}

bool
revisit_in_place(struct revisit *a, const struct rule_view *x,
    const struct kernel *k, double read, double written)
{
	*a = (struct revisit){ 0 };
	if (!pointwise_in_place(&a->state, k->code, &k->shape))
		return false;
	a->touched = fmin(a->state.loads * read, a->state.stores * written);
	return set_times(a, x, k);
}

bool
revisit_reads(struct revisit *a, const struct rule_view *x, const struct kernel *k,
    double read)
{
	*a = (struct revisit){ .touched = read };
	return set_times(a, x, k);
}
