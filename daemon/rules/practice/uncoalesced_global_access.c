/*
 * uncoalesced-global-access: the lanes of a warp touch more sectors than their
 * bytes fill.
 *
 * Bytes used per sector tell exactly, where they were measured. Sectors per
 * request alone tell only beyond what the widest access needs: 8 sectors per
 * request are either correct 8-byte loads, or 4-byte loads with a stride of 2. One
 * address for all lanes (1 sector, 4 bytes used) is a broadcast and costs nothing.
 *
 * With counts by instruction, sectors and ideal sectors of each tell exactly,
 * and what other rules explain better (fields of objects, misaligned rows,
 * blocks too narrow for the rows) is left to them. Without such counts, one
 * sector too many in every request is misaligned-access. Accesses at loaded
 * addresses have a finding of their own (gathered.h).
 */
#include <math.h>

#include "rules/evidence/gathered.h"

/* Without the code, several accesses may share the sectors that they seem to
 * waste: fields of one object, which L1 keeps from one access to the next. */
#define BELIEF_UNSEEN 0.5

/* A sector per lane, and a margin for counters from two launches: more sectors
 * cannot come from these requests. (Asynchronous copies are no load instructions.) */
#define SECTORS_MOST (32 * 1.1)

struct side {
	const char *what;		/* "loads" */
	enum metric_id sectors, requests, inst, bytes;
	/* Results: */
	double per_request, used, ratio;
	bool certain;
	bool exact;		/* counted by instruction */
	bool foreign;		/* the sectors include those of other accesses */
};

enum outcome { ACCESS_NONE, ACCESS_UNKNOWN, ACCESS_GOOD, ACCESS_BAD };

static enum outcome
look(const struct rule_view *x, struct side *a)
{
	double sectors = rule_metric(x, a->sectors);
	double requests = rule_metric(x, a->requests);

	a->used = rule_metric(x, a->bytes);
	a->ratio = 1;
	if (isnan(requests))	/* one request per instruction, rarely two */
		requests = rule_metric(x, a->inst);
	if (isnan(sectors) || isnan(requests))
		return ACCESS_UNKNOWN;
	if (!(requests > 0))
		return ACCESS_NONE;
	a->per_request = sectors / requests;
	a->foreign = a->per_request > SECTORS_MOST;
	if (a->foreign)
		return ACCESS_UNKNOWN;
	if (a->per_request < rule_value(x, "min_sectors"))
		return ACCESS_GOOD;
	if (a->used > 0) {
		double ideal = access_ideal(x, a->per_request, a->used);

		a->ratio = a->per_request / ideal;
		a->certain = true;
		return a->ratio >= rule_value(x, "min_ratio") &&
		    !access_is_shifted(x, a->per_request, a->used) ?
		    ACCESS_BAD : ACCESS_GOOD;
	}
	if (a->per_request > rule_value(x, "min_sectors") &&
	    a->sectors == METRIC_GLOBAL_LD_SECTORS && access_is_scattered(x)) {
		a->ratio = a->per_request / 4;	/* of 4-byte accesses */
		return ACCESS_BAD;
	}
	if (a->per_request <= rule_value(x, "certain_sectors"))
		return ACCESS_UNKNOWN;
	a->ratio = a->per_request / 4;
	return a->per_request / rule_value(x, "certain_sectors") >=
	    rule_value(x, "min_ratio") ? ACCESS_BAD : ACCESS_UNKNOWN;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct side *a)
{
	rule_evidence(x, d, "sectors_ratio", a->ratio, arena_format(x->arena,
	    "%s: sectors / ideal sectors", a->what), .source = a->certain ?
	    "derived" : "estimated", .from = a->exact ?
	    source_metric_table[SOURCE_GLOBAL_IDEAL].name : a->certain ?
	    metric_table[a->bytes].name : metric_table[a->sectors].name,
	    .key = "min_ratio");
	rule_evidence(x, d, "sectors_per_request", a->per_request,
	    arena_format(x->arena, "%s: sectors per request", a->what),
	    .measured = a->exact ?
	    source_metric_table[SOURCE_GLOBAL_SECTORS].name :
	    metric_table[a->sectors].name, .unit = "sector/request",
	    .key = a->exact ? NULL : "min_sectors");
	if (a->used > 0)
		rule_evidence(x, d, "bytes_per_sector", a->used,
		    arena_format(x->arena,
		    "%s: bytes used of each 32-byte sector", a->what),
		    .measured = metric_table[a->bytes].name, .unit = "B");
}

