/*
 * source/rare.c: see rare.h.
 */
#include "source/operand.h"
#include "source/rare.h"

#define RARE_MOST 40		/* instructions of such a loop, at most */
#define RARE_BEFORE 24		/* from the branch over the loop to the loop, */
#define RARE_BEHIND 96		/* and from the loop to its target, at most */
#define RARE_TURNS 6		/* iterations: words of 2/π */

/* Is ${i} an integer comparison with ${most}? */
static bool
ends_at(const struct sass_instruction *i, double most)
{
	struct operands o;

	if (!opcode_is(i, "ISETP"))
		return false;
	operands_of(&o, i);
	return o.has_immediate && o.immediate == most;
}

bool
rare_is_loop(const struct sass *s, const struct sass_loop *l)
{
	/* The words of the product are stored to local memory; newer compilers keep them
	 * in registers, chosen by the number of the iteration. */
	bool stores = false, loads = false, multiplies = false, six = false;

	if (l->tail - l->head >= RARE_MOST)
		return false;
	for (uint32_t at = l->head; at <= l->tail; at++) {
		const struct sass_instruction *i = &s->instruction[at];

		/* The loop works on the bits of the argument, as integers. */
		if (i->flags & (SASS_FP32 | SASS_FP64 | SASS_FMA) ||
		    (i->space == SPACE_LOCAL && i->flags & SASS_LOAD) ||
		    (i->space != SPACE_LOCAL && i->flags & SASS_STORE))
			return false;
		stores = stores || (i->space == SPACE_LOCAL &&
		    i->flags & SASS_STORE);
		loads = loads || i->flags & SASS_READ_ONLY;
		multiplies = multiplies || (opcode_is(i, "IMAD") &&
		    operand_has(i, "WIDE") && operand_has(i, "U32"));
		six = six || ends_at(i, RARE_TURNS);
	}
	return (stores || six) && loads && multiplies;
}

/* The first instruction of the code that a branch skips together with loop ${l};
 * *${past}: the instruction behind that code. */
static uint32_t
jumped_over(const struct sass *s, const struct sass_loop *l, uint32_t *past)
{
	uint32_t first = l->head;

	*past = l->tail + 1;
	for (uint32_t n = 1; n <= RARE_BEFORE && n <= l->head; n++) {
		const struct sass_instruction *i =
		    &s->instruction[l->head - n];
		uint32_t to = i->flags & SASS_BRANCH && i->target != SASS_NONE ?
		    sass_at(s, i->target) : SASS_NONE;

		if (to == SASS_NONE || to <= l->tail ||
		    to > l->tail + RARE_BEHIND)
			continue;
		first = l->head - n + 1;
		*past = to;
	}
	return first;
}

/* The first loop whose head is ${head} or behind it; s->loops: none. */
static size_t
first_from(const struct sass *s, uint32_t head)
{
	size_t low = 0, high = s->loops;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->loop[middle].head < head)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double
rare_share(const struct sass *s, uint32_t i)
{
	uint32_t reach = RARE_MOST + RARE_BEHIND;

	/* Loops are sorted by head: only those near the instruction are looked at, or
	 * code full of loops would take loops times instructions. */
	for (size_t n = first_from(s, i > reach ? i - reach : 0);
	    n < s->loops && s->loop[n].head <= i + RARE_BEFORE; n++) {
		const struct sass_loop *l = &s->loop[n];
		uint32_t past;

		if (l->tail + RARE_BEHIND < i || !rare_is_loop(s, l))
			continue;
		if (i >= l->head && i <= l->tail)
			return 1;
		if (i >= jumped_over(s, l, &past) && i < past)
			return 1.0 / RARE_TURNS;
	}
	return 0;
}
