/*
 * source/effect.c: see effect.h.
 */
#include <string.h>

#include "source/effect.h"
#include "source/opcode.h"

struct widths {
	uint16_t value, address, sure, maybe;
};

static bool
wide(const char *opcode)
{

	return opcode_has(opcode, "64") || opcode_has(opcode, "U64") ||
	    opcode_has(opcode, "S64") || opcode_has(opcode, "F64") ||
	    opcode_has(opcode, "WIDE");
}

static struct widths
widths_of(const struct opcode *o, const struct sass_instruction *in)
{
	uint16_t bytes = in->bytes < 4 ? 4 : in->bytes;
	struct widths w = { 1, 2, 1, 1 };

	switch (o->how) {
	case HOW_PAIR:
		w.value = w.sure = w.maybe = 2;
		break;
	case HOW_MEMORY:
	case HOW_MATRIX:
		w.value = w.sure = w.maybe = bytes / 4;
		if ((in->flags & SASS_ATOMIC) != 0) {
			w.value *= 2;
			w.sure = 1;
		}
		break;
	default:
		if (wide(in->opcode) || opcode_is(in, "CS2R") ||
		    o->how == HOW_CONVERT)
			w.value = w.maybe = 2;
		break;
	}
	return w;
}

/* Reads one register at ${p}, after its 'R'. */
static const char *
register_read(const char *p, unsigned *reg)
{

	for (*reg = 0; *p >= '0' && *p <= '9' && *reg < GENERAL_REGISTERS; p++)
		*reg = 10 * *reg + (unsigned)(*p - '0');
	return p;
}

static bool
is_word(char c)
{

	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z') || c == '_' || c == '$';
}

/* The registers of the operands, in order. */
static void
operands_read(struct effect *e, const char *text, const struct widths *w)
{
	const char *p, *next;
	struct operand *r;
	uint8_t place = 0;
	int depth = 0;
	unsigned reg;
	char before;

	for (p = text; *p != '\0'; p = next) {
		next = p + 1;
		depth += (*p == '[') - (*p == ']');
		if (*p == ',' && depth == 0 && place < UINT8_MAX)
			place++;
		before = p == text ? ',' : p[-1];
		if (*p != 'R' || is_word(before) || p[1] < '0' || p[1] > '9')
			continue;
		next = register_read(p + 1, &reg);
		if (reg >= GENERAL_REGISTERS || is_word(*next) ||
		    e->reads == MAX_OPERANDS) {
			e->any = true;
			return;
		}
		r = &e->read[e->reads++];
		r->reg = (uint16_t)reg;
		r->place = place;
		r->width = depth > 0 ? w->address : w->value;
		if (strncmp(next, ".reuse", 6) == 0)
			next += 6;
		if (strncmp(next, ".64", 3) == 0 && r->width < 2)
			r->width = 2;
		r->plain = depth == 0 && (*next == ',' || *next == '\0' ||
		    *next == ' ') && (before == ',' || before == '-' ||
		    before == ' ');
	}
}

/* Is operand ${place} of the text a predicate? */
static bool
is_predicate(const char *text, unsigned place)
{

	for (; place > 0; place--) {
		if ((text = strchr(text, ',')) == NULL)
			return false;
		text++;
	}
	text += strspn(text, " !");
	if (*text == 'U')
		text++;
	return *text == 'P' && (text[1] == 'T' ||
	    (text[1] >= '0' && text[1] <= '9'));
}

struct effect
effect_of(const struct sass_instruction *in)
{
	const struct opcode *o = opcode_find(in->opcode,
	    strcspn(in->opcode, "."));
	const char *text = opcode_operands(in);
	struct effect e = { .reads = 0 };
	struct widths w;
	uint32_t i;

	e.any = o == NULL || o->how == HOW_ANY || (in->flags & SASS_CALL) != 0;
	if (e.any)
		return e;
	w = widths_of(o, in);
	operands_read(&e, text, &w);
	if (e.any || e.reads == 0 || o->how == HOW_FLOW ||
	    (in->flags & SASS_PREDICATE) != 0)
		return e;
	/* Written registers come first, predicates apart. */
	for (i = 0; i < e.read[0].place; i++)
		if (!is_predicate(text, i))
			return e;
	if (!e.read[0].plain)
		return e;
	e.write = e.read[0].reg;
	e.sure = (in->flags & SASS_CONDITIONAL) != 0 ? 0 : w.sure;
	e.maybe = w.maybe;
	e.reads--;
	memmove(e.read, e.read + 1, e.reads * sizeof(*e.read));
	return e;
}
