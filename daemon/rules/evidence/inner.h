/*
 * rules/evidence/inner.h: a loop of few turns that a framework has compiled within another, and
 * which the host runs launch by launch: unrolled, its turns fuse. Pure.
 */
#ifndef CADV_INNER_H
#define CADV_INNER_H

#include "rules/engine/rule.h"

struct inner {
	uint32_t turns, body;	/* of the one with most launches, and launches of a turn;
				 * 0: there is none */
	double share;		/* of the sequence's launches in such loops */
	double goes;		/* of its launches: those that are not left when their
				 * turns are fused */
	const struct site *site;	/* a launch within it */
};

/* inner_of(x, s, gone): the inner loops of ${s}, a turn of the outer loop. Adds the launches
 * that go to ${gone}, by index of their kernel. */
struct inner inner_of(const struct rule_view *x, const struct sequence *s, double *gone);

#endif
