/*
 * block-shape-breaks-rows: the block has several rows of fewer than 32 threads,
 * and the accesses need exactly the sectors that whole rows need when they are
 * split this way. The index is right, the block is too narrow.
 *
 * It replaces uncoalesced-global-access: changing the block size is easier than
 * changing the layout. Where instructions were counted, each is judged on its own
 * (access.h); else loads and stores as a whole, by the bytes used of each sector.
 */
#include <math.h>

#include "rules/evidence/access.h"
#include "rules/evidence/shape.h"

/* The share of the wasted sectors of loads and stores that the shape must explain. */
#define MOST 0.5

struct side {
	const char *what;
	enum metric_id sectors, requests, inst, bytes;
	/* Results: */
	double per_request, ideal;	/* sectors; ideal NaN: the shape does
					 * not explain them */
	double excess;		/* sectors of a launch beyond the ideal */
	double keep;		/* share of the sectors that remains without it */
};

static uint64_t
rows_of(const struct kernel *k)
{
	return (uint64_t)k->shape.block_y * k->shape.block_z;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct side *a, bool exact)
{
	rule_evidence(x, d, "sectors_ratio", a->per_request / a->ideal,
	    arena_format(x->arena, "%s: sectors / ideal sectors", a->what),
	    .derived = exact ? source_metric_table[SOURCE_GLOBAL_IDEAL].name :
	    metric_table[a->bytes].name, .key = "min_ratio");
	rule_evidence(x, d, "sectors_per_request", a->per_request,
	    arena_format(x->arena, "%s: sectors per request", a->what),
	    .measured = exact ? source_metric_table[SOURCE_GLOBAL_SECTORS].name
	    : metric_table[a->sectors].name, .unit = "sector/request");
}

static void
say(struct rule_view *x, struct draft *d, const struct side *ld,
    const struct side *st)
{
	const struct side *a = isfinite(ld->ideal) ? ld : st;
	const struct record_SIGNATURE *s = &x->kernel->shape;
	uint32_t threads = rule_threads(x->kernel);

	d->f.summary = arena_format(x->arena, "a block is %u threads wide and "
	    "has %s rows: a warp touches %s rows at once, and its %s take %s "
	    "sectors per request where %s would do", s->block_x,
	    say_count(x->arena, rows_of(x->kernel)),
	    say_plain(x->arena, 32.0 / s->block_x), isfinite(ld->ideal) &&
	    isfinite(st->ideal) ? "loads and stores" : a->what,
	    say_plain(x->arena, a->per_request),
	    say_plain(x->arena, a->ideal));
	d->f.advice = arena_format(x->arena, "launch blocks of 32 × %u threads "
	    "(any multiple of 32 in x, and fewer rows to match), so that a warp "
	    "is in one row; the kernel's code stays as it is%s",
	    threads >= 64 ? threads / 32 : 1, s->block_x > 1 ? "" :
	    ", if threadIdx.x is its index along the row");
}

static enum rule_state
report(struct rule_view *x, const struct side *ld, const struct side *st,
    const struct accesses *all)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	if (isfinite(ld->ideal)) {
		fix.global_ld = ld->keep;
		give_evidence(x, d, ld, all != NULL);
	}
	if (isfinite(st->ideal)) {
		fix.global_st = st->keep;
		give_evidence(x, d, st, all != NULL);
	}
	rule_fix(d, &fix, 0.8, 1);
	rule_evidence(x, d, "block_x", x->kernel->shape.block_x,
	    "threads of a block in x", .attribute = "kernel activity record",
	    .unit = "thread");
	rule_evidence(x, d, "block_rows", (double)rows_of(x->kernel),
	    "rows of threads in a block", .attribute = "kernel activity record",
	    .unit = "row");
	d->f.confidence = x->kernel->shape.block_x > 1 ?
	    CONF_MEDIUM : CONF_LOW;
	say(x, d, ld, st);
	d->f.gain_note = "the same accesses with every sector fully used; "
	    "traffic that L1 already absorbs is not counted as saved";
	if (all != NULL)
		accesses_lines(x, d, all, PATTERN_SHAPE);
	return RULE_FOUND;
}

/* Fills ${a} from the counters of all loads, or all stores; -1 if counters are
 * missing. */
