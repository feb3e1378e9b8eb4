/*
 * rules/evidence/atomics.h: how many global atomics a kernel executes, and how
 * long they would take one after the other on one address, from its counters
 * alone: for kernels whose instructions were not counted. Pure.
 *
 * L1 requests sectors from L2 for loads that miss, for stores and for atomics.
 * Atomics of a warp on one word are requested lane by lane: on an H200 the
 * counters then differ by exactly the number of atomics (20,000,000 of as many).
 */
#ifndef CADV_ATOMICS_H
#define CADV_ATOMICS_H

#include "rules/engine/rule.h"

/* Of the kernel's time: atomics that would take longer on one address went to
 * several. */
#define ATOMICS_LINE_MOST 1.25

/* Of the warps' time: if all else explains more than that, atomics are not what
 * takes it. */
#define ATOMICS_EXPLAINED_MOST (1 / 3.0)

struct atomics {
	double least, most;	/* of single lanes, in a launch: lower bound (no
				 * load hits L1), upper bound (all loads hit) */
	double others;		/* sectors of loads and stores */
	double line, line_most;	/* share of the launch's time that ${least} and
				 * ${most} take one after the other; over 1:
				 * they went to several addresses */
	bool slow;		/* on several addresses, too: they hit L2, at a
				 * fraction of its rate */
	double explained;	/* upper bound of the share of the warps' time
				 * that is trips to memory and instructions */
};

/* atomics_of(a, x): fill ${a} for the view's kernel. Returns NULL, or the
 * reason why its counters do not tell. */
const struct reason *atomics_of(struct atomics *a, const struct rule_view *x);

/* atomics_wait(a, least): do the atomics wait for each other? On one address
 * they take ${least} of the time or more; on several they are slow; and nothing
 * else explains the time. */
bool atomics_wait(const struct atomics *a, double least);

/* atomics_explained(x, atomics): the share of the warps' time that trips to memory and
 * instructions explain, with ${atomics} warp instructions that are a trip each; NaN. */
double atomics_explained(const struct rule_view *x, double atomics);

/* atomics_elsewhere(x): may the kernel wait for something that no counter
 * shows: the host, or page migration? */
bool atomics_elsewhere(const struct rule_view *x);

/* atomics_are_few(x, lanes): are ${lanes} additions so few that L2 would perform
 * them at a fraction of its rate? If not, scattered ones need not wait in line:
 * L2 performs atomics on different sectors at nearly the rate of stores. */
bool atomics_are_few(const struct rule_view *x, double lanes);

/* atomics_each_s(c): seconds of one atomic among others on the same word, by
 * the type that the code adds; the longest if the code is not known. */
double atomics_each_s(const struct code *c);

/* atomics_line_s(k, time): of the counted atomics of ${k} whose address is the same for
 * whole blocks, the seconds that they take one after the other, if these are most of
 * a launch's ${time} s, and not more than it; else 0. No other change than fewer of
 * them shortens that. */
double atomics_line_s(const struct kernel *k, double time);

#endif
