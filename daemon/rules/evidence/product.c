/*
 * rules/evidence/product.c: see product.h.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/affine.h"
#include "rules/evidence/product.h"
#include "source/operand.h"

#define BUDGET (1u << 20)	/* instructions of loops examined, in all */

/* For each register: index + 1 of the load that its value comes from; 0: none. */
struct carried {
	uint32_t load[REGISTERS];
};

static bool
is_multiply_add(const struct sass_instruction *i)
{
	if (i->flags & SASS_TENSOR)
		return false;
	return (i->flags & SASS_FMA) != 0 || (opcode_is(i, "IMAD") &&
	    !operand_has(i, "MOV") && !operand_has(i, "IADD"));
}

static bool
is_load(const struct sass_instruction *i)
{
	return i->space == SPACE_GLOBAL && i->flags & SASS_LOAD &&
	    !(i->flags & (SASS_ATOMIC | SASS_ASYNC));
}

/* The load whose value ${i} passes on: moved, converted, or scaled by something
 * that was not loaded; index + 1, 0: none. */
static uint32_t
handed_on(const struct sass_instruction *i, const struct operands *o,
    const struct carried *h)
{
	uint32_t found = 0;

	if (!(i->flags & (SASS_CONVERT | SASS_MULTIPLY)) &&
	    !opcode_is(i, "MOV") && !opcode_is(i, "HADD2") &&
	    !opcode_is(i, "PRMT") && !operand_has(i, "MOV"))
		return 0;
	for (int u = 0; u < o->uses; u++) {
		uint32_t load = h->load[o->use[u]];

		if (load != 0 && found != 0 && load != found)
			return 0;
		found = load != 0 ? load : found;
	}
	return found;
}

static void
step(const struct sass_instruction *i, uint32_t at, const struct operands *o,
    struct carried *h)
{
	uint32_t from = is_load(i) ? at + 1 : handed_on(i, o, h);

	for (int d = 0; d < o->defs && o->def >= 0 && o->def + d < REGISTERS;
	    d++)
		h->load[o->def + d] = from;
}

/* Does one depend on threadIdx.x only, the other on threadIdx.y only? */
static bool
are_across(const struct affine *a, const struct affine *b)
{
	return a->kind == AFFINE_STEPS && b->kind == AFFINE_STEPS &&
	    ((a->x != 0 && a->y == 0 && b->x == 0 && b->y != 0) ||
	    (b->x != 0 && b->y == 0 && a->x == 0 && a->y != 0));
}

static void
count_one(struct product *p, const struct code *c, uint32_t at,
    const struct operands *o, const struct carried *h,
    const struct affine *address, struct mark *m)
{
	const struct sass_instruction *i = &c->sass.instruction[at];
	double inst = inst_executed(c, at);
	size_t k = inst_of_sass(c, at);
	uint32_t a, b;

	if (!is_multiply_add(i) || o->uses < 2)
		return;
	a = h->load[o->use[0]];
	b = h->load[o->use[1]];
	if (a == 0 || b == 0 || !are_across(&address[a - 1], &address[b - 1]))
		return;
	p->fmas += inst;
	if (i->flags & SASS_FP16)
		p->half += inst;
	if (!(i->flags & (SASS_FP16 | SASS_FP32)))
		p->wide += inst;
	if (m != NULL && k != SIZE_MAX)
		m[k].weight += inst;
}

/* Walks the loop twice, so that values loaded at the end of an iteration for
 * the next are known; counts instructions that are in no inner loop. */
static void
count_loop(struct product *p, const struct code *c,
    const struct sass_loop *loop, const struct affine *address, struct mark *m)
{
	struct carried h;

	memset(&h, 0, sizeof(h));
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t s = loop->head; s <= loop->tail; s++) {
			const struct sass_instruction *i =
			    &c->sass.instruction[s];
			struct operands o;

			operands_of(&o, i);
			if (turn == 1 && sass_loop_of(&c->sass, s) == loop)
				count_one(p, c, s, &o, &h, address, m);
			step(i, s, &o, &h);
		}
}

int
product_of(struct product *p, const struct rule_view *x, struct mark *m)
{
	const struct record_SIGNATURE *shape = &x->kernel->shape;
	const struct code *c = x->kernel->code;
	struct affine *address;
	uint32_t looked = 0;

	*p = (struct product){ 0 };
	if (c == NULL || !c->disassembled || shape->block_x < 2 ||
	    shape->block_y < 2)
		return 0;
	address = affine_addresses(c, shape);
	if (address == NULL)
		return -1;
	for (size_t k = 0; k < c->sass.loops && looked < BUDGET; k++) {
		const struct sass_loop *loop = &c->sass.loop[k];

		if (loop->tail >= c->sass.instructions)
			continue;
		looked += loop->tail - loop->head + 1;
		count_loop(p, c, loop, address, m);
	}
	free(address);
	return 0;
}
