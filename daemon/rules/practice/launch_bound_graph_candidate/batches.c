/*
 * rules/practice/launch_bound_graph_candidate/batches.c: larger batches, beside a graph or
 * in its place.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/accumulated.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/little.h"
#include "rules/evidence/steps.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

/* Batches for which a larger one costs hardly more: nearly all kernels are small, and most
 * steps have a copy of their own (arithmetic). A few times as much work still fits such
 * kernels: a wave of blocks is 132 SMs, and most of them have less than one. */
#define SMALL_LEAST 0.75
#define BATCH_EACH 0.9
#define BATCH_MORE 8.0		/* "eight" where it is said */

#define LEADS 0.5		/* of the idle time; arithmetic: most */

/* Are batches copied to the GPU, one at least for each repeat of ${s}, and are nearly all
 * of its kernels so small that a larger batch takes them hardly longer? */
static bool
has_small_batches(const struct rule_view *x, const struct sequence *s)
{
	size_t n = steps_length(s), known = 0, small = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		known += k != NULL;
		small += k != NULL && little_is(x->run, k);
	}
	return small > 0 && (double)small >= SMALL_LEAST * (double)known &&
	    inputs_of(x->run).outside >= BATCH_EACH * (double)s->repeats;
}

/* In place of several batches ${a} whose gradients are added up, one. If the loop has most of
 * the idle time, no other finding says so before. */
static void
one_batch(const struct rule_view *x, const struct bound_loop *l, const struct accumulated *a,
    struct draft *d)
{
	double idle = l->idle_s + l->between_s, goes = accumulated_goes(a) * a->goes * idle;
	double all = 0;

	for (int c = IDLE_HOST; c <= IDLE_API; c++)
		all += (double)x->run->idle_ns[c] * 1e-9;
	d->claim[0].s.high = fmax(d->claim[0].s.high, goes);
	accumulated_say(x, d, a);
	if (idle < LEADS * all) {
		d->more = arena_format(x->arena, "gradients are added up over %u batches: with "
		    "larger ones there are fewer launches", a->over);
		return;
	}
	d->lead = accumulated_advice(x, a);
	d->claim[0].s.mid = fmax(d->claim[0].s.mid, BETWEEN * goes);
}

/* Beside the graph, a larger batch: it takes the gaps of a step for more at a time. In front
 * of it where a step adds up the gradients of several: then the larger one is the same. */
void
bound_offer_batches(const struct rule_view *x, const struct bound_loop *l, struct draft *d)
{
	const struct bound_candidate *c = l->main;
	bool fits = d->variant == NULL || strcmp(d->variant, "waits") == 0 ||
	    strcmp(d->variant, "short") == 0;
	struct accumulated a;

	if (!c->python || !fits)
		return;
	if (accumulated_of(x, &a)) {
		one_batch(x, l, &a, d);
		return;
	}
	if (!has_small_batches(x, c->s))
		return;
	d->more = arena_format(x->arena, "where the batch may be larger, that saves as much "
	    "or more, and needs no graph: at %s these kernels do not fill the GPU, so "
	    "that a step of eight times the batch takes hardly longer, and there is an "
	    "eighth of the steps", say_seconds(x->arena, c->kernel_s));
	d->claim[0].s.high = fmax(d->claim[0].s.high, (1 - 1 / BATCH_MORE) *
	    (l->idle_s + l->between_s));
}
