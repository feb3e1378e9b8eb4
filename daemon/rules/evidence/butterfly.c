/*
 * rules/evidence/butterfly.c: see butterfly.h.
 */
#include <math.h>

#include "model/model.h"
#include "rules/engine/rule.h"
#include "rules/evidence/butterfly.h"
#include "source/operand.h"

#define LOOKED_MOST 64		/* instructions to search back for a definition */
#define XOR_LUT 0x3c		/* LOP3: the exclusive or of its first two operands */
#define BLOCK_HOLDS 2048	/* elements: two for each of 1,024 threads */
#define WHOLE 0.02		/* tolerance of the number of launches, of a network */

/* The instruction before ${at} that writes ${reg}; SASS_NONE. */
static uint32_t
writer_of(const struct sass *s, uint32_t at, int reg)
{
	struct operands o;

	for (uint32_t n = 0; at-- > 0 && n < LOOKED_MOST; n++)
		if (operands_of(&o, &s->instruction[at]) &&
		    o.def != REGISTER_NONE && reg >= o.def &&
		    reg < o.def + o.defs)
			return at;
	return SASS_NONE;
}

/* Is the value of ${reg} at ${at} an unchanged launch parameter? */
static bool
is_parameter(const struct sass *s, uint32_t at, int reg)
{
	uint32_t w = writer_of(s, at, reg);
	struct operands o;

	return w != SASS_NONE && operands_of(&o, &s->instruction[w]) &&
	    o.parameter > 0 && o.uses == 0 && !o.guarded &&
	    (opcode_is(&s->instruction[w], "ULDC") ||
	    opcode_is(&s->instruction[w], "LDC"));
}

/* Is instruction ${at} the exclusive or of an index and a parameter? */
static bool
is_partner(const struct sass *s, uint32_t at)
{
	const struct sass_instruction *i = &s->instruction[at];
	int own = 0, given = 0;
	struct operands o;

	if (!opcode_is(i, "LOP3") || !operands_of(&o, i) ||
	    o.immediate != XOR_LUT || o.def == REGISTER_NONE)
		return false;
	given += o.parameter > 0;
	for (int u = 0; u < o.uses; u++)
		if (is_parameter(s, at, o.use[u]))
			given++;
		else
			own++;
	return own == 1 && given == 1;
}

/* Does the access at ${at} use such an index? */
static bool
goes_there(const struct sass *s, uint32_t at)
{
	struct operands o;
	uint32_t w;

	if (!operands_of(&o, &s->instruction[at]) || o.base == REGISTER_NONE ||
	    (w = writer_of(s, at, o.base)) == SASS_NONE ||
	    !operands_of(&o, &s->instruction[w]))
		return false;
	for (int u = 0; u < o.uses; u++) {
		uint32_t x = writer_of(s, w, o.use[u]);

		if (x != SASS_NONE && is_partner(s, x))
			return true;
	}
	return false;
}

static bool
has_partners(const struct code *c)
{
	bool loads = false, stores = false;

	if (c == NULL || !c->disassembled)
		return false;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		if (i->space == SPACE_SHARED || i->flags & SASS_BARRIER)
			return false;
		if (i->space != SPACE_GLOBAL || !goes_there(&c->sass, s))
			continue;
		loads = loads || i->flags & SASS_LOAD;
		stores = stores || i->flags & SASS_STORE;
	}
	return loads && stores;
}

/* Is ${launches} a multiple of ${each}, within WHOLE? */
static bool
are_whole(double launches, double each)
{
	double n = launches / each;

	return n >= 1 - WHOLE && fabs(n - round(n)) <= WHOLE * n;
}

bool
butterfly_of(struct butterfly *b, const struct kernel *k)
{
	double threads = rule_blocks(k) * rule_threads(k);
	double steps = log2(fmax(1, threads)), near = log2(BLOCK_HOLDS);
	double far = steps - near;

	if (steps != floor(steps) || far < 1 || !has_partners(k->code))
		return false;
	*b = (struct butterfly){ .steps = steps, .near = near };
	/* A sort merges runs of 2, 4 … elements: for each, all distances downwards. */
	b->launches = steps * (steps + 1) / 2;
	b->fused = steps + far * (far + 1) / 2;
	if (are_whole((double)k->launches, b->launches))
		return true;
	b->launches = steps;
	b->fused = far + 1;
	return are_whole((double)k->launches, b->launches);
}
