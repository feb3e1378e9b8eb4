/*
 * scatter-contention: a framework's operator adds many values to few addresses
 * (index_add_, scatter_add_, bincount, the gradient of an embedding). L2
 * performs the atomics on one address one after the other, while memory is idle.
 *
 * The operator's name says that it scatters; the counters say that the
 * serialised atomics take the time, as in global-atomic-contention. The caller
 * cannot change the kernel, only the call.
 */
#include <math.h>

#include "rules/evidence/atomics.h"
#include "rules/evidence/lines.h"

/* What is left of the atomics' time. Measured on an H200: 0.13 where eight
 * masked sums replace 16 million atomics on 8 addresses; sorting all values
 * before summing leaves more, a matrix product with few columns less. */
static const double left_over[VIEWS] = { 0.5, 0.13, 0.03 };

static enum rule_state
report(struct rule_view *x, const struct atomics *a)
{
	double line = fmin(a->line, 1), dram = rule_busy(x, RES_DRAM);
	struct draft *d = rule_found(x, NULL);

	for (int v = 0; v < VIEWS; v++)
		d->fix[v].whole = fmax(1 - line * (1 - left_over[v]),
		    isfinite(dram) ? fmin(1, dram) : 0);
	d->f.confidence = CONF_MEDIUM;
	rule_evidence(x, d, "atomics", a->least,
	    "L2 sectors from L1 that are neither loaded nor stored, a launch",
	    .derived = metric_table[METRIC_L2_FROM_L1].name, .unit = "sector");
	rule_evidence(x, d, "line_ratio", line,
	    "of the kernel's time, that many atomics on one word",
	    .estimated = metric_table[METRIC_L2_FROM_L1].name,
	    .key = "min_line");
	rule_evidence(x, d, "busy_ratio", x->load->busy, "busiest resource",
	    .derived = "counters", .key = "max_busy");
	d->f.summary = arena_format(x->arena, "%s adds into few places: %s "
	    "atomics a launch, one behind the other, are %s of its time",
	    x->library->name, say_whole(x->arena, a->least),
	    say_percent(x->arena, line));
	d->f.limiter = arena_format(x->arena, "L2 serializes atomics on one "
	    "address (%s busy)", say_percent(x->arena, x->load->busy));
	d->f.advice = "with few targets multiply by their one-hot matrix, "
	    "one_hot(index).T @ values; else sort by target and add up the "
	    "segments; counts: bincount or histc";
	d->f.gain_note = "what takes the place of the atomics reads the values "
	    "a few times, or sorts them";
	d->f.bad_code = "sums = torch.zeros(8, d).index_add_(0, index, values)";
	d->f.good_code = "sums = one_hot(index, 8).to(values.dtype).T @ values";
	return rule_settle(x, d);
}

enum rule_state
rule_scatter_contention(struct rule_view *x)
{
	struct atomics a;

	if (!library_does(x->library, "scatter"))
		return RULE_CLEAN;
	if (isnan(x->load->busy))
		return rule_lacks(x);
	if (x->load->busy >= rule_value(x, "max_busy"))
		return RULE_CLEAN;
	if (atomics_of(&a, x) != NULL)
		return rule_unmeasured(x, REASON_GLOBAL_ATOMICS_UNCOUNTED);
	if (!atomics_wait(&a, rule_value(x, "min_line")))
		return RULE_CLEAN;
	return report(x, &a);
}
