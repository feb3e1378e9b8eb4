/*
 * rules/evidence/elected.c: see elected.h.
 */
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "rules/evidence/elected.h"
#include "source/operand.h"
#include "source/slice.h"

#define FIELDS 7		/* operands of a comparison */
#define PREDICATES 7		/* P0..P6 */
#define COPIES_MOST 8		/* moves followed to where a value comes from */

/* The operands of an instruction, each "R2", "!P1", "0x1f" …; not terminated. */
struct fields {
	const char *at[FIELDS];
	size_t len[FIELDS];
	int n;
};

static void
split(struct fields *f, const struct sass_instruction *i)
{
	const char *p = opcode_operands(i);

	f->n = 0;
	while (p != NULL && *p != '\0' && f->n < FIELDS) {
		size_t len = strcspn(p, ",");

		f->at[f->n] = p;
		f->len[f->n++] = len;
		p += len + (p[len] == ',');
	}
}

static bool
is_field(const struct fields *f, int n, const char *text)
{
	return n < f->n && f->len[n] == strlen(text) &&
	    memcmp(f->at[n], text, f->len[n]) == 0;
}

/* The number of predicate "P3", else -1. */
static int
predicate_at(const struct fields *f, int n)
{
	if (n >= f->n || f->len[n] != 2 || f->at[n][0] != 'P' ||
	    f->at[n][1] < '0' || f->at[n][1] > '6')
		return -1;
	return f->at[n][1] - '0';
}

/* The number of register "R12", "UR4", "R2.reuse"; REGISTER_NONE. */
static int
register_at(const struct fields *f, int n)
{
	const char *p;
	bool uniform;

	if (n >= f->n)
		return REGISTER_NONE;
	p = f->at[n];
	uniform = *p == 'U';
	p += uniform;
	if (p[0] != 'R' || p[1] < '0' || p[1] > '9')
		return REGISTER_NONE;
	return (uniform ? UNIFORM_REGISTER : 0) + atoi(p + 1);
}

/* A constant operand, RZ among them; false if it is none. */
static bool
constant_at(const struct fields *f, int n, long *value)
{
	char *end;

	if (is_field(f, n, "RZ") || is_field(f, n, "URZ")) {
		*value = 0;
		return true;
	}
	if (n >= f->n || f->len[n] == 0)
		return false;
	*value = strtol(f->at[n], &end, 0);
	return end == f->at[n] + f->len[n];
}

/* The instruction before ${at} that writes register ${reg}; SASS_NONE. */
static uint32_t
writer_of(const struct sass *s, uint32_t at, int reg)
{
	struct operands o;

	while (at-- > 0)
		if (operands_of(&o, &s->instruction[at]) &&
		    o.def != REGISTER_NONE && reg >= o.def &&
		    reg < o.def + o.defs)
			return at;
	return SASS_NONE;
}

/* The same, through moves of one register to another. */
static uint32_t
origin_of(const struct sass *s, uint32_t at, int reg)
{
	for (int n = 0; n < COPIES_MOST; n++) {
		const struct sass_instruction *i;
		struct operands o;

		at = writer_of(s, at, reg);
		if (at == SASS_NONE)
			return SASS_NONE;
		i = &s->instruction[at];
		if (!operands_of(&o, i) || o.uses != 1 ||
		    (!opcode_is_any(i, "MOV UMOV R2UR") &&
		    !operand_has(i, "MOV")))
			return at;
		reg = o.use[0];
	}
	return SASS_NONE;
}

/* What a register holds. */
enum holds {
	HOLDS_OTHER,
	HOLDS_THREAD,		/* the thread's number in its block */
	HOLDS_LANE,		/* its number in its warp */
	HOLDS_CHOSEN,		/* the number of one lane of its warp */
};

static bool
has_text(const struct sass_instruction *i, const char *part)
{
	return i->text != NULL && strstr(i->text, part) != NULL;
}

static bool
is_thread(const struct slices *t, uint32_t at, int reg)
{
	struct slice from;

	slice_of_register(&from, t, at, reg);
	return from.known && !from.loads && !from.carried &&
	    from.varies == VARIES_THREAD && from.lane == 1 &&
	    !from.lane_unknown;
}

static enum holds
holds(const struct sass *s, const struct slices *t, uint32_t at, int reg)
{
	uint32_t w = reg != REGISTER_NONE ? origin_of(s, at, reg) : SASS_NONE;
	const struct sass_instruction *i;
	struct operands o;

	if (w == SASS_NONE)
		return HOLDS_OTHER;
	i = &s->instruction[w];
	if (has_text(i, "SR_LANEID"))
		return HOLDS_LANE;
	if (opcode_is_any(i, "FLO UFLO"))
		return HOLDS_CHOSEN;
	if (has_text(i, "SR_TID.X"))
		return HOLDS_THREAD;
	if (opcode_is(i, "LOP3") && operands_of(&o, i) && o.uses == 1 &&
	    has_text(i, ",0xc0,") && has_text(i, ",0x1f,") &&
	    is_thread(t, w, o.use[0]))
		return HOLDS_LANE;
	return is_thread(t, at, reg) ? HOLDS_THREAD : HOLDS_OTHER;
}

