/*
 * rules/evidence/affine_step.c: see affine_step.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "model/model.h"
#include "source/opcode.h"

#include "rules/evidence/affine_step.h"
#include "rules/evidence/affine_value.h"

#define TERMS 8
#define TERM_MAX 64
#define WARP_BITS 5
#define LUT_AND 0xc0		/* LOP3's truth table of a & b, and of a ^ b */
#define LUT_XOR 0x3c
#define CALLED_FIRST 4		/* registers that a called function may use */
#define CALLED_LAST 15

struct term {
	struct affine v;
	bool predicate;
};

/* An instruction's operands without its destination, as values. */
struct terms {
	struct affine of[TERMS];
	int count;
};

static struct affine
special_of(const char *s, const struct record_SIGNATURE *shape)
{
	struct affine r = affine_shared;

	if (strncmp(s, "SR_TID.X", 8) == 0)
		r.x = 1;
	else if (strncmp(s, "SR_TID.Y", 8) == 0)
		r.y = 1;
	else if (strncmp(s, "SR_LANEID", 9) == 0 && shape->block_x % WARP == 0)
		r.x = 1;
	else if (strncmp(s, "SR_TID.Z", 8) == 0)
		return (uint64_t)shape->block_x * shape->block_y % WARP == 0 ?
		    affine_shared : affine_unknown;
	else if (strncmp(s, "SR_CTAID", 8) != 0 && strncmp(s, "SR_C", 4) != 0 &&
	    strncmp(s, "SR_N", 4) != 0)
		return affine_unknown;
	return r;
}

static struct affine
register_of(const struct affine_state *st, int reg)
{
	const struct affine *v = &st->reg[reg];

	/* Uniform registers are shared by the warp, whatever they hold. */
	if (reg >= UNIFORM_REGISTER)
		return v->kind == AFFINE_STEPS ? *v : affine_shared;
	return v->kind == AFFINE_UNSET ? affine_unknown : *v;
}

/* "R12.reuse", "UR4", "RZ", "URZ". */
static struct affine
read_register(const struct affine_state *st, const char *s)
{
	bool uniform = s[0] == 'U';
	long n;

	s += 1 + uniform;
	if (!isdigit((unsigned char)*s))
		return *s == 'Z' ? affine_constant(0) : affine_unknown;
	n = strtol(s, NULL, 10);
	return n < UNIFORM_REGISTER ? register_of(st, (int)n + (uniform ?
	    UNIFORM_REGISTER : 0)) : affine_unknown;
}

/* "c[0x0][0x210]": launch parameters. Up to compute capability 9 the constants
 * begin with the block's size; later ones have nothing there. */
static struct affine
read_constant(const struct affine_state *st, const char *s,
    const struct record_SIGNATURE *shape)
{
	const char *last = strrchr(s, '[');
	struct affine v;

	if (strncmp(s, "c[0x0][0x0]", 11) == 0 ||
	    strncmp(s, "c[0x0][RZ]", 10) == 0)
		return affine_constant(shape->block_x);
	if (strncmp(s, "c[0x0][0x4]", 11) == 0)
		return affine_constant(shape->block_y);
	if (last[1] != 'R' && (last[1] != 'U' || last[2] != 'R'))
		return affine_shared;
	/* With a different index in each lane the value is that of the entry. */
	v = read_register(st, last + 1);
	return affine_is_shared(&v) ? affine_shared : affine_unknown;
}

/* "0x10", "0.5", "+INF". */
static struct affine
read_number(const char *s)
{
	char *stop;
	long long v;

	errno = 0;
	v = strtoll(s, &stop, 0);
	return errno == 0 && stop > s && *stop == '\0' ? affine_constant(v) :
	    affine_shared;
}

static struct term
term_of(const struct record_SIGNATURE *shape, const struct affine_state *st,
    const char *s)
{
	struct term t = { .v = affine_unknown };
	bool negative = *s == '-';

	t.predicate = *s == '!' || s[0] == 'P' || (s[0] == 'U' && s[1] == 'P');
	if (t.predicate || *s == '~' || *s == '|')
		return t;
	s += negative;
	if (strncmp(s, "SR_", 3) == 0)
		t.v = special_of(s, shape);
	else if (s[0] == 'c' && s[1] == '[')
		t.v = read_constant(st, s, shape);
	else if (s[0] == 'R' || (s[0] == 'U' && s[1] == 'R'))
		t.v = read_register(st, s);
	else
		t.v = read_number(s);
	if (negative)
		t.v = affine_negative(&t.v);
	return t;
}

/* The first operand is the destination; predicates are no values. */
static void
read_terms(struct terms *t, const struct record_SIGNATURE *shape,
    const struct affine_state *st, const struct sass_instruction *in)
{
	const char *s = opcode_operands(in);
	bool written = false;

	t->count = 0;
	while (*s != '\0' && t->count < TERMS) {
		char word[TERM_MAX];
		struct term one;
		size_t n = 0;

		for (; *s != '\0' && *s != ',' && *s != ';'; s++)
			if (*s != ' ' && n < sizeof(word) - 1)
				word[n++] = *s;
		word[n] = '\0';
		s += *s != '\0';
		if (n == 0)
			continue;
		one = term_of(shape, st, word);
		if (one.predicate)
			continue;
		if (written)
			t->of[t->count++] = one.v;
		written = true;
	}
}

