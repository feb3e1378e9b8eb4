/*
 * misaligned-access: neighbouring lanes access neighbouring elements, but the
 * row starts in the middle of a sector, so that every request touches one
 * sector more than its bytes fill. A window that slides over the data (a
 * stencil) cannot avoid it; see access.c.
 *
 * Without counts by instruction, the mean request tells, if all requests are
 * alike; if only some may be misaligned, it is not known.
 */
#include <math.h>

#include "facts/warp.h"
#include "rules/evidence/access.h"

/* The misaligned accesses of one kind: loads or stores. */
struct shifted {
	double requests, sectors, ideal;
	double all;			/* sectors of all accesses */
	double keep;			/* share of all that stays without the excess */
	int row;			/* bytes of a row, whose length is the cause, or
					 * whole sectors; 0: not known */
	bool apart;			/* they are rows that lie anywhere */
};

static double
excess_of(const struct shifted *ld, const struct shifted *st)
{
	return ld->sectors + st->sectors - ld->ideal - st->ideal;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct shifted *ld, const struct shifted *st, const char *sectors,
    const char *used)
{
	double requests = ld->requests + st->requests;

	rule_evidence(x, d, "excess_ratio", excess_of(ld, st) / (ld->all +
	    st->all), "their sectors beyond the ideal, of all global sectors",
	    .derived = used, .key = "min_share");
	rule_evidence(x, d, "sectors_per_request", (ld->sectors + st->sectors) /
	    requests, "sectors per request of the misaligned accesses",
	    .measured = sectors, .unit = "sector/request");
	rule_evidence(x, d, "ideal_per_request", (ld->ideal + st->ideal) /
	    requests, "sectors per request that their bytes fill",
	    .measured = used, .unit = "sector/request");
}

/* What to do about rows of ${row} bytes; 0: not known. */
static const char *
advice_for(const struct rule_view *x, int row)
{
	if (row == 0)
		return "let every row start at a multiple of 128 bytes: pad its "
		    "length (cudaMallocPitch), start at an aligned element and "
		    "handle the few before it apart, or shift the layout by the "
		    "offset";
	if (row % SECTOR != 0)
		return arena_format(x->arena, "pad each row from %d to %d bytes: it "
		    "then takes the sectors that its bytes fill, wherever it is in "
		    "the table", row, (row + SECTOR - 1) / SECTOR * SECTOR);
	return arena_format(x->arena, "the rows of %d bytes are whole sectors, but "
	    "all begin within one: let the first begin at a multiple of 128 "
	    "bytes: pad what lies in front of it (a header) to that, or allocate "
	    "the rows apart from it", row);
}

/* The finding without its evidence. NULL: none; *${state} says why. */
static struct draft *
report(struct rule_view *x, const struct shifted *ld, const struct shifted *st,
    enum rule_state *state)
{
	double excess = excess_of(ld, st), requests, sectors;
	struct fix fix = FIX_NONE;
	struct draft *d;

	*state = RULE_CLEAN;
	if (!(excess > 0) ||
	    excess < rule_value(x, "min_share") * (ld->all + st->all))
		return NULL;
	d = rule_found(x, NULL);
	*state = RULE_FOUND;
	requests = ld->requests + st->requests;
	sectors = ld->sectors + st->sectors;
	fix.global_ld = ld->keep;
	fix.global_st = st->keep;
	/* DRAM moves 64 bytes at a time, so that it may move half as much for two
	 * sectors as for three; but the shorter rows are that lie anywhere, the less it
	 * is busy. Three programs on H200s, whose sectors fell to 0.67, 0.67 and 0.73 by
	 * aligning such rows, became 1.39, 1.38 and 1.29 times as fast: as the sectors
	 * do, with a little waiting as before. */
	if (ld->apart)
		fix.read = ld->keep;
	rule_fix(d, &fix, 0.5, 1);
	d->f.summary = arena_format(x->arena, "%s start in the middle of a "
	    "sector: %s sectors per request where %s would do",
	    ld->requests > 0 && st->requests > 0 ? "loads and stores" :
	    ld->requests > 0 ? "loads" : "stores",
	    say_plain(x->arena, sectors / requests),
	    say_plain(x->arena, (sectors - excess) / requests));
	d->f.advice = advice_for(x, ld->row > 0 ? ld->row : st->row);
	d->f.gain_note = "the same accesses without the extra sector; what L1 "
	    "already absorbs of it is not counted as saved";
	return d;
}

/* --- counted by instruction --------------------------------------------- */

