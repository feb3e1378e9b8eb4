/*
 * rules/evidence/steady.c: see steady.h. The code is read once, with what each register
 * and predicate holds: a value that may differ between launches, or not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/steady.h"
#include "source/operand.h"

#define PREDICATES 16		/* bits of operands.predicates */
#define PARAMETERS_AT 0x160	/* lowest offset of parameters in c[0x0]; below are the
				 * sizes of the grid and of the block */
#define TURNS_ONE 1.1		/* turns of a loop that mostly has one: the grid's last
				 * blocks may have others */
#define PARAMETERS_END 0x8000	/* all of c[0x0] that parameters may take, at most */

struct differs {
	bool reg[REGISTERS], predicate[PREDICATES];
	bool half[PARAMETERS_END / 4];	/* words of c[0x0] that are read alone: no part
					 * of a pointer */
};

static bool
is_wide(const struct sass_instruction *i)
{
	return operand_has(i, "64") || operand_has(i, "WIDE");
}

static void
find_halves(struct differs *d, const struct sass *s)
{
	struct operands o;

	for (size_t i = 0; i < s->instructions; i++)
		if (operands_of(&o, &s->instruction[i]) &&
		    o.parameter < PARAMETERS_END && !is_wide(&s->instruction[i]))
			d->half[o.parameter / 4] = true;
}

/* Does ${i} read constant memory that may differ? */
static bool
reads_argument(const struct differs *d, const struct sass_instruction *i,
    const struct operands *o)
{
	if (o->parameter == 0)
		return i->space == SPACE_CONSTANT && i->text != NULL &&
		    strstr(i->text, "c[0x0][0x0]") == NULL &&
		    strstr(i->text, "c[0x0][RZ]") == NULL;
	return o->parameter >= PARAMETERS_AT && !(is_wide(i) &&
	    o->parameter + 4 < PARAMETERS_END && !d->half[o->parameter / 4] &&
	    !d->half[o->parameter / 4 + 1]);
}

/* The predicate that ${i} certainly writes, if that is its first operand; else -1. */
static int
first_predicate(const struct sass_instruction *i)
{
	const char *s = opcode_operands(i);
	bool uniform = s[0] == 'U';

	s += uniform;
	return s[0] == 'P' && s[1] >= '0' && s[1] <= '6' && s[2] == ',' ?
	    s[1] - '0' + 8 * uniform : -1;
}

/* Steps over ${i}; returns whether what it does may differ between launches. */
static bool
step(struct differs *d, const struct sass_instruction *i)
{
	int first = first_predicate(i);
	struct operands o;
	bool now;

	if (!operands_of(&o, i))
		return true;
	now = reads_argument(d, i, &o) ||
	    (i->space != SPACE_NONE && i->space != SPACE_CONSTANT) ||
	    i->flags & (SASS_LOAD | SASS_STORE | SASS_ATOMIC | SASS_SHUFFLE |
	    SASS_BARRIER | SASS_CALL | SASS_TENSOR) & ~(i->space == SPACE_CONSTANT ?
	    (unsigned)SASS_LOAD : 0u) || (o.guard == 0 && o.guarded);
	for (int u = 0; u < o.uses; u++)
		now = now || d->reg[o.use[u]];
	now = now || (o.guard != 0 && d->predicate[abs(o.guard) - 1]);
	for (int p = 0; p < PREDICATES; p++)
		now = now || (p != first && o.predicates >> p & 1 && d->predicate[p]);
	for (int n = 0; n < o.defs && o.def + n < REGISTERS; n++)
		d->reg[o.def + n] = now || (o.guarded && d->reg[o.def + n]);
	for (int p = 0; p < PREDICATES; p++)
		if (o.predicates >> p & 1)
			d->predicate[p] = now || ((o.guarded || p != first) &&
			    d->predicate[p]);
	return now;
}

/* Do those that come to a loop go through it once? */
static bool
turns_once(const struct code *c)
{
	for (size_t n = 0; n < c->sass.loops; n++) {
		const struct sass_loop *l = &c->sass.loop[n];
		double turns = inst_executed(c, l->head);

		if (turns > 0 && !(turns <= TURNS_ONE * inst_entered(c, l)))
			return false;
	}
	return true;
}

bool
steady_of(struct steady *o, const struct code *c)
{
	double all = c != NULL && c->counted && c->disassembled ?
	    inst_total(c, SOURCE_INST) : NAN;
	double same = 0, outside = 0, inside = 0;
	struct differs *d;
	bool stores = false;

	*o = (struct steady){ 0, 0, false };
	if (!(all > 0) || (d = calloc(1, sizeof(*d))) == NULL)
		return false;
	find_halves(d, &c->sass);
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		bool loops = sass_loop_of(&c->sass, at) != NULL;
		bool differ = step(d, i);
		double inst = inst_executed(c, at);

		if (loops) {
			inside += inst;
			stores = stores || (i->space == SPACE_GLOBAL &&
			    i->flags & SASS_STORE);
			continue;
		}
		outside += inst;
		same += differ ? 0 : inst;
	}
	free(d);
	o->same = fmin(1, same / all);
	o->one_turn = inside > 0 && !stores && turns_once(c);
	o->outside = inside > 0 && !stores ? fmin(1, outside / all) : o->same;
	return true;
}
