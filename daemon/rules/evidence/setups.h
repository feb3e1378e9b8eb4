/*
 * rules/evidence/setups.h: is code compiled in a loop, again and again, or in a few set-up
 * phases, each in front of a long stretch of launches for which nothing is compiled? Pure.
 */
#ifndef CADV_SETUPS_H
#define CADV_SETUPS_H

#include "rules/engine/rule.h"

struct setups {
	size_t phases;		/* 0: these are no set-ups */
	double launches;	/* within them, of the run's */
};

/* setups_of(x, is): the phases in which the compilations (run->compiling) lie for which
 * ${is} is true. */
struct setups setups_of(const struct rule_view *x,
    bool (*is)(const struct rule_view *x, size_t i));

#endif
