/*
 * rules/evidence/stalls.h: what the rules about one stall reason share. A stall
 * is a symptom: such a rule fires only where waiting limits the kernel, and
 * where no finding that names a cause saves about as much. Pure.
 */
#ifndef CADV_STALLS_H
#define CADV_STALLS_H

#include "rules/evidence/inst.h"

struct stalls {
	double share;		/* share of the warps' time, 0..1 */
	double unissued;	/* share of the samples at which the scheduler
				 * had no warp to issue, 0..1 */
	double most;		/* share of the kernel's time that can go at
				 * most: the smaller of the two */
};

/*
 * stalls_of(s, x, mask): fill ${s} with the time of the view's kernel spent on
 * the reasons in ${mask}, a set of STALL_BITs. Returns NULL, or the reason why
 * the samples do not tell.
 */
const struct reason *stalls_of(struct stalls *s, const struct rule_view *x,
    uint32_t mask);

/* stalls_limit(x): is the kernel limited by waiting? */
bool stalls_limit(const struct rule_view *x);

/* stalls_warps(x): mean resident warps per scheduler. */
double stalls_warps(const struct rule_view *x);

/* stalls_evidence(x, d, s, label): append both shares as evidence; the first,
 * named ${label}, has the threshold "min_stall". */
void stalls_evidence(const struct rule_view *x, struct draft *d,
    const struct stalls *s, const char *label);

/* stalls_barrier_advice(x): what to do about barriers in the view's kernel. */
const char *stalls_barrier_advice(const struct rule_view *x);

/*
 * stalls_settle(x, d): rule_settle; also clean if an earlier finding about this
 * kernel saves at least half of what ${d}, the latest draft, would: that
 * finding names a cause, and removing it changes the stalls.
 */
enum rule_state stalls_settle(struct rule_view *x, struct draft *d);

#endif
