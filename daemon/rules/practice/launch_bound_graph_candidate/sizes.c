/*
 * rules/practice/launch_bound_graph_candidate/sizes.c: turns of a loop that have other
 * sizes each.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/same.h"
#include "rules/evidence/grown.h"
#include "rules/evidence/steps.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

/* Sizes come again if most shapes of the function with most of them do: launched so often that a
 * graph pays (min_repeats), and over much of the time in which the sequence repeats. Arithmetic:
 * what is left are the function's other calls; a size of an array that grows through eight sizes
 * (GROWN_SIZES) has an eighth of the time, once. */
#define AGAIN_LEAST 0.75
#define AGAIN_SPAN 0.25
#define AGAIN_OWN 0.5		/* of the function's launches; arithmetic: most */

/* Is it the variant in which each repeat has other sizes? */
bool
bound_has_sizes(const struct draft *d)
{
	return d->variant != NULL && strcmp(d->variant, "sizes") == 0;
}

/* A function that a sequence launches, and its shapes while that repeats. */
struct shapes {
	size_t all, again;		/* again: those that come again and again */
	double launches, own;		/* of all shapes; of these the sequence's */
};

static struct shapes
shapes_of(const struct rule_view *x, const struct sequence *s, const struct kernel *k)
{
	double origin = (double)x->run->origin_ns, from = (double)s->first_ns - origin;
	double to = (double)s->last_ns - origin;
	struct shapes n = { .all = 0 };

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *o = &x->run->kernel[i];
		double span = fmin((double)o->last_ns, to) - fmax((double)o->first_ns, from);

		if (o->device != k->device || !same_text(o->mangled, k->mangled) || span < 0)
			continue;
		n.all++;
		n.again += (double)o->launches >= rule_value(x, "min_repeats") &&
		    span >= AGAIN_SPAN * (to - from);
		n.launches += (double)o->launches;
	}
	for (size_t i = 0; i < steps_length(s); i++) {
		const struct kernel *o = steps_kernel(x, s, i);

		n.own += o != NULL && same_text(o->mangled, k->mangled) ? (double)s->repeats : 0;
	}
	return n;
}

/* In how many sizes the function of ${s} with most of them comes, again and again; 0: in others,
 * too, or it is not known, as other parts of the program launch the function as well. */
size_t
bound_sizes_again(const struct rule_view *x, const struct sequence *s)
{
	struct shapes most = { .all = 1 };

	for (size_t i = 0; i < steps_length(s); i++) {
		const struct kernel *k = steps_kernel(x, s, i);
		struct shapes n;

		if (k == NULL || k->mangled == NULL)
			continue;
		n = shapes_of(x, s, k);
		most = n.all > most.all ? n : most;
	}
	return most.again > 1 && (double)most.again >= AGAIN_LEAST * (double)most.all &&
	    most.own >= AGAIN_OWN * most.launches ? most.again : 0;
}

static void
add_more(const struct rule_view *x, struct draft *d, const char *text)
{
	d->more = d->more != NULL ? arena_format(x->arena, "%s; %s", d->more, text) : text;
}

/* Beside one size for all: sizes that come ${again} may have a graph each, and none contains the
 * waits at the lines ${waits}, in the loop of ${s}. */
void
bound_offer_sizes(const struct rule_view *x, struct draft *d, const struct sequence *s,
    const char *waits, size_t again)
{
	if (again > 0)
		add_more(x, d, "the same sizes come again and again: a graph for each of them, "
		    "captured once, fits as well, or all are padded to the largest");
	if (waits == NULL)
		return;
	add_more(x, d, arena_format(x->arena, bound_reads(x, s, bound_by_python(x, d->f.site) ?
	    d->f.site : NULL) ? "no graph contains the waits at %s: a value "
	    "that the host reads there in each turn, of an array that does not change, becomes "
	    "a number of Python's once, in front of the loop" : "no graph contains the waits at "
	    "%s: what is copied to the GPU there, and does not change, is copied once, in "
	    "front of the loop", waits));
}