static struct shifted
sum_of(const struct rule_view *x, const struct accesses *a, enum inst_access kind)
{
	const struct access_sum *s = &a->sum[PATTERN_MISALIGNED][kind];
	struct shifted all = { s->requests, s->sectors, s->ideal,
	    a->all[kind].sectors, accesses_keep(a, PATTERN_MISALIGNED, kind), 0, false };
	double most = 0;

	/* Of the rows that have most of the excess. */
	for (size_t i = 0; i < x->kernel->code->instructions; i++) {
		const struct judged_access *one = &a->of[i];

		if (one->pattern != PATTERN_MISALIGNED || one->kind != kind ||
		    one->sectors - one->ideal <= most)
			continue;
		most = one->sectors - one->ideal;
		all.row = one->element;
		all.apart = one->apart;
	}
	return all;
}

static enum rule_state
find(struct rule_view *x, const struct accesses *a)
{
	struct shifted ld = sum_of(x, a, INST_LOAD), st = sum_of(x, a, INST_STORE);
	enum rule_state state;
	struct draft *d = report(x, &ld, &st, &state);

	if (d == NULL)
		return state;
	give_evidence(x, d, &ld, &st,
	    source_metric_table[SOURCE_GLOBAL_SECTORS].name,
	    source_metric_table[SOURCE_GLOBAL_IDEAL].name);
	d->f.confidence = x->load->bound >= 0.5 ? CONF_HIGH : CONF_MEDIUM;
	accesses_lines(x, d, a, PATTERN_MISALIGNED);
	return rule_settle(x, d);
}

/* --- counters of the whole kernel ---------------------------------------- */

enum mean { MEAN_UNKNOWN, MEAN_MIXED, MEAN_GOOD, MEAN_SHIFTED };

static enum mean
look(const struct rule_view *x, struct shifted *s, double requests,
    enum metric_id sectors, enum metric_id bytes)
{
	double all = rule_metric(x, sectors);
	double used = rule_metric(x, bytes);

	*s = (struct shifted){ .keep = 1 };
	if (isnan(all) || isnan(requests))
		return MEAN_UNKNOWN;
	s->all = all;
	if (!(all > 0) || !(requests > 0))
		return MEAN_GOOD;
	if (!(used > 0))
		return MEAN_UNKNOWN;
	used = fmin(used, 32);
	if (1 - used / 32 < rule_value(x, "min_share"))
		return MEAN_GOOD;
	if (!access_is_shifted(x, all / requests, used))
		return MEAN_MIXED;
	*s = (struct shifted){ requests, all, all * used / 32, all, used / 32, 0,
	    false };
	return MEAN_SHIFTED;
}

static enum rule_state
find_in_means(struct rule_view *x)
{
	struct shifted ld, st;
	enum mean a = look(x, &ld, x->load->requests_ld,
	    METRIC_GLOBAL_LD_SECTORS, METRIC_GLOBAL_LD_BYTES_PER_SECTOR);
	enum mean b = look(x, &st, x->load->requests_st,
	    METRIC_GLOBAL_ST_SECTORS, METRIC_GLOBAL_ST_BYTES_PER_SECTOR);
	enum rule_state state = RULE_CLEAN;
	struct draft *d;

	if (a == MEAN_SHIFTED || b == MEAN_SHIFTED) {
		d = report(x, &ld, &st, &state);
		if (d != NULL) {
			bool loads = a == MEAN_SHIFTED;

			give_evidence(x, d, &ld, &st, metric_table[loads ?
			    METRIC_GLOBAL_LD_SECTORS :
			    METRIC_GLOBAL_ST_SECTORS].name, metric_table[loads ?
			    METRIC_GLOBAL_LD_BYTES_PER_SECTOR :
			    METRIC_GLOBAL_ST_BYTES_PER_SECTOR].name);
			state = rule_settle(x, d);
		}
		return state;
	}
	if (a == MEAN_UNKNOWN || b == MEAN_UNKNOWN)
		return rule_lacks(x);
	return a == MEAN_MIXED || b == MEAN_MIXED ? rule_unmeasured_for(x,
	    inst_lacks(x, NEED_SOURCE | NEED_CODE)) : RULE_CLEAN;
}

enum rule_state
rule_misaligned_access(struct rule_view *x)
{
	if (rule_is_debug(x))
		return rule_unmeasured(x, REASON_DEBUG_BUILD);
	return inst_lacks(x, NEED_SOURCE | NEED_CODE) == NULL ?
	    accesses_ask(x, find) : find_in_means(x);
}
