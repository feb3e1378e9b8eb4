/*
 * rules/evidence/range.c: see range.h.
 */
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "model/lines/source.h"

#include "source/operand.h"
#include "rules/evidence/range.h"

#define CODE_MOST 65536		/* instructions of a function */
#define BEFORE 256		/* instructions to search back for a definition */
#define BEHIND 256		/* instructions to search forward for a use */
#define DEPTH 6			/* definitions of definitions that are followed */
#define AND 0xc0		/* LOP3's truth table of a & b, whatever c is */

struct ranges {
	const struct sass *sass;
	struct operands *of;
	size_t left;		/* instructions that may still be looked at: they may
				 * grow with the power of DEPTH */
};

struct range {
	int64_t low, high;
};

static const struct range anything = { INT32_MIN, UINT32_MAX };

struct ranges *
ranges_new(const struct code *c)
{
	size_t n = c->sass.instructions;
	struct ranges *r;

	if (n > CODE_MOST || (r = calloc(1, sizeof(*r))) == NULL)
		return NULL;
	r->sass = &c->sass;
	r->left = SASS_STEPS_MOST;
	r->of = calloc(n + 1, sizeof(*r->of));
	if (r->of == NULL) {
		free(r);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		operands_of(&r->of[i], &c->sass.instruction[i]);
	return r;
}

void
ranges_free(struct ranges *r)
{
	if (r == NULL)
		return;
	free(r->of);
	free(r);
}

static bool
writes(const struct operands *o, int reg)
{
	return o->def >= 0 && reg >= o->def && reg < o->def + o->defs;
}

static bool
reads(const struct operands *o, int reg)
{
	for (int u = 0; u < o->uses; u++)
		if (o->use[u] == reg)
			return true;
	return false;
}

static struct range
of_bits(int bits)
{
	return (struct range){ 0, (1ll << bits) - 1 };
}

static struct range
both(struct range a, struct range b)
{
	return (struct range){ a.low < b.low ? a.low : b.low,
	    a.high > b.high ? a.high : b.high };
}

static bool
has_text(const struct sass_instruction *i, const char *part)
{
	return i->text != NULL && strstr(i->text, part) != NULL;
}

/* LOP3's truth table: its last number, before a !PT. */
static long
truth_of(const struct sass_instruction *i)
{
	const char *end = i->text != NULL ? strstr(i->text, ",!PT") : NULL;
	const char *at;

	if (end == NULL)
		end = i->text != NULL ? i->text + strlen(i->text) : NULL;
	for (at = end; at != NULL && at > i->text && at[-1] != ','; at--)
		;
	return at != NULL ? strtol(at, NULL, 0) : -1;
}

/* Bytes of its first operand that PRMT selects; the others become zeros or its sign. */
static unsigned
permuted(const struct sass_instruction *i, const struct operands *o)
{
	if (!opcode_is(i, "PRMT") || !o->has_immediate ||
	    !has_text(i, ",RZ") || o->uses != 1)
		return WORD;
	switch (o->immediate) {
	case 0x7770: case 0x8880: case 0x4440: case 0x5550:
		return 1;
	case 0x7710: case 0x9910: case 0x5410: case 0x7610:
		return 2;
	}
	return WORD;
}

static struct range value_of(struct ranges *r, uint32_t at, int reg,
    int depth);

/* The union of all registers that ${d} reads, its immediate, and zero if it
 * reads RZ. */
static struct range
any_operand(struct ranges *r, uint32_t d, int depth)
{
	const struct operands *o = &r->of[d];
	struct range v = { INT64_MAX, INT64_MIN }, zero = { 0, 0 };

	if (has_text(&r->sass->instruction[d], "RZ"))
		v = both(v, zero);
	if (o->has_immediate)
		v = both(v, (struct range){ o->immediate, o->immediate });
	for (int u = 0; u < o->uses; u++)
		v = both(v, value_of(r, d, o->use[u], depth));
	return v.low <= v.high && o->parameter == 0 ? v : anything;
}

/* The minimum or the maximum of a register and an immediate. */
static struct range
clamped(struct ranges *r, uint32_t d, int depth)
{
	const struct sass_instruction *i = &r->sass->instruction[d];
	const struct operands *o = &r->of[d];
	int64_t n = o->has_immediate ? o->immediate : 0;
	bool most = has_text(i, "!PT");
	struct range v;

	if (o->uses != 1 || o->parameter != 0 ||
	    (!o->has_immediate && !has_text(i, "RZ")))
		return anything;
	v = value_of(r, d, o->use[0], depth);
	if (most) {
		v.low = v.low > n ? v.low : n;
		v.high = v.high > n ? v.high : n;
	} else {
		v.low = v.low < n ? v.low : n;
		v.high = v.high < n ? v.high : n;
		if (operand_has(i, "U32") && v.low < 0)
			v.low = 0;
	}
	return v;
}

static struct range
masked(struct ranges *r, uint32_t d, int depth)
{
	const struct operands *o = &r->of[d];
	long truth = truth_of(&r->sass->instruction[d]);
	struct range v;

	if (truth == AND && o->has_immediate && o->immediate >= 0)
		return (struct range){ 0, o->immediate };
	/* If the result is zero where all operands are, it has no bit above
	 * their highest. */
	if (truth < 0 || truth & 1 || (o->has_immediate && o->immediate < 0))
		return anything;
	v = any_operand(r, d, depth);
	if (v.low < 0)
		return anything;
	for (int bits = 1; bits < 32; bits++)
		if (v.high < 1ll << bits)
			return of_bits(bits);
	return anything;
}

/* The range of a load narrower than a register. */
static struct range
narrow(const struct sass_instruction *i)
{
	if (operand_has(i, "U8"))
		return of_bits(8);
	if (operand_has(i, "U16"))
		return of_bits(16);
	if (operand_has(i, "S8"))
		return (struct range){ INT8_MIN, INT8_MAX };
	if (operand_has(i, "S16"))
		return (struct range){ INT16_MIN, INT16_MAX };
	return anything;
}

/* The range of the result of instruction ${d}. */
static struct range
made_by(struct ranges *r, uint32_t d, int depth)
{
	const struct sass_instruction *i = &r->sass->instruction[d];
	const struct operands *o = &r->of[d];

	if (depth == 0)
		return anything;
	if (i->flags & SASS_LOAD)
		return narrow(i);
	if (opcode_is(i, "SEL") || opcode_is(i, "MOV") ||
	    (opcode_is(i, "IMAD") && operand_has(i, "MOV")))
		return any_operand(r, d, depth - 1);
	if (opcode_is(i, "IMNMX") || opcode_is(i, "VIMNMX"))
		return clamped(r, d, depth - 1);
	if (opcode_is(i, "LOP3"))
		return masked(r, d, depth - 1);
	if (permuted(i, o) < WORD && o->immediate >= 0x7000 &&
	    o->immediate < 0x8000)
		return of_bits((int)permuted(i, o) * 8);
	if (opcode_is(i, "SHF") && operand_has(i, "U32") &&
	    operand_has(i, "R") && has_text(i, ",RZ,") && o->uses == 1 &&
	    o->immediate > 0 && o->immediate < 32)
		return of_bits((int)(32 - o->immediate));
	if (opcode_is(i, "POPC"))
		return (struct range){ 0, 32 };
	return anything;
}

/* The range of ${reg} as instruction ${at} reads it. In a loop, a definition
 * behind the reader may hold for the next iteration. */
static struct range
value_of(struct ranges *r, uint32_t at, int reg, int depth)
{
	const struct sass_loop *loop = sass_loop_of(r->sass, at);
	struct range v = { INT64_MAX, INT64_MIN };

	for (uint32_t d = at; d-- > 0 && at - d <= BEFORE;) {
		if (r->left == 0)
			return anything;
		r->left--;
		if (loop != NULL && d + 1 == loop->head)
			return anything;	/* perhaps from the previous
						 * iteration */
		if (!writes(&r->of[d], reg))
			continue;
		v = both(v, made_by(r, d, depth));
		if (!r->of[d].guarded)
			return v;
	}
	return anything;
}

static unsigned
bytes_for(struct range v)
{
	if ((v.low >= 0 && v.high <= UINT8_MAX) ||
	    (v.low >= INT8_MIN && v.high <= INT8_MAX))
		return 1;
	return (v.low >= 0 && v.high <= UINT16_MAX) ||
	    (v.low >= INT16_MIN && v.high <= INT16_MAX) ? 2 : WORD;
}

/* The register that a store stores; REGISTER_NONE. */
static int
stored(const struct sass_instruction *i)
{
	const char *last = i->text != NULL ? strrchr(i->text, ',') : NULL;

	if (last == NULL)
		return REGISTER_NONE;
	last += 1 + strspn(last + 1, " ");
	return last[0] == 'R' && last[1] >= '0' && last[1] <= '9' ?
	    (int)strtol(last + 1, NULL, 10) : REGISTER_NONE;
}

/* The last instruction before ${at} that writes ${reg}; NULL if there is none,
 * or it is guarded. */
static const struct sass_instruction *
maker(struct ranges *r, uint32_t at, int reg)
{
	for (uint32_t d = at; d-- > 0 && at - d <= BEFORE;)
		if (writes(&r->of[d], reg))
			return r->of[d].guarded ? NULL :
			    &r->sass->instruction[d];
	return NULL;
}

unsigned
range_stored(struct ranges *r, uint32_t at, unsigned *bytes)
{
	const struct sass_instruction *i = &r->sass->instruction[at], *by;
	int reg = stored(i);
	unsigned need = 0;

	*bytes = 0;
	if (i->bytes < WORD || reg == REGISTER_NONE ||
	    reg + i->bytes / WORD > UNIFORM_REGISTER)
		return 0;
	by = maker(r, at, reg);
	if (i->bytes == 2 * WORD && opcode_is(by, "F2F") &&
	    has_text(by, "F2F.F64.F32")) {
		*bytes = 2 * WORD;
		return WORD;
	}
	*bytes = WORD;
	for (int k = 0; k < i->bytes / WORD; k++) {
		unsigned one = bytes_for(value_of(r, at, reg + k, DEPTH));

		need = one > need ? one : need;
	}
	return need;
}

/* Bytes of a register up to those of the part of ${bytes} that ${i} converts: the lowest,
 * or "R27.H1", "R27.B2". */
static unsigned
up_to(const struct sass_instruction *i, unsigned bytes)
{
	if (has_text(i, ".H1") || has_text(i, ".B2") || has_text(i, ".B3"))
		return WORD;
	return has_text(i, ".B1") ? 2 : bytes;
}

/* Bytes of ${reg} that the result of instruction ${i} depends on. */
static unsigned
looked_at(const struct sass_instruction *i, const struct operands *o, int reg)
{
	if (o->base == reg)
		return WORD;
	if (i->flags & SASS_STORE && i->space != SPACE_NONE)
		return i->bytes > 0 && i->bytes < WORD ? i->bytes : WORD;
	if (opcode_is(i, "ISETP") && o->uses == 1 && o->parameter == 0 &&
	    !has_text(i, "c[") && (operand_has(i, "EQ") ||
	    operand_has(i, "NE")))
		return !o->has_immediate ? 1 : bytes_for((struct range){
		    o->immediate, o->immediate });
	if (opcode_is(i, "LOP3") && truth_of(i) == AND &&
	    o->has_immediate && o->immediate >= 0)
		return bytes_for((struct range){ 0, o->immediate });
	if (opcode_is(i, "I2F") && (operand_has(i, "U8") ||
	    operand_has(i, "S8")))
		return up_to(i, 1);
	if (opcode_is(i, "I2F") && (operand_has(i, "U16") ||
	    operand_has(i, "S16")))
		return up_to(i, 2);
	return permuted(i, o);
}

/* Raises *${need} to what the readers of ${reg} in [${from}, ${to}) need, up to where
 * it is overwritten. False if it was, or if all of its bytes are needed already. */
static bool
scan(struct ranges *r, uint32_t from, uint32_t to, int reg,
    unsigned *need)
{
	for (uint32_t s = from; s < to && *need < WORD; s++) {
		unsigned one = reads(&r->of[s], reg) ?
		    looked_at(&r->sass->instruction[s], &r->of[s], reg) : 0;

		*need = one > *need ? one : *need;
		if (writes(&r->of[s], reg) && !r->of[s].guarded)
			return false;
		if (s - from > BEHIND)
			*need = WORD;	/* too far to be followed */
	}
	return *need < WORD;
}

/* Bytes of ${reg}, written at ${at}, that later readers need, also those of the
 * next iteration; 0: nothing reads it. */
static unsigned
needed(struct ranges *r, uint32_t at, int reg)
{
	const struct sass_loop *loop = sass_loop_of(r->sass, at);
	uint32_t end = (uint32_t)r->sass->instructions;
	unsigned need = 0;

	if (loop != NULL) {
		if (!scan(r, at + 1, loop->tail + 1, reg, &need))
			return need;
		scan(r, loop->head, at, reg, &need);
		at = loop->tail;
	}
	scan(r, at + 1, end, reg, &need);
	return need;
}

/* Is the double in ${reg} converted to float, and not used otherwise? */
static bool
becomes_float(struct ranges *r, uint32_t at, int reg)
{
	bool found = false;

	for (uint32_t s = at + 1; s < r->sass->instructions &&
	    s - at <= BEHIND; s++) {
		const struct sass_instruction *i = &r->sass->instruction[s];

		if (reads(&r->of[s], reg) || reads(&r->of[s], reg + 1)) {
			if (!has_text(i, "F2F.F32.F64"))
				return false;
			found = true;
		}
		if (writes(&r->of[s], reg) && !r->of[s].guarded)
			return found;
	}
	return found;
}

unsigned
range_loaded(struct ranges *r, uint32_t at, unsigned *bytes)
{
	const struct sass_instruction *i = &r->sass->instruction[at];
	const struct operands *o = &r->of[at];
	unsigned need = 0;

	*bytes = 0;
	if (i->bytes < WORD || o->def < 0 ||
	    o->def + i->bytes / WORD > UNIFORM_REGISTER)
		return 0;
	if (i->bytes == 2 * WORD && becomes_float(r, at, o->def)) {
		*bytes = 2 * WORD;
		return WORD;
	}
	*bytes = WORD;
	for (int k = 0; k < i->bytes / WORD; k++) {
		unsigned one = needed(r, at, o->def + k);

		need = one > need ? one : need;
	}
	return need > 0 ? need : WORD;
}
