/*
 * rules/evidence/streamed.c: see streamed.h.
 */
#include <math.h>
#include <stdlib.h>

#include "model/lines/source.h"
#include "model/model.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/streamed.h"
#include "source/callee.h"
#include "source/operand.h"
#include "source/slice.h"

#define POINTERS_MOST 16	/* with more, least is tiny anyway */

struct sums {
	uint32_t pointer[POINTERS_MOST];	/* offsets in c[0x0] */
	double through[POINTERS_MOST];		/* bytes, or their weights */
	size_t pointers;
	double *in;			/* by loop; the last: outside of loops */
	size_t loops, used;
	double all;
};

/* Could it bring a value of another kernel in a way that is not looked at: through other
 * memory than global and the block's own, an atomic that returns what was there, an
 * asynchronous copy, a function elsewhere? */
static bool
is_other_way(const struct internals *own, const struct sass_instruction *i)
{
	if (i->flags & SASS_CALL)
		return callee_at(own, i) == SASS_NONE;
	if (i->flags & SASS_ASYNC)
		return true;
	if (i->flags & SASS_ATOMIC && i->space != SPACE_SHARED)
		return !opcode_is_any(i, "RED REDG");
	return i->flags & SASS_LOAD &&
	    (i->space == SPACE_GENERIC || i->space == SPACE_TEXTURE);
}

/* Does each thread of the block load another element? */
static bool
is_each(const struct affine *a, uint32_t bytes, const struct record_SIGNATURE *shape)
{
	int64_t x = a->x < 0 ? -(int64_t)a->x : a->x;

	return a->kind == AFFINE_STEPS && shape->block_z <= 1 &&
	    (shape->block_x <= 1 || x >= bytes) &&
	    (shape->block_y <= 1 || a->y != 0);
}

/* The slice does not tell in which direction of the grid an address differs. */
static bool
is_row(const struct record_SIGNATURE *shape)
{
	return (shape->grid_x > 1) + (shape->grid_y > 1) + (shape->grid_z > 1) <= 1;
}

static bool
add(struct sums *all, const struct code *c, uint32_t at, uint32_t pointer)
{
	const struct sass_loop *l = sass_loop_of(&c->sass, at);
	double bytes = c->sass.instruction[at].bytes *
	    (c->counted ? inst_executed(c, at) : 1);
	size_t loop = l != NULL ? (size_t)(l - c->sass.loop) : all->loops, n = 0;

	while (n < all->pointers && all->pointer[n] != pointer)
		n++;
	if (n == POINTERS_MOST)
		return false;
	if (n == all->pointers) {
		all->pointer[n] = pointer;
		all->through[all->pointers++] = 0;
	}
	all->through[n] += bytes;
	all->used += !(all->in[loop] > 0);
	all->in[loop] += bytes;
	all->all += bytes;
	return true;
}

static bool
sum_loads(struct sums *all, const struct code *c, const struct affine *address,
    const struct slices *t, const struct record_SIGNATURE *shape)
{
	struct internals own;

	internals_find(&own, &c->sass);
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		const struct sass_loop *l = sass_loop_of(&c->sass, at);
		struct slice s;

		if (is_other_way(&own, i))
			return false;
		if (i->space != SPACE_GLOBAL || !(i->flags & SASS_LOAD) ||
		    i->flags & SASS_ATOMIC)
			continue;
		slice_of(&s, t, at);
		if (!s.known || s.loads || s.parameters != 1 ||
		    !(s.varies & VARIES_BLOCK) || s.varies & VARIES_OTHER ||
		    !is_each(&address[at], i->bytes, shape) ||
		    (l != NULL && (l->depth > 0 || !s.carried)) ||
		    !add(all, c, at, s.parameter[0]))
			return false;
	}
	return all->all > 0;
}

/* Beside a loop a load is of what all turns need; and without counts the turns of two
 * loops are not known. */
static bool
is_settled(const struct sums *all, const struct code *c)
{
	return all->used == 1 || (c->counted && !(all->in[all->loops] > 0));
}

bool
streamed_of(struct streamed *r, const struct code *c,
    const struct record_SIGNATURE *shape)
{
	struct affine *address = NULL;
	struct slices *t = NULL;
	struct sums all = { .all = 0 };
	bool found;

	if (c == NULL || !c->disassembled || !is_row(shape))
		return false;
	all.loops = c->sass.loops;
	all.in = calloc(all.loops + 1, sizeof(*all.in));
	found = all.in != NULL &&
	    (address = affine_addresses(c, shape)) != NULL &&
	    (t = slices_new(&c->sass)) != NULL &&
	    sum_loads(&all, c, address, t, shape) && is_settled(&all, c);
	if (found) {
		*r = (struct streamed){ .once = 0, .least = 1 };
		for (size_t n = 0; n <= all.loops; n++)
			r->once = fmax(r->once, all.in[n] / all.all);
		for (size_t n = 0; n < all.pointers; n++)
			r->least = fmin(r->least, all.through[n] / all.all);
	}
	slices_free(t);
	free(address);
	free(all.in);
	return found;
}
