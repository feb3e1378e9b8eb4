/*
 * source/often.c: see often.h.
 */
#include <stdlib.h>
#include <string.h>

#include "source/callee.h"
#include "source/often.h"
#include "source/opcode.h"
#include "source/operand.h"
#include "source/rare.h"
#include "source/remainder.h"
#include "source/trips.h"

#define RETRY_MOST 32		/* instructions of a loop that only retries */

/* The compiler's own function that ${i} calls for a rare argument; SASS_NONE. */
static uint32_t
slow_path(const struct internals *own, const struct sass_instruction *i)
{
	return callee_is_rare(i) ? callee_at(own, i) : SASS_NONE;
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

/* The block that calls it, behind a branch around it. */
static void
find_callers(struct often *o, const struct sass *s, const struct internals *own)
{
	for (uint32_t k = 0; k < s->instructions; k++) {
		uint32_t first = k, last = k;

		if (slow_path(own, &s->instruction[k]) == SASS_NONE)
			continue;
		while (first > 0 && k - first < CALLEE_AROUND &&
		    !(s->instruction[first - 1].flags & SASS_BRANCH))
			first--;
		if (first == 0 || k - first == CALLEE_AROUND)
			continue;	/* nothing leads around it */
		while (last + 1 < s->instructions && last - k < CALLEE_AROUND &&
		    !opcode_is(&s->instruction[last + 1], "BSYNC") &&
		    (last == k || !(s->instruction[last].flags & SASS_BRANCH)))
			last++;
		for (uint32_t at = first; at <= last; at++)
			o[at].never = true;
	}
}

/* What fmodf does for quotients beyond 2^23, and next to a whole number. */
static void
find_remainders(struct often *o, const struct sass *s)
{
	struct remainder_call c;

	for (size_t l = 0; l < s->loops; l++) {
		if (!remainder_of(s, &s->loop[l], &c))
			continue;
		for (uint32_t at = c.first; at <= c.last; at++)
			o[at].never = true;
		for (uint32_t at = c.corrects; at < c.corrected &&
		    at != SASS_NONE; at++)
			o[at].never = true;
	}
}

/* What is behind the last function of a cubin: a branch to itself, then nothing. */
static void
find_padding(struct often *o, const struct sass *s)
{
	for (uint32_t i = (uint32_t)s->instructions; i-- > 0;) {
		const struct sass_instruction *in = &s->instruction[i];

		if (!opcode_is(in, "NOP") && !(in->flags & SASS_BRANCH &&
		    in->target == in->pc))
			break;
		o[i].never = true;
	}
}

/* The loops around an instruction. */
struct around {
	int depth;		/* those with unknown turns; OFTEN_DEPTHS - 1 at most */
	double known;		/* turns of the others, multiplied */
};

/* ${turns}: of each loop, 0: not known; NULL: of none. */
static struct around
around_of(const struct sass *s, const double *turns, uint32_t i)
{
	struct around a = { 0, 1 };
	const struct sass_loop *inner = sass_loop_of(s, i);

	if (inner != NULL && turns == NULL)
		a.depth = inner->depth >= OFTEN_DEPTHS - 2 ? OFTEN_DEPTHS - 1 :
		    (int)inner->depth + 1;
	for (const struct sass_loop *l = s->loop; inner != NULL && turns != NULL &&
	    l <= inner; l++) {
		if (l->head > i || l->tail < i)
			continue;
		if (turns[l - s->loop] > 0)
			a.known *= turns[l - s->loop];
		else if (a.depth < OFTEN_DEPTHS - 1)
			a.depth++;
	}
	return a;
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
    const double *turns, const struct internals *own)
{
	for (uint32_t i = 0; i < s->instructions; i++) {
		uint32_t at = calls_division(&s->instruction[i]) ?
		    callee_at(own, &s->instruction[i]) : SASS_NONE;

		for (uint32_t k = 0; at != SASS_NONE && k < own->count; k++) {
			struct around a = around_of(s, turns, i);

			if (own->at[k] == at)
				call[k][a.depth] += a.known;
		}
	}
}

const struct sass_loop *
often_retry(const struct sass *s, uint32_t at)
{
	const struct sass_instruction *i = &s->instruction[at];
	const struct sass_loop *l;

	if (i->space != SPACE_SHARED ||
	    (!operand_has(i, "CAS") && !operand_has(i, "CAST") &&
	    !operand_has(i, "SPIN")))
		return NULL;
	l = sass_loop_of(s, at);
	return l != NULL && l->tail - l->head <= RETRY_MOST ? l : NULL;
}

static void
find_retries(struct often *o, const struct sass *s)
{
	for (uint32_t i = 0; i < s->instructions; i++) {
		const struct sass_loop *l = often_retry(s, i);

		if (l == NULL)
			continue;
		for (uint32_t k = l->head; k <= l->tail; k++)
			o[k].retried = true;
	}
}

struct often *
often_make(const struct sass *s, const struct trips_launch *launch)
{
	struct often *o = calloc(s->instructions + 1, sizeof(*o));
	bool look = launch != NULL && s->loops * s->instructions <= SASS_STEPS_MOST;
	double *turns = look ? trips_find(s, launch) : NULL;
	double call[INTERNALS_MOST][OFTEN_DEPTHS] = { { 0 } };
	struct internals own;
	uint32_t k = 0;			/* functions that begin up to here */

	if (o == NULL || (look && turns == NULL)) {
		free(o);
		free(turns);
		return NULL;
	}
	internals_find(&own, s);
	find_never(o, s, &own);
	find_callers(o, s, &own);
	find_remainders(o, s);
	find_padding(o, s);
	find_retries(o, s);
	count_calls(call, s, turns, &own);
	for (uint32_t i = 0; i < s->instructions; i++) {
		struct around a = around_of(s, turns, i);
		double calls = 0;

		o[i].rare = rare_share(s, i);
		while (k < own.count && own.at[k] <= i)
			k++;
		for (int d = 0; k > 0 && d < OFTEN_DEPTHS; d++)
			calls += o[i].times[d] = call[k - 1][d];
		if (!(calls > 0))
			o[i].times[a.depth] = a.known;
	}
	free(turns);
	return o;
}
