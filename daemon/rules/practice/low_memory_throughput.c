/*
 * low-memory-throughput: DRAM is the busiest resource of a kernel, and warps
 * wait for it, but its throughput is far below what this GPU's memory delivers.
 *
 * If accesses are coalesced and the grid fills the GPU, the remaining cause is
 * too few loads in flight. So this rule is the last about a kernel: it says
 * nothing where another rule names the cause (occupancy, the grid, the pattern,
 * the width), or where each address is loaded by the access before it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/lines.h"
#include "source/slice.h"

#define SLICES_MAX 128		/* loads whose address is examined */
#define USUAL 0.75		/* of the ceiling, that a plain kernel reaches */
#define FLIGHT_MOST 8.0		/* the largest factor for a warp's loads in flight */
#define SHORT_S 10e-6		/* launches shorter than that are mostly
				 * starting and draining */

/* A chain of loads, one per warp, drives DRAM to half of its ceiling or more
 * when all warps reside. Where the code is not known, only a lower throughput
 * than max_busy is reported. */
#define BLIND 0.75		/* of max_busy */

/* Does an earlier finding about this kernel explain it? */
static bool
is_explained(const struct rule_view *x)
{
	for (size_t i = 0; i < x->drafts; i++) {
		const struct draft *d = &x->draft[i];

		if (d->f.kernel == rule_kernel(x) && d->f.worth_it &&
		    strcmp(d->f.category, "correctness") != 0)
			return true;
	}
	return false;
}

static bool
is_coalesced(const struct rule_view *x)
{
	double used = rule_metric(x, METRIC_GLOBAL_LD_BYTES_PER_SECTOR);
	double each = x->load->ld_sectors / x->load->requests_ld;

	return used >= 24 || (isnan(used) && each <= 4.5);
}

/* The share of the loads whose address does not depend on a loaded value: a
 * warp could have several of them in flight. NaN without the code. */
static double
independent(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double all = 0, free = 0;
	struct slices *t;
	int slices = 0;

	if (c == NULL || !c->counted || !c->disassembled)
		return NAN;
	if ((t = slices_new(&c->sass)) == NULL)
		x->arena->failed = true;
	for (size_t i = 0; t != NULL && i < c->instructions; i++) {
		double inst = inst_value(c, i, SOURCE_INST);
		struct slice s;

		if (inst_global(c, i) != INST_LOAD || !(inst > 0) ||
		    slices++ >= SLICES_MAX)
			continue;
		all += inst;
		slice_of(&s, t, c->instruction[i].sass);
		if (s.known && !s.loads)
			free += inst;
	}
	slices_free(t);
	return all > 0 ? free / all : 0;
}

/* Marks the loads themselves: warps wait some lines behind them. */
static void
give_lines(const struct rule_view *x, struct draft *d)
{
	const struct code *c = x->kernel->code;
	struct mark *m = c != NULL && c->counted ? marks_new(x) : NULL;

	for (size_t i = 0; m != NULL && i < c->instructions; i++) {
		if (inst_global(c, i) != INST_LOAD)
			continue;
		m[i].weight = m[i].under = inst_value(c, i, SOURCE_INST);
		m[i].over = inst_value(c, i, SOURCE_GLOBAL_SECTORS);
	}
	lines_fill(x, d, m, "%s sectors per request");
	free(m);
}

/* The factor for the loads in flight that takes DRAM from ${busy} to ${reach}
 * of its ceiling, where ${stall} of the time is waiting that they shorten. */
static double
flight_for(double busy, double reach, double stall)
{
	double left = stall - (1 - busy / reach);

	return left > stall / FLIGHT_MOST ? fmax(1, stall / left) :
	    FLIGHT_MOST;
}

static void
set_fix(const struct rule_view *x, struct draft *d, double busy, double alone)
{
	double stall = x->load->memory_stall;
	struct fix fix = FIX_NONE;

	fix.flight = flight_for(busy, USUAL, stall);
	rule_fix(d, &fix, 0.1, isnan(alone) ? 0.5 : alone);
	d->fix[VIEW_HIGH].flight = flight_for(busy, 1, stall);
}

