/*
 * rules/evidence/gaps.h: the GPU's gaps that are a pattern. A program that reads its input,
 * computes a reference or checks its results on the host makes a few long gaps,
 * and has nothing to overlap them with; a loop makes many that are alike.
 */
#ifndef CADV_GAPS_H
#define CADV_GAPS_H

#include "rules/engine/rule.h"

struct again {
	double host, api, sync;	/* s idle for each cause */
	double input;		/* of these, in front of copies from the host */
	double gaps;
	double base;		/* first to last GPU work without all other gaps
				 * for which the host took its time, s */
};

/*
 * gaps_again(run, least, shortest_s): gaps that ${least} are about as long as,
 * within a factor of two, by what the host took of each: ${shortest_s} on average,
 * for shorter ones are counted in base only. Gaps in which we measured are left
 * out: the first work after it is slower.
 */
struct again gaps_again(const struct run *run, double least,
    double shortest_s);

/* What the GPU idles in such gaps, for which the host took ${longest_s} on average at
 * most, and for launching, s, but in longer ones: waits of the host cannot have cost
 * more. */
double gaps_s(const struct run *run, double least, double longest_s);

#endif
