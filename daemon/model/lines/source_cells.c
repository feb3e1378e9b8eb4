/*
 * model/lines/source_cells.c: numbers at instructions, sparse. New cells are appended.
 * When the room is used up they are sorted and equal ones added up; only if that frees
 * less than half of the room is it doubled.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "model/lines/source_state.h"

COMPARE(cell_compare, struct cell,
    ORDER(x->pc, y->pc) ?: ORDER(x->what, y->what))

void
cells_compact(struct cells *c)
{
	uint32_t i, out = 0;

	if (c->count < 2)
		return;
	qsort(c->cell, c->count, sizeof(*c->cell), cell_compare);
	for (i = 1; i < c->count; i++)
		if (cell_compare(&c->cell[out], &c->cell[i]) == 0)
			c->cell[out].n = add_sat(c->cell[out].n, c->cell[i].n);
		else
			c->cell[++out] = c->cell[i];
	c->count = out + 1;
}

/* Make room for one more; 1 if the run has no room left, -1 without memory. */
static int
cells_room(struct source_state *x, struct cells *c)
{
	uint32_t cap = c->cap == 0 ? 64 : 2 * c->cap;
	bool over = x->cells + (cap - c->cap) > MAX_CELLS;
	struct cell *grown;

	if (c->count < c->cap)
		return 0;
	if (over && c->full)
		return 1;
	cells_compact(c);
	if (c->cap > 0 && c->count <= c->cap / 2)
		return 0;
	if (over) {
		c->full = c->count > c->cap - c->cap / 8;
		return c->count < c->cap ? 0 : 1;
	}
	grown = realloc(c->cell, cap * sizeof(*grown));
	if (grown == NULL)
		return -1;
	x->cells += cap - c->cap;
	c->cell = grown;
	c->cap = cap;
	return 0;
}

int
cells_add(struct source_state *x, struct cells *c, uint32_t pc, uint32_t what,
    uint64_t n)
{
	int rc = cells_room(x, c);

	if (rc != 0)
		return rc;
	c->cell[c->count++] = (struct cell){ .pc = pc, .what = what, .n = n };
	return 0;
}

/* Give back the unused room. */
void
cells_fit(struct source_state *x, struct cells *c)
{
	struct cell *p;

	if (c->count == 0 || c->count == c->cap ||
	    (p = realloc(c->cell, c->count * sizeof(*p))) == NULL)
		return;
	x->cells -= c->cap - c->count;
	c->cell = p;
	c->cap = c->count;
}

void
cells_clear(struct source_state *x, struct cells *c)
{

	x->cells -= c->cap;
	free(c->cell);
	*c = (struct cells){ 0 };
}
