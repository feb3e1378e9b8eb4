/*
 * source/remainder.c: see remainder.h.
 */
#include "source/operand.h"
#include "source/remainder.h"

#define BITS (23 << 23)		/* 23 in the exponent of a float: what a turn takes of it */
#define LOOP_MOST 24		/* instructions of the loop: 13 of fmodf's, 17 of
				 * remainderf's with nvcc 13 */
#define BEFORE 32		/* from the block's beginning to the loop: 8, and a
				 * reciprocal where the divisor is no constant */
#define BEHIND 32		/* from the loop to the block's end: 8 to 14 */
#define CALL_MOST 96		/* from the branch to the block: the other way is 32 */

static bool
is_loop(const struct sass *s, const struct sass_loop *l)
{
	bool bits = false, toward_zero = false, truncates = false;

	if (l->tail - l->head >= LOOP_MOST)
		return false;
	for (uint32_t at = l->head; at <= l->tail; at++) {
		const struct sass_instruction *i = &s->instruction[at];
		struct operands o;

		if (i->space != SPACE_NONE)
			return false;
		operands_of(&o, i);
		bits = bits || (o.has_immediate && o.immediate == BITS);
		toward_zero = toward_zero || (opcode_is(i, "FFMA") &&
		    operand_has(i, "RZ"));
		truncates = truncates || (opcode_is(i, "FRND") &&
		    operand_has(i, "TRUNC"));
	}
	return bits && toward_zero && truncates;
}

/* Where branch ${at} leads; SASS_NONE: it is none, or a call. */
static uint32_t
leads_to(const struct sass *s, uint32_t at)
{
	const struct sass_instruction *i = &s->instruction[at];

	return i->flags & SASS_BRANCH && !(i->flags & SASS_CALL) &&
	    i->target != SASS_NONE ? sass_at(s, i->target) : SASS_NONE;
}

/* The block begins behind the jump with which the other way ends. */
static void
find_block(const struct sass *s, const struct sass_loop *l,
    struct remainder_call *c)
{
	c->first = l->head;
	c->last = l->tail;
	for (uint32_t n = 1; n <= BEFORE && n <= l->head; n++) {
		uint32_t at = l->head - n, to = leads_to(s, at);

		if (to == SASS_NONE ||
		    s->instruction[at].flags & SASS_CONDITIONAL)
			continue;
		if (to > l->tail && to - l->tail <= BEHIND) {
			c->first = at + 1;
			c->last = to - 1;
		}
		return;
	}
}

static void
find_branch(const struct sass *s, const struct sass_loop *l,
    struct remainder_call *c)
{
	c->branch = SASS_NONE;
	c->divides = false;
	for (uint32_t n = 1; n <= CALL_MOST && n <= c->first; n++) {
		const struct sass_instruction *i = &s->instruction[c->first - n];
		uint32_t to = leads_to(s, c->first - n);

		c->divides = c->divides || (opcode_is(i, "MUFU") &&
		    operand_has(i, "RCP"));
		if (to != SASS_NONE && to >= c->first && to <= l->head) {
			c->branch = c->first - n;
			return;
		}
	}
}

/* The correction is led around behind the rounding. */
static void
find_correction(const struct sass *s, struct remainder_call *c)
{
	bool rounded = false;

	c->corrects = c->corrected = SASS_NONE;
	for (uint32_t at = c->branch; c->branch != SASS_NONE && at < c->first; at++) {
		uint32_t to = leads_to(s, at);

		rounded = rounded || opcode_is(&s->instruction[at], "FRND");
		if (!rounded || to == SASS_NONE)
			continue;
		if (s->instruction[at].flags & SASS_CONDITIONAL && to > at &&
		    to < c->first) {
			c->corrects = at + 1;
			c->corrected = to;
		}
		return;
	}
}

bool
remainder_of(const struct sass *s, const struct sass_loop *l,
    struct remainder_call *c)
{
	if (!is_loop(s, l))
		return false;
	find_block(s, l, c);
	find_branch(s, l, c);
	find_correction(s, c);
	return true;
}
