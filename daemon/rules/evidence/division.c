/*
 * rules/evidence/division.c: the code that nvcc 13 generates for x / d and x %
 * d, where d is not a constant, for compute capabilities 7.5 to 12.0.
 *
 * A reciprocal, once for each d:
 *   I2F.U32.RP r,d;  MUFU.RCP r,r;  VIADD r,r,0xffffffe;
 *   F2I.FTZ.U32.TRUNC.NTZ r,r; and one step of Newton's: 8 in all.
 * Then, for each x:
 *   IMAD.HI.U32 q,r,x,RZ;  IADD3 n,-q;  IMAD x,n,d,x;  the remainder
 *   ISETP.GE.U32 P0,x,d;  @P0 IADD3 x,x,-d;  @P0 IADD3 q,q,1;
 *   and the last three once more: 9. (Or IMAD.IADD x,x,1,-d.)
 * The reciprocal is recognised by its constant, the rest by the guarded
 * subtraction of d from a product with d. Multiplication by a precomputed
 * multiplier, which one should write instead, has neither.
 *
 * 64-bit divisions call a function of about 70 instructions (constant
 * 0x1ffffffe), unless both numbers fit in 32 bits, which ten instructions around
 * the call find out:
 *   LOP3 h,x,d;  ISETP.NE P0,h,RZ;  BSSY;  @!P0 BRA;  MOV to return to;  CALL;
 *   two MOVs of the result;  BRA;  BSYNC.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/division.h"
#include "source/callee.h"
#include "source/operand.h"

#define RECIPROCAL_INST 8
#define QUOTIENT_INST 9
#define WIDE_INST 70
#define CALL_INST 10

/* What is left with a multiplier and a shift; of 64 bits with a constant divisor, for
 * which nvcc 13 multiplies by a reciprocal of its own. In 32 bits, with a divisor that
 * only the launch knows, it would be a reciprocal and a quotient, two more. */
#define QUOTIENT_LEFT 3
#define WIDE_LEFT 15

#define NARROW_BIAS 0xffffffe
#define WIDE_BIAS 0x1ffffffe

#define NEAR 64			/* instructions: other code is interleaved */
#define FUNCTION_MOST 256
#define BUDGET 65536		/* instructions searched back, in all */

/* What the instruction adds to the bits of a float; 0 if it is no such addition. */
static int64_t
bias_of(const struct sass_instruction *i)
{
	struct operands o;

	if (!opcode_adds(i) || i->text == NULL ||
	    strstr(i->text, "ffffffe") == NULL)
		return 0;
	operands_of(&o, i);
	return o.has_immediate && (o.immediate == NARROW_BIAS ||
	    o.immediate == WIDE_BIAS) ? o.immediate : 0;
}

/* The divisor in "@P0 IADD3 R6,R6,-R9,RZ", a register or a parameter. */
struct divisor {
	int reg;
	uint32_t parameter;
};

static bool
is_step(const struct sass_instruction *i, struct operands *o,
    struct divisor *d)
{
	bool product = opcode_is(i, "IMAD") && operand_has(i, "IADD");

	if ((!opcode_adds(i) && !product) || i->text == NULL ||
	    strstr(i->text, ",-") == NULL)
		return false;
	operands_of(o, i);
	if (!o->guarded || o->def == REGISTER_NONE || o->uses < 1 ||
	    o->use[0] != o->def || (o->has_immediate &&
	    !(product && o->immediate == 1)))
		return false;
	d->reg = o->uses == 2 ? o->use[1] : REGISTER_NONE;
	d->parameter = o->uses == 1 ? o->parameter : 0;
	return d->reg != REGISTER_NONE || d->parameter != 0;
}

static bool
has_divisor(const struct operands *o, const struct divisor *d)
{
	for (int u = 0; u < o->uses; u++)
		if (d->reg != REGISTER_NONE && o->use[u] == d->reg)
			return true;
	return d->parameter != 0 && o->parameter == d->parameter;
}

static bool
is_product(const struct sass_instruction *i)
{
	return opcode_is(i, "IMAD") && !operand_has(i, "MOV") &&
	    !operand_has(i, "IADD") && !operand_has(i, "HI") &&
	    !operand_has(i, "WIDE") && !operand_has(i, "SHL");
}

/* Is ${s} the first of the two corrections of a remainder? The second takes its
 * result, not a product. */
