/*
 * source/remainder.h: fmodf and remainderf, which the compiler inlines without a name.
 * Pure.
 *
 * libdevice computes them in one of two ways: a quotient below 2^23 is rounded off by
 * one division, whose error of one or two is corrected, which only quotients next to a
 * whole number need; behind a branch a loop divides 23 bits of the exponent out per
 * turn, for larger ones. Ordinary arguments hardly ever take either.
 */
#ifndef CADV_REMAINDER_H
#define CADV_REMAINDER_H

#include "source/sass.h"

struct remainder_call {
	uint32_t branch;		/* to the loop: once in every call whose first
					 * argument is not the smaller one already */
	uint32_t first, last;		/* the code with the loop */
	uint32_t corrects, corrected;	/* the correction, and what is behind it;
					 * SASS_NONE: not found */
	bool divides;			/* its divisor is no constant */
};

/* remainder_of(s, l, c): is ${l} the loop of such a function? Then ${c} is set;
 * c->branch is SASS_NONE if the code does not lead around the loop. */
bool remainder_of(const struct sass *s, const struct sass_loop *l,
    struct remainder_call *c);

#endif
