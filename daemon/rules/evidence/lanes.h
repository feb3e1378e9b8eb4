/*
 * rules/evidence/lanes.h: what the rules about idle lanes all look at.
 */
#ifndef CADV_LANES_H
#define CADV_LANES_H

#include "rules/engine/rule.h"

struct lanes {
	double active;		/* lanes per executed instruction; NaN */
	double on;		/* of them with a true predicate; NaN */
	double divergent;	/* share of branch targets; NaN */
	double block;		/* lanes that the block size allows, ≤ 32 */
};

struct lanes lanes_of(const struct rule_view *x);

/* lanes_draft(x, l, lanes): a finding with the evidence of both rules and a
 * fix that fills ${lanes} of 32 up. NULL without memory. */
struct draft *lanes_draft(struct rule_view *x, const struct lanes *l,
    double lanes);

/* The lines whose branches diverge, and those whose lanes are idle. */
void lanes_branches(const struct rule_view *x, struct draft *d);
void lanes_idle(const struct rule_view *x, struct draft *d);

#endif