static int
look(const struct rule_view *x, struct side *a)
{
	double sectors = rule_metric(x, a->sectors);
	double requests = rule_metric(x, a->requests);
	double used = rule_metric(x, a->bytes), bytes;

	a->ideal = NAN;
	a->excess = 0;
	a->keep = 1;
	if (isnan(requests))
		requests = rule_metric(x, a->inst);
	if (isnan(sectors) || isnan(requests))
		return -1;
	if (!(requests > 0) || !(sectors > 0))
		return 0;
	if (!(used > 0))
		return -1;
	a->per_request = sectors / requests;
	a->keep = fmin(1, used / 32);
	a->excess = sectors * (1 - a->keep);
	/* The bytes that a lane accesses: a power of two, if all accesses are alike. */
	bytes = exp2(round(log2(fmin(fmax(used * a->per_request / 32, 1),
	    16))));
	if (fabs(used * a->per_request / 32 - bytes) <= 0.1 * bytes &&
	    a->per_request / bytes >= rule_value(x, "min_ratio") &&
	    shape_explains(x->kernel, a->per_request, bytes))
		a->ideal = bytes;
	return 0;
}

static void
look_exactly(const struct rule_view *x, struct side *a,
    const struct accesses *all, enum inst_access kind)
{
	const struct access_sum *s = &all->sum[PATTERN_SHAPE][kind];

	a->ideal = NAN;
	a->keep = 1;
	a->excess = fmax(0, all->all[kind].sectors - all->all[kind].ideal);
	if (!(s->requests > 0) || !(s->ideal > 0) ||
	    s->sectors / s->ideal < rule_value(x, "min_ratio"))
		return;
	a->per_request = s->sectors / s->requests;
	a->ideal = s->ideal / s->requests;
	a->keep = accesses_keep(all, PATTERN_SHAPE, kind);
}

#define LOADS { .what = "loads", .sectors = METRIC_GLOBAL_LD_SECTORS,	\
	.requests = METRIC_GLOBAL_LD_REQUESTS, .inst = METRIC_GLOBAL_LD_INST, \
	.bytes = METRIC_GLOBAL_LD_BYTES_PER_SECTOR }
#define STORES { .what = "stores", .sectors = METRIC_GLOBAL_ST_SECTORS,	\
	.requests = METRIC_GLOBAL_ST_REQUESTS, .inst = METRIC_GLOBAL_ST_INST, \
	.bytes = METRIC_GLOBAL_ST_BYTES_PER_SECTOR }

static enum rule_state
find_exactly(struct rule_view *x, const struct accesses *all)
{
	struct side ld = LOADS, st = STORES;

	look_exactly(x, &ld, all, INST_LOAD);
	look_exactly(x, &st, all, INST_STORE);
	if (isnan(ld.ideal) && isnan(st.ideal))
		return RULE_CLEAN;
	return report(x, &ld, &st, all);
}

enum rule_state
rule_block_shape_breaks_rows(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct side ld = LOADS, st = STORES;
	double explained;

	if (!shape_is_narrow(x->kernel))
		return RULE_CLEAN;
	if (c != NULL && c->counted &&
	    isfinite(inst_total(c, SOURCE_GLOBAL_SECTORS)) &&
	    isfinite(inst_total(c, SOURCE_GLOBAL_IDEAL)))
		return accesses_ask(x, find_exactly);
	if (look(x, &ld) != 0 || look(x, &st) != 0) {
		if (isnan(rule_metric(x, METRIC_GLOBAL_LD_SECTORS)) ||
		    isnan(rule_metric(x, METRIC_GLOBAL_ST_SECTORS)))
			return rule_lacks(x);
		return rule_unmeasured(x, REASON_SECTOR_BYTES_UNCOUNTED);
	}
	explained = (isfinite(ld.ideal) ? ld.excess : 0) +
	    (isfinite(st.ideal) ? st.excess : 0);
	if (isnan(ld.ideal) && isnan(st.ideal))
		return RULE_CLEAN;
	/* Otherwise the access pattern is the larger fault:
	 * uncoalesced-global-access. */
	if (explained < MOST * (ld.excess + st.excess))
		return RULE_CLEAN;
	return report(x, &ld, &st, NULL);
}
