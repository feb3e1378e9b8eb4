/*
 * rules/practice/launch_bound_graph_candidate/variant.c: what is wrong with a step beside
 * its launches.
 */
#include <string.h>

#include "rules/evidence/closure.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

/* A sequence this short that comes so often is the turn of a loop over pieces (rays,
 * positions, samples) rather than a step: larger pieces need fewer. In 30 public programs
 * steps of training had 42 to 851 launches and came 29 to 1,316 times. */
#define SHORT 32
#define OFTEN 1000

/* Grids that grow from step to step in so much of the launches, and hardly ever shrink:
 * a sequence or cache that grows; measured: 0.5 and 0.001 (a transformer that samples
 * without a cache, 2026-11-29); arithmetic. */
#define GROWN_LEAST 0.1
#define SHRUNK_MOST 0.1

/* Is it one of the variants in which the arrays of a step grow? */
bool
bound_grows(const char *variant)
{
	return variant != NULL && (strcmp(variant, "grows") == 0 ||
	    strcmp(variant, "cache") == 0);
}

/* Has a framework compiled loops, which the host runs launch by launch? */
bool
bound_loops_itself(const struct run *run)
{
	for (size_t i = 0; i < run->sites; i++)
		if (framework_loops(&run->site[i]))
			return true;
	return false;
}

/* What grows with each step: the cache of a package's model, which the package also has with a
 * fixed size, if the run trains nothing; or whatever the program lets grow. */
static const char *
growing_of(const struct run *run, const struct sequence *s)
{
	bool caches = false;

	if (framework_trains(run))
		return "grows";
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		const struct site *site = lines_launched(run, s->kernel[i]);

		caches |= site != NULL && framework_caches(site);
	}
	return caches ? "cache" : "grows";
}

/* What is wrong with the step beside the launches; NULL: nothing. */
const char *
bound_variant(const struct run *run, const struct bound_loop *l)
{
	const struct bound_candidate *c = l->main;
	const struct sequence *s = c->s;
	double launches = (double)s->length * (double)s->repeats;
	struct inputs_made made;

	if (l->recurrent != NULL)
		return "recurrent";
	if (l->inner.turns > 0)
		return "inner";
	if (l->coalesced.found)
		return "coalesced";
	if (c->alike)
		return (double)s->grown >= GROWN_LEAST * launches &&
		    (double)s->shrunk <= SHRUNK_MOST * (double)s->grown ?
		    growing_of(run, s) : "sizes";
	if (l->sizes > 0)
		return growing_of(run, s);
	if (l->parts)
		return "parts";
	if ((double)s->syncs >= WAITS_LEAST * (double)s->repeats)
		return closure_called(run) ? "closure" : inputs_made_of(run, &made) ?
		    "made" : "waits";
	if (bound_loops_itself(run))
		return "looping";
	return s->length <= SHORT && s->repeats >= OFTEN ? "short" : NULL;
}
