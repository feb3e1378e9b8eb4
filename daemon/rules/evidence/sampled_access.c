/*
 * uncoalesced-global-access without counters. The code tells the distance between
 * the addresses of neighbouring threads, where it follows from the thread's number
 * by multiplications. The samples tell that warps take much longer per access than
 * a trip to memory, or that L1 looks up as many lines as it can, though the
 * requested bytes are few: the other bytes of the sectors take the bandwidth.
 *
 * Strides of a few words are objects (array-of-structures), whose other words
 * may be used as well: they are not examined.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/engine/sampled.h"
#include "source/slice.h"

#define STRIDE_LEAST 256	/* bytes: a row */
#define WAITING_LEAST 0.5	/* of the samples */
#define CYCLES_LEAST 3000	/* of a warp, per access: a trip takes up to 1000 */
#define LOOKUPS_LEAST 0.5	/* of the lines that L1 can look up */
#define ASKED_MOST 0.4		/* of DRAM's rate: bytes that lanes request */
#define LOOKED_MOST 128		/* accesses */

struct strides {
	double accesses;		/* warp instructions, global */
	double ideal[2], sectors[2];	/* of loads, of stores */
	double ideal_all[2];		/* and of all other accesses */
	unsigned found;
	bool some;			/* a stride that is known only at run time */
};

/* Does each lane access a row of its own? */
static bool
is_row(const struct slice *s)
{
	return s->known && !s->lane_unknown && !s->loads &&
	    (s->lane >= STRIDE_LEAST || s->lane <= -STRIDE_LEAST);
}

/* Do all lanes access one address? */
static bool
is_uniform(const struct slice *s)
{
	return s->known && !s->lane_unknown && !s->loads && s->lane == 0;
}

static void
look(struct strides *k, const struct code *c, const struct slices *t,
    struct mark *m)
{
	int looked = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double inst = inst_executed(c, s), ideal;
		size_t at = inst_of_sass(c, s), use;
		int store = (i->flags & SASS_STORE) != 0;
		struct slice a = { .known = false };

		if (i->space != SPACE_GLOBAL || at == SIZE_MAX || !(inst > 0) ||
		    !(i->flags & (SASS_LOAD | SASS_STORE)) || i->bytes == 0)
			continue;
		if (looked++ < LOOKED_MOST)
			slice_of(&a, t, s);
		ideal = inst * (is_uniform(&a) ? 1 :
		    fmax(1, (double)WARP * i->bytes / SECTOR));
		k->accesses += inst;
		k->ideal_all[store] += ideal;
		if (!is_row(&a))
			continue;
		k->found++;
		k->some = k->some || a.lane == LANE_SOME;
		k->ideal[store] += ideal;
		k->sectors[store] += inst * WARP;
		use = inst_first_use(c, at);
		m[at].weight += 1 + inst_stalled(c, at, STALLS_GLOBAL) +
		    (use != SIZE_MAX ? inst_stalled(c, use, STALLS_GLOBAL) : 0);
	}
}

/* The share of the sectors of all loads (or stores) that the change leaves. */
static double
keep_of(const struct strides *k, int store)
{
	double others = k->ideal_all[store] - k->ideal[store];
	double now = k->sectors[store] + others;

	return now > 0 ? k->ideal_all[store] / now : 1;
}

static enum rule_state
report(struct rule_view *x, const struct strides *k, double waiting,
    double cycles, const struct mark *m)
{
	double ideal = k->ideal_all[0] + k->ideal_all[1];
	double others = ideal - k->ideal[0] - k->ideal[1];
	double keep = ideal / (others + k->sectors[0] + k->sectors[1]);
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.global_ld = keep_of(k, 0);
	fix.global_st = keep_of(k, 1);
	/* The queue in front of memory is proportional to the sectors. */
	fix.stall = 1 - waiting * (1 - keep);
	rule_fix(d, &fix, 0.4, 0.8);
	rule_evidence(x, d, "sectors_ratio", 1 / keep,
	    "sectors / ideal sectors, as the strides are",
	    .estimated = SAMPLED_FROM, .key = "min_ratio");
	rule_evidence(x, d, "waiting_ratio", waiting,
	    "samples that wait for global memory", .measured = sampled_counted);
	rule_evidence(x, d, "cycles_per_access", cycles,
	    "cycles that a warp takes for a global access",
	    .estimated = SAMPLED_FROM, .unit = "cycle");
	d->f.summary = arena_format(x->arena, "%u global access%s multipl%s the "
	    "thread's number by %s, so that each lane has a sector of its own; "
	    "a warp takes %s cycles for a global access", k->found,
	    k->found == 1 ? "" : "es", k->found == 1 ? "ies" : "y",
	    k->some ? "a variable" : "a row's length",
	    say_plain(x->arena, cycles));
	d->f.limiter = NULL;
	d->f.advice = "let neighbouring threads take neighbouring elements: "
	    "index by i * width + threadIdx.x, swap the roles of rows and "
	    "columns, or copy a tile to shared memory row by row and read that "
	    "by columns";
	d->f.gain_note = "each sector is fetched once for all the lanes that "
	    "could share it; what caches absorb today was not measured";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
sampled_strides(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double all = (double)c->samples.all, waiting, cycles, lookups, asked;
	double a_sample = inst_total(c, SOURCE_INST) /
	    fmax(1, c->samples.stall[STALL_SELECTED]);
	enum rule_state state = RULE_NOT_MEASURED;
	struct slices *t = slices_new(&c->sass);
	struct mark *m = marks_new(x);
	struct strides k = { 0 };

	if (t == NULL || m == NULL) {
		x->arena->failed = true;
		goto out;
	}
	/* In narrower blocks, neighbours in x need not be in one warp. */
	if (x->kernel->shape.block_x < WARP || x->run->unified.used)
		goto out;
	look(&k, c, t, m);
	waiting = inst_waiting(c, STALLS_GLOBAL);
	cycles = k.accesses > 0 ? all * a_sample / k.accesses : 0;
	/* L1 looks up each lane's line by itself, one per cycle. */
	lookups = (k.sectors[0] + k.sectors[1]) / (fmax(1,
	    x->device->limits.sms) * rule_metric(x, METRIC_SM_CYCLES_ACTIVE_AVG));
	asked = (k.ideal_all[0] + k.ideal_all[1]) * SECTOR /
	    (x->ceiling->dram_bytes_per_s * fmax(x->load->time_s, 1e-9));
	if (k.found > 0 && waiting >= WAITING_LEAST && asked < ASKED_MOST &&
	    (cycles >= CYCLES_LEAST || lookups >= LOOKUPS_LEAST) &&
	    k.sectors[0] + k.sectors[1] >= k.ideal_all[0] + k.ideal_all[1])
		state = report(x, &k, waiting, cycles, m);
out:
	slices_free(t);
	free(m);
	return state;
}
