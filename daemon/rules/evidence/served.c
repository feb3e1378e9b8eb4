/*
 * rules/evidence/served.c: see served.h. The code is read backwards, with what still
 * reads each register; twice, so that a loop's end knows what its head reads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/served.h"
#include "source/operand.h"

#define PASSES 2
#define PREDICATES 16		/* bits of operands.predicates */

/* What reads a value later on. */
enum read_by {
	READ_BY_ACCESS = 1, READ_BY_OTHER = 2
};

struct readers {
	uint8_t reg[REGISTERS], predicate[PREDICATES];
};

static void
read_register(struct readers *r, int reg, unsigned by)
{
	if (reg >= 0 && reg < REGISTERS)
		r->reg[reg] |= (uint8_t)by;
}

static bool
is_address(const struct operands *o, int reg)
{
	return (o->base >= 0 && (reg == o->base || reg == o->base + 1)) ||
	    (o->uniform >= 0 && (reg == o->uniform || reg == o->uniform + 1));
}

/* The address is in one register, or in two: the second may hold another value,
 * which then is read once more than it is. */
static void
read_address(struct readers *r, const struct operands *o, unsigned by)
{
	read_register(r, o->base, by);
	if (o->base >= 0)
		read_register(r, o->base + 1, by);
	read_register(r, o->uniform, by);
	if (o->uniform >= 0)
		read_register(r, o->uniform + 1, by);
}

/* Which readers the result of ${i} has; the definition ends there. 0: none that is
 * known. */
static unsigned
take_result(struct readers *r, const struct sass_instruction *i,
    const struct operands *o)
{
	unsigned by = 0;

	for (int d = 0; d < o->defs && o->def + d < REGISTERS; d++) {
		by |= r->reg[o->def + d];
		if (!o->guarded)
			r->reg[o->def + d] = 0;
	}
	if (o->def != REGISTER_NONE || !(i->flags & SASS_PREDICATE))
		return by;
	/* A comparison: of the predicates that it names it writes the first ones. */
	for (int p = 0; p < PREDICATES; p++)
		if (o->predicates >> p & 1)
			by |= r->predicate[p];
	return by;
}

static void
read_operands(struct readers *r, const struct sass_instruction *i,
    const struct operands *o, unsigned by)
{
	for (int u = 0; u < o->uses; u++)
		read_register(r, o->use[u], by);
	/* The addend of a wide product is 64 bits in two registers. */
	if (operand_has(i, "WIDE") && o->uses > 0)
		read_register(r, o->use[o->uses - 1] + 1, by);
	if (o->guard != 0)
		r->predicate[abs(o->guard) - 1] |= (uint8_t)by;
	/* A carry, or a condition that another one includes. */
	for (int p = 0; p < PREDICATES; p++)
		if (o->predicates >> p & 1)
			r->predicate[p] |= (uint8_t)by;
}

/* Forgets the readers of the predicate that a comparison certainly writes. */
static void
end_predicate(struct readers *r, const struct sass_instruction *i,
    const struct operands *o)
{
	const char *s = opcode_operands(i);
	bool uniform = s[0] == 'U';

	s += uniform;
	if (i->flags & SASS_PREDICATE && !o->guarded && s[0] == 'P' &&
	    s[1] >= '0' && s[1] <= '6' && s[2] == ',')
		r->predicate[s[1] - '0' + 8 * uniform] = 0;
}

/* Its address and its guard serve the access; what it stores has a use of its own. */
static void
read_access(struct readers *r, const struct operands *o)
{
	for (int u = 0; u < o->uses; u++)
		if (!is_address(o, o->use[u]))
			read_register(r, o->use[u], READ_BY_OTHER);
	read_address(r, o, READ_BY_ACCESS);
	if (o->guard != 0)
		r->predicate[abs(o->guard) - 1] |= READ_BY_ACCESS;
}

/* Steps over ${i} backwards; returns whether it serves alone. */
static bool
step(struct readers *r, const struct sass_instruction *i, bool access)
{
	struct operands o;
	unsigned by;

	if (!operands_of(&o, i))
		return false;
	by = take_result(r, i, &o);
	end_predicate(r, i, &o);
	if (access) {
		read_access(r, &o);
		return false;
	}
	if (by == 0 || i->space != SPACE_NONE || i->flags & (SASS_BRANCH |
	    SASS_BARRIER | SASS_SHUFFLE | SASS_CALL | SASS_EXIT))
		by = READ_BY_OTHER;
	read_operands(r, i, &o, by);
	if (o.has_address)
		read_address(r, &o, by);
	return by == READ_BY_ACCESS;
}

static void
join(struct readers *r, const struct readers *with)
{
	for (int i = 0; i < REGISTERS; i++)
		r->reg[i] |= with->reg[i];
	for (int i = 0; i < PREDICATES; i++)
		r->predicate[i] |= with->predicate[i];
}

double
served_inst(const struct code *c, const bool *of)
{
	const struct sass *s = &c->sass;
	struct readers *head = calloc(s->loops + 1, sizeof(*head)), now;
	double sum = 0;

	if (head == NULL)
		return NAN;
	for (int pass = 0; pass < PASSES; pass++) {
		size_t l = s->loops;	/* by head: those behind are done */

		memset(&now, 0, sizeof(now));
		sum = 0;
		for (uint32_t i = (uint32_t)s->instructions; i-- > 0;) {
			const struct sass_loop *in = sass_loop_of(s, i);

			if (in != NULL && in->tail == i)
				join(&now, &head[in - s->loop]);
			if (step(&now, &s->instruction[i], of[i]))
				sum += inst_executed(c, i);
			while (l > 0 && s->loop[l - 1].head >= i)
				head[--l] = now;
		}
	}
	free(head);
	return sum;
}
