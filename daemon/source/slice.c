/*
 * source/slice.c: follows the definitions of a register backwards; see slice.h.
 */
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "source/operand.h"
#include "source/slice.h"

#define STEPS 384		/* definitions followed: a loop of 40 instructions that
				 * the compiler unrolled 8 times */
#define PARAMETERS_AT 0x160	/* lowest offset of parameters in c[0x0] */
#define BUDGET 16384		/* instructions searched, in all */

/* The registers that an instruction writes, always or under its predicate, and
 * the predicates that it may write. */
struct definition {
	int16_t def;
	uint8_t defs;
	bool guarded;
	int8_t guard;		/* see operand.h */
	uint16_t predicates;
};

/* Words of c[0x0], where parameters are; a kernel has at most 32,764 bytes of them. */
#define PARAMETER_WORDS 8448

struct slices {
	const struct sass *sass;
	struct definition *of;
	uint8_t half[PARAMETER_WORDS / 8];	/* a bit for each word that is
						 * read by itself, not as half
						 * of 64 bits */
};

struct walk {
	struct slice *s;
	const struct sass *sass;
	const struct definition *of;
	const uint8_t *half;
	uint32_t seen[STEPS];	/* definitions, by index */
	int count;
	const struct sass_loop *loop;	/* around the access */
	uint32_t at;		/* index of the access */
	int base;		/* its base register */
	uint32_t looked;	/* instructions searched */
	bool plain;		/* steps are not looked for */
};

static bool
defines(const struct definition *d, int reg)
{
	return reg >= d->def && reg < d->def + d->defs;
}

static bool
is_seen(const struct walk *w, uint32_t at)
{
	for (int i = 0; i < w->count; i++)
		if (w->seen[i] == at)
			return true;
	return false;
}

static void follow(struct walk *w, uint32_t at, int reg, int64_t factor);

static void
add_parameter(struct slice *s, uint32_t offset)
{
	for (int i = 0; i < s->parameters; i++)
		if (s->parameter[i] == offset)
			return;
	if (s->parameters < SLICE_PARAMETERS)
		s->parameter[s->parameters++] = offset;
}

static bool
is_half(const uint8_t *half, uint32_t offset)
{
	return offset / 4 < PARAMETER_WORDS &&
	    half[offset / 32] >> (offset / 4 % 8) & 1;
}

/* Is it the lower half of a pointer, whose upper half is read by itself, too? */
static bool
is_pointer(const uint8_t *half, uint32_t offset, int64_t factor)
{
	return factor == 1 && offset % 8 == 0 && is_half(half, offset + 4);
}

/* The product of two factors; 0 (unknown) if one is too large to be a size. */
static int64_t
times(int64_t a, int64_t b)
{
	if (a == LANE_SOME)
		return b != 0 ? a : 0;
	if (a > INT32_MAX || a < -INT32_MAX || b > INT32_MAX || b < -INT32_MAX)
		return 0;
	return a * b;
}

/* Is the addend of a multiply-add a register? Else all its registers are factors. */
static bool
adds_register(const struct sass_instruction *i)
{
	const char *last = i->text != NULL ? strrchr(i->text, ',') : NULL;

	if (last == NULL || strncmp(last, ",RZ", 3) == 0)
		return false;
	last += 1 + strspn(last + 1, "-|~");
	return *last == 'R' || *last == 'U';
}

/* Is the immediate a factor, not the addend? */
static bool
multiplies_immediate(const struct sass_instruction *i, const struct operands *o)
{
	const char *last = i->text != NULL ? strrchr(i->text, ',') : NULL;

	if (!o->has_immediate || last == NULL)
		return o->has_immediate;
	last += 1 + (last[1] == '-');
	return *last < '0' || *last > '9';
}

/* Does it add a register to a product of zeros, as compilers write some copies? */
static bool
copies_addend(const struct sass_instruction *i)
{
	return i->text != NULL && strstr(i->text, ",RZ,RZ,") != NULL;
}

/*
 * By how many bytes the address changes per unit of operand ${u}, if it changes by
 * ${factor} bytes per unit of the result; 0 unknown, LANE_SOME for a product with a
 * factor that is not constant.
 */
static int64_t
factor_of(const struct sass_instruction *i, const struct operands *o, int u,
    int64_t factor)
{
	bool product = opcode_is(i, "IMAD") && !operand_has(i, "MOV") &&
	    !operand_has(i, "IADD") && !operand_has(i, "X") && !copies_addend(i);

	if (opcode_adds(i) || opcode_is_any(i, "MOV UMOV R2UR S2R") ||
	    (opcode_is(i, "IMAD") && !product))
		return factor;
	if (product && multiplies_immediate(i, o))
		return u == 0 ? times(factor, o->immediate) : factor;
	if (product && u > 0 && u == o->uses - 1 && adds_register(i))
		return factor;	/* the last one is added */
	if (product && !operand_has(i, "HI"))
		return factor != 0 ? LANE_SOME : 0;
	if (product)
		return 0;
	if (opcode_is_any(i, "LEA ULEA") &&
	    !operand_has(i, "HI") && o->has_immediate && o->immediate >= 0 &&
	    o->immediate < 32)
		return u == 0 ? times(factor, 1ll << o->immediate) : factor;
	return 0;
}

