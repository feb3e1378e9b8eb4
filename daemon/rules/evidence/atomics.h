/*
 * rules/evidence/atomics.h: how many global atomics a kernel does, and what standing in
 * line for one place would make of them, from its counters alone: for kernels
 * whose instructions were not counted. Pure.
 *
 * What L1 asks L2 for is loads that it does not have, stores and atomics. Of
 * atomics each lane's is asked for by itself where all go to one word: on an H200
 * the counters then differ by the atomics to the digit (20,000,000 of as many).
 */
#ifndef CADV_ATOMICS_H
#define CADV_ATOMICS_H

#include "rules/engine/rule.h"

/* Of the kernel's time: what would take longer in one line was in several. */
#define ATOMICS_LINE_MOST 1.25

/* Of the time of warps: with more than that explained by all else the atomics are
 * not what takes it. */
#define ATOMICS_EXPLAINED_MOST (1 / 3.0)

struct atomics {
	double least, most;	/* of single lanes, in a launch: without any hit of
				 * L1, and were all loads hits */
	double others;		/* sectors of loads and stores */
	double line, line_most;	/* share of the launch's time that ${least} and
				 * ${most} take, each behind the one before it;
				 * over 1: they are in several */
	bool slow;		/* in several lines, too: they hit L2, which does
				 * them at a fraction of its rate */
	double explained;	/* share of the time of warps, at most, that is trips
				 * to memory and instructions */
};

/* atomics_of(a, x): of the view's kernel. Returns NULL, or why its counters do
 * not tell. */
const struct reason *atomics_of(struct atomics *a, const struct rule_view *x);

/* atomics_wait(a, least): do they wait for each other? In one line, they take ${least} of
 * the time or more; in several they are slow; and nothing else explains the time. */
bool atomics_wait(const struct atomics *a, double least);

/* atomics_explained(x, atomics): share of the time of warps that trips to memory and
 * instructions are, of ${atomics} instructions among them each a trip; NaN. */
double atomics_explained(const struct rule_view *x, double atomics);

/* atomics_elsewhere(x): may the kernel wait for something that no counter tells of, the
 * host or pages? */
bool atomics_elsewhere(const struct rule_view *x);

/* atomics_are_few(x, lanes): are ${lanes} additions so few that L2 would do them at a
 * fraction of its rate? Beyond it there is no line of scattered ones: it does atomics on
 * different sectors at nearly the rate of stores. */
bool atomics_are_few(const struct rule_view *x, double lanes);

/* atomics_each_s(c): how long one takes in line, by what its code adds; where that is
 * not known, as long as any. */
double atomics_each_s(const struct code *c);

#endif
