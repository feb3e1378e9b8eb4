/*
 * rules/evidence/numbered.c: see numbered.h.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/numbered.h"
#include "source/operand.h"

#define STEPS 64		/* definitions followed, for one register */
#define FIELD_MAX 32		/* characters of an operand */
#define LUT_AND "0xc0"		/* LOP3's truth table of a & b */

struct walk {
	const struct sass *sass;
	uint32_t threads;
	int steps;
};

static const struct numbered other;

static struct numbered of_register(struct walk *w, uint32_t at, int reg);

/* Operand ${n} of ${in}, without ".reuse"; "" if there is none. */
static void
field_of(char field[FIELD_MAX], const struct sass_instruction *in, int n)
{
	const char *p = opcode_operands(in);
	size_t len;

	for (; n > 0 && p != NULL; n--)
		if ((p = strchr(p, ',')) != NULL)
			p++;
	field[0] = '\0';
	if (p == NULL)
		return;
	len = strcspn(p, ",.");
	if (len >= FIELD_MAX)
		return;
	memcpy(field, p, len);
	field[len] = '\0';
}

static bool
constant_of(long *value, const char *field)
{
	char *end;

	*value = 0;
	if (strcmp(field, "RZ") == 0 || strcmp(field, "URZ") == 0)
		return true;
	*value = strtol(field, &end, 0);
	return end != field && *end == '\0';
}

/* All bits of the numbers 0..${threads} - 1. */
static uint32_t
bits_of(uint32_t threads)
{
	uint32_t bits = 0;

	while (bits < threads - 1)
		bits = bits << 1 | 1;
	return bits;
}

/* What two sources are together, in whichever order. */
static uint32_t
both(uint32_t a, uint32_t b)
{
	if (a == b || a == 0 || b == 0)
		return a | b;
	return a * b | 1;
}

/* A bit field of the thread's number, or of such a field: shifted down, or masked. */
static struct numbered
part_of(const struct sass_instruction *in, struct numbered v)
{
	char field[FIELD_MAX];
	long n;

	if (opcode_is(in, "SHF") && operand_has(in, "R") && operand_has(in, "HI")) {
		field_of(field, in, 2);
		if (!constant_of(&n, field) || n < 0 || n > 31)
			return other;
		v.kind = n == 0 ? v.kind : NUMBERED_PART;
		v.bits >>= n;
	} else if (opcode_is(in, "LOP3")) {
		field_of(field, in, 4);
		if (strcmp(field, LUT_AND) != 0)
			return other;
		field_of(field, in, 2);
		if (!constant_of(&n, field))
			return other;
		if (v.bits & ~(uint32_t)n)
			v.kind = NUMBERED_PART;
		v.bits &= (uint32_t)n;
	} else {
		return other;
	}
	if (v.bits == 0)
		v.kind = NUMBERED_ONE;
	return v;
}

/* Does the result of ${in} grow by as much as operand ${u} of its registers? */
static bool
adds_operand(const struct sass_instruction *in, const struct operands *o, int u)
{
	const char *last = strrchr(in->text, ',');

	if (strchr(in->text, '-') != NULL && strstr(in->text, "-R") != NULL)
		return false;
	if (opcode_adds(in))
		return true;
	if (opcode_is(in, "IMAD") && operand_has(in, "IADD"))
		return true;
	if (opcode_is(in, "LEA") && !operand_has(in, "HI"))
		return u == 1;
	return opcode_is(in, "IMAD") && !operand_has(in, "WIDE") &&
	    !operand_has(in, "HI") && u > 0 && u == o->uses - 1 &&
	    last != NULL && last[1] == 'R' && last[2] != 'Z';
}

/* From the registers that ${at} reads. */
static struct numbered
computed(struct walk *w, uint32_t at, const struct operands *o)
{
	const struct sass_instruction *in = &w->sass->instruction[at];
	struct numbered v = { .kind = NUMBERED_ONE, .bits = UINT32_MAX,
	    .constant = o->parameter == 0, .source = o->parameter };

	for (int u = 0; u < o->uses; u++) {
		struct numbered a = of_register(w, at, o->use[u]);

		if (a.kind == NUMBERED_OTHER ||
		    (a.kind != NUMBERED_ONE && v.kind != NUMBERED_ONE))
			return other;
		v.block = v.block || a.block;
		v.source = both(v.source, a.source);
		v.constant = v.constant && a.constant;
		if (a.kind == NUMBERED_ONE)
			continue;
		if (o->uses == 1 && (opcode_is_any(in, "MOV R2UR") ||
		    operand_has(in, "MOV")))
			return a;
		if (o->uses == 1 && !opcode_adds(in) && a.bits != UINT32_MAX)
			return part_of(in, a);
		if (a.kind != NUMBERED_THREAD || !adds_operand(in, o, u))
			return other;
		v.kind = NUMBERED_THREAD;
	}
	return v;
}

static struct numbered
special_of(const struct walk *w, const struct sass_instruction *in, unsigned varies)
{
	struct numbered v = { .kind = NUMBERED_ONE, .bits = UINT32_MAX,
	    .block = true };

	if (strstr(in->text, "SR_TID.X") != NULL)
		return (struct numbered){ .kind = NUMBERED_THREAD,
		    .bits = bits_of(w->threads) };
	return varies & VARIES_THREAD && strstr(in->text, "SR_TID") == NULL ?
	    other : v;
}

