/*
 * rules/evidence/outside.h: JAX's functions that a loop calls outside of jit. There vmap and
 * grad go through a function in Python at each call, and each operator is compiled, and
 * launched, by itself. By looks at the stacks of the program's Python (looks.h): within a
 * jitted function, once it is compiled, there is no Python. Pure.
 */
#ifndef CADV_OUTSIDE_H
#define CADV_OUTSIDE_H

#include "rules/engine/rule.h"

struct outside {
	double looks;		/* in gaps that recur, so many; 0: none of what follows */
	double share;		/* of the time of all in such gaps, but for compilers' */
	double compile_s;	/* the compiler's time for operators of these functions, whether
				 * it comes again or not */
	const struct site *site;	/* the innermost line of the program's own within whose
				 * calls most of it is spent */
	double within;		/* its share of that */
	const struct site *function;	/* the function of the program's own that itself calls
					 * most of it, at its line with most; NULL: several,
					 * or it has the loop */
};

/* outside_of(x, least): what was found there in gaps of which at least ${least} are alike. None
 * if it is no line's own, or if there are hardly operators among it that are carried out: a
 * function that is jitted anew in each turn is traced in Python, too. */
struct outside outside_of(const struct rule_view *x, double least);

/* outside_is(s): is the stack within JAX's transformations or operators, and not within a
 * jitted function that is traced, or a loop that JAX compiles as a whole? */
bool outside_is(const struct site *s);

#endif
