/*
 * Longer gaps in which a function of the program's own works on the host, and what calls of
 * jitted functions take.
 */
#include "rules/practice/gpu_idle_gaps/idle.h"

/* What an interpreter takes from launch to launch is no function's own work. */
#define OWN_SHORTEST_S (2 * BRIEF_S)

const struct site *
idle_own_work(const struct rule_view *x, double *share)
{
	struct looks_of of = idle_looks(x);
	const struct site *s;

	of.shortest_s = OWN_SHORTEST_S;
	s = looks_function(x->arena, x->run, of, share);
	return s != NULL && *share >= OWN_TOLD ? s : NULL;
}

/* Between calls of jitted functions, is most of the time in shorter gaps than this? Then it is
 * what the calls take, and not other work: a call with many arrays of NumPy's takes 1 to 2 ms
 * (IQL, JAX 0.11, H200, 2026-11-30). */
#define CALL_S 10e-3

static bool
is_calling(const struct rule_view *x)
{
	struct looks_of all = { .least = rule_value(x, "min_gaps"),
	    .shortest_s = OWN_SHORTEST_S }, longer = all;

	longer.shortest_s = CALL_S;
	return x->run->xla_modules > 0 && looks_s(x->run, longer) <
	    0.5 * looks_s(x->run, all);
}

bool
idle_by_own(const struct rule_view *x, struct idle_gaps *g)
{
	double share;

	return g->python && !g->brief && idle_own_work(x, &share) != NULL;
}

bool
idle_by_calls(const struct rule_view *x, struct idle_gaps *g)
{
	return is_calling(x) && idle_by_own(x, g);
}
