/*
 * rules/evidence/strides.c: see strides.h.
 */
#include <stdlib.h>
#include <string.h>

#include "model/lines/source.h"

#include "source/operand.h"
#include "rules/evidence/strides.h"

/* Offsets in c[0x0] of the block's size, followed by the grid's: up to compute
 * capability 9, and since 10, where the parameters follow them. */
#define SIZES_AT 0x0
#define SIZES_AT_10 0x360
#define GRID_BEHIND 0xc
#define SIZES_END 0x18
#define PARAMETERS_AT 0x160	/* the lowest, before compute capability 10 */

enum size { SIZE_BLOCK = 1, SIZE_GRID = 2 };

/* For each register: the sizes that its value is computed from, if from nothing
 * else; else 0. */
struct made_of {
	unsigned size[REGISTERS];
	bool late;		/* sizes are at the offsets of compute capability 10 */
};

/* The offset in c[0x0] that ${i} reads; -1. */
static long
constant_of(const struct sass_instruction *i)
{
	const char *s = i->text != NULL ? strstr(i->text, "c[0x0][0x") : NULL;
	char *end;
	long v;

	/* The first one may be addressed by the zero register. */
	if (i->text != NULL && strstr(i->text, "c[0x0][RZ]") != NULL)
		return 0;
	if (s == NULL)
		return -1;
	v = strtol(s + strlen("c[0x0]["), &end, 16);
	return *end == ']' && v >= 0 ? v : -1;
}

static bool
is_late(const struct sass *s)
{
	bool late = false;

	for (size_t i = 0; i < s->instructions; i++) {
		long at = constant_of(&s->instruction[i]);

		if (at >= PARAMETERS_AT && at < SIZES_AT_10)
			return false;
		late = late || at >= SIZES_AT_10;
	}
	return late;
}

/* The sizes that ${i} itself reads. */
static unsigned
sizes_of(const struct made_of *m, const struct sass_instruction *i)
{
	long at = constant_of(i) - (m->late ? SIZES_AT_10 : SIZES_AT);

	if (i->text != NULL && strstr(i->text, "SR_NCTAID") != NULL)
		return SIZE_GRID;
	if (i->text != NULL && strstr(i->text, "SR_NTID") != NULL)
		return SIZE_BLOCK;
	return at < 0 || at >= SIZES_END ? 0 :
	    at < GRID_BEHIND ? SIZE_BLOCK : SIZE_GRID;
}

/* Applies instruction ${i} to ${m}. Returns the sizes that it adds to something
 * else; 0: none. */
static unsigned
step(struct made_of *m, const struct sass_instruction *i)
{
	unsigned size = sizes_of(m, i);
	bool constant = constant_of(i) >= 0, other;
	struct operands o;

	if (!operands_of(&o, i))
		return 0;
	other = (o.has_address && !constant) ||
	    ((o.varies != 0 || constant) && size == 0);
	for (int k = 0; k < o.uses; k++) {
		unsigned of = o.use[k] >= 0 && o.use[k] < REGISTERS ?
		    m->size[o.use[k]] : 0;

		size |= of;
		other = other || (o.use[k] >= 0 && of == 0);
	}
	for (int k = 0; k < o.defs; k++)
		if (o.def >= 0 && o.def + k < REGISTERS)
			m->size[o.def + k] = other ? 0 : size;
	return other && !o.has_address && (opcode_adds(i) ||
	    opcode_is_any(i, "IMAD LEA UIMAD XMAD")) ? size : 0;
}

/* The sizes that loops step by; those of loop n into ${each}[n], unless ${each}
 * is NULL. */
static unsigned
find_steps(const struct code *c, unsigned *each)
{
	struct made_of m = { .late = is_late(&c->sass) };
	unsigned found = 0;

	for (size_t i = 0; i < c->sass.instructions; i++) {
		unsigned size = step(&m, &c->sass.instruction[i]);
		const struct sass_loop *l = sass_loop_of(&c->sass, (uint32_t)i);

		if (l == NULL)
			continue;
		found |= size;
		if (each != NULL)
			each[l - c->sass.loop] |= size;
	}
	return found;
}

bool
strides_shared(const struct code *c)
{
	bool waits = false;
	unsigned found;

	if (c == NULL || !c->disassembled)
		return false;
	found = find_steps(c, NULL);
	for (size_t i = 0; i < c->sass.instructions; i++)
		waits = waits ||
		    (c->sass.instruction[i].flags & SASS_BARRIER) != 0;
	return (found & SIZE_GRID) != 0 || (found != 0 && !waits);
}

bool
strides_once(const struct code *c)
{
	unsigned *each;
	bool once = true;

	if (c == NULL || !c->disassembled)
		return false;
	each = calloc(c->sass.loops + 1, sizeof(*each));
	if (each == NULL)
		return false;
	find_steps(c, each);
	for (size_t n = 0; n < c->sass.loops; n++)
		once = once && c->sass.loop[n].depth == 0 &&
		    (each[n] & SIZE_GRID) != 0;
	free(each);
	return once;
}
