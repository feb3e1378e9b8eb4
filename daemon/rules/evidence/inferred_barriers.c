/*
 * barrier-stalls without samples: what warps wait for was not measured, but can be
 * inferred of a loop that loads nothing from memory and has a barrier in it. If many
 * warps are there, no unit is busy, and their instructions explain a small part of the
 * time, they wait for each other.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/cycles.h"
#include "facts/warp.h"
#include "rules/evidence/atomics.h"
#include "rules/evidence/inferred.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/stalls.h"

/* Share of the time that instructions must leave unexplained, as there is no other
 * sign. */
#define UNEXPLAINED_LEAST 0.5
/* Mean warps of a scheduler: with fewer, each waits for its own last result. */
#define WARPS_LEAST 8
/* Instructions of a warp, in lengths of the code: it goes through a loop again and
 * again. Arithmetic: one loop may be a tenth of the code. */
#define TURNS_LEAST 10

/* What such a loop must not contain: it may be what warps wait for. */
static bool
waits_elsewhere(const struct sass_instruction *i)
{
	return i->flags & (SASS_ATOMIC | SASS_ASYNC | SASS_TENSOR | SASS_FP64 |
	    SASS_CALL) || (i->flags & SASS_LOAD && i->space != SPACE_SHARED &&
	    i->space != SPACE_CONSTANT);
}

/* Marks the barriers in loops; 0 if there are none, or if any loop has something else to
 * wait for. */
static unsigned
barriers_in_loops(const struct code *c, struct mark *m)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < c->sass.instructions; i++) {
		const struct sass_instruction *in = &c->sass.instruction[i];
		size_t at = inst_of_sass(c, i);

		if (sass_loop_of(&c->sass, i) == NULL)
			continue;
		if (waits_elsewhere(in))
			return 0;
		if (at == SIZE_MAX || !(in->flags & SASS_BARRIER))
			continue;
		m[at].weight = 1;
		n++;
	}
	return n;
}

static enum rule_state
report(struct rule_view *x, double open, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.stall = 1 - open;
	rule_fix(d, &fix, 0.25, 0.75);
	d->f.confidence = CONF_LOW;
	rule_evidence(x, d, "unexplained_ratio", open,
	    "of its time, what its instructions do not explain",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_stall");
	d->f.summary = arena_format(x->arena, "its loop meets at barriers and loads "
	    "nothing from memory, no unit is busy, and its instructions leave %s of "
	    "the time unexplained: warps wait for the slowest of their block",
	    say_percent(x->arena, open));
	d->f.advice = stalls_barrier_advice(x);
	d->f.gain_note = "the kernel with most of the waiting at barriers gone; "
	    "how many of them the data needs was not measured";
	lines_fill(x, d, m, NULL);
	return stalls_settle(x, d);
}

enum rule_state
inferred_barriers(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double warps = rule_blocks(x->kernel) *
	    ceil(rule_threads(x->kernel) / (double)WARP);
	double inst = rule_metric(x, METRIC_INST_EXECUTED) / warps;
	double open = 1 - TRIPS_DOUBT * atomics_explained(x, 0);
	enum rule_state state = RULE_CLEAN;
	struct mark *m;

	if (!(open >= UNEXPLAINED_LEAST) || !stalls_limit(x) ||
	    !(stalls_warps(x) >= WARPS_LEAST) ||
	    !(inst >= TURNS_LEAST * (double)c->sass.instructions))
		return RULE_CLEAN;
	if ((m = marks_new(x)) == NULL)
		return RULE_CLEAN;
	if (barriers_in_loops(c, m) > 0)
		state = report(x, open, m);
	free(m);
	return state;
}