static struct affine
all_mixed(const struct terms *t)
{
	struct affine r = affine_shared;

	for (int i = 0; i < t->count; i++)
		r = affine_mixed(&r, &t->of[i]);
	return r;
}

static struct affine
all_added(const struct terms *t)
{
	struct affine r = affine_constant(0);

	for (int i = 0; i < t->count; i++)
		r = affine_sum(&r, &t->of[i]);
	return r;
}

/* a << n, with n a constant. */
static struct affine
shifted_of(const struct affine *a, const struct affine *n)
{
	struct affine by = affine_shared;

	if (n->constant && n->value >= 0 && n->value < 31)
		by = affine_constant(1ll << n->value);
	else if (!affine_is_shared(n))
		return affine_mixed(a, n);
	return affine_product(a, &by);
}

/* The first bit of the lane in a thread's number, or in its product with a
 * power of two. Blocks must consist of whole warps: the bits above, the number
 * of the warp, are shared. -1: the value is no such number. */
static int
lane_bits(const struct record_SIGNATURE *shape, const struct affine *a)
{
	if (a->kind != AFFINE_STEPS || a->y != 0 || a->x <= 0 ||
	    a->x > INT32_MAX / WARP || (a->x & (a->x - 1)) != 0 ||
	    shape->block_x % WARP != 0)
		return -1;
	return __builtin_ctz((unsigned)a->x);
}

/* ${a} >> n, if n bits are the warp's, or leave the lane's; else what all of ${t} mixed
 * is. */
static struct affine
shifted_down(const struct record_SIGNATURE *shape, const struct terms *t,
    const struct affine *a, int n)
{
	int bits = lane_bits(shape, a);

	if (bits >= 0 && n >= bits + WARP_BITS)
		return affine_shared;
	if (bits >= 0 && n >= 0 && n <= bits)
		return (struct affine){ .kind = AFFINE_STEPS, .x = a->x >> n };
	return all_mixed(t);
}

static struct affine
shift_right(const struct record_SIGNATURE *shape, const struct terms *t,
    bool high)
{
	/* SHF.R.U32.HI d, RZ, n, a; older: SHR d, a, n */
	const struct affine *a = &t->of[t->count - 1], *n = &t->of[1];
	struct affine left;

	if (t->count != 3 || !n->constant)
		return all_mixed(t);
	if (high || n->value < 0 || n->value > 31)
		return shifted_down(shape, t, a, n->value);
	/* SHF.R.U64 d, low, n, a: the lower half of 64 bits. With nothing in its lower
	 * part, a is shifted to the left; else the upper part is that of a thread's
	 * number, which all share. */
	if (t->of[0].constant && t->of[0].value == 0 && n->value > 0) {
		left = affine_constant(32 - n->value);
		return shifted_of(a, &left);
	}
	return shifted_down(shape, t, &t->of[0], n->value);
}

/* LEA.HI d, a, b, c, n: b and the upper part of c:a, shifted left by n: how divisions of
 * signed numbers by a power of two correct their sign. */
static struct affine
lea_high(const struct record_SIGNATURE *shape, const struct terms *t)
{
	const struct affine *n = &t->of[3];
	struct affine r;

	if (t->count != 4 || !n->constant || n->value <= 0 || n->value > 31 ||
	    !affine_is_shared(&t->of[2]))
		return all_mixed(t);
	r = affine_is_shared(&t->of[0]) ? affine_shared :
	    shifted_down(shape, t, &t->of[0], 32 - n->value);
	return affine_sum(&r, &t->of[1]);
}

/* A mask extracts the lane of a thread's number, or removes it. Exclusive or
 * with a shared value swaps positions within a row, or moves to another row:
 * the steps stay. */
static struct affine
logic_of(const struct record_SIGNATURE *shape, const struct terms *t)
{
	const struct affine *mask = &t->of[1], *lut;
	uint32_t lane, left;
	int bits;

	if (t->count < 4)
		return all_mixed(t);
	lut = &t->of[3];
	if (lut->constant && lut->value == LUT_XOR &&
	    t->of[0].kind == AFFINE_STEPS && affine_is_shared(mask))
		return (struct affine){ .kind = AFFINE_STEPS, .x = t->of[0].x,
		    .y = t->of[0].y };
	bits = lane_bits(shape, &t->of[0]);
	if (bits < 0 || !mask->constant || !lut->constant || lut->value != LUT_AND)
		return all_mixed(t);
	lane = (uint32_t)(WARP - 1) << bits;
	left = (uint32_t)mask->value & lane;
	if (left == 0)
		return affine_shared;
	return left == lane ? (struct affine){ .kind = AFFINE_STEPS,
	    .x = t->of[0].x } : all_mixed(t);
}

