/*
 * rules/evidence/place.h: how the place of a finding is said where the program calls a
 * package that launches the work, and how its work is spread over functions. Pure.
 */
#ifndef CADV_PLACE_H
#define CADV_PLACE_H

#include "rules/evidence/steps.h"

/* place_package(s): the innermost frame of an installed package that is no framework, in
 * front of the frame of ${s} that is shown, or that one itself; s->frames: there is none,
 * or ${s} is NULL (0). */
size_t place_package(const struct site *s);

/* place_detail(x, d): adds to the location of ${d} the line of the package that its place
 * calls, if it does: who calls a package cannot edit it, but wants to know what it does. */
void place_detail(const struct rule_view *x, struct draft *d);

/* The functions whose lines launch what a finding removes. */
struct spread {
	double functions;	/* those with at least one in a hundred of it */
	double packages;	/* the share that packages launch, 0..1 */
	double most;		/* the share of the function with the most, 0..1 */
	const char *text;	/* "rotate_half() 41 %, forward() of model.py 9 %" */
};

/* place_spread(x, gone): how the kernel time in ${gone}, by kernel index, is spread over
 * functions of Python, as far as lines are known: a backward pass has none. Functions 0:
 * none is known, or memory is short. */
struct spread place_spread(const struct rule_view *x, const struct gone *gone);

#endif
