/*
 * global-atomic-contention: atomics on global memory that wait for each other.
 *
 * L2 does atomics on different sectors at nearly the rate of stores. On a few
 * addresses it does one after the other: the kernel then waits for memory while
 * neither L2 nor DRAM is busy. Scattered atomics that keep L2 busy are no
 * contention.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/inst.h"
#include "rules/lines.h"

#define USUAL 0.75	/* as busy as L2 gets where it is the limit */
#define TRIP_S 1e-6	/* to memory and back, when it is loaded */
#define RATE_MOST 0.25	/* of the sectors that L2 moves: no queue beyond it */

struct contention {
	double inst, lanes, sectors;	/* of atomics; lanes: thread atomics */
	double others;			/* sectors of the other accesses */
	double accesses;		/* all global instructions */
	double waiting;			/* share of samples there; NaN */
	double rate;			/* thread atomics a second */
};

/* Where warps wait for atomics: for room in the queue, or for the result. */
#define MASK_WAIT (STALL_BIT(LG_THROTTLE) | STALL_BIT(LONG_SCOREBOARD) | \
	STALL_BIT(MEMBAR) | STALL_BIT(DRAIN))

static void
count(const struct code *c, struct contention *k, struct mark *m)
{
	double samples = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		enum inst_access kind = inst_global(c, i);
		double inst = inst_value(c, i, SOURCE_INST), lanes;

		if (kind == INST_NONE || !(inst > 0))
			continue;
		k->accesses += inst;
		if (kind != INST_ATOMIC)
			continue;
		lanes = inst * inst_lanes(c, i);
		k->inst += inst;
		k->lanes += isfinite(lanes) ? lanes : inst;
		k->sectors += inst_value(c, i, SOURCE_GLOBAL_SECTORS);
		m[i].weight = m[i].over = isfinite(lanes) ? lanes : inst;
		m[i].under = inst;
		samples += inst_stalled(c, i, STALL_BIT(LG_THROTTLE));
	}
	k->others = fmax(0, inst_total(c, SOURCE_GLOBAL_SECTORS) - k->sectors);
	/* Of the other waits for memory those that the atomics' part of the
	 * work explains: L2 does them lane by lane. */
	k->waiting = NAN;
	if (c->sampled && c->samples.all > 0 && k->lanes > 0)
		k->waiting = fmin(1, samples / (double)c->samples.all +
		    inst_waiting(c, MASK_WAIT & ~STALL_BIT(LG_THROTTLE)) *
		    k->lanes / (k->lanes + k->others));
}

/* Do the lanes of a warp add to one place? Then there is little doubt. */
static bool
is_one_place(const struct contention *k)
{
	return k->sectors > 0 && k->lanes >= 16 * k->sectors;
}

/* What the other accesses need by themselves, of the kernel's time: as much as
 * they keep L2 busy, or one trip to memory. */
static double
others_share(const struct rule_view *x, const struct contention *k)
{
	double s = k->others * 32 / x->ceiling->l2_bytes_per_s / USUAL;

	return fmin(1, fmax(s, TRIP_S) / fmax(x->load->time_s, TRIP_S));
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct contention *k)
{
	/* Nothing is busy: what is not explained is the line of the atomics. */
	double line = (1 - x->load->busy) * k->lanes / (k->lanes + k->others);
	double rest = others_share(x, k), most = 0.99;
	struct fix fix = FIX_NONE;

	if (is_one_place(k))	/* L2 does one at a time, beside all else */
		line = most = 1 - rest;
	fix.stall = 1 - fmin(most, fmax(line, isfinite(k->waiting) ?
	    k->waiting : 0));
	if (is_one_place(k))
		rule_fix(d, &fix, 0.7, 1);
	else
		rule_fix(d, &fix, 0.3, 0.8);
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct contention *k)
{
	rule_evidence(x, d, (struct evidence){ .name = "atomics_ratio",
	    .label = "atomics, of all global accesses",
	    .value = k->inst / k->accesses, .unit = "ratio",
	    .source = "measured", .from = source_metric_table[
	    SOURCE_GLOBAL_RED].name }, "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "atomics_per_s",
	    .label = "atomic additions of single lanes a second",
	    .value = k->rate, .unit = "1/s", .source = "derived",
	    .from = source_metric_table[SOURCE_THREADS_ON].name }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "lanes_per_sector",
	    .label = "lanes that hit one sector, of an atomic",
	    .value = k->sectors > 0 ? k->lanes / k->sectors : 1,
	    .unit = "lane/sector", .source = "derived",
	    .from = source_metric_table[SOURCE_GLOBAL_SECTORS].name }, NULL);
	if (isfinite(k->waiting))
		rule_evidence(x, d, (struct evidence){ .name = "waiting_ratio",
		    .label = "samples that wait for them", .value = k->waiting,
		    .unit = "ratio", .source = "estimated",
		    .from = "PC samples" }, "min_waiting");
	rule_evidence(x, d, (struct evidence){ .name = "busy_ratio",
	    .label = "busiest resource", .value = x->load->busy,
	    .unit = "ratio", .source = "derived", .from = "counters" },
	    "max_busy");
}

static enum rule_state
report(struct rule_view *x, const struct contention *k, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);

	if (d == NULL)
		return RULE_NOT_MEASURED;
	set_fix(x, d, k);
	give_evidence(x, d, k);
	d->f.confidence = isfinite(k->waiting) ? CONF_HIGH : CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s of the global accesses are "
	    "atomics, %s additions a second in all, and no memory is busy: "
	    "they wait for each other", say_percent(x->arena,
	    k->inst / k->accesses), say_number(x->arena, k->rate));
	d->f.limiter = arena_format(x->arena, "L2 adds to one place at a time "
	    "(%s busy)", say_percent(x->arena, x->load->busy));
	d->f.advice = "add within the warp (shuffle), then within the block (a "
	    "shared-memory copy with shared atomics), and to global memory once "
	    "a block; where targets are few, spread them over several copies";
	d->f.gain_note = "the kernel without the waiting for its atomics; their "
	    "few that remain are taken to be free";
	rule_next_lines(x, d);
	lines_fill(x, d, m, "%s lanes an atomic");
	return rule_settle(x, d);
}

enum rule_state
rule_global_atomic_contention(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct contention k = { 0 };
	enum rule_state state = RULE_CLEAN;
	bool waits;
	struct mark *m;

	if (isnan(inst_total(c, SOURCE_GLOBAL_ATOM)) &&
	    isnan(inst_total(c, SOURCE_GLOBAL_RED)) && !c->disassembled)
		return rule_unmeasured(x, "its global atomics were not counted");
	m = marks_new(x);
	if (m == NULL)
		return RULE_CLEAN;
	count(c, &k, m);
	k.rate = x->load->time_s > 0 ? k.lanes / x->load->time_s : 0;
	waits = isfinite(k.waiting) ?
	    k.waiting >= rule_value(x, "min_waiting") :
	    fmax(x->load->memory_stall, x->load->unexplained) >=
	    rule_value(x, "min_waiting");
	if (k.inst > 0 && k.inst >= rule_value(x, "min_share") * k.accesses &&
	    k.rate * 32 < x->ceiling->l2_bytes_per_s * RATE_MOST &&
	    x->load->busy < rule_value(x, "max_busy") && waits)
		state = report(x, &k, m);
	free(m);
	return state;
}