/* Minimum or maximum of two values: an index that is clamped to the border. */
static struct affine
bounded_of(const struct terms *t)
{
	const struct affine *a = &t->of[0], *b = &t->of[1];

	if (t->count < 2)
		return affine_unknown;
	if (a->kind != AFFINE_STEPS || b->kind != AFFINE_STEPS)
		return affine_mixed(a, b);
	if (affine_is_shared(a) && !affine_is_shared(b))
		return *b;
	return affine_is_shared(b) && !affine_is_shared(a) ? *a :
	    affine_meet(a, b);
}

static struct affine
computed(const struct record_SIGNATURE *shape,
    const struct sass_instruction *in, const struct terms *t)
{
	struct affine r;

	/* One lane's value, broadcast to all. */
	if (in->flags & SASS_SHUFFLE && opcode_has(in->opcode, "IDX") &&
	    t->count >= 2 && affine_is_shared(&t->of[1]))
		return affine_shared;
	if (t->count == 0 || in->flags & (SASS_SHUFFLE | SASS_TENSOR) ||
	    opcode_is_any(in, "P2R VOTE MATCH"))
		return affine_unknown;
	if (opcode_is(in, "SHF") && opcode_has(in->opcode, "R"))
		return shift_right(shape, t, !opcode_has(in->opcode, "U64") &&
		    !opcode_has(in->opcode, "S64") &&
		    !opcode_has(in->opcode, "W"));
	if (opcode_is(in, "LEA") && opcode_has(in->opcode, "HI") &&
	    !opcode_has(in->opcode, "X"))
		return lea_high(shape, t);
	if (opcode_has(in->opcode, "HI"))
		return all_mixed(t);
	if (opcode_is_any(in, "MOV UMOV R2UR S2R S2UR CS2R MOV32I LDC ULDC LDCU"))
		return t->of[0];
	if (opcode_adds(in))
		return all_added(t);
	if (opcode_is_any(in, "IMAD UIMAD") && t->count >= 3) {
		r = affine_product(&t->of[0], &t->of[1]);
		return affine_sum(&r, &t->of[2]);
	}
	if (opcode_is_any(in, "LEA ULEA") && t->count >= 3) {
		r = shifted_of(&t->of[0], &t->of[2]);
		return affine_sum(&r, &t->of[1]);
	}
	if (opcode_is_any(in, "SHF USHF SHL") && t->count >= 2 &&
	    (opcode_has(in->opcode, "L") || opcode_is(in, "SHL")))
		return shifted_of(&t->of[0], &t->of[1]);
	if (opcode_is_any(in, "LOP3 PLOP3"))
		return logic_of(shape, t);
	if (opcode_is_any(in, "IMNMX VIMNMX VIADDMNMX"))
		return bounded_of(t);
	if (opcode_is(in, "SEL") && t->count >= 2)
		return affine_meet(&t->of[0], &t->of[1]);
	return all_mixed(t);
}

/* The value that a load brings. */
static struct affine
value_loaded(const struct sass_instruction *in, const struct affine *address)
{
	if (in->space == SPACE_LOCAL || in->flags & SASS_ATOMIC)
		return affine_unknown;
	if (affine_is_shared(address))
		return affine_shared;
	if (address->kind == AFFINE_UNSET || address->kind == AFFINE_UNKNOWN)
		return affine_unknown;
	return (struct affine){ .kind = AFFINE_LOADED };
}

static struct affine
address_of(const struct affine_state *st, const struct operands *o)
{
	struct affine r = affine_constant(0), more;

	if (o->base != REGISTER_NONE)
		r = register_of(st, o->base);
	if (o->uniform != REGISTER_NONE) {
		more = register_of(st, o->uniform);
		r = affine_sum(&r, &more);
	}
	r.constant = false;
	return r;
}

static void
write_registers(struct affine_state *st, const struct operands *o,
    struct affine v, bool wide)
{
	for (int d = 0; d < o->defs && o->def + d < REGISTERS; d++)
		st->reg[o->def + d] = d == 0 || !wide ? v :
		    affine_is_shared(&v) ? affine_shared : affine_unknown;
}

struct affine
affine_step(struct affine_state *st, const struct sass_instruction *in,
    const struct record_SIGNATURE *shape)
{
	struct affine v = affine_unknown, address = { .kind = AFFINE_UNSET };
	struct operands o;
	struct terms t;

	if (!operands_of(&o, in))
		return address;
	if (in->flags & SASS_CALL)
		for (int r = CALLED_FIRST; r <= CALLED_LAST; r++)
			st->reg[r] = affine_unknown;
	if (o.has_address)
		address = address_of(st, &o);
	if (o.def == REGISTER_NONE)
		return address;
	if (o.has_address) {
		v = value_loaded(in, &address);
	} else {
		read_terms(&t, shape, st, in);
		v = computed(shape, in, &t);
	}
	/* The registers of one load hold different values. */
	write_registers(st, &o, v, !o.has_address);
	return address;
}
