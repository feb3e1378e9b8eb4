/*
 * rules/evidence/revisit.c: see again.h.
 */
#include <math.h>

#include "rules/evidence/revisit.h"
#include "rules/evidence/reuse.h"

#define ALWAYS 0.9		/* of the launches: all but the first and last */
#define TWICE 0.1		/* of what two launches touch, what must be touched
				 * twice: the volumes are known to a few percent */

bool
revisit_follows(const struct rule_view *x, const struct kernel *k, double least)
{
	const struct run *run = x->run;
	double launches = (double)k->launches, copies = 0;

	for (size_t i = 0; i < run->copies; i++)
		if (run->copy[i].device == k->device)
			copies += (double)run->copy[i].count;
	return k->next == k->id && k->device < run->devices &&
	    (double)k->next_count >= fmax(least, ALWAYS * launches) &&
	    copies < (1 - ALWAYS) * launches;
}

static bool
set_times(struct revisit *a, const struct rule_view *x, double launches)
{
	double memory = reuse_memory(x->run);

	a->times = launches * a->touched / memory;
	a->sure = 2 * a->touched - memory >= TWICE * 2 * a->touched;
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
	return set_times(a, x, (double)k->launches);
}

bool
revisit_reads(struct revisit *a, const struct rule_view *x, const struct kernel *k,
    double read)
{
	*a = (struct revisit){ .touched = read };
	return set_times(a, x, (double)k->launches);
}
