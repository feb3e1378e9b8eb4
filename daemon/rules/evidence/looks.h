/*
 * rules/evidence/looks.h: what the program's Python was in while the GPU waited for the
 * host, by looks from outside (struct look): each stands for the time since the one before.
 * Gaps count that recur, as in gaps.h. Pure.
 */
#ifndef CADV_LOOKS_H
#define CADV_LOOKS_H

#include "rules/engine/rule.h"
#include "rules/evidence/pauses.h"

/* So many looks tell: the standard error of a share of a half is 0.1 then (arithmetic:
 * sqrt(0.25 / 25)). */
#define LOOKS_TELL 25

/* Which looks count: those in gaps of which at least ${least} are alike, or in which a launch
 * was on its way; with ${rounds} those in its gaps, instead. */
struct looks_of {
	double least;
	const struct pauses *rounds;
};

/* looks_share(run, of, is): in which part of that time, 0..1, the stack is one for which
 * ${is} is true; NAN if there are too few looks to tell. */
double looks_share(const struct run *run, struct looks_of of,
    bool (*is)(const struct site *s));

/*
 * looks_place(arena, run, of, share, s): the line of the program's own Python within
 * whose calls ${share} of that time or more is spent, *${s} seconds: the innermost such
 * line. A site that shows it, in ${arena}; NULL: none, too few looks, or memory is short.
 */
const struct site *looks_place(struct arena *arena, const struct run *run,
    struct looks_of of, double share, double *s);

/*
 * looks_say(x, of): the functions of the program's own Python in which most of that time
 * is spent, each at its line with the most: "aggregate() at memory.py:61 (35 %), in the
 * loader that train() at train.py:50 asks (20 %)"; three at most, each with a tenth or more.
 * NULL: too few looks, or none.
 */
const char *looks_say(const struct rule_view *x, struct looks_of of);

#endif