/* A constant that an index is multiplied by is the size of an element. */
static void
note_scale(struct walk *w, const struct sass_instruction *i,
    const struct operands *o)
{
	if (w->s->scale != 0 || !o->has_immediate || o->immediate <= 0)
		return;
	if (opcode_is(i, "LEA") && !operand_has(i, "HI") &&
	    o->immediate < 32)
		w->s->scale = 1ll << o->immediate;
	else if (opcode_is(i, "IMAD") && operand_has(i, "WIDE"))
		w->s->scale = o->immediate;
}

/* The same of rows: ${factor} bytes per unit of its result are more per unit of the index
 * that it multiplies. */
static void
note_row(struct slice *s, const struct sass_instruction *i, const struct operands *o,
    int64_t factor)
{
	int64_t row = factor_of(i, o, 0, factor);

	if (factor > 0 && row > factor && row <= SLICE_ROW && row > s->row)
		s->row = row;
}

/* ${i} reads the thread index; the address changes by ${factor} bytes per thread. */
static void
note_lane(struct slice *s, const struct sass_instruction *i, int64_t factor)
{
	if (i->text == NULL || (strstr(i->text, "SR_TID.X") == NULL &&
	    strstr(i->text, "SR_LANEID") == NULL))
		return;		/* y and z: the same for a row of threads */
	if (factor == 0)
		s->lane_unknown = true;
	else if (factor == LANE_SOME || s->lane == LANE_SOME)
		s->lane = LANE_SOME;
	else
		s->lane += factor;
}

/* Is the access in the loop that ${d} is in? */
static bool
is_around(const struct walk *w, uint32_t d)
{
	const struct sass_loop *l = sass_loop_of(w->sass, d);

	return l != NULL && w->at >= l->head && w->at <= l->tail;
}

/* Does the value of ${reg} that ${d} reads depend on what ${d} wrote an iteration before?
 * A constant that is added to what each iteration computes anew is no step. */
static bool
is_repeated(const struct walk *w, uint32_t d, int reg)
{
	struct slice s = { .known = true };
	struct walk back = { .s = &s, .sass = w->sass, .of = w->of,
	    .half = w->half, .loop = w->loop, .at = d, .base = REGISTER_NONE,
	    .plain = true };

	follow(&back, d, reg, 1);
	return !s.known || is_seen(&back, d);
}

/* The bytes by which ${i}, instruction ${d}, lets the address step, if it makes ${reg} of
 * itself, or of the access's base register, by adding a constant; else 0. */
static int64_t
step_of(const struct walk *w, const struct sass_instruction *i, const struct operands *o,
    uint32_t d, int reg, int64_t factor)
{
	bool self = false;

	if (w->plain || !o->has_immediate || factor == 0 || factor == LANE_SOME ||
	    factor_of(i, o, 0, 1) != 1)
		return 0;
	for (int u = 0; u < o->uses; u++)
		self = self || ((o->use[u] == reg || o->use[u] == w->base) &&
		    is_repeated(w, d, o->use[u]));
	return self ? times(factor, o->immediate) : 0;
}

/* Take in instruction ${d}, which defines ${reg}, and what it reads; the address changes
 * by ${factor} bytes per unit of ${reg}. */
static void
visit(struct walk *w, uint32_t d, int reg, int64_t factor)
{
	const struct sass_instruction *i = &w->sass->instruction[d];
	struct slice *s = w->s;
	struct operands o;
	bool inside;

	if (is_seen(w, d))
		return;
	if (w->count == STEPS) {
		s->known = false;
		return;
	}
	w->seen[w->count++] = d;
	operands_of(&o, i);
	s->varies |= o.varies;
	if (o.varies & VARIES_THREAD)
		note_lane(s, i, factor);
	if (i->space == SPACE_CONSTANT || o.parameter != 0) {
		bool wide = operand_has(i, "64") || operand_has(i, "WIDE");

		if (o.parameter >= PARAMETERS_AT && (wide ||
		    is_pointer(w->half, o.parameter, factor)))
			add_parameter(s, o.parameter);
	} else if (i->flags & (SASS_LOAD | SASS_ATOMIC | SASS_SHUFFLE)) {
		s->loads = true;
		if (s->loaded < SLICE_LOADS)
			s->load[s->loaded++] = d;
		else
			s->loaded = SLICE_LOADS + 1;
		return;		/* its address is not followed further */
	}
	inside = w->loop != NULL && d >= w->loop->head && d <= w->loop->tail;
	s->changes = s->changes || inside;
	if (inside && s->step == 0)
		s->step = step_of(w, i, &o, d, reg, factor);
	else if (!inside && s->outer == 0 && is_around(w, d))
		s->outer = step_of(w, i, &o, d, reg, factor);
	note_scale(w, i, &o);
	note_row(s, i, &o, factor);
	for (int u = 0; u < o.uses; u++)
		follow(w, d, o.use[u], factor_of(i, &o, u, factor));
}

