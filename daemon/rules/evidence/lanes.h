/*
 * rules/evidence/lanes.h: what the rules about idle lanes share.
 */
#ifndef CADV_LANES_H
#define CADV_LANES_H

#include "rules/engine/rule.h"

struct lanes {
	double active;		/* lanes per executed instruction; NaN */
	double on;		/* of them with a true predicate; NaN */
	double divergent;	/* of branch targets, the divergent share; NaN */
	double block;		/* lanes that the block size allows, ≤ 32 */
};

/* lanes_of(x): of the view's kernel, from its counters, else its counts by instruction;
 * divergent is 0 if its code cannot diverge. */
struct lanes lanes_of(const struct rule_view *x);

/*
 * lanes_walk_rows(x): do the lanes of a warp go through a row together, whose bounds are
 * loaded, 32 elements a turn? Where lanes then idle, rows are shorter than the warp, and
 * the lanes behind their ends have no other branch to take.
 */
bool lanes_walk_rows(const struct rule_view *x);

/*
 * lanes_end_rows(x): the same without a loop: is most of the code skipped by the lanes
 * whose number in the warp is not below a length that was loaded, one for the warp?
 */
bool lanes_end_rows(const struct rule_view *x);

/* lanes_draft(x, l, lanes): a finding with the evidence of both rules and a fix
 * that raises the active lanes from ${lanes} to 32. Never NULL. */
struct draft *lanes_draft(struct rule_view *x, const struct lanes *l,
    double lanes);

/* lanes_branches(x, d): set the lines of ${d} to those with divergent branches;
 * lanes_idle: to those with idle lanes. */
void lanes_branches(const struct rule_view *x, struct draft *d);
void lanes_idle(const struct rule_view *x, struct draft *d);

#endif
