/*
 * rules/evidence/ladder.c: see ladder.h.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/ladder.h"
#include "source/operand.h"
#include "source/slice.h"

#define LOOKED_MOST 512		/* loads of a kernel whose address is examined: the
				 * compiler unrolls far less of a loop */

/* A search that is being read, rung by rung. */
struct climb {
	const struct code *c;
	const struct ladder_form *form;
	uint32_t end;		/* it reaches no further than to where its first exit
				 * leads */
	bool held[REGISTERS];	/* depends on what this rung loads */
	uint16_t predicates;	/* likewise */
	unsigned loads;		/* of this rung */
	bool constant, stores;
};

static bool
is_load(const struct sass_instruction *i)
{
	return i->space == SPACE_GLOBAL && i->flags & SASS_LOAD;
}

/* Takes in instruction ${s}, which is no branch. False: no search has it. */
static bool
take(struct climb *b, uint32_t s)
{
	const struct sass_instruction *i = &b->c->sass.instruction[s];
	bool reads = false, load = is_load(i);
	struct operands o;

	if (i->flags & (SASS_BARRIER | SASS_ATOMIC) ||
	    (load && ++b->loads > b->form->loads))
		return false;
	operands_of(&o, i);
	for (int u = 0; u < o.uses; u++)
		reads = reads || b->held[o.use[u]];
	b->constant = b->constant && (!load || i->flags & SASS_READ_ONLY);
	b->stores = b->stores || i->flags & SASS_STORE;
	for (int d = 0; d < o.defs && o.def + d < REGISTERS; d++)
		b->held[o.def + d] = load || reads;
	if (reads)
		b->predicates |= o.predicates;
	else
		b->predicates &= (uint16_t)~o.predicates;
	return b->constant || !b->stores;
}

/* Does branch ${s} leave the search by what its last rung loaded? */
static bool
is_exit(struct climb *b, uint32_t s)
{
	const struct sass_instruction *i = &b->c->sass.instruction[s];
	struct operands o;
	uint32_t to;

	operands_of(&o, i);
	if (o.guard == 0 || !(b->predicates >> (abs(o.guard) - 1) & 1))
		return false;
	if (i->flags & SASS_EXIT)
		return true;
	if (i->flags & (SASS_CALL | SASS_BACKWARD) || i->target == SASS_NONE)
		return false;
	to = sass_at(&b->c->sass, i->target);
	if (to < b->end)
		b->end = to;
	return true;
}

/* The rungs of the search that begins at load ${head}; *${tail}: its last exit. */
static unsigned
climb_from(const struct code *c, const struct ladder_form *form, uint32_t head,
    uint32_t *tail)
{
	const struct sass_loop *loop = sass_loop_of(&c->sass, head);
	struct climb b = { .c = c, .form = form, .end = SASS_NONE, .constant = true };
	unsigned rungs = 0;

	for (uint32_t s = head; s < c->sass.instructions && s < b.end &&
	    sass_loop_of(&c->sass, s) == loop; s++) {
		if (!(c->sass.instruction[s].flags & (SASS_BRANCH | SASS_EXIT))) {
			if (!take(&b, s))
				break;
			continue;
		}
		if (b.loads == 0 || !is_exit(&b, s))
			break;
		*tail = s;
		rungs++;
		memset(b.held, 0, sizeof(b.held));
		b.predicates = 0;
		b.loads = 0;
	}
	return rungs;
}

/* Is no address in the search known only by what the search loads? */
static bool
is_ahead(struct ladder *l, const struct code *c, const struct slices *t)
{
	for (uint32_t s = l->head; s <= l->tail; s++) {
		struct slice from;

		if (!is_load(&c->sass.instruction[s]))
			continue;
		if (l->looked++ >= LOOKED_MOST)
			return false;
		slice_of(&from, t, s);
		if (!from.known || from.loaded > SLICE_LOADS)
			return false;
		for (int k = 0; k < from.loaded; k++)
			if (from.load[k] >= l->head && from.load[k] <= l->tail)
				return false;
	}
	return true;
}

/* The rungs that a warp comes to. */
static double
tested_by(const struct code *c, const struct ladder *l)
{
	double tested = 0, first = inst_executed(c, l->head);

	for (uint32_t s = l->head; s <= l->tail; s++)
		if (c->sass.instruction[s].flags & (SASS_BRANCH | SASS_EXIT))
			tested += inst_executed(c, s);
	return first > 0 ? tested / first : 0;
}

bool
ladder_next(struct ladder *l, const struct code *c, const struct slices *t,
    const struct ladder_form *form, uint32_t from)
{
	for (l->head = from; l->head < c->sass.instructions; l->head++) {
		/* A rung begins with its load. */
		if (!is_load(&c->sass.instruction[l->head]) ||
		    climb_from(c, form, l->head, &l->tail) < form->rungs ||
		    !is_ahead(l, c, t))
			continue;
		l->tested = tested_by(c, l);
		return true;
	}
	return false;
}
