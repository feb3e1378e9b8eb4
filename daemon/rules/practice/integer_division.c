/*
 * integer-division: / and % of integers by divisors known only at run time.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/division.h"

/* Does arithmetic, or its issue, matter to this kernel? */
static bool
matters(const struct rule_view *x)
{
	static const enum resource r[] = {
		RES_ISSUE, RES_ALU, RES_FMA, RES_XU
	};
	double most = 0;

	for (size_t i = 0; i < 4; i++)
		most = fmax(most, fmax(0, rule_busy(x, r[i])));
	return most >= rule_value(x, "min_busy");
}

/* Warp instructions that the XU pipe runs: conversions and MUFU. */
static double
units_of(const struct code *c)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].flags & (SASS_XU | SASS_CONVERT))
			sum += inst_executed(c, s);
	return sum;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct divisions *n, double total)
{
	rule_evidence(x, d, "division_ratio", n->inst / total,
	    "instructions of integer divisions, of all",
	    .derived = "disassembly, warp instructions", .key = "min_share");
	rule_evidence(x, d, "divisions", n->quotients,
	    "divisions of a warp, 32 bits, a launch",
	    .measured = source_metric_table[SOURCE_INST].name,
	    .unit = "division");
	rule_evidence(x, d, "reciprocals", n->reciprocals,
	    "of them with a divisor of their own",
	    .measured = source_metric_table[SOURCE_INST].name,
	    .unit = "division");
	rule_evidence(x, d, "divisions_wide", n->wide,
	    "divisions of a warp, 64 bits, a launch",
	    .measured = source_metric_table[SOURCE_INST].name,
	    .unit = "division");
	rule_evidence(x, d, "busy_ratio", x->load->busy, arena_format(x->arena,
	    "%s busy", resource_said[x->load->limit]), .derived = "counters",
	    .key = "min_busy");
}

static enum rule_state
report(struct rule_view *x, const struct divisions *n, double total,
    const struct mark *m)
{
	double units = units_of(x->kernel->code);
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE, most;
	bool wide = n->wide > 0.1 * n->quotients;

	fix.inst = 1 - fmin(0.9, n->saved / total);
	if (units > 0)
		fix.part[RES_XU] = fmin(1, fmax(0.05, 1 - n->units / units) /
		    fix.inst);
	rule_fix(d, &fix, 0.5, 1);
	/* Where the remainder is not needed, one instruction less each. */
	most = fix;
	most.inst = 1 - fmin(0.9, (n->saved + n->quotients) / total);
	most.part[RES_XU] = fmin(1, fix.part[RES_XU] * fix.inst / most.inst);
	d->fix[VIEW_HIGH] = most;
	d->f.confidence = CONF_MEDIUM;
	give_evidence(x, d, n, total);
	d->f.summary = arena_format(x->arena, "about %s of the instructions "
	    "are integer divisions or remainders%s by run-time "
	    "values", say_percent(x->arena, n->inst / total),
	    wide ? ", of 64 bits," : "");
	d->f.advice = arena_format(x->arena, "%smake the divisor a constant "
	    "(template parameter, constexpr) or a power of two (n >> k, n & "
	    "(d - 1)); where only the host knows it, let it compute a "
	    "multiplier and a shift: q = __umulhi(n, multiplier) >> shift, "
	    "n %% d = n - q * d; where indices count up, count instead of "
	    "dividing", wide ? "divide in 32 bits where the values fit "
	    "(unsigned, not size_t); " : "");
	d->f.gain_note = "three instructions in the place of nine for each "
	    "quotient, no reciprocals, and 32 bits instead of 64";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rule_integer_division(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double total = inst_total(c, SOURCE_INST);
	enum rule_state state = RULE_CLEAN;
	struct divisions n;
	struct mark *m;

	if (isnan(total))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	if (x->load->limit < 0)
		return rule_lacks(x);
	if (!matters(x) || (m = marks_new(x)) == NULL)
		return RULE_CLEAN;
	divisions_count(&n, c, m);
	if (n.inst > total) {	/* divisions share instructions */
		n.saved *= total / n.inst;
		n.inst = total;
	}
	if (n.inst > 0 && n.inst >= rule_value(x, "min_share") * total)
		state = report(x, &n, total, m);
	free(m);
	return state;
}
