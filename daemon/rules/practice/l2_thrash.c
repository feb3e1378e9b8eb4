/*
 * l2-thrash: data that would fit into L2 piece by piece is read from DRAM
 * repeatedly, because too much of it is in use at the same time.
 *
 * The proof is a number: one launch reads several times more from DRAM than all
 * the memory that the program has on this GPU, allocations and modules. Memory
 * much larger than L2 is not called thrashing: no order of the work helps there.
 *
 * Lookups in a table, at loaded indices in any order, miss a table that exceeds L2 one
 * by one, though each sector of it is asked for several times in a launch. Taken in the
 * order of the table's segments, or with all blocks that run together at one segment,
 * each sector comes from DRAM once: as many of them as are different, which for indices
 * in any order follows from how many lookups there are (Poisson).
 */
#include <math.h>

#include "facts/warp.h"
#include "rules/evidence/gathered.h"
#include "rules/evidence/reuse.h"

/* Lookups: a lane or two a sector, in a table of two sizes of L2 or more, whose sectors
 * are each asked for once or more, and read so often that a third of it can go. The last
 * was chosen with one program's two variants at hand: that with the fault has more, its
 * sound counterpart 1.14. */
#define LOOKUP_SECTORS 16
#define LOOKUP_SIZES 2
#define LOOKUP_AGAIN 1
#define LOOKUP_REPEATED 1.5
#define LOOKUP_BUSY 0.88	/* of DRAM or L2, reached: usual (gain.c) */

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

/* Lookups of a launch. */
struct lookups {
	double bytes;		/* of sectors that they ask L2 for */
	double different;	/* of these, at most, if their order is random */
	double read;		/* for them from DRAM, which delivers two sectors for
				 * one that misses */
};

/* Those of ${own} sectors. What other accesses stream through is no table. */
static struct lookups
lookups_of(const struct rule_view *x, double own, double memory)
{
	double streamed = or_zero(x->load->ld_sectors) +
	    or_zero(x->load->st_sectors) - own;
	double table = fmax(memory / 2, memory - fmax(0, streamed) * SECTOR);
	double bytes = own * SECTOR;

	return (struct lookups){ bytes, table * (1 - exp(-bytes / table)),
	    rule_metric(x, METRIC_DRAM_READ) - fmax(0,
	    or_zero(x->load->ld_sectors) - own) * SECTOR };
}

static void
set_lookups_fix(const struct rule_view *x, struct draft *d,
    const struct thrash *t, const struct lookups *w)
{
	/* Of the repeated reads: a part goes where few segments are made. */
	static const double part[VIEWS] = { 0.25, 1, 1 };
	double write = or_zero(x->load->dram_write);

	for (int v = 0; v < VIEWS; v++) {
		double left = t->dram - part[v] * (w->read - w->different);
		double dram = load_dram(left, write) / load_dram(t->dram, write);

		/* The first reads of a segment are as scattered as they were; in
		 * the high view DRAM reaches its rate. */
		if (v == VIEW_HIGH)
			dram *= fmin(1, rule_busy(x, RES_DRAM) / LOOKUP_BUSY);
		if (v == VIEW_LOW)
			d->fix[v].part[RES_DRAM] = dram;
		else
			d->fix[v].whole = fmin(1, fmax(dram, or_zero(
			    rule_busy(x, RES_L2)) / LOOKUP_BUSY));
	}
}

static enum rule_state
report_lookups(struct rule_view *x, const struct thrash *t,
    const struct lookups *w, double sectors)
{
	struct draft *d = rule_found(x, NULL);

	set_lookups_fix(x, d, t, w);
	d->f.confidence = CONF_LOW;
	d->f.title = "lookups miss L2";
	rule_evidence(x, d, "l2_hit_ratio", t->hit,
	    "of what L1 asked for, found in L2",
	    .derived = metric_table[METRIC_L2_FROM_L1].name, .key = "max_hit");
	rule_evidence(x, d, "l2_sizes_ratio", t->memory / t->l2,
	    "device memory in use / size of L2",
	    .derived = "memory activity records, device attribute");
	rule_evidence(x, d, "lookups_ratio", w->bytes / t->memory,
	    "bytes of sectors looked up in a launch / device memory in use",
	    .derived = metric_table[METRIC_GLOBAL_LD_SECTORS].name);
	rule_evidence(x, d, "sectors_per_request", sectors,
	    "loads by loaded addresses: sectors per request",
	    .derived = metric_table[METRIC_GLOBAL_LD_SECTORS].name,
	    .unit = "sector/request");
	d->f.summary = arena_format(x->arena, "a launch looks up %s of sectors "
	    "at loaded indices, %s times all the memory in use (%s; L2 has "
	    "%s), and finds %s in L2: each is read from DRAM again",
	    say_bytes(x->arena, w->bytes),
	    say_plain(x->arena, w->bytes / t->memory),
	    say_bytes(x->arena, t->memory), say_bytes(x->arena, t->l2),
	    say_percent(x->arena, fmax(0, t->hit)));
	d->f.advice = arena_format(x->arena, "bucket the indices by segments of the "
	    "table that fit into L2 (a radix sort by their upper bits is "
	    "enough, %s segments here) and look one segment up after the "
	    "other; where each block has a table of its own, let all blocks "
	    "that run at the same time use the same one (blockIdx.x over the "
	    "lookups, blockIdx.y over the tables)",
	    say_whole(x->arena, ceil(2 * t->memory / t->l2)));
	d->f.bad_code = "out[i] = table[index[i]];   // any row of the table";
	d->f.good_code = "// once: sort (index[i], i) by index[i] / rows of a "
	    "segment\nout[place[i]] = table[sorted[i]];";
	d->f.gain_note = "each sector of the table read from DRAM once instead of "
	    "for each lookup, if these are in any order; a quarter of that in "
	    "the low view";
	lines_loads(x, d);
	return rule_settle(x, d);
}

