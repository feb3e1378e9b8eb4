/*
 * rules/evidence/ladder.h: a search whose loop the compiler unrolled whole: rung by rung
 * it loads an element, tests it, and leaves by what it loaded. The next load may not go
 * out before the test, so that one is in flight at a time. Pure.
 */
#ifndef CADV_LADDER_H
#define CADV_LADDER_H

#include "rules/evidence/inst.h"

struct slices;

/* What a search is. */
struct ladder_form {
	unsigned loads;		/* before a test, at most */
	unsigned rungs;		/* at least */
};

struct ladder {
	uint32_t head, tail;	/* the first load, and the last exit: instructions of
				 * sass */
	double tested;		/* rungs that a warp comes to, mean */
	unsigned looked;	/* loads whose address was examined, in all; 0 to begin
				 * with */
};

/* ladder_next(l, c, t, form, from): the first such search at instruction ${from} of sass
 * or behind it. None of its addresses depends on what it loads, and its stores cannot
 * change that. False: there is none. */
bool ladder_next(struct ladder *l, const struct code *c, const struct slices *t,
    const struct ladder_form *form, uint32_t from);

#endif
