/*
 * rules/evidence/rounds.h: rounds of exchange through shared memory: a short stretch of
 * code in which each thread stores a word or loads another thread's, between barriers of
 * the whole block, again and again: a scan, a butterfly, the stages of an FFT or of a
 * sort. Pure.
 */
#ifndef CADV_ROUNDS_H
#define CADV_ROUNDS_H

#include "rules/evidence/lines.h"

struct rounds {
	double barriers;	/* a warp comes to, between such stretches */
	double inst;		/* warp instructions in them, of all: 0..1 */
	double samples;		/* PC samples likewise; NaN: none */
};

/* rounds_of(x, m): those of the view's kernel, whose code must have counts, exact or
 * estimated; their instructions are marked in ${m}. */
struct rounds rounds_of(const struct rule_view *x, struct mark *m);

/* rounds_find(x): the finding about them, if they are many, take much of the kernel, and
 * memory is not what limits it; else RULE_CLEAN. */
enum rule_state rounds_find(struct rule_view *x);

#endif