/* Visit the definitions of ${reg} in [first, from), the last first, up to one that is
 * certain: unconditional, or under the predicate ${guard} of the reader. True if there
 * is one. ${behind}: they lie behind the reader, so they are of the iteration before. */
static bool
search(struct walk *w, uint32_t from, uint32_t first, int reg, int64_t factor,
    int *guard, bool behind)
{
	for (uint32_t i = from; i-- > first;) {
		const struct definition *d = &w->of[i];

		if (++w->looked > BUDGET) {
			w->s->known = false;
			return false;
		}
		if (*guard != 0 && d->predicates >> (abs(*guard) - 1) & 1)
			*guard = 0;	/* its value differed before this */
		if (!defines(d, reg))
			continue;
		w->s->carried = w->s->carried || behind;
		visit(w, i, reg, factor);
		/* After a conditional definition an older one may hold. */
		if (!d->guarded || (d->guard != 0 && d->guard == *guard))
			return true;
	}
	return false;
}

static void
follow(struct walk *w, uint32_t at, int reg, int64_t factor)
{
	const struct sass_loop *loop = sass_loop_of(w->sass, at);
	int guard = w->of[at].guard, none = 0;

	/* Unless the loop defines the register before the use in every iteration,
	 * the value may be left from the iteration before. */
	if (loop != NULL) {
		if (search(w, at, loop->head, reg, factor, &guard, false))
			return;
		search(w, loop->tail + 1, at, reg, factor, &none, true);
		search(w, loop->head, 0, reg, factor, &none, false);
		return;
	}
	search(w, at, 0, reg, factor, &guard, false);
}

/* How many accesses of a loop have the same base register: by unrolling, the compiler
 * makes several of one. */
static int
pieces_of(const struct sass *s, const struct sass_loop *loop, int base)
{
	uint32_t last = loop->tail - loop->head < BUDGET ? loop->tail :
	    loop->head + BUDGET;
	struct operands o;
	int n = 0;

	for (uint32_t i = loop->head; i <= last; i++)
		n += operands_of(&o, &s->instruction[i]) && o.has_address &&
		    o.base == base;
	return n;
}

bool
slice_walks(const struct slice *s)
{
	return s->known && ((s->step != 0 &&
	    llabs(s->step) <= (int64_t)SECTOR * s->pieces) ||
	    (s->outer != 0 && llabs(s->outer) <= SECTOR));
}

struct slices *
slices_new(const struct sass *s)
{
	struct slices *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->sass = s;
	t->of = calloc(s->instructions + 1, sizeof(*t->of));
	if (t->of == NULL) {
		free(t);
		return NULL;
	}
	for (size_t i = 0; i < s->instructions; i++) {
		struct operands o;

		operands_of(&o, &s->instruction[i]);
		t->of[i].def = (int16_t)o.def;
		t->of[i].defs = (uint8_t)o.defs;
		t->of[i].guarded = o.guarded;
		t->of[i].guard = (int8_t)o.guard;
		t->of[i].predicates = o.predicates;
		if (o.parameter / 4 < PARAMETER_WORDS &&
		    !operand_has(&s->instruction[i], "64") &&
		    !operand_has(&s->instruction[i], "WIDE"))
			t->half[o.parameter / 32] |= (uint8_t)(1u <<
			    o.parameter / 4 % 8);
	}
	return t;
}

void
slices_free(struct slices *t)
{
	if (t == NULL)
		return;
	free(t->of);
	free(t);
}

void
slice_of(struct slice *s, const struct slices *t, uint32_t at)
{
	struct walk w = { .s = s, .sass = t->sass, .of = t->of,
	    .half = t->half, .at = at, .base = REGISTER_NONE };
	struct operands o;

	memset(s, 0, sizeof(*s));
	if (at >= t->sass->instructions ||
	    !operands_of(&o, &t->sass->instruction[at]) || !o.has_address)
		return;
	s->known = true;
	w.loop = sass_loop_of(t->sass, at);
	w.base = o.base;
	s->pieces = w.loop != NULL && o.base != REGISTER_NONE ?
	    pieces_of(t->sass, w.loop, o.base) : 1;
	if (o.base != REGISTER_NONE)
		follow(&w, at, o.base, 1);
	if (o.uniform != REGISTER_NONE)
		follow(&w, at, o.uniform, 1);
}

void
slice_of_register(struct slice *s, const struct slices *t, uint32_t at,
    int reg)
{
	struct walk w = { .s = s, .sass = t->sass, .of = t->of,
	    .half = t->half, .at = at, .base = REGISTER_NONE };

	memset(s, 0, sizeof(*s));
	if (at >= t->sass->instructions || reg < 0 || reg >= REGISTERS)
		return;
	s->known = true;
	w.loop = sass_loop_of(t->sass, at);
	follow(&w, at, reg, 1);
}
