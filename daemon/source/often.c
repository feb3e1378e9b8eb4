/*
 * source/often.c: see often.h.
 */
#include <stdlib.h>
#include <string.h>

#include "source/callee.h"
#include "source/often.h"
#include "source/opcode.h"
#include "source/rare.h"

/* The compiler's own function that ${i} calls for a rare argument, as in
 * "CALL.REL.NOINC $__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath"; SASS_NONE. */
static uint32_t
slow_path(const struct internals *own, const struct sass_instruction *i)
{
	return i->text != NULL && strstr(i->text, "slowpath") != NULL ?
	    callee_at(own, i) : SASS_NONE;
}

static void
find_never(struct often *o, const struct sass *s, const struct internals *own)
{
	for (uint32_t k = 0; k < s->instructions; k++)
		for (uint32_t at = slow_path(own, &s->instruction[k]);
		    at < s->instructions && !o[at].never; at++) {
			o[at].never = true;
			if (opcode_is(&s->instruction[at], "RET"))
				break;
		}
}

/* The loop depth of instruction ${i}. */
static int
depth_of(const struct sass *s, uint32_t i)
{
	const struct sass_loop *loop = sass_loop_of(s, i);

	return loop == NULL ? 0 : loop->depth >= OFTEN_DEPTHS - 2 ?
	    OFTEN_DEPTHS - 1 : (int)loop->depth + 1;
}

static bool
calls_division(const struct sass_instruction *i)
{
	return i->flags & SASS_CALL && i->text != NULL &&
	    (strstr(i->text, "_u64") != NULL || strstr(i->text, "_s64") != NULL);
}

/* The calls of each of the compiler's own functions, by their loop depth. Of those that
 * are not for rare arguments there are 64-bit divisions. */
static void
count_calls(double call[INTERNALS_MOST][OFTEN_DEPTHS], const struct sass *s,
    const struct internals *own)
{
	for (uint32_t i = 0; i < s->instructions; i++) {
		uint32_t at = calls_division(&s->instruction[i]) ?
		    callee_at(own, &s->instruction[i]) : SASS_NONE;

		for (uint32_t k = 0; at != SASS_NONE && k < own->count; k++)
			call[k][depth_of(s, i)] += own->at[k] == at;
	}
}

struct often *
often_make(const struct sass *s)
{
	struct often *o = calloc(s->instructions + 1, sizeof(*o));
	double call[INTERNALS_MOST][OFTEN_DEPTHS] = { { 0 } };
	struct internals own;
	uint32_t k = 0;			/* functions that begin up to here */

	if (o == NULL)
		return NULL;
	internals_find(&own, s);
	find_never(o, s, &own);
	count_calls(call, s, &own);
	for (uint32_t i = 0; i < s->instructions; i++) {
		double calls = 0;

		o[i].rare = rare_share(s, i);
		while (k < own.count && own.at[k] <= i)
			k++;
		for (int d = 0; k > 0 && d < OFTEN_DEPTHS; d++)
			calls += o[i].times[d] = call[k - 1][d];
		if (!(calls > 0))
			o[i].times[depth_of(s, i)] = 1;
	}
	return o;
}
