/*
 * rules/evidence/stepped.c: see stepped.h.
 */
#include <math.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/stepped.h"
#include "source/operand.h"

#define STORES_MAX 64		/* whose addresses are examined */
#define CHAIN_MOST 32		/* definitions of definitions that are followed */
#define LOOKED_MOST 512		/* definitions that are looked at for one address */

/* Can another block see what loop ${l} stores, or say when it is to go on? Has it no
 * barrier, it takes no steps. */
static bool
takes_steps(const struct sass *s, const struct sass_loop *l)
{
	bool barrier = false;

	for (uint32_t at = l->head; at <= l->tail; at++) {
		const struct sass_instruction *i = &s->instruction[at];

		if ((i->flags & SASS_ATOMIC && i->space != SPACE_SHARED) ||
		    i->flags & SASS_CALL || opcode_is(i, "MEMBAR") ||
		    opcode_is(i, "CCTL") || (i->space != SPACE_SHARED &&
		    operand_has(i, "STRONG")))
			return false;
		barrier = barrier || i->flags & SASS_BARRIER;
	}
	return barrier;
}

/* The loop around ${at} that takes steps; NULL. */
static const struct sass_loop *
steps_around(const struct sass *s, uint32_t at)
{
	const struct sass_loop *l = sass_loop_of(s, at);

	return l != NULL && takes_steps(s, l) ? l : NULL;
}

/* The way from an address to what defines it in a loop. */
struct chain {
	const struct sass *s;
	const struct sass_loop *loop;
	uint32_t on[CHAIN_MOST];
	int length, looked;
};

/* Where the loop defines ${reg} as ${at} reads it, in this turn or the last;
 * SASS_NONE: outside. */
static uint32_t
definition(const struct chain *k, uint32_t at, int reg)
{
	uint32_t by = sass_writer(k->s, at, reg);

	if (by == SASS_NONE || by < k->loop->head)
		by = sass_writer(k->s, k->loop->tail + 1, reg);
	return by != SASS_NONE && by >= k->loop->head ? by : SASS_NONE;
}

static bool
is_move(const struct sass_instruction *i)
{
	return opcode_is_any(i, "MOV UMOV") ||
	    (opcode_is(i, "IMAD") && operand_has(i, "MOV"));
}

/* Is ${by} on the way already? Then it depends on itself: a value that is only moved
 * around comes back, any other moves on. */
static bool
comes_back(const struct chain *k, uint32_t by, bool *moves_on)
{
	int from = 0;

	while (from < k->length && k->on[from] != by)
		from++;
	for (int n = from; n < k->length; n++)
		*moves_on = *moves_on ||
		    !is_move(&k->s->instruction[k->on[n]]);
	return from < k->length;
}

/* Does ${reg}, as ${at} reads it, take no other values than those it had before the
 * loop, or others that had? */
static bool
stays(struct chain *k, uint32_t at, int reg)
{
	uint32_t by = definition(k, at, reg);
	bool moves_on = false, all = true;
	struct operands o;

	if (by == SASS_NONE)
		return true;
	if (comes_back(k, by, &moves_on))
		return !moves_on;
	if (k->length == CHAIN_MOST || ++k->looked > LOOKED_MOST ||
	    k->s->instruction[by].flags & SASS_LOAD ||
	    !operands_of(&o, &k->s->instruction[by]))
		return false;
	k->on[k->length++] = by;
	for (int u = 0; u < o.uses && all; u++)
		all = stays(k, by, o.use[u]);
	k->length--;
	return all;
}

/* Does store ${at} go to one of a few places, the same for all turns of the loop? */
static bool
is_kept(const struct sass *s, const struct sass_loop *l, uint32_t at)
{
	struct chain k = { .s = s, .loop = l };
	struct operands o;
	int wide;

	if (!operands_of(&o, &s->instruction[at]) || !o.has_address ||
	    o.base == REGISTER_NONE)
		return false;
	wide = operand_has(&s->instruction[at], "E");
	return stays(&k, at, o.base) && (!wide || stays(&k, at, o.base + 1)) &&
	    (o.uniform == REGISTER_NONE || stays(&k, at, o.uniform));
}

void
stepped_of(struct stepped_state *k, const struct code *c)
{
	double all = 0, again = 0;
	int looked = 0;

	*k = (struct stepped_state){ 0 };
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		size_t own = inst_of_sass(c, at);
		const struct sass_loop *l;
		double inst = inst_executed(c, at), sectors;

		if (i->space != SPACE_GLOBAL || own == SIZE_MAX ||
		    !(i->flags & SASS_STORE) || i->flags & SASS_ATOMIC ||
		    !(inst > 0))
			continue;
		sectors = inst_value(c, own, SOURCE_GLOBAL_SECTORS);
		sectors = isfinite(sectors) ? sectors : 0;
		all += sectors;
		if (looked++ >= STORES_MAX ||
		    (l = steps_around(&c->sass, at)) == NULL ||
		    !is_kept(&c->sass, l, at))
			continue;
		again += sectors * (1 - fmin(1, inst_entered(c, l) / inst));
		k->bytes += i->bytes;
	}
	k->part = all > 0 ? again / all : 0;
}
