/*
 * l2-thrash: data that would fit into L2 piece by piece is read from DRAM
 * repeatedly, because too much of it is in use at the same time.
 *
 * The proof is a number: one launch reads several times more from DRAM than all
 * the memory that the program has on this GPU, allocations and modules. Memory
 * much larger than L2 is not called thrashing: no order of the work helps there.
 */
#include <math.h>

#include "rules/evidence/reuse.h"

#define SEEN_LEAST 0.5		/* of L2's size */

struct thrash {
	double dram;		/* bytes read in a launch */
	double memory;		/* bytes that the program has: no more can differ */
	double again;		/* dram / memory */
	double hit;		/* hit rate of L1's requests in L2; NaN */
	double l2;		/* size of L2, bytes */
};

/* L2 fills its lines from DRAM: sectors beyond those that L1 requested shrink
 * with the reads. */
static void
set_fix(const struct rule_view *x, struct draft *d, const struct thrash *t)
{
	const struct load *l = x->load;
	double write = isfinite(l->dram_write) ? l->dram_write : 0;
	double asked = l->l2_ld + l->l2_st + l->l2_local;
	double fills = fmax(0, 1 - asked / l->l2_sectors);
	/* low: half of the repeated reads go; middle: each byte is read twice;
	 * high: once */
	double left[VIEWS] = { 0.5 + 0.5 / t->again, fmin(1, 2 / t->again),
	    1 / t->again };

	for (int v = VIEW_LOW; v < VIEWS; v++) {
		d->fix[v].part[RES_DRAM] = load_dram(t->dram * left[v],
		    write) / load_dram(t->dram, write);
		d->fix[v].part[RES_L2] = 1 - fills * (1 - left[v]);
	}
}

static enum rule_state
report(struct rule_view *x, const struct thrash *t)
{
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, t);
	d->f.confidence = CONF_MEDIUM;
	rule_evidence(x, d, "again_ratio", t->again,
	    "bytes read from DRAM in a launch / device memory in use",
	    .derived = metric_table[METRIC_DRAM_READ].name, .key = "min_again");
	rule_evidence(x, d, "l2_hit_ratio", t->hit,
	    "of what L1 asked for, found in L2",
	    .derived = metric_table[METRIC_L2_FROM_L1].name, .key = "max_hit");
	rule_evidence(x, d, "memory_bytes", t->memory,
	    "device memory in use, at its peak",
	    .measured = "memory activity records");
	rule_evidence(x, d, "l2_sizes_ratio", t->memory / t->l2,
	    "device memory in use / size of L2",
	    .derived = "memory activity records, device attribute",
	    .key = "max_sizes");
	d->f.summary = arena_format(x->arena, "a launch reads %s from DRAM, %s "
	    "times the device memory in use (%s; L2 has %s); L2 hit rate "
	    "%s", say_bytes(x->arena, t->dram),
	    say_plain(x->arena, t->again), say_bytes(x->arena, t->memory),
	    say_bytes(x->arena, t->l2), say_percent(x->arena, t->hit));
	d->f.advice = "let all that runs at the same time work on the same "
	    "piece of the data, smaller than L2: start the blocks at the same "
	    "place, or make all passes over one piece before the next. If one "
	    "array must stay while others stream through, "
	    "cudaAccessPolicyWindow keeps it in L2";
	d->f.gain_note = "each byte read from DRAM twice instead; L2 is then "
	    "the limit, or the next resource";
	lines_loads(x, d);
	return rule_settle(x, d);
}

enum rule_state
rule_l2_thrash(struct rule_view *x)
{
	double used = rule_metric(x, METRIC_GLOBAL_LD_BYTES_PER_SECTOR);
	struct thrash t = {
		.dram = rule_metric(x, METRIC_DRAM_READ),
		.memory = reuse_memory(x->run),
		.l2 = (double)x->device->limits.l2_bytes,
	};

	if (x->load->limit < 0 || isnan(t.dram))
		return rule_lacks(x);
	t.again = t.dram / t.memory;
	t.hit = isfinite(x->load->ld_sectors) ?
	    1 - t.dram / (x->load->l2_ld * 32) : NAN;
	/* Lanes use little of each sector: that waste is not L2's. */
	if (!rule_is_bound(x, RES_DRAM) || used < 16)
		return RULE_CLEAN;
	/* Less memory than L2 holds cannot thrash it: the program must have
	 * other memory, whose allocation was not seen. */
	if (!(t.l2 > 0) || !(t.memory >= SEEN_LEAST * t.l2))
		return rule_unmeasured(x, REASON_NO_DEVICE_BYTES);
	if (t.again < rule_value(x, "min_again") ||
	    t.hit > rule_value(x, "max_hit") ||
	    t.memory > rule_value(x, "max_sizes") * t.l2)
		return RULE_CLEAN;
	if (isnan(used) || isnan(t.hit))
		return rule_unmeasured(x, REASON_L2_HITS_UNCOUNTED);
	return report(x, &t);
}
