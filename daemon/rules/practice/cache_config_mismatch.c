/*
 * cache-config-mismatch: the program requested a split of the SM's memory into
 * L1 and shared memory that does not suit its kernel.
 *
 * Too little shared memory: it limits the resident blocks, and a larger
 * carve-out would let more reside. Too much: more than the resident blocks use,
 * while L1 repeatedly misses data that it held before. Only a request of the
 * program is judged; the driver's own choice fits.
 */
#include <math.h>

#include "rules/evidence/reuse.h"

#define PREFER_SHARED 1		/* CU_FUNC_CACHE_… */
#define PREFER_L1 2
#define KIB 1024.0

/*
 * Misses fall with the square root of a cache's size: the rule of thumb of
 * Hartstein et al., "Cache Miss Behavior: Is It √2?" (2006). The misses of a
 * working set that then fits fall further, those of a far larger one not at all.
 */
#define POWER 0.5

struct carveout {
	double total;		/* L1 and shared memory of an SM, bytes */
	double shared;		/* carve-out for shared memory */
	double used;		/* shared memory of the resident blocks */
	double block;		/* shared memory of a block */
};

/* The smallest carve-out that the GPU offers of ${bytes} or more. */
static double
step_up(const struct rule_view *x, double bytes)
{
	return fmin(x->device->limits.smem_per_sm,
	    (double)chip_carveout(x->device->sm, (uint64_t)ceil(bytes)));
}

static bool
look(const struct rule_view *x, struct carveout *v)
{
	const struct record_SIGNATURE *s = &x->kernel->shape;
	const struct record_DEVICE *l = &x->device->limits;
	double most = l->smem_per_sm, asked;

	v->total = x->device->sm->cache_kib * KIB;
	v->block = (double)s->smem_static + s->smem_dynamic + l->smem_reserved;
	v->used = v->block * x->kernel->occupancy.blocks_per_sm;
	asked = s->carveout <= 100 ? most * s->carveout / 100 :
	    s->cache_config == PREFER_SHARED ? most : 0;
	v->shared = step_up(x, fmax(asked, v->block));
	if (s->smem_executed > 0)	/* the driver recorded the one it used */
		v->shared = fmin(most, s->smem_executed);
	return v->total > most && most > 0;
}

static bool
is_requested(const struct rule_view *x)
{
	const struct record_SIGNATURE *s = &x->kernel->shape;

	return s->carveout <= 100 || s->cache_config == PREFER_SHARED ||
	    s->cache_config == PREFER_L1;
}

static void
give_division(const struct rule_view *x, struct draft *d,
    const struct carveout *v)
{
	const struct record_SIGNATURE *s = &x->kernel->shape;

	rule_evidence(x, d, "shared_bytes", v->shared,
	    "set aside as shared memory, of an SM", .source = s->smem_executed >
	    0 ? "measured" : "derived", .from = "kernel activity record");
	rule_evidence(x, d, "shared_used_bytes", v->used,
	    "of it used by the resident blocks",
	    .derived = "occupancy calculator");
	if (s->carveout <= 100)
		rule_evidence(x, d, "carveout", s->carveout,
		    "carve-out that the program asked for",
		    .attribute = "kernel activity record", .unit = "%");
}

/* Shared memory limits the blocks on an SM: ${more} times as many could reside. */
static enum rule_state
grow(struct rule_view *x, const struct carveout *v, double more)
{
	struct draft *d = rule_found(x, NULL);
	double blocks = x->kernel->occupancy.blocks_per_sm;
	struct fix fix = FIX_NONE;

	fix.occupancy = more;
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, "more_warps_ratio", more,
	    "resident warps with all of it as shared memory / now",
	    .derived = "occupancy calculator", .key = "min_more");
	give_division(x, d, v);
	d->f.summary = arena_format(x->arena, "an SM sets %s aside as shared "
	    "memory, room for %s block%s; all there is has room for %s",
	    say_bytes(x->arena, v->shared), say_plain(x->arena, blocks),
	    blocks == 1 ? "" : "s", say_plain(x->arena,
	    floor(more * blocks + 0.5)));
	d->f.advice = "let the driver choose (no carve-out, cudaFuncCache"
	    "PreferNone), or ask for what the blocks need: "
	    "cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredShared"
	    "MemoryCarveout, cudaSharedmemCarveoutMaxShared)";
	d->f.gain_note = "more warps hide more latency, up to the next full "
	    "resource";
	rule_blind(x, d);
	return rule_settle(x, d);
}