/* Do ${own} sectors, looked up at loaded indices, ${each} a request, miss a table that
 * could be taken piece by piece? */
static enum rule_state
judge_lookups(struct rule_view *x, double own, double each)
{
	struct thrash t = {
		.dram = rule_metric(x, METRIC_DRAM_READ),
		.memory = reuse_memory(x->run),
		.l2 = (double)x->device->limits.l2_bytes,
	};
	struct lookups w;

	t.hit = isfinite(x->load->ld_sectors) ?
	    1 - t.dram / (x->load->l2_ld * SECTOR) : NAN;
	w = lookups_of(x, own, t.memory);
	if (!(each >= LOOKUP_SECTORS) || !(t.l2 > 0) ||
	    !(t.memory >= LOOKUP_SIZES * t.l2) ||
	    !(w.bytes >= LOOKUP_AGAIN * t.memory) ||
	    !(t.hit <= rule_value(x, "max_hit")) ||
	    !(w.read >= LOOKUP_REPEATED * w.different))
		return RULE_CLEAN;
	return report_lookups(x, &t, &w, each);
}

static enum rule_state
find_counted(struct rule_view *x, const struct accesses *all)
{
	struct gathered g;

	gathered_of(&g, x, all);
	return judge_lookups(x, g.own[0], g.per_request[0]);
}

/* Where only sums were counted: the code shows that no other loads are scattered. */
static enum rule_state
find_lookups(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double sectors = rule_metric(x, METRIC_GLOBAL_LD_SECTORS);
	double requests = rule_metric(x, METRIC_GLOBAL_LD_REQUESTS);
	struct gathered g;
	double others;

	if (c != NULL && c->counted)
		return accesses_ask(x, find_counted);
	/* Estimates from the code tell more, where DRAM is read that much. */
	if (isnan(requests) && rule_metric(x, METRIC_DRAM_READ) >=
	    LOOKUP_AGAIN * reuse_memory(x->run))
		return rule_unmeasured(x, REASON_L2_HITS_UNCOUNTED);
	if (!(requests > 0) || !gathered_explains(&g, x, INST_LOAD))
		return RULE_CLEAN;
	others = requests * (1 - g.excess[0] / g.sectors[0]);
	sectors -= 4 * others;		/* of 4-byte elements */
	return judge_lookups(x, sectors, sectors / (requests - others));
}

enum rule_state
rule_l2_thrash(struct rule_view *x)
{
	enum rule_state state = RULE_CLEAN;
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
	/* Lanes use little of each sector: that waste is not L2's, but it is where
	 * other lanes want the rest. */
	if (rule_is_bound(x, RES_DRAM))
		state = find_lookups(x);
	if (state == RULE_FOUND)
		return state;
	if (!rule_is_bound(x, RES_DRAM) || used < 16)
		return state;
	/* Less memory than L2 holds cannot thrash it: the program must have
	 * other memory, whose allocation was not seen. */
	if (!(t.l2 > 0) || !(t.memory >= REUSE_SEEN_LEAST * t.l2))
		return rule_unmeasured(x, REASON_NO_DEVICE_BYTES);
	if (t.again < rule_value(x, "min_again") ||
	    t.hit > rule_value(x, "max_hit") ||
	    t.memory > rule_value(x, "max_sizes") * t.l2)
		return state;
	if (isnan(used) || isnan(t.hit))
		return rule_unmeasured(x, REASON_L2_HITS_UNCOUNTED);
	return report(x, &t);
}
