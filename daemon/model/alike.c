/*
 * model/alike.c: see alike.h.
 */
#include <math.h>

#include "model/alike.h"
#include "model/model.h"

static double
blocks_of(const struct kernel *k)
{
	return (double)k->shape.grid_x * k->shape.grid_y * k->shape.grid_z;
}

bool
alike_grids(const struct kernel *a, const struct kernel *b)
{
	double x = blocks_of(a), y = blocks_of(b);

	if (a->occupancy.known && b->occupancy.known &&
	    a->occupancy.waves >= 1 && b->occupancy.waves >= 1)
		return true;
	return fmax(x, y) <= ALIKE_FACTOR * fmin(x, y);
}

bool
alike_shapes(const struct kernel *a, const struct kernel *b)
{
	const struct record_SIGNATURE *s = &a->shape, *t = &b->shape;

	return a->device == b->device && s->block_x == t->block_x &&
	    s->block_y == t->block_y && s->block_z == t->block_z &&
	    s->smem_static == t->smem_static &&
	    s->smem_dynamic == t->smem_dynamic && alike_grids(a, b);
}