static const char *
describe(struct rule_view *x, const struct side *a)
{
	return arena_format(x->arena, "%s touch %s the sectors they need "
	    "(%s per request%s)", a->what, say_times(x->arena, a->ratio),
	    say_plain(x->arena, a->per_request), a->certain ? "" :
	    "; estimated for 4-byte elements");
}

static void
fill(struct rule_view *x, struct draft *d, const struct side *ld,
    const struct side *st)
{
	struct fix fix = FIX_NONE;
	bool loads = ld->ratio > 1, stores = st->ratio > 1;
	const struct side *worst = ld->ratio >= st->ratio ? ld : st;

	if (loads) {
		fix.global_ld = 1 / ld->ratio;
		give_evidence(x, d, ld);
	}
	if (stores) {
		fix.global_st = 1 / st->ratio;
		give_evidence(x, d, st);
	}
	rule_fix(d, &fix, worst->exact ? 1 : BELIEF_UNSEEN, 1);
	d->f.title = loads && stores ? "uncoalesced loads and stores" :
	    loads ? "uncoalesced loads" : "uncoalesced stores";
	d->f.confidence = worst->exact && x->load->bound >= 0.5 ?
	    CONF_HIGH : CONF_MEDIUM;
	d->f.summary = loads && stores ? arena_format(x->arena, "%s; %s",
	    describe(x, ld), describe(x, st)) : describe(x, worst);
	d->f.advice = arena_format(x->arena, "make threadIdx.x the fastest "
	    "index of these %s, so that neighbouring lanes touch neighbouring "
	    "elements: %s", worst->what, worst->per_request > 24 ?
	    "now each lane has a row or object of its own; let a warp walk "
	    "one together, or go through a shared-memory tile" :
	    "the stride between lanes is a few elements; use a structure of "
	    "arrays, or vector types for whole objects");
	d->f.gain_note = "the same accesses with every sector fully used; "
	    "traffic that L1 already absorbs is not counted as saved";
}

/* The same from exact counts: only what no other rule explains. */
static enum outcome
look_exactly(const struct rule_view *x, struct side *a,
    const struct accesses *all, enum inst_access kind)
{
	const struct access_sum *sum = &all->sum[PATTERN_SCATTERED][kind];
	double keep = accesses_keep(all, PATTERN_SCATTERED, kind);

	a->used = rule_metric(x, a->bytes);
	a->certain = a->exact = true;
	a->ratio = 1;
	if (!(sum->requests > 0))
		return all->all[kind].requests > 0 ? ACCESS_GOOD : ACCESS_NONE;
	a->per_request = sum->sectors / sum->requests;
	if (1 / keep < rule_value(x, "min_ratio"))
		return ACCESS_GOOD;
	a->ratio = 1 / keep;
	return ACCESS_BAD;
}

static bool
is_gathered(const struct rule_view *x, const struct gathered *g, int k)
{
	double least = g->sectors[k] - g->excess[k];

	return g->excess[k] > 0 &&
	    g->sectors[k] >= rule_value(x, "min_ratio") * least;
}

/* Adds accesses whose lanes walk rows of one array to those whose lanes walk
 * rows from loaded positions: a warp that walks a row together fixes both. */
static bool
take_scattered(const struct rule_view *x, struct gathered *g,
    const struct accesses *all)
{
	static const enum inst_access kind[2] = { INST_LOAD, INST_STORE };

	if (!is_gathered(x, g, 0) || !(g->walked[0] > 0) ||
	    g->walked[0] < g->excess[0] / 2)
		return false;
	for (int k = 0; k < 2; k++) {
		double excess = accesses_excess(all, PATTERN_SCATTERED,
		    kind[k]);

		g->excess[k] += excess;
		g->walked[k] += excess;
	}
	return true;
}

