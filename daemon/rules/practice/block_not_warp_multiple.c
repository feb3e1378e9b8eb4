/*
 * block-not-warp-multiple: the last warp of every block has lanes that can
 * never work.
 */
#include <math.h>

#include "rules/engine/rule.h"

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
	    "a bounds check in the kernel", threads > 32 &&
	    threads % 32 < 16 ? threads / 32 * 32 : warps * 32,
	    threads < 96 ? " (128 or 256 is the usual choice)" : "");
	d->f.gain_note = "the same work in full warps";
	return RULE_FOUND;
}
