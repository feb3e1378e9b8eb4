/*
 * instruction-cache-misses: warps wait for instructions to be fetched, because
 * the code is larger than the instruction caches.
 *
 * If little code is hot, the same stall has another cause (branches, after each
 * of which fetching starts anew, or the first iteration of a short kernel), and
 * smaller loops do not help.
 */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/stalls.h"

#define HOT 0.9		/* share of the executed instructions */

COMPARE(by_count, double, ORDER(*y, *x))

/* Bytes of the most executed instructions that make up HOT of all executions;
 * NaN without memory, or if they were not counted. */
static double
hot_bytes(const struct code *c)
{
	double *count = calloc(c->instructions + 1, sizeof(*count));
	double all = 0, sum = 0;
	size_t n = 0;

	if (count == NULL)
		return NAN;
	for (size_t i = 0; i < c->instructions; i++) {
		double v = inst_value(c, i, SOURCE_INST);

		count[i] = isfinite(v) ? v : 0;
		all += count[i];
	}
	qsort(count, c->instructions, sizeof(*count), by_count);
	while (n < c->instructions && sum < HOT * all)
		sum += count[n++];
	free(count);
	return all > 0 ? (double)n * CUBIN_STEP : NAN;
}

static enum rule_state
report(struct rule_view *x, const struct stalls *s, double bytes)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.stall = 1 - s->most;
	rule_fix(d, &fix, 0.4, 0.9);
	stalls_evidence(x, d, s, "time of warps without an instruction");
	rule_evidence(x, d, "hot_code_bytes", bytes,
	    "code that makes 90 % of the executed instructions",
	    .derived = source_metric_table[SOURCE_INST].name,
	    .key = "min_code");
	d->f.summary = arena_format(x->arena, "warps wait %s of their time for "
	    "instructions: %s of code are hot, more than the instruction "
	    "caches hold", say_percent(x->arena, s->share),
	    say_bytes(x->arena, bytes));
	d->f.advice = "make the hot loop smaller than the "
	    "instruction cache: unroll less (#pragma unroll "
	    "4, or 1 before the outer loop), do not inline large functions at "
	    "many places (__noinline__), let one loop with parameters replace "
	    "copies that templates make, or split the kernel";
	d->f.gain_note = "the kernel with most of the waiting for instructions "
	    "gone; what a rolled loop adds to count is not in it";
	lines_stalled(x, d, STALL_BIT(NO_INSTRUCTION));
	return stalls_settle(x, d);
}

enum rule_state
rule_instruction_cache_misses(struct rule_view *x)
{
	const struct reason *reason;
	struct stalls s;
	double bytes;

	reason = stalls_of(&s, x, STALL_BIT(NO_INSTRUCTION));
	if (reason != NULL)
		return rule_unmeasured_for(x, reason);
	if (!stalls_limit(x) || s.share < rule_value(x, "min_stall"))
		return RULE_CLEAN;
	bytes = hot_bytes(x->kernel->code);
	if (isnan(bytes))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	if (bytes < rule_value(x, "min_code"))
		return RULE_CLEAN;
	return report(x, &s, bytes);
}
