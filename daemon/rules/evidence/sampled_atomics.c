/*
 * global-atomic-contention without counters: warps wait far longer than a trip to
 * memory takes, although all global accesses together, with a sector per lane, would
 * leave L2 idle. So they do not queue for memory in general, but for an address in it.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/engine/sampled.h"

#define WAITING_LEAST 0.5
#define CYCLES_LEAST 10000	/* of a warp, per access: a trip takes up to 1000 */
#define BUSY_MOST 0.15		/* of L2 */
#define TRIP_S 2e-6		/* a trip to memory: the least time that is left */

struct sampled_counts {
	double accesses, atomics;	/* warp instructions */
};

static void
look(struct sampled_counts *a, const struct code *c, struct mark *m)
{
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);
		bool atomic = i->flags & SASS_ATOMIC;

		if (at == SIZE_MAX || (i->space != SPACE_GLOBAL &&
		    !(atomic && i->space == SPACE_GENERIC)))
			continue;
		a->accesses += inst_executed(c, s);
		if (!atomic)
			continue;
		a->atomics += inst_executed(c, s);
		m[at].weight = 1 + inst_stalled(c, at, STALLS_GLOBAL_ATOMIC);
	}
}

/* An upper bound (three sigmas) for warp instructions sampled so rarely. */
static double
at_most(double inst, double a_sample)
{
	double n = inst / a_sample;

	return a_sample * (n + 3 * sqrt(n) + 3);
}

static enum rule_state
report(struct rule_view *x, double busy, double waiting, double cycles,
    const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.stall = fmin(1, TRIP_S / fmax(x->load->time_s, TRIP_S));
	rule_fix_near(d, &fix, 0.6, 0.98);
	/* If the accesses themselves kept L2 busy, this share would be left. */
	d->fix[VIEW_LOW].stall = fmax(d->fix[VIEW_LOW].stall, busy);
	rule_evidence(x, d, "waiting_ratio", waiting,
	    "samples that wait for global memory", .measured = sampled_counted);
	rule_evidence(x, d, "cycles_per_access", cycles,
	    "cycles that a warp takes for a global access, at least",
	    .estimated = SAMPLED_FROM, .unit = "cycle");
	rule_evidence(x, d, "l2_ratio", busy,
	    "L2 busy, had each lane a sector of its own, at most",
	    .estimated = SAMPLED_FROM);
	d->f.summary = arena_format(x->arena, "a warp takes %s cycles or more "
	    "for a global access, ten times a trip to memory, while its "
	    "accesses leave L2 %s busy at most: its atomics wait for each "
	    "other", say_plain(x->arena, cycles),
	    say_percent(x->arena, busy));
	d->f.limiter = NULL;
	d->f.advice = "add within the warp (shuffle), then within the block (a "
	    "shared-memory copy with shared atomics), and to global memory once "
	    "a block; where targets are few, spread them over several copies";
	d->f.gain_note = "the kernel without the waiting for its atomics; how "
	    "many places they go to was not measured";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
sampled_global_atomics(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double a_sample = inst_total(c, SOURCE_INST) /
	    fmax(1, c->samples.stall[STALL_SELECTED]);
	double all = (double)c->samples.all, cycles, busy, waiting, most;
	enum rule_state state = RULE_NOT_MEASURED;
	struct mark *m = marks_new(x);
	struct sampled_counts a = { 0 };

	/* Page migration makes warps wait as long. */
	if (m == NULL || x->run->unified.used)
		goto out;
	look(&a, c, m);
	waiting = inst_waiting(c, STALLS_GLOBAL_ATOMIC);
	most = at_most(a.accesses, a_sample);
	cycles = all * a_sample / most;
	busy = most * WARP * SECTOR / x->ceiling->l2_bytes_per_s /
	    fmax(x->load->time_s, 1e-9);
	if (a.atomics >= rule_value(x, "min_share") * a.accesses &&
	    a.atomics > 0 && waiting >= WAITING_LEAST &&
	    cycles >= CYCLES_LEAST && busy <= BUSY_MOST)
		state = report(x, busy, waiting, cycles, m);
out:
	free(m);
	return state;
}
