/*
 * rules/evidence/stalls.h: what the rules about one stall reason share. A stall is a
 * symptom: such a rule speaks only where waiting is what limits the kernel, and
 * where no finding that names a cause saves about as much. Pure.
 */
#ifndef CADV_STALLS_H
#define CADV_STALLS_H

#include "rules/evidence/inst.h"

struct stalls {
	double share;		/* of the time of warps, 0..1 */
	double unissued;	/* of the samples, the scheduler then had no
				 * warp to issue, 0..1 */
	double most;		/* of the kernel's time, what can go at most:
				 * the smaller of the two */
};

/*
 * stalls_of(s, x, mask): how much of the view's kernel is spent on the reasons
 * in ${mask}, a set of STALL_BITs. Returns NULL, or why the samples say
 * nothing.
 */
const struct reason *stalls_of(struct stalls *s, const struct rule_view *x,
    uint32_t mask);

/* stalls_limit(x): is it waiting that limits the kernel? */
bool stalls_limit(const struct rule_view *x);

/* stalls_warps(x): warps that reside on a scheduler, the mean. */
double stalls_warps(const struct rule_view *x);

/* stalls_evidence(x, d, s, label): both shares; the first has the threshold
 * "min_stall". */
void stalls_evidence(const struct rule_view *x, struct draft *d,
    const struct stalls *s, const char *label);

/*
 * stalls_settle(x, d): as rule_settle; and clean as well where an earlier
 * finding about this kernel saves at least half of what ${d}, the latest draft,
 * would: it names a cause, and what it changes changes the stalls.
 */
enum rule_state stalls_settle(struct rule_view *x, struct draft *d);

#endif