static enum rule_state
report(struct rule_view *x, double busy, double alone)
{
	struct draft *d = rule_found(x, NULL);
	double body = x->load->time_s - x->load->fixed_s;
	double rate;

	set_fix(x, d, busy, alone);
	d->f.confidence = CONF_LOW;
	/* Without the code it may be a pointer chase, which more loads cannot
	 * shorten. */
	d->cap = isnan(alone) ? SEV_LOW : SEV_MEDIUM;
	rate = busy * x->ceiling->dram_bytes_per_s;
	rule_evidence(x, d, "dram_ratio", busy,
	    "DRAM bandwidth / what a large copy reaches",
	    .derived = metric_table[METRIC_DRAM_READ].name, .key = "max_busy");
	rule_evidence(x, d, "dram_rate", rate, "DRAM bandwidth",
	    .derived = metric_table[METRIC_DRAM_READ].name, .unit = "B/s");
	rule_evidence(x, d, "memory_stall_ratio", x->load->memory_stall,
	    "part of the waiting that is for memory",
	    .source = x->load->stalls_known ? "measured" : "estimated",
	    .from = "counters", .key = "min_stall");
	rule_evidence(x, d, "time", body, "a launch, without its start and end",
	    .measured = "kernel activity record", .unit = "s");
	if (isfinite(alone))
		rule_evidence(x, d, "independent_ratio", alone,
		    "loads that wait for no other load, of all",
		    .derived = "disassembly, warp instructions");
	d->f.summary = arena_format(x->arena, "DRAM moves %s, %s of what a "
	    "large copy reaches here; nothing else is busier, and warps wait "
	    "for memory", say_rate(x->arena, rate), say_percent(x->arena,
	    busy));
	d->f.advice = "load several elements into registers before the first "
	    "is used: unroll the loop by 4 and move the loads to its "
	    "start, or fetch the next iteration's data "
	    "(cuda::memcpy_async, cp.async) while this one computes";
	d->f.gain_note = isnan(alone) ? "as many more loads in flight as take "
	    "DRAM to three quarters of its ceiling, half believed: its code "
	    "was not looked at" : "as many more loads in flight as take DRAM "
	    "to three quarters of its ceiling, of those that wait for no other "
	    "load";
	give_lines(x, d);
	return rule_settle(x, d);
}

/* DRAM traffic relative to that of a large copy. Reads alone could reach more
 * (load_dram), but whether a given kernel can is not known. */
static double
moved_of(const struct rule_view *x)
{
	const struct load *l = x->load;
	double busy = rule_busy(x, RES_DRAM);

	return busy * fmax(1, (l->dram_read + l->dram_write) /
	    load_dram(l->dram_read, l->dram_write));
}

enum rule_state
rule_low_memory_throughput(struct rule_view *x)
{
	const struct load *l = x->load;
	double busy = moved_of(x), alone;

	if (l->limit < 0 || isnan(busy) ||	/* reads or writes alone do not
						 * say how busy DRAM is */
	    isnan(l->dram_read) != isnan(l->dram_write))
		return rule_lacks(x);
	if (l->limit != RES_DRAM || l->bound >= 0.5 ||
	    busy >= rule_value(x, "max_busy") ||
	    busy < rule_value(x, "min_busy") ||
	    !(l->memory_stall >= rule_value(x, "min_stall")) ||
	    l->time_s < SHORT_S || !is_coalesced(x) || is_explained(x) ||
	    (x->kernel->occupancy.known && x->kernel->occupancy.waves < 1))
		return RULE_CLEAN;
	alone = independent(x);
	if (alone < 0.5 || (isnan(alone) &&
	    busy >= BLIND * rule_value(x, "max_busy")))
		return RULE_CLEAN;
	return report(x, busy, alone);
}