/* Whom "${a} == ${b}" lets through; ${constant}: one of them is a constant. */
static unsigned
equal(enum holds a, enum holds b, bool constant)
{
	if (a == HOLDS_CHOSEN || b == HOLDS_CHOSEN)
		return a == HOLDS_LANE || b == HOLDS_LANE ? ELECTED_LANE : 0;
	if (constant && (a == HOLDS_THREAD || b == HOLDS_THREAD))
		return ELECTED_LANE | ELECTED_WARP;
	return constant && (a == HOLDS_LANE || b == HOLDS_LANE) ?
	    ELECTED_LANE : 0;
}

/* Is it "threadIdx.x & 31", or with more bits, tested for not being 0? */
static bool
is_remainder(const struct sass_instruction *i, const struct fields *f)
{
	long mask = 0;

	return opcode_is(i, "LOP3") && has_text(i, ",0xc0,") &&
	    is_field(f, 1, "RZ") && constant_at(f, 3, &mask) &&
	    mask >= WARP - 1 && (mask & (mask + 1)) == 0;
}

/*
 * Whom comparison ${at} lets through where its result is ${wanted}. A second predicate
 * that it is combined with only lets fewer through.
 */
static unsigned
passes(const struct sass *s, const struct slices *t, uint32_t at, bool wanted)
{
	const struct sass_instruction *i = &s->instruction[at];
	struct fields f;
	enum holds a, b;
	long value = 0;
	bool constant;

	split(&f, i);
	if (opcode_is(i, "ELECT"))
		return wanted ? ELECTED_LANE : 0;
	if (is_remainder(i, &f))
		return !wanted && holds(s, t, at, register_at(&f, 2)) ==
		    HOLDS_THREAD ? ELECTED_LANE : 0;
	if (!opcode_is(i, "ISETP") ||
	    (!is_field(&f, 4, "PT") && !operand_has(i, wanted ? "AND" : "OR")))
		return 0;
	a = holds(s, t, at, register_at(&f, 2));
	b = holds(s, t, at, register_at(&f, 3));
	constant = constant_at(&f, 3, &value);
	if (operand_has(i, wanted ? "EQ" : "NE"))
		return equal(a, b, constant);
	/* "threadIdx.x < 32", or, what it lets through if it is false, "≥ 32". */
	return a == HOLDS_THREAD && constant &&
	    ((operand_has(i, wanted ? "LT" : "GE") && value <= WARP) ||
	    (operand_has(i, wanted ? "LE" : "GT") && value < WARP)) ?
	    ELECTED_WARP : 0;
}

/* The instruction before ${at} whose result predicate ${p} is; SASS_NONE. */
static uint32_t
setter_of(const struct sass *s, uint32_t at, int p)
{
	struct fields f;

	while (at-- > 0) {
		const struct sass_instruction *i = &s->instruction[at];

		if (!(i->flags & SASS_PREDICATE) && !opcode_is_any(i,
		    "LOP3 ELECT PLOP3 VOTE IADD3 R2P"))
			continue;
		split(&f, i);
		if (predicate_at(&f, 0) == p || opcode_is(i, "R2P"))
			return at;
		if (predicate_at(&f, 1) == p)
			return SASS_NONE;
	}
	return SASS_NONE;
}

/* Whom predicate ${guard} of the instruction at ${at} (operand.h) lets through, if it
 * must be as there, or, ${inverse}, the opposite. */
static unsigned
guarded(const struct sass *s, const struct slices *t, uint32_t at, int guard,
    bool inverse)
{
	uint32_t by = guard != 0 && abs(guard) <= PREDICATES ?
	    setter_of(s, at, abs(guard) - 1) : SASS_NONE;

	return by != SASS_NONE ? passes(s, t, by, (guard > 0) != inverse) : 0;
}

unsigned
elected_of(const struct sass *s, const struct slices *t, uint32_t at)
{
	uint32_t pc = s->instruction[at].pc;
	struct operands o;
	unsigned e = 0;

	if (operands_of(&o, &s->instruction[at]))
		e = guarded(s, t, at, o.guard, false);
	for (uint32_t b = 0; b < at; b++) {
		const struct sass_instruction *i = &s->instruction[b];
		bool past = i->flags & SASS_EXIT || (i->flags & SASS_BRANCH &&
		    i->target != SASS_NONE && i->target > pc);

		if (past && i->flags & SASS_CONDITIONAL && operands_of(&o, i))
			e |= guarded(s, t, b, o.guard, true);
	}
	return e;
}
