/*
 * shared-bank-conflicts without counters: the shared memory pipe takes one wavefront
 * per cycle of the SM. If warps wait in front of it, its queue is full and it is
 * always busy; so cycles / accesses is the number of wavefronts per access. Other
 * instructions in that queue count as if each took a turn of the pipe.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/engine/sampled.h"

#define LANE_BYTES 4		/* of a lane, per wavefront */
#define THROTTLED_LEAST 0.2	/* of the samples: the queue is full */
#define WAITING_LEAST 0.5	/* of the samples: the kernel waits for it */
#define WAYS_LEAST 3		/* the queue also fills in bursts */
#define UNITS_MOST 0.3		/* conversions and MUFU use that queue, too */
#define WAYS_MOST 32

struct pipe {
	double accesses;	/* wavefronts of shared accesses without conflict */
	double others;
	double throttled;	/* samples in front of shared accesses */
};

/* The fewest wavefronts of the access. */
static double
wavefronts(const struct sass_instruction *i)
{
	return fmax(1, (double)i->bytes / LANE_BYTES);
}

/* False if atomics or matrix loads use the pipe, too: their wavefronts are not
 * known. */
static bool
look(struct pipe *p, const struct code *c, struct mark *m)
{
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double inst = inst_executed(c, s), full;
		size_t at = inst_of_sass(c, s);

		if (!(inst > 0) || at == SIZE_MAX)
			continue;
		if (i->space == SPACE_SHARED && (i->flags & (SASS_ATOMIC |
		    SASS_ASYNC) || i->bytes == 0))
			return false;
		if (i->space != SPACE_SHARED) {
			if (i->flags & SASS_SHUFFLE || i->space != SPACE_NONE)
				p->others += inst * wavefronts(i);
			continue;
		}
		full = inst_stalled(c, at, STALL_BIT(MIO_THROTTLE));
		p->accesses += inst * wavefronts(i);
		p->throttled += full;
		m[at].weight = full + inst_stalled(c, at,
		    STALL_BIT(SHORT_SCOREBOARD));
	}
	return true;
}

static enum rule_state
report(struct rule_view *x, const struct pipe *p, double ways, double waiting,
    const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	/* The pipe is busy all the time, which shrinks with its work; the low
	 * view counts only the time that warps wait for it. */
	fix.stall = fix.shared_ld = fix.shared_st = 1 / ways;
	rule_fix_near(d, &fix, 0.6 * waiting, 0.9);
	rule_evidence(x, d, "throttled_ratio", p->throttled /
	    (double)x->kernel->code->samples.all,
	    "samples in front of shared accesses, the queue full",
	    .measured = sampled_counted);
	rule_evidence(x, d, "wavefronts_per_inst", ways,
	    "cycles of the pipe over accesses", .estimated = SAMPLED_FROM,
	    .unit = "wavefront/inst", .key = "min_ways");
	d->f.summary = arena_format(x->arena, "warps wait %s of their time for "
	    "shared memory, whose queue is full while it takes one access "
	    "every %s cycles: so many wavefronts each",
	    say_percent(x->arena, waiting), say_plain(x->arena, ways));
	d->f.advice = "pad the rows of the tile by one element, or swizzle the "
	    "column with the row, so that the accesses of a warp fall into 32 "
	    "different banks";
	d->f.gain_note = "the waiting for shared memory, as far as an access "
	    "takes more than one wavefront";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
sampled_bank_conflicts(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double cycles = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_AVG) *
	    fmax(1, x->device->limits.sms), ways, waiting;
	double units = rule_metric(x, METRIC_PIPE_XU) / 100;
	enum rule_state state = RULE_NOT_MEASURED;
	struct mark *m = marks_new(x);
	struct pipe p = { 0 };

	waiting = inst_waiting(c, STALLS_SHARED);
	if (m == NULL || !look(&p, c, m) || !(p.accesses > p.others))
		goto out;
	ways = fmin(WAYS_MOST, cycles / (p.accesses + p.others));
	if (p.throttled >= THROTTLED_LEAST * (double)c->samples.all &&
	    waiting >= WAITING_LEAST && units <= UNITS_MOST &&
	    ways >= WAYS_LEAST)
		state = report(x, &p, ways, waiting, m);
out:
	free(m);
	return state;
}
