/*
 * rules/evidence/setups.c: see setups.h.
 */
#include "rules/evidence/setups.h"

/* Arithmetic, all of them. A loop whose step is compiled again has compilations of one or
 * two functions, forward and backward, as far apart as its shapes change; a set-up has many
 * in a row, hardly any launches between them, and it comes once for each loop. (Measured:
 * 12 and 11 within 453 and 415 of 3.8 million launches, in front of two simulations with
 * JAX, MD of 2026-11-30.) */
#define APART 0.01		/* of the launches: another phase */
#define PHASES_MOST 4
#define EACH_LEAST 4		/* compilations a phase, on average */
#define WITHIN_MOST 0.05	/* of the launches */

struct setups
setups_of(const struct rule_view *x, bool (*is)(const struct rule_view *x, size_t i))
{
	const struct compiling *c = &x->run->compiling;
	double all = (double)x->run->launches, last = 0;
	struct setups s = { .phases = 0 };
	size_t times = 0;

	for (size_t i = 0; i < c->times; i++) {
		double at = (double)c->time[i].at;

		if (!is(x, i))
			continue;
		/* What was launched in front of the first is of its phase. Several
		 * processes have counts of their own: they are no such row. */
		if (s.phases == 0 || at < last || at - last > APART * all)
			s.phases++;
		if (times == 0 || (at >= last && at - last <= APART * all))
			s.launches += at - last;
		last = at;
		times++;
	}
	/* A full table's last one has the times of many. */
	if (c->times == COMPILING_TIMES || s.phases > PHASES_MOST ||
	    times < EACH_LEAST * s.phases || s.launches > WITHIN_MOST * all)
		s.phases = 0;
	return s;
}
