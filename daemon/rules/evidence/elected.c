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
#define SLICES_MAX 1024		/* registers whose origin is examined */

struct electing {
	const struct sass *sass;
	const struct slices *slices;
	int looked;		/* slices */
	uint32_t *by;		/* of each instruction: which one set its predicate */
	uint8_t *past;		/* for each branch and exit under a predicate: whom it
				 * lets past */
};

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

/* The instruction before ${at} that writes register ${reg}, through moves of one register
 * to another; SASS_NONE. */
static uint32_t
origin_of(const struct sass *s, uint32_t at, int reg)
{
	for (int n = 0; n < COPIES_MOST; n++) {
		const struct sass_instruction *i;
		struct operands o;

		at = sass_writer(s, at, reg);
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
is_thread(struct electing *e, uint32_t at, int reg)
{
	struct slice from;

	if (e->looked++ >= SLICES_MAX)
		return false;
	slice_of_register(&from, e->slices, at, reg);
	return from.known && !from.loads && !from.carried &&
	    from.varies == VARIES_THREAD && from.lane == 1 &&
	    !from.lane_unknown;
}

static enum holds
holds(struct electing *e, uint32_t at, int reg)
{
	uint32_t w = reg != REGISTER_NONE ? origin_of(e->sass, at, reg) : SASS_NONE;
	const struct sass_instruction *i;
	struct operands o;

	if (w == SASS_NONE)
		return HOLDS_OTHER;
	i = &e->sass->instruction[w];
	if (has_text(i, "SR_LANEID"))
		return HOLDS_LANE;
	if (opcode_is_any(i, "FLO UFLO"))
		return HOLDS_CHOSEN;
	if (has_text(i, "SR_TID.X"))
		return HOLDS_THREAD;
	if (opcode_is(i, "LOP3") && operands_of(&o, i) && o.uses == 1 &&
	    has_text(i, ",0xc0,") && has_text(i, ",0x1f,") &&
	    is_thread(e, w, o.use[0]))
		return HOLDS_LANE;
	return is_thread(e, at, reg) ? HOLDS_THREAD : HOLDS_OTHER;
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
passes(struct electing *e, uint32_t at, bool wanted)
{
	const struct sass_instruction *i = &e->sass->instruction[at];
	struct fields f;
	enum holds a, b;
	long value = 0;
	bool constant;

	split(&f, i);
	if (opcode_is(i, "ELECT"))
		return wanted ? ELECTED_LANE : 0;
	if (is_remainder(i, &f))
		return !wanted && holds(e, at, register_at(&f, 2)) ==
		    HOLDS_THREAD ? ELECTED_LANE : 0;
	if (!opcode_is(i, "ISETP") ||
	    (!is_field(&f, 4, "PT") && !operand_has(i, wanted ? "AND" : "OR")))
		return 0;
	a = holds(e, at, register_at(&f, 2));
	b = holds(e, at, register_at(&f, 3));
	constant = constant_at(&f, 3, &value);
	if (operand_has(i, wanted ? "EQ" : "NE"))
		return equal(a, b, constant);
	/* "threadIdx.x < 32", or, what it lets through if it is false, "≥ 32". */
	return a == HOLDS_THREAD && constant &&
	    ((operand_has(i, wanted ? "LT" : "GE") && value <= WARP) ||
	    (operand_has(i, wanted ? "LE" : "GT") && value < WARP)) ?
	    ELECTED_WARP : 0;
}

/* Notes in ${setter} the predicates that instruction ${at} sets: whose result each is, or
 * SASS_NONE. */
static void
note_setter(uint32_t setter[PREDICATES], const struct sass *s, uint32_t at)
{
	const struct sass_instruction *i = &s->instruction[at];
	struct fields f;

	if (!(i->flags & SASS_PREDICATE) && !opcode_is_any(i,
	    "LOP3 ELECT PLOP3 VOTE IADD3 R2P"))
		return;
	split(&f, i);
	if (predicate_at(&f, 1) >= 0)
		setter[predicate_at(&f, 1)] = SASS_NONE;
	if (predicate_at(&f, 0) >= 0)
		setter[predicate_at(&f, 0)] = at;
	for (int p = 0; opcode_is(i, "R2P") && p < PREDICATES; p++)
		setter[p] = at;
}

/* Whom the predicate ${guard} (operand.h) of instruction ${at} lets through, if it must be
 * as there, or, ${inverse}, the opposite. */
static unsigned
guarded(struct electing *e, uint32_t at, int guard, bool inverse)
{
	return e->by[at] != SASS_NONE ?
	    passes(e, e->by[at], (guard > 0) != inverse) : 0;
}

static bool
is_past(const struct sass_instruction *i)
{
	return i->flags & SASS_CONDITIONAL && (i->flags & SASS_EXIT ||
	    (i->flags & SASS_BRANCH && i->target != SASS_NONE));
}

static void
find_all(struct electing *e)
{
	uint32_t setter[PREDICATES];

	for (int p = 0; p < PREDICATES; p++)
		setter[p] = SASS_NONE;
	for (uint32_t at = 0; at < e->sass->instructions; at++) {
		const struct sass_instruction *i = &e->sass->instruction[at];
		struct operands o;

		e->by[at] = SASS_NONE;
		if (operands_of(&o, i) && o.guard != 0 && abs(o.guard) <= PREDICATES)
			e->by[at] = setter[abs(o.guard) - 1];
		if (is_past(i))
			e->past[at] = (uint8_t)guarded(e, at, o.guard, true);
		note_setter(setter, e->sass, at);
	}
}

struct electing *
elected_new(const struct sass *s, const struct slices *t)
{
	struct electing *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->sass = s;
	e->slices = t;
	e->by = calloc(s->instructions + 1, sizeof(*e->by));
	e->past = calloc(s->instructions + 1, sizeof(*e->past));
	if (e->by == NULL || e->past == NULL) {
		elected_free(e);
		return NULL;
	}
	find_all(e);
	return e;
}

void
elected_free(struct electing *e)
{
	if (e == NULL)
		return;
	free(e->by);
	free(e->past);
	free(e);
}

unsigned
elected_of(struct electing *e, uint32_t at)
{
	const struct sass_instruction *i = e->sass->instruction;
	struct operands o;
	unsigned by = 0;

	if (operands_of(&o, &i[at]))
		by = guarded(e, at, o.guard, false);
	for (uint32_t b = 0; b < at; b++)
		if (i[b].flags & SASS_EXIT || i[b].target > i[at].pc)
			by |= e->past[b];
	return by;
}

uint32_t
elected_by(const struct electing *e, uint32_t at)
{
	return e->by[at];
}

unsigned
elected_past(const struct electing *e, uint32_t at)
{
	return e->past[at];
}

int
elected_bound(struct electing *e, uint32_t at, bool row, uint32_t *by)
{
	const struct sass_instruction *i;
	struct fields f;

	*by = e->by[at];
	if (*by == SASS_NONE)
		return REGISTER_NONE;
	i = &e->sass->instruction[*by];
	split(&f, i);
	if (!opcode_is(i, "ISETP") || !is_field(&f, 4, "PT") ||
	    operand_has(i, "EQ") || operand_has(i, "NE"))
		return REGISTER_NONE;
	for (int n = 2; n <= 3; n++) {
		int bound = register_at(&f, 5 - n);
		enum holds h;

		if (bound == REGISTER_NONE)
			continue;
		h = holds(e, *by, register_at(&f, n));
		if (h == HOLDS_LANE || (row && h == HOLDS_THREAD))
			return bound;
	}
	return REGISTER_NONE;
}
