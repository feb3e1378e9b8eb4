/*
 * block-not-warp-multiple: the last warp of every block has lanes that can
 * never work.
 */
#include <math.h>

#include "rules/engine/rule.h"

/*
 * The L1 pipe's work, new / old, with ${inst} times the instructions: an access takes a
 * wavefront however few lanes it has, so that as many go as accesses do. Wavefronts
 * beyond that, of bank conflicts and scattered lanes, stay. Shared accesses that were
 * not counted are taken to have one each.
 */
static double
l1_after(const struct rule_view *x, double inst)
{
	const double *w = x->load->wavefronts;
	double shared = w[USER_SHARED_LD] + w[USER_SHARED_ST] + w[USER_OTHER];
	double counted = rule_metric(x, METRIC_SHARED_LD_INST) +
	    rule_metric(x, METRIC_SHARED_ST_INST);
	double all = shared + w[USER_GLOBAL_LD] + w[USER_GLOBAL_ST] + w[USER_LOCAL];
	double go = isfinite(counted) ? fmin(counted, shared) : shared;

	go += fmin(or_zero(x->load->requests_ld), w[USER_GLOBAL_LD]) +
	    fmin(or_zero(x->load->requests_st), w[USER_GLOBAL_ST]);
	return all > 0 && isfinite(go) ? clamp01(1 - (1 - inst) * go / all) : 1;
}

enum rule_state
rule_block_not_warp_multiple(struct rule_view *x)
{
	uint32_t threads = rule_threads(x->kernel);
	uint32_t warps = (threads + 31) / 32;
	double idle, least;
	struct fix fix = FIX_NONE;
	struct draft *d;

	if (threads == 0)
		return rule_unmeasured(x, REASON_BLOCK_UNKNOWN);
	if (threads % 32 == 0)
		return RULE_CLEAN;
	idle = 1 - threads / (32.0 * warps);
	/* The warps that the same threads need in blocks of whole warps. If the grid
	 * has no more warps than that, there is nothing to fill the idle lanes with. */
	least = ceil(rule_blocks(x->kernel) * threads / 32);
	if (idle < rule_value(x, "min_idle") ||
	    least >= rule_blocks(x->kernel) * warps)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	fix.inst = fmax(1 - idle, least / (rule_blocks(x->kernel) * warps));
	fix.part[RES_L1] = l1_after(x, fix.inst);
	fix.blocks = fix.inst;	/* some SMs that have a block now may have none */
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, "block_threads", threads, "threads per block",
	    .attribute = "kernel activity record", .unit = "thread");
	rule_evidence(x, d, "idle_ratio", idle, "lanes that are never active",
	    .derived = "kernel activity record", .key = "min_idle");
	d->f.confidence = x->load->limit >= 0 ? CONF_HIGH : CONF_LOW;
	d->f.summary = arena_format(x->arena, "%u threads per block: %u warp%s "
	    "with %u lanes that are never active (%s)", threads, warps,
	    warps == 1 ? "" : "s",
	    warps * 32 - threads, say_percent(x->arena, idle));
	d->f.advice = arena_format(x->arena, "launch %u threads per block%s, with "
	    "a bounds check in the kernel; where the threads of a block work on "
	    "one thing together (a small matrix, say), let a block have several "
	    "such things, one beside the other", threads > 32 &&
	    threads % 32 < 16 ? threads / 32 * 32 : warps * 32,
	    threads < 96 ? " (128 or 256 is the usual choice)" : "");
	d->f.gain_note = "the same work in full warps";
	return RULE_FOUND;
}
