/*
 * misaligned-access: neighbouring lanes touch neighbouring elements, but the
 * row starts in the middle of a sector, so every request needs one more than
 * its bytes fill. A window that slides over the data (a stencil) has to; see
 * access.c.
 */
#include <math.h>

#include "rules/access.h"

static enum rule_state
find(struct rule_view *x, const struct accesses *a)
{
	const struct access_sum *ld = &a->sum[PATTERN_MISALIGNED][INST_LOAD];
	const struct access_sum *st = &a->sum[PATTERN_MISALIGNED][INST_STORE];
	double sectors = ld->sectors + st->sectors;
	double excess = sectors - ld->ideal - st->ideal;
	double all = a->all[INST_LOAD].sectors + a->all[INST_STORE].sectors;
	double requests = ld->requests + st->requests;
	struct fix fix = FIX_NONE;
	struct draft *d;

	if (!(excess > 0) || excess < rule_value(x, "min_share") * all)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	fix.global_ld = accesses_keep(a, PATTERN_MISALIGNED, INST_LOAD);
	fix.global_st = accesses_keep(a, PATTERN_MISALIGNED, INST_STORE);
	rule_fix(d, &fix, 0.5, 1);
	d->f.confidence = x->load->bound >= 0.5 ? CONF_HIGH : CONF_MEDIUM;
	rule_evidence(x, d, (struct evidence){ .name = "excess_ratio",
	    .label = "their sectors beyond the ideal, of all global sectors",
	    .value = excess / all, .unit = "ratio", .source = "derived",
	    .from = source_metric_table[SOURCE_GLOBAL_IDEAL].name },
	    "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "sectors_per_request",
	    .label = "sectors per request of the misaligned accesses",
	    .value = sectors / requests, .unit = "sector/request",
	    .source = "measured",
	    .from = source_metric_table[SOURCE_GLOBAL_SECTORS].name }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "ideal_per_request",
	    .label = "sectors per request that their bytes fill",
	    .value = (sectors - excess) / requests, .unit = "sector/request",
	    .source = "measured",
	    .from = source_metric_table[SOURCE_GLOBAL_IDEAL].name }, NULL);
	d->f.summary = arena_format(x->arena, "%s start in the middle of a "
	    "sector: %s sectors a request where %s would do",
	    ld->requests > 0 && st->requests > 0 ? "loads and stores" :
	    ld->requests > 0 ? "loads" : "stores",
	    say_number(x->arena, sectors / requests),
	    say_number(x->arena, (sectors - excess) / requests));
	d->f.advice = "let every row start at a multiple of 128 bytes: pad its "
	    "length (cudaMallocPitch), start at an aligned element and handle "
	    "the few before it apart, or shift the layout by the offset";
	d->f.gain_note = "the same accesses without the extra sector; what L1 "
	    "already absorbs of it is not counted as saved";
	rule_next_lines(x, d);
	accesses_lines(x, d, a, PATTERN_MISALIGNED);
	return rule_settle(x, d);
}

enum rule_state
rule_misaligned_access(struct rule_view *x)
{
	return accesses_ask(x, find);
}