static enum rule_state
find_exactly(struct rule_view *x, const struct accesses *all)
{
	struct side ld = { .what = "loads",
	    .bytes = METRIC_GLOBAL_LD_BYTES_PER_SECTOR };
	struct side st = { .what = "stores",
	    .bytes = METRIC_GLOBAL_ST_BYTES_PER_SECTOR };
	enum outcome a = look_exactly(x, &ld, all, INST_LOAD);
	enum outcome b = look_exactly(x, &st, all, INST_STORE);
	enum rule_state state = RULE_CLEAN;
	struct gathered g;
	struct draft *d;

	gathered_of(&g, x, all);
	if ((a == ACCESS_BAD || b == ACCESS_BAD) && take_scattered(x, &g, all))
		return gathered_report(x, &g, all);
	if (is_gathered(x, &g, 0) || is_gathered(x, &g, 1))
		state = gathered_report(x, &g, all);
	if (a != ACCESS_BAD && b != ACCESS_BAD)
		return state;
	d = rule_found(x, NULL);
	fill(x, d, &ld, &st);
	accesses_lines(x, d, all, PATTERN_SCATTERED);
	return RULE_FOUND;
}

/* Where only sums over all accesses were counted: reports gathered accesses if
 * the code shows that only accesses at loaded addresses can be the cause. */
static bool
find_gathered(struct rule_view *x, const struct side *ld, enum outcome a,
    const struct side *st, enum outcome b)
{
	const struct side *side[2] = { ld, st };
	bool bad[2] = { a == ACCESS_BAD, b == ACCESS_BAD };
	struct gathered g = { .exact = false }, one;

	for (int k = 0; k < 2; k++) {
		double share;

		g.per_request[k] = NAN;
		if (!bad[k])
			continue;
		if (!gathered_explains(&one, x, k == 0 ? INST_LOAD :
		    INST_STORE))
			return false;
		share = one.walked[k] / one.excess[k];
		g.sectors[k] = side[k]->per_request;
		g.excess[k] = side[k]->per_request * (1 - 1 / side[k]->ratio);
		g.walked[k] = share * g.excess[k];
		g.objects = g.objects || one.objects;
	}
	return gathered_report(x, &g, NULL) == RULE_FOUND;
}

static bool
is_counted(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;

	return c != NULL && c->counted &&
	    isfinite(inst_total(c, SOURCE_GLOBAL_SECTORS)) &&
	    isfinite(inst_total(c, SOURCE_GLOBAL_IDEAL));
}

enum rule_state
rule_uncoalesced_global_access(struct rule_view *x)
{
	struct side ld = { .what = "loads",
	    .sectors = METRIC_GLOBAL_LD_SECTORS,
	    .requests = METRIC_GLOBAL_LD_REQUESTS,
	    .inst = METRIC_GLOBAL_LD_INST,
	    .bytes = METRIC_GLOBAL_LD_BYTES_PER_SECTOR };
	struct side st = { .what = "stores",
	    .sectors = METRIC_GLOBAL_ST_SECTORS,
	    .requests = METRIC_GLOBAL_ST_REQUESTS,
	    .inst = METRIC_GLOBAL_ST_INST,
	    .bytes = METRIC_GLOBAL_ST_BYTES_PER_SECTOR };
	enum outcome a, b;
	struct draft *d;

	/* How a warp loads tensor core operands is not the program's choice. */
	if (rule_said(x, "tensor-operands-reloaded"))
		return RULE_CLEAN;
	if (is_counted(x))
		return accesses_ask(x, find_exactly);
	a = look(x, &ld);
	b = look(x, &st);
	if (a != ACCESS_BAD)
		ld.ratio = 1;
	if (b != ACCESS_BAD)
		st.ratio = 1;
	if (a == ACCESS_BAD || b == ACCESS_BAD) {
		if (rule_is_explained(x))
			return RULE_CLEAN;
		if (find_gathered(x, &ld, a, &st, b))
			return RULE_FOUND;
		d = rule_found(x, NULL);
		fill(x, d, &ld, &st);
		return RULE_FOUND;
	}
	if (a == ACCESS_UNKNOWN || b == ACCESS_UNKNOWN) {
		if (isnan(rule_metric(x, METRIC_GLOBAL_LD_SECTORS)) ||
		    isnan(rule_metric(x, METRIC_GLOBAL_ST_SECTORS)))
			return rule_lacks(x);
		if (ld.foreign || st.foreign)
			return rule_unmeasured(x, REASON_SECTORS_OTHERS);
		return rule_unmeasured(x, REASON_SECTORS_AMBIGUOUS);
	}
	return RULE_CLEAN;
}
