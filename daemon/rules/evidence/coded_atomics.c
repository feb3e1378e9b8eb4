/*
 * global-atomic-contention from code alone: a kernel without loops whose threads
 * all add to one address. The launch gives the number of atomics, and the time
 * of each, one after the other, was measured. If their sum is the kernel's time,
 * and nothing else in the code explains a third of it, they wait for each other.
 *
 * Or the data decide the addresses: if neither trips to memory nor instructions
 * explain half of the time, the addresses are few.
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

/* Share of the time that the code must leave unexplained, as no other sign is known. */
#define UNEXPLAINED_LEAST 0.5
/* Seconds of a launch without waiting: three dependent trips to memory (load
 * the address, load the value, add). 1.2 us by CYCLES_TRIP at 2 GHz; the rest
 * is margin, not measured. */
#define TRIPS_S 3e-6

/* Sectors that L1 requests for a warp whose lanes each add by themselves: 16
 * and more of 32 on an H200; half of that, as a margin. */
#define LANES_LEAST 8

/* Executions (of warps) of atomics whose address is the same for a whole block. */
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
	rule_evidence(x, d, "atomics", atomics,
	    "atomics of single lanes on one word, a launch, at most",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .unit = "atomic");
	rule_evidence(x, d, "line_ratio", line,
	    "of the kernel's time, that many one after the other",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_line");
	rule_evidence(x, d, "busy_ratio", x->load->busy,
	    "of its time, what all else in its code takes",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name);
	d->f.summary = arena_format(x->arena, "its threads add to one place, up "
	    "to %s times a launch, and all else in its code explains %s of the "
	    "time: they wait for each other", say_plain(x->arena, atomics),
	    say_percent(x->arena, x->load->busy));
	d->f.advice = ADVICE;
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

/* Warp instructions: atomics at addresses that the data decide; all global accesses. */
struct binned {
	double atomics, all;
};

static struct binned
binned_of(const struct code *c, const struct affine *address, struct mark *m)
{
	struct binned b = { 0, 0 };

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);

		if (at == SIZE_MAX || i->space != SPACE_GLOBAL)
			continue;
		b.all += inst_executed(c, s);
		if (!(i->flags & SASS_ATOMIC) ||
		    address[s].kind != AFFINE_LOADED)
			continue;
		b.atomics += inst_executed(c, s);
		m[at].weight = inst_executed(c, s);
	}
	return b;
}

/* The finding for such atomics: the addresses are few if nothing else in the
 * code can take as long; ${open} of the time is unexplained. */
static enum rule_state
report_bins(struct rule_view *x, double share, double open,
    const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.stall = (1 - open) / TRIPS_DOUBT;
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, "atomics_ratio", share,
	    "atomics, of all global accesses",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_share");
	rule_evidence(x, d, "unexplained_ratio", open,
	    "of its time, what nothing in its code explains",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_waiting");
	d->f.summary = arena_format(x->arena, "%s of the global accesses are "
	    "atomics whose place the data decide, and nothing else in its code "
	    "explains %s of the time: few places, at which they wait for each "
	    "other", say_percent(x->arena, share),
	    say_percent(x->arena, open));
	d->f.advice = ADVICE;
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

/*
 * The share of the time that nothing in the code explains but atomics ${b} one
 * after the other; 0: not known. With counters of the whole kernel it is what
 * trips and instructions leave, each at TRIPS_DOUBT times its expected length;
 * not for kernels with shared memory, which may wait at barriers, nor where the
 * atomics are so many that they keep L2 busy.
 */
static double
left_open(const struct rule_view *x, const struct binned *b)
{
	const struct record_SIGNATURE *shape = &x->kernel->shape;
	double open;

	if (isnan(x->own->metric[METRIC_L2_FROM_L1]))
		return x->load->unexplained;
	open = 1 - TRIPS_DOUBT * atomics_explained(x, b->atomics);
	return open > 0 && shape->smem_static == 0 && shape->smem_dynamic == 0 &&
	    atomics_are_few(x, b->atomics * WARP) && !atomics_elsewhere(x) ?
	    open : 0;
}

enum rule_state
coded_global_atomics(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct affine *address = affine_addresses(c, &x->kernel->shape);
	enum rule_state state = RULE_NOT_MEASURED;
	struct mark *m = marks_new(x);
	/* L1's requests to L2 tell the number of atomics. */
	bool counted = isfinite(x->own->metric[METRIC_L2_FROM_L1]);
	double each = atomics_each_s(c) / fmax(x->load->time_s, 1e-9);
	double most = ATOMICS_LINE_MOST * fmax(0, 1 - (x->load->fixed_s +
	    TRIPS_S) / fmax(x->load->time_s, 1e-9));
	double warps = 0, open;
	struct atomics a = { 0 };
	struct binned b;

	if (address != NULL && m != NULL) {
		if (c->sass.loops == 0)
			warps = placed_of(c, address, m);
		/* If one lane adds for its warp, L1 requests one sector. */
		if (counted && (atomics_of(&a, x) != NULL || !a.slow ||
		    a.least < LANES_LEAST * warps))
			warps = 0;
		if (warps > 0 && warps * each <= most &&
		    warps * WARP * each >= rule_value(x, "min_line") &&
		    x->load->busy < ATOMICS_EXPLAINED_MOST)
			state = report(x, warps * WARP, warps * WARP * each, m);
		if (state != RULE_FOUND && (counted || !(warps > 0))) {
			b = binned_of(c, address, m);
			open = left_open(x, &b);
			if (b.atomics > 0 && open >= UNEXPLAINED_LEAST &&
			    b.atomics >= rule_value(x, "min_share") * b.all)
				state = report_bins(x, b.atomics / b.all, open,
				    m);
		}
	}
	free(address);
	free(m);
	return state;
}
