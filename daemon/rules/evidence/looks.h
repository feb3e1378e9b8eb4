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
 * was on its way; with ${rounds} those in its gaps, instead. Of these, the ones in gaps of
 * which the host's part is ${shortest_s} or more, and with a stack for which ${is} is true
 * (NULL: any). With ${apart} it does not matter whether gaps are alike, but the longest does
 * not count; with ${anywhere} they need not be in a gap, or with ${since_ns}, if they are not
 * before that time of the run. None in which the program's own
 * Python is at the line of ${outside} (NULL: any). */
struct looks_of {
	double least, shortest_s;
	bool apart, anywhere;
	uint64_t since_ns;
	const struct pauses *rounds;
	bool (*is)(const struct site *s);
	const struct site *outside;
};

/* looks_counts(run, l, of): is ${l} one of these? */
bool looks_counts(const struct run *run, const struct look *l, struct looks_of of);

/* looks_share(run, of, is): in which part of that time, 0..1, the stack is one for which
 * ${is} is true; NAN if there are too few looks to tell. */
double looks_share(const struct run *run, struct looks_of of,
    bool (*is)(const struct site *s));

/* looks_s(run, of): the seconds that those stand for. */
double looks_s(const struct run *run, struct looks_of of);

/* A stack with the seconds that the looks at it stand for. */
struct looked {
	const struct site *site;
	double s;
};

/* looks_stacks(run, of, n, all): the stacks of those looks, each once; malloced, *${n} of them,
 * *${all} the seconds of all that have one. NULL: too few looks, or no memory. */
struct looked *looks_stacks(const struct run *run, struct looks_of of, size_t *n, double *all);

/* looks_compiling(run): for how long the program's Python was in a compiler, if that is most
 * of the run; else 0. What runs while a compiler traces, lowers and tries out loads no code:
 * records show less of it. */
double looks_compiling(const struct run *run);

/* looks_apart(run, least, is, waits): the seconds in gaps that do not recur, other than the
 * longest such wait, which is often the program's start, in which the stack is one for which
 * ${is} is true; *${waits} of them. 0: fewer than three, which do not come again either. */
double looks_apart(const struct run *run, double least, bool (*is)(const struct site *s),
    double *waits);

/* looks_or_apart(run, least, is): looks_share in gaps that recur, with what looks_apart
 * finds besides. */
double looks_or_apart(const struct run *run, double least, bool (*is)(const struct site *s));

/*
 * looks_place(arena, run, of, share, s): the line of the program's own Python within
 * whose calls ${share} of that time or more is spent, *${s} seconds: the innermost such
 * line. Backward passes, which are no line's own, count for nothing here. A site that
 * shows it, in ${arena}; NULL: none, too few looks, or memory is short.
 */
const struct site *looks_place(struct arena *arena, const struct run *run,
    struct looks_of of, double share, double *s);

/* looks_function(arena, run, of, share): the function of the program's own Python, outside of
 * loaders, modules and backward passes, in which itself, or in what it calls of others'
 * code, most of that time is spent, at its line with the most; *${share} of it. As
 * looks_place. */
const struct site *looks_function(struct arena *arena, const struct run *run,
    struct looks_of of, double *share);

/* looks_waiting(arena, run, of, s): the function of the program's own Python that waits for a
 * loader's processes most of that time, at its line with the most; *${s} seconds. As
 * looks_place. */
const struct site *looks_waiting(struct arena *arena, const struct run *run,
    struct looks_of of, double *s);

/*
 * looks_say(x, of): the functions of the program's own Python in which most of that time
 * is spent, each at its line with the most: "aggregate() at memory.py:61 (35 %), the loader
 * that train() at train.py:50 waits for (20 %)"; three at most, each with a tenth or more.
 * NULL: too few looks, or none.
 */
const char *looks_say(const struct rule_view *x, struct looks_of of);

#endif
