/*
 * rules/evidence/accumulated.h: does a training add up the gradients of several batches
 * for each step of its optimizer? One batch as large as these is the same training, with
 * a part of the launches. Pure.
 */
#ifndef CADV_ACCUMULATED_H
#define CADV_ACCUMULATED_H

#include "rules/engine/rule.h"
#include "rules/evidence/steps.h"

struct accumulated {
	double batches;		/* for each step of the optimizer */
	unsigned over;		/* the same, a whole number */
	unsigned times;		/* a batch may be so much larger: a divisor of ${over}, as far
				 * as the GPU's memory holds it */
	double goes;		/* the share of the GPU's gaps in front of launches that come
				 * with each batch, 0..1: all but the optimizer's */
	const struct gone *gone;	/* by kernel index: what batches that much larger
					 * save of its launches' time */
};

/*
 * accumulated_of(x, a): fill ${a}. True only where one line of the program starts all
 * backward passes, each adds to gradients that are there already, launches of the rest
 * come a whole number of times for each step, and so does new input. Not a second loss or
 * network (a line of its own, or other launches), an optimizer that evaluates several
 * times, or a search for an input (the same one again).
 */
bool accumulated_of(const struct rule_view *x, struct accumulated *a);

/* accumulated_advice(x, a): what to do, as a clause; accumulated_say(x, d, a): add it to
 * what ${d} has measured; accumulated_goes(a): the share that then goes of what comes with
 * each batch. */
const char *accumulated_advice(const struct rule_view *x, const struct accumulated *a);
void accumulated_say(const struct rule_view *x, struct draft *d, const struct accumulated *a);
double accumulated_goes(const struct accumulated *a);

#endif
