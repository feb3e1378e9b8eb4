/*
 * rules/evidence/chosen.c: see chosen.h.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/chosen.h"
#include "source/operand.h"
#include "source/sass.h"
#include "source/slice.h"

#define STEPS 32		/* definitions followed, for one register */
#define BACK 1024		/* instructions searched for who set a predicate */
#define DEPTH 3			/* addresses that were loaded themselves */
#define SLICES_MAX 1024		/* registers whose origin is examined */
#define PREDICATES 7		/* P0..P6 */
#define TARGETS 3		/* operands that may be predicates written: "R2,P1,P2" */

struct walk {
	struct choosing *c;
	uint32_t seen[STEPS];
	int count;
};

static bool follow(struct walk *w, uint32_t at, int reg);

/* Do lanes load different values? Each has its own address. */
static bool
loads_apart(struct choosing *c, const struct slice *from, int depth)
{
	for (int n = 0; n < from->loaded && n < SLICE_LOADS; n++) {
		uint32_t at = from->load[n];
		struct slice address;

		if (c->sass->instruction[at].flags & SASS_ATOMIC)
			return true;
		if (!(c->sass->instruction[at].flags & SASS_LOAD) ||
		    c->looked++ >= SLICES_MAX)
			continue;
		slice_of(&address, c->slices, at);
		if (address.known && (address.varies & VARIES_THREAD ||
		    (depth < DEPTH && loads_apart(c, &address, depth + 1))))
			return true;
	}
	return false;
}

/* Does operand ${n} of ${i} name predicate ${p}? */
static bool
names(const struct sass_instruction *i, int n, int p)
{
	const char *at = opcode_operands(i);

	for (; n > 0 && at != NULL; n--)
		if ((at = strchr(at, ',')) != NULL)
			at++;
	return at != NULL && at[0] == 'P' && at[1] == '0' + p &&
	    (at[2] == ',' || at[2] == '\0');
}

/* The comparison before ${at} that sets predicate ${p}; SASS_NONE if something else does. */
static uint32_t
comparison_of(const struct sass *s, uint32_t at, int p)
{
	for (uint32_t i = at; i-- > 0 && at - i <= BACK;) {
		const struct sass_instruction *in = &s->instruction[i];

		if (opcode_is(in, "R2P"))
			return SASS_NONE;
		for (int n = 0; n < TARGETS; n++)
			if (names(in, n, p) && (n < 2 || opcode_is(in, "IADD3")))
				return in->flags & SASS_PREDICATE ? i : SASS_NONE;
	}
	return SASS_NONE;
}

/* Do lanes decide predicate ${p} differently, as it is at ${at}? */
static bool
differs(struct choosing *c, uint32_t at, int p)
{
	uint32_t by = p >= 0 && p < PREDICATES ? comparison_of(c->sass, at, p) :
	    SASS_NONE;
	const struct sass_instruction *i;
	struct operands o;

	if (by == SASS_NONE)
		return false;
	i = &c->sass->instruction[by];
	if (!operands_of(&o, i))
		return false;
	for (int u = 0; u < o.uses && c->looked < SLICES_MAX; u++) {
		struct slice from;

		if (o.use[u] >= UNIFORM_REGISTER)
			continue;
		c->looked++;
		slice_of_register(&from, c->slices, by, o.use[u]);
		if (from.known && ((from.varies & VARIES_THREAD &&
		    !opcode_is(i, "ISETP")) || loads_apart(c, &from, 1)))
			return true;
	}
	return false;
}

/* The predicate by which ${i} selects, its last operand; -1. */
static int
selector_of(const struct sass_instruction *i)
{
	const char *last = i->text != NULL ? strrchr(i->text, ',') : NULL;

	if (last == NULL || !opcode_is_any(i, "SEL FSEL"))
		return -1;
	last += 1 + (last[1] == '!');
	return last[0] == 'P' && last[1] >= '0' && last[1] <= '6' ?
	    last[1] - '0' : -1;
}

/* Is what instruction ${d} writes chosen so, or what it reads for it? */
static bool
visit(struct walk *w, uint32_t d)
{
	const struct sass_instruction *i = &w->c->sass->instruction[d];
	struct operands o;

	for (int n = 0; n < w->count; n++)
		if (w->seen[n] == d)
			return false;
	if (w->count == STEPS || !operands_of(&o, i))
		return false;
	w->seen[w->count++] = d;
	if (differs(w->c, d, selector_of(i)) ||
	    (o.guard != 0 && differs(w->c, d, abs(o.guard) - 1)))
		return true;
	if (i->space != SPACE_CONSTANT &&
	    i->flags & (SASS_LOAD | SASS_ATOMIC | SASS_SHUFFLE))
		return false;
	for (int u = 0; u < o.uses; u++)
		if (o.use[u] < UNIFORM_REGISTER && follow(w, d, o.use[u]))
			return true;
	return false;
}

/* The definitions of ${reg} before ${from} and not before ${first}, the last first, up to
 * an unconditional one. *${sure}: there is one. */
static bool
search(struct walk *w, uint32_t from, uint32_t first, int reg, bool *sure)
{
	const struct sass *s = w->c->sass;
	uint32_t d = sass_writer(s, from, reg);

	for (; d != SASS_NONE && d >= first && w->count < STEPS;
	    d = sass_writer(s, d, reg)) {
		struct operands o;

		if (visit(w, d))
			return true;
		*sure = operands_of(&o, &s->instruction[d]) && !o.guarded;
		if (*sure)
			break;
	}
	return false;
}

static bool
follow(struct walk *w, uint32_t at, int reg)
{
	const struct sass_loop *l = sass_loop_of(w->c->sass, at);
	bool sure = false;

	if (search(w, at, l != NULL ? l->head : 0, reg, &sure))
		return true;
	/* The iteration before left it, or what is before the loop. */
	return l != NULL && !sure && (search(w, l->tail + 1, at, reg, &sure) ||
	    search(w, l->head, 0, reg, &sure));
}

bool
chosen_by_lane(struct choosing *c, uint32_t at, int reg)
{
	struct walk w = { .c = c };

	return follow(&w, at, reg);
}