/* Shared memory is set aside that no block uses, and L1 lacks it. */
static enum rule_state
shrink(struct rule_view *x, const struct carveout *v, const struct reuse *r)
{
	double now = v->total - v->shared, wait = x->load->memory_stall;
	double then = v->total - step_up(x, v->used);
	double of_l2 = fmin(1, x->load->l2_ld / x->load->l2_sectors);
	double keep[VIEWS] = { 1, pow(now / then, POWER),
	    fmin(1, 1 / r->l2_again) };
	struct draft *d = rule_found(x, NULL);

	keep[VIEW_HIGH] = fmin(keep[VIEW_HIGH], keep[VIEW_MID]);
	for (int i = VIEW_LOW; i < VIEWS; i++) {
		d->fix[i].part[RES_L2] = 1 - of_l2 * (1 - keep[i]);
		d->fix[i].stall = 1 - 0.5 * wait * (1 - keep[i]);
	}
	d->f.title = "L1 made smaller by unused shared memory";
	d->f.confidence = CONF_LOW;
	rule_evidence(x, d, "l2_reuse_ratio", r->l2_again,
	    "bytes loaded from L2 / distinct bytes, at most",
	    .derived = metric_table[METRIC_L2_FROM_L1].name,
	    .key = "min_l2_reuse");
	rule_evidence(x, d, "l1_bytes", now, "L1 of an SM",
	    .derived = "compute capability, carve-out");
	rule_evidence(x, d, "l1_possible_bytes", then,
	    "L1 of an SM, were only used shared memory set aside",
	    .derived = "compute capability, occupancy calculator");
	give_division(x, d, v);
	d->f.summary = arena_format(x->arena, "%s of shared memory are set "
	    "aside, the blocks use %s; L1 has %s and could have %s, and L2 "
	    "delivers each byte %s times or more", say_bytes(x->arena,
	    v->shared), say_bytes(x->arena, v->used), say_bytes(x->arena, now),
	    say_bytes(x->arena, then), say_plain(x->arena, r->l2_again));
	d->f.advice = "let the driver choose (no carve-out, cudaFuncCache"
	    "PreferNone), or ask for L1: cudaFuncSetAttribute(kernel, "
	    "cudaFuncAttributePreferredSharedMemoryCarveout, "
	    "cudaSharedmemCarveoutMaxL1)";
	d->f.gain_note = "misses of L1 fall with the square root of its size; "
	    "further if the working set then fits, not at all if it is far "
	    "larger";
	lines_loads(x, d);
	return rule_settle(x, d);
}

enum rule_state
rule_cache_config_mismatch(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	struct carveout v;
	struct reuse r;
	double more;

	if (!o->known || o->blocks_per_sm == 0)
		return rule_unmeasured(x, REASON_OCCUPANCY_UNKNOWN);
	if (!is_requested(x))
		return RULE_CLEAN;
	if (!look(x, &v))
		return rule_unmeasured(x, REASON_L1_UNKNOWN);
	if (o->limiter == LIMITER_SHARED) {
		/* The carve-out is a hint: the driver may have chosen another. */
		if (floor(v.shared / v.block) > o->blocks_per_sm)
			return RULE_CLEAN;
		more = fmin(floor(x->device->limits.smem_per_sm / v.block),
		    1 / o->ratio * o->blocks_per_sm) / o->blocks_per_sm;
		for (int i = LIMITER_WARPS; i < LIMITER_COUNT; i++)
			if (i != LIMITER_SHARED && o->limit_blocks[i] > 0)
				more = fmin(more, (double)o->limit_blocks[i] /
				    o->blocks_per_sm);
		return v.block > 0 && more >= rule_value(x, "min_more") ?
		    grow(x, &v, more) : RULE_CLEAN;
	}
	if (!(v.shared - step_up(x, v.used) >=
	    rule_value(x, "min_unused")))
		return RULE_CLEAN;
	reuse_of(&r, x, NULL, NULL);
	if (isnan(r.l2_again) || x->load->limit < 0)
		return rule_lacks(x);
	if (!(r.l2_again >= rule_value(x, "min_l2_reuse")) ||
	    (!rule_is_bound(x, RES_L2) && !(x->load->bound < 0.5 &&
	    x->load->memory_stall >= rule_value(x, "min_stall"))))
		return RULE_CLEAN;
	return shrink(x, &v, &r);
}
