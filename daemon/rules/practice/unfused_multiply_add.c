/*
 * unfused-multiply-add: a multiplication whose result is used by one addition
 * only, as two instructions: built with -fmad=false, or written with __fmul_rn.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"

struct pairs {
	double executed, total, arithmetic;
	unsigned pairs;
	bool wide;		/* some are double */
};

static void
count(const struct code *c, struct pairs *p, struct mark *m)
{
	p->total = inst_total(c, SOURCE_INST);
	for (size_t i = 0; i < c->instructions; i++) {
		const struct sass_instruction *s = inst_sass(c, i);
		double inst = inst_value(c, i, SOURCE_INST);

		if (s == NULL || !(inst > 0))
			continue;
		if (s->flags & (SASS_MULTIPLY | SASS_ADD | SASS_FMA) &&
		    s->flags & (SASS_FP32 | SASS_FP64 | SASS_FP16))
			p->arithmetic += inst;
		if (s->pair == SASS_NONE || s->pair >= c->sass.instructions)
			continue;
		/* At most as often as the addition that would go. */
		inst = fmin(inst, inst_executed(c, s->pair));
		p->executed += inst;
		p->pairs++;
		p->wide = p->wide || s->flags & SASS_FP64;
		m[i].weight = inst;
	}
}

/* Does arithmetic, or its issue, matter to this kernel? */
static bool
matters(const struct rule_view *x)
{
	static const enum resource r[] = {
		RES_ISSUE, RES_FMA, RES_FP64, RES_ALU
	};
	double most = 0;

	for (size_t i = 0; i < 4; i++)
		most = fmax(most, fmax(0, rule_busy(x, r[i])));
	return most >= rule_value(x, "min_busy");
}

static enum rule_state
report(struct rule_view *x, const struct pairs *p, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	double saved = p->executed / p->total;
	struct fix fix = FIX_NONE;

	fix.inst = 1 - fmin(0.5, saved);
	/* The pipe loses a larger share than all instructions do. */
	if (p->arithmetic > 0)
		fix.part[p->wide ? RES_FP64 : RES_FMA] = fmin(1,
		    (1 - fmin(0.5, p->executed / p->arithmetic)) / fix.inst);
	rule_fix(d, &fix, 0.5, 1);
	d->f.confidence = CONF_HIGH;
	rule_evidence(x, d, "pairs_ratio", saved, "additions that a fused "
	    "multiply-add would take in, of all warp instructions",
	    .derived = "disassembly, warp instructions", .key = "min_share");
	rule_evidence(x, d, "pairs", p->pairs, "pairs in the code",
	    .derived = "disassembly", .unit = "pair");
	d->f.summary = arena_format(x->arena, "%u multipl%s followed by the "
	    "one addition that uses %s: %s of the instructions could be fused "
	    "away", p->pairs, p->pairs == 1 ? "ication is" :
	    "ications are", p->pairs == 1 ? "it" : "them",
	    say_percent(x->arena, saved));
	d->f.advice = "build without -fmad=false; where the code says __fmul_rn "
	    "and __fadd_rn, or keeps product and sum apart, write fmaf(a, b, "
	    "c). Not where the rounding in between is meant (compensated sums)";
	d->f.gain_note = "one instruction for each pair found";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rule_unfused_multiply_add(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	enum rule_state state = RULE_CLEAN;
	struct pairs p = { 0 };
	struct mark *m;

	if (isnan(inst_total(c, SOURCE_INST)))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	if (x->load->limit < 0)
		return rule_lacks(x);
	if (!matters(x) || (m = marks_new(x)) == NULL)
		return RULE_CLEAN;
	count(c, &p, m);
	if (p.executed > 0 && p.executed >= rule_value(x, "min_share") *
	    p.total)
		state = report(x, &p, m);
	free(m);
	return state;
}
