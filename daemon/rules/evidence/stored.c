/*
 * rules/evidence/stored.c: see stored.h.
 */
#include <math.h>

#include "source/operand.h"
#include "source/slice.h"
#include "rules/evidence/stored.h"

#define SLICES_MAX 128		/* stores that are examined */
#define LOADS_MAX 4096		/* instructions of loops searched for their loads */

static double
zero(double v)
{
	return isfinite(v) ? v : 0;
}

/* May another thread see an access of ${i} while the loop runs? */
static bool
is_shared(const struct sass_instruction *i)
{
	return i->flags & (SASS_BARRIER | SASS_ATOMIC) ||
	    opcode_is(i, "MEMBAR") || opcode_is(i, "CCTL") ||
	    (i->space == SPACE_GLOBAL && operand_has(i, "STRONG"));
}

static bool
is_private(const struct sass *s, const struct sass_loop *loop)
{
	for (uint32_t i = loop->head; i <= loop->tail; i++)
		if (is_shared(&s->instruction[i]))
			return false;
	return true;
}

/* Is the address of sass instruction ${at} the same in every iteration? */
static bool
is_still(const struct slices *t, uint32_t at, const struct sass_loop *loop)
{
	struct slice s;

	slice_of(&s, t, at);
	if (!s.known || s.changes || s.loaded > SLICE_LOADS)
		return false;
	for (int i = 0; i < s.loaded; i++)
		if (s.load[i] >= loop->head && s.load[i] <= loop->tail)
			return false;
	return true;
}

/* Adds the access at ${at}, of which the share ${gone} is unnecessary. */
static void
add(const struct code *c, uint32_t at, double gone, double *requests,
    double *sectors, struct mark *m)
{
	size_t i = inst_of_sass(c, at);
	double inst, moved;

	if (i == SIZE_MAX)
		return;
	inst = zero(inst_value(c, i, SOURCE_INST)) * gone;
	moved = zero(inst_value(c, i, SOURCE_GLOBAL_SECTORS)) * gone;
	*requests += inst;
	*sectors += moved;
	if (m != NULL && !(m[i].weight > 0)) {
		m[i].weight = m[i].under = inst;
		m[i].over = moved;
	}
}

/* Adds the loads in the loop from the address that ${store} writes. */
static void
add_loads(struct stored *s, const struct code *c, const struct sass_loop *loop,
    const struct operands *store, double gone, uint32_t *looked, struct mark *m)
{
	for (uint32_t i = loop->head; i <= loop->tail &&
	    ++*looked <= LOADS_MAX; i++) {
		const struct sass_instruction *one = &c->sass.instruction[i];
		struct operands o;

		if (one->space == SPACE_GLOBAL && one->flags & SASS_LOAD &&
		    operands_of(&o, one) && o.has_address &&
		    o.base == store->base && o.uniform == store->uniform &&
		    o.offset == store->offset)
			add(c, i, gone, &s->loads, &s->load_sectors, m);
	}
}

void
stored_of(struct stored *s, const struct code *c, const struct slices *t,
    struct mark *m)
{
	uint32_t looked = 0;
	int slices = 0;

	*s = (struct stored){ 0 };
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		const struct sass_loop *loop = sass_loop_of(&c->sass, at);
		double inst = inst_executed(c, at), gone;
		struct operands o;

		if (i->space != SPACE_GLOBAL ||
		    !(i->flags & (SASS_LOAD | SASS_STORE)))
			continue;
		s->all += inst;
		if (!(i->flags & SASS_STORE) || !(inst > 0) || loop == NULL ||
		    slices++ >= SLICES_MAX || !operands_of(&o, i) ||
		    !o.has_address || !is_private(&c->sass, loop) ||
		    !is_still(t, at, loop))
			continue;
		gone = 1 - fmin(1, inst_entered(c, loop) / inst);
		add(c, at, gone, &s->stores, &s->store_sectors, m);
		add_loads(s, c, loop, &o, gone, &looked, m);
	}
}