static bool
is_quotient(const struct sass *sass, uint32_t s, uint32_t *looked)
{
	uint32_t end = s > NEAR ? s - NEAR : 0;
	struct operands step, o;
	struct divisor d;

	if (!is_step(&sass->instruction[s], &step, &d))
		return false;
	for (uint32_t i = s; i-- > end && *looked < BUDGET; ++*looked) {
		operands_of(&o, &sass->instruction[i]);
		if (o.def == REGISTER_NONE || step.def < o.def ||
		    step.def >= o.def + o.defs)
			continue;
		return !o.guarded && is_product(&sass->instruction[i]) &&
		    has_divisor(&o, &d);
	}
	return false;
}

/* One past the last instruction of the function that begins at ${at}. */
static uint32_t
end_of(const struct sass *sass, uint32_t at)
{
	uint32_t most = at + FUNCTION_MOST;

	if (most > sass->instructions)
		most = sass->instructions;
	for (uint32_t i = at; i < most; i++)
		if (opcode_is(&sass->instruction[i], "RET"))
			return i + 1;
	return most;
}

bool
division_begins(const struct code *c, uint32_t s)
{
	uint32_t end;

	if (s >= c->sass.instructions)
		return false;
	end = end_of(&c->sass, s);
	for (uint32_t i = s; i < end; i++)
		if (bias_of(&c->sass.instruction[i]) == WIDE_BIAS)
			return true;
	return false;
}

static void
add(struct divisions *d, struct mark *m, const struct code *c, uint32_t s,
    double inst, double saved)
{
	size_t i = inst_of_sass(c, s);

	d->inst += inst;
	d->saved += saved;
	if (i != SIZE_MAX)
		m[i].weight += inst;
}

/* The compiler's own 64-bit functions: quotient and remainder, signed and
 * unsigned; the array has room for more. */
#define CALLEES 16

struct callees {
	uint32_t begin[CALLEES], end[CALLEES];
	bool divides[CALLEES];
	int count;
};

/* The function that instruction ${s} calls, by its address or as one of ${own}, or -1. */
static int
callee_of(struct callees *f, const struct internals *own, const struct code *c,
    uint32_t s)
{
	const struct sass_instruction *i = &c->sass.instruction[s];
	uint32_t at = i->target != SASS_NONE ? sass_at(&c->sass, i->target) :
	    callee_at(own, i);

	if (at == SASS_NONE)
		return -1;
	for (int k = 0; k < f->count; k++)
		if (f->begin[k] == at)
			return k;
	if (f->count == CALLEES)
		return -1;
	f->begin[f->count] = at;
	f->end[f->count] = end_of(&c->sass, at);
	f->divides[f->count] = division_begins(c, at);
	return f->count++;
}

static bool
is_inside(const struct callees *f, uint32_t s)
{
	for (int k = 0; k < f->count; k++)
		if (f->divides[k] && s >= f->begin[k] && s < f->end[k])
			return true;
	return false;
}

static void
count_wide(struct divisions *d, struct mark *m, const struct code *c,
    uint32_t s, double length)
{
	double calls = inst_executed(c, s);

	d->wide += calls;
	d->units += 3 * calls;
	add(d, m, c, s, calls * length, calls * fmax(0, length - WIDE_LEFT));
}

static void
count_bias(struct divisions *d, struct mark *m, const struct code *c,
    uint32_t s, int64_t bias)
{
	double inst = inst_executed(c, s);

	if (bias != NARROW_BIAS) {	/* no call: inlined */
		count_wide(d, m, c, s, WIDE_INST);
		return;
	}
	d->reciprocals += inst;
	d->units += 3 * inst;
	add(d, m, c, s, inst * RECIPROCAL_INST, inst * RECIPROCAL_INST);
}

static void
count_quotient(struct divisions *d, struct mark *m, const struct code *c,
    uint32_t s)
{
	double inst = inst_executed(c, s);

	d->quotients += inst;
	add(d, m, c, s, inst * QUOTIENT_INST,
	    inst * (QUOTIENT_INST - QUOTIENT_LEFT));
}

void
divisions_count(struct divisions *d, const struct code *c, struct mark *m)
{
	struct callees f = { .count = 0 };
	struct internals own;
	uint32_t looked = 0;

	memset(d, 0, sizeof(*d));
	internals_find(&own, &c->sass);
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		int k = c->sass.instruction[s].flags & SASS_CALL ?
		    callee_of(&f, &own, c, s) : -1;

		if (k >= 0 && f.divides[k])
			count_wide(d, m, c, s,
			    CALL_INST + f.end[k] - f.begin[k]);
	}
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		int64_t bias = bias_of(&c->sass.instruction[s]);

		if (is_inside(&f, s))
			continue;
		if (bias != 0)
			count_bias(d, m, c, s, bias);
		else if (is_quotient(&c->sass, s, &looked))
			count_quotient(d, m, c, s);
	}
}
