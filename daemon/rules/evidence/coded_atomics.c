/*
 * global-atomic-contention from code alone: a kernel without loops whose threads all
 * add to one place. How often that is its launch says, and how long each takes in one
 * line was measured. Where that line is what the time is, and nothing else of the
 * code explains a third of it, they stand in it.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/engine/coded.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/atomics.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"

#define ADVICE "add within the warp (shuffle), then within the block (a "	\
    "shared-memory copy with shared atomics), and to global memory once "	\
    "a block; where targets are few, spread them over several copies"

/* Of the time, what its code leaves open: it alone is to tell of a line. */
#define UNEXPLAINED_LEAST 0.5
/* What a launch takes that waits for nothing: to load where something is, to load it
 * and to add it are trips to memory, one after the other. 1.2 us by CYCLES_TRIP at
 * 2 GHz; the rest is room, and not measured. */
#define TRIPS_S 3e-6

/* Warps that execute an atomic whose place is one for a whole block. */
static double
placed_of(const struct code *c, const struct affine *address, struct mark *m)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);

		if (at == SIZE_MAX || !(i->flags & SASS_ATOMIC) ||
		    (i->space != SPACE_GLOBAL && i->space != SPACE_GENERIC) ||
		    !affine_is_one(&address[s]))
			continue;
		sum += inst_executed(c, s);
		m[at].weight = inst_executed(c, s);
	}
	return sum;
}

static enum rule_state
report(struct rule_view *x, double atomics, double line, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	if (d == NULL)
		return RULE_NOT_MEASURED;
	fix.stall = fmax(0.01, 1 - fmin(1, line) * (1 - x->load->busy));
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, (struct evidence){ .name = "atomics",
	    .label = "atomics of single lanes on one word, a launch, at most",
	    .value = atomics, .unit = "atomic", .source = "estimated",
	    .from = metric_table[METRIC_INST_EXECUTED].name }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "line_ratio",
	    .label = "of the kernel's time, that many one after the other",
	    .value = line, .unit = "ratio", .source = "estimated",
	    .from = metric_table[METRIC_INST_EXECUTED].name }, "min_line");
	rule_evidence(x, d, (struct evidence){ .name = "busy_ratio",
	    .label = "of its time, what all else in its code takes",
	    .value = x->load->busy, .unit = "ratio", .source = "estimated",
	    .from = metric_table[METRIC_INST_EXECUTED].name }, NULL);
	d->f.summary = arena_format(x->arena, "its threads add to one place, up "
	    "to %s times a launch, and all else in its code explains %s of the "
	    "time: they wait for each other", say_plain(x->arena, atomics),
	    say_percent(x->arena, x->load->busy));
	d->f.advice = ADVICE;
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

/* Warps that execute atomics whose place rests on the data, of all that access global
 * memory. */
static double
binned_of(const struct code *c, const struct affine *address, struct mark *m)
{
	double atomics = 0, all = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);

		if (at == SIZE_MAX || i->space != SPACE_GLOBAL)
			continue;
		all += inst_executed(c, s);
		if (!(i->flags & SASS_ATOMIC) ||
		    address[s].kind != AFFINE_LOADED)
			continue;
		atomics += inst_executed(c, s);
		m[at].weight = inst_executed(c, s);
	}
	return all > 0 ? atomics / all : 0;
}

/* Their bins are few, if nothing else that its code does can take as long. */
static enum rule_state
report_bins(struct rule_view *x, double share, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.stall = (1 - x->load->unexplained) / TRIPS_DOUBT;
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, (struct evidence){ .name = "atomics_ratio",
	    .label = "atomics, of all global accesses", .value = share,
	    .unit = "ratio", .source = "estimated",
	    .from = metric_table[METRIC_INST_EXECUTED].name }, "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "unexplained_ratio",
	    .label = "of its time, what nothing in its code explains",
	    .value = x->load->unexplained, .unit = "ratio",
	    .source = "estimated",
	    .from = metric_table[METRIC_INST_EXECUTED].name }, "min_waiting");
	d->f.summary = arena_format(x->arena, "%s of the global accesses are "
	    "atomics whose place the data decide, and nothing else in its code "
	    "explains %s of the time: few places, at which they wait for each "
	    "other", say_percent(x->arena, share),
	    say_percent(x->arena, x->load->unexplained));
	d->f.advice = ADVICE;
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
coded_global_atomics(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct affine *address = affine_addresses(c, &x->kernel->shape);
	enum rule_state state = RULE_NOT_MEASURED;
	struct mark *m = marks_new(x);
	/* What L1 asks of L2 tells how many there are. */
	bool counted = isfinite(x->own->metric[METRIC_L2_FROM_L1]);
	double each = atomics_each_s(c) / fmax(x->load->time_s, 1e-9);
	double warps, share;
	double most = ATOMICS_LINE_MOST * fmax(0, 1 - (x->load->fixed_s +
	    TRIPS_S) / fmax(x->load->time_s, 1e-9));

	if (address != NULL && m != NULL && !counted) {
		warps = c->sass.loops == 0 ? placed_of(c, address, m) : 0;
		share = warps > 0 ? 0 : binned_of(c, address, m);
		if (share >= rule_value(x, "min_share") &&
		    x->load->unexplained >= UNEXPLAINED_LEAST)
			state = report_bins(x, share, m);
		else if (warps > 0 && warps * each <= most &&
		    warps * WARP * each >= rule_value(x, "min_line") &&
		    x->load->busy < ATOMICS_EXPLAINED_MOST)
			state = report(x, warps * WARP, warps * WARP * each, m);
	}
	free(address);
	free(m);
	return state;
}