static struct numbered
address_of(struct walk *w, uint32_t at, const struct operands *o)
{
	struct numbered a = { .kind = NUMBERED_ONE, .bits = UINT32_MAX }, b = a;

	if (o->base != REGISTER_NONE)
		a = of_register(w, at, o->base);
	if (o->uniform != REGISTER_NONE)
		b = of_register(w, at, o->uniform);
	if (a.kind != NUMBERED_ONE || b.kind != NUMBERED_ONE)
		return other;
	a.block = a.block || b.block;
	return a;
}

static struct numbered
loaded(struct walk *w, uint32_t at, const struct operands *o)
{
	struct numbered v = address_of(w, at, o);

	if (v.kind != NUMBERED_ONE)
		return other;
	v.constant = false;
	/* Constants of the launch are told apart by their place. */
	v.source = w->sass->instruction[at].space == SPACE_CONSTANT ?
	    o->parameter : (at + 1) << 16;
	return v;
}

static struct numbered
of_register(struct walk *w, uint32_t at, int reg)
{
	uint32_t d = sass_writer(w->sass, at, reg);
	const struct sass_instruction *in;
	struct operands o, reader;

	if (d == SASS_NONE || w->steps++ >= STEPS)
		return other;
	in = &w->sass->instruction[d];
	if (!operands_of(&o, in) || in->text == NULL)
		return other;
	/* Without its predicate, an older value holds. */
	if (o.guarded && (!operands_of(&reader, &w->sass->instruction[at]) ||
	    reader.guard != o.guard || o.guard == 0))
		return other;
	if (in->flags & (SASS_ATOMIC | SASS_SHUFFLE | SASS_CALL) ||
	    opcode_is_any(in, "VOTE VOTEU MATCH SEL FSEL USEL P2R"))
		return other;
	if (o.varies != 0)
		return special_of(w, in, o.varies);
	if (in->flags & SASS_LOAD || in->space == SPACE_CONSTANT)
		return loaded(w, d, &o);
	return computed(w, d, &o);
}

struct numbered
numbered_of(const struct sass *s, uint32_t at, int reg, uint32_t threads)
{
	struct walk w = { .sass = s, .threads = threads };

	return of_register(&w, at, reg);
}

struct numbered
numbered_address(const struct sass *s, uint32_t at, uint32_t threads)
{
	struct walk w = { .sass = s, .threads = threads };
	struct operands o;

	if (!operands_of(&o, &s->instruction[at]) || !o.has_address)
		return other;
	return address_of(&w, at, &o);
}

/* --- comparisons ----------------------------------------------------------- */

enum order { LESS, EQUAL, MORE, UNEQUAL, NO_ORDER };

/* How "a ? b" compares; with ${not}, where it is false; with ${swap}, as "b ? a". (Whether
 * equal ones pass does not matter for less and more.) */
static enum order
order_of(const struct sass_instruction *in, bool not, bool swap)
{
	bool less = operand_has(in, "LT") || operand_has(in, "LE");
	bool more = operand_has(in, "GT") || operand_has(in, "GE");

	if (less || more)
		return (less != not) != swap ? LESS : MORE;
	if (operand_has(in, "EQ") || operand_has(in, "NE"))
		return operand_has(in, "EQ") != not ? EQUAL : UNEQUAL;
	return NO_ORDER;
}

static struct numbered
operand_of(const struct sass *s, uint32_t at, int n, uint32_t threads)
{
	struct numbered v = { .kind = NUMBERED_ONE };
	char field[FIELD_MAX];
	const char *open;
	bool uniform;
	long value;

	field_of(field, &s->instruction[at], n);
	if (constant_of(&value, field)) {
		v.constant = true;
		return v;
	}
	if (strncmp(field, "c[0x0][0x", 9) == 0) {
		open = strrchr(field, '[');
		v.source = (uint32_t)strtoul(open + 1, NULL, 0);
		return v;
	}
	uniform = field[0] == 'U';
	if (field[uniform] != 'R')
		return other;
	return numbered_of(s, at, (uniform ? UNIFORM_REGISTER : 0) +
	    atoi(field + uniform + 1), threads);
}

enum numbered_pass
numbered_passes(const struct sass *s, uint32_t at, bool wanted, uint32_t threads,
    uint32_t *source)
{
	const struct sass_instruction *in = &s->instruction[at];
	struct numbered a, b, swap;
	char with[FIELD_MAX];
	enum order order;

	field_of(with, in, 4);
	/* A second predicate may only let fewer through. */
	if (!opcode_is(in, "ISETP") || operand_has(in, "EX") ||
	    (strcmp(with, "PT") != 0 && !operand_has(in, wanted ? "AND" : "OR")))
		return PASS_ALL;
	a = operand_of(s, at, 2, threads);
	b = operand_of(s, at, 3, threads);
	order = order_of(in, !wanted, b.kind == NUMBERED_THREAD);
	if (b.kind == NUMBERED_THREAD) {
		swap = a;
		a = b;
		b = swap;
	}
	if (a.kind != NUMBERED_THREAD || b.kind != NUMBERED_ONE)
		return PASS_ALL;
	if (order == EQUAL)
		return PASS_FEW;
	if (order != LESS)
		return PASS_ALL;
	if (b.constant)
		return a.block ? PASS_ALL : PASS_FEW;
	/* The end of the whole grid stops blocks, not the warps of each. */
	if (a.block && !b.block)
		return PASS_ALL;
	*source = b.source;
	return PASS_ROW;
}
