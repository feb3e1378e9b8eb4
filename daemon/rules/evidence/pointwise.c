/*
 * rules/evidence/pointwise.c: see pointwise.h.
 *
 * An address is the start of an array plus an index times the size of an
 * element. The instruction that last wrote the index register identifies the
 * index: loads and stores of a pointwise kernel use the same ones. An access in
 * front of the array's start, or beyond the element, is another thread's.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/lines/source.h"
#include "rules/evidence/affine.h"
#include "source/callee.h"
#include "source/operand.h"
#include "rules/evidence/pointwise.h"
#include "source/slice.h"

#define INDEXES_MOST 16		/* of an unrolled loop */
#define LOOKED_MOST 4096	/* instructions to search back for a definition */
#define ELEMENT_MOST 64		/* bytes */
#define ACCESSES_MOST 256	/* compared with each other */
#define POINTERS_MOST 32	/* loads, of whose addresses the pointers are looked for */
#define POINTER_DEPTH 6		/* instructions from a pointer to an address */
#define POINTER_LOOKED 256	/* instructions that are looked at for one */

struct indexes {
	uint32_t of[INDEXES_MOST];	/* the instructions that computed them */
	int count;
};

struct element_place {
	uint32_t index;		/* the instruction that computed it */
	uint32_t scale;		/* bytes of an element */
};

/* The last instruction before ${at} that writes ${reg}; SASS_NONE. */
static uint32_t
writer(const struct code *c, uint32_t at, int reg)
{
	uint32_t w = sass_writer(&c->sass, at, reg);
	struct operands o;

	if (w == SASS_NONE || at - w > LOOKED_MOST)
		return SASS_NONE;
	operands_of(&o, &c->sass.instruction[w]);
	return o.guarded ? SASS_NONE : w;
}

/* Sets ${p} for an address that is ${scale} times the index in register ${reg}
 * at ${at}. */
static bool
place_of_register(const struct code *c, uint32_t at, int reg, int64_t scale,
    struct element_place *p)
{
	p->index = writer(c, at, reg);
	p->scale = (uint32_t)scale;
	return p->index != SASS_NONE && scale >= 1 && scale <= ELEMENT_MOST;
}

/* Sets ${p} to the element that the access at ${at} goes to; false if its address
 * is not computed in one of the ways in which compilers compute that of an element. */
static bool
place_of(const struct code *c, uint32_t at, struct element_place *p)
{
	const struct sass_instruction *i;
	struct operands access, o, sum;
	uint32_t w, s;

	if (!operands_of(&access, &c->sass.instruction[at]) ||
	    access.base == REGISTER_NONE ||
	    (w = writer(c, at, access.base)) == SASS_NONE)
		return false;
	i = &c->sass.instruction[w];
	if (!operands_of(&o, i) || o.uses == 0)
		return false;
	if (opcode_is(i, "IMAD") && operand_has(i, "WIDE") &&
	    o.has_immediate)
		return place_of_register(c, w, o.use[0], o.immediate, p);
	if (opcode_is(i, "LEA") && !operand_has(i, "HI") &&
	    o.has_immediate && o.immediate >= 0 && o.immediate < 8)
		return place_of_register(c, w, o.use[0], 1ll << o.immediate, p);
	/* Start plus offset, which is the index shifted. */
	if (!opcode_adds(i) || operand_has(i, "X"))
		return false;
	s = writer(c, w, o.use[0]);
	if (s == SASS_NONE || !operands_of(&sum, &c->sass.instruction[s]) ||
	    !sum.has_immediate || sum.uses == 0)
		return false;
	i = &c->sass.instruction[s];
	if (opcode_is(i, "SHF") && operand_has(i, "L") &&
	    sum.immediate >= 0 && sum.immediate < 8)
		return place_of_register(c, s, sum.use[0],
		    1ll << sum.immediate, p);
	if (opcode_is(i, "IMAD") && operand_has(i, "SHL"))
		return place_of_register(c, s, sum.use[0], sum.immediate, p);
	return false;
}

static bool
add_index(struct indexes *x, uint32_t at)
{
	for (int k = 0; k < x->count; k++)
		if (x->of[k] == at)
			return true;
	if (x->count == INDEXES_MOST)
		return false;
	x->of[x->count++] = at;
	return true;
}

static bool
is_among(const struct indexes *x, const struct indexes *all)
{
	for (int k = 0; k < x->count; k++) {
		bool found = false;

		for (int n = 0; n < all->count; n++)
			found = found || all->of[n] == x->of[k];
		if (!found)
			return false;
	}
	return true;
}

/* Do threads communicate here, or is memory accessed in another way than by
 * plain loads and stores of global memory? The compiler's own functions (divisions) are
 * in the listing, too, and judged there. */
static bool
is_foreign(const struct internals *own, const struct sass_instruction *i)
{
	if (i->flags & (SASS_ATOMIC | SASS_ASYNC | SASS_BARRIER | SASS_SHUFFLE |
	    SASS_TENSOR))
		return true;
	if (i->flags & SASS_CALL)
		return callee_at(own, i) == SASS_NONE;
	return i->flags & (SASS_LOAD | SASS_STORE) &&
	    i->space != SPACE_GLOBAL && i->space != SPACE_CONSTANT &&
	    i->space != SPACE_NONE;
}

/* Do threads communicate here beyond what a block's may (atomics, copies that no
 * register sees), or is local or unknown memory accessed? */
static bool
is_foreign_block(const struct internals *own, const struct sass_instruction *i)
{
	if (i->flags & (SASS_ATOMIC | SASS_ASYNC | SASS_TENSOR))
		return true;
	if (i->flags & SASS_CALL)
		return callee_at(own, i) == SASS_NONE;
	return i->flags & (SASS_LOAD | SASS_STORE) &&
	    i->space != SPACE_GLOBAL && i->space != SPACE_CONSTANT &&
	    i->space != SPACE_SHARED && i->space != SPACE_NONE;
}

/* Does the access at ${at} go to its thread's own element? */
static bool
is_own(const struct code *c, const struct affine *address, uint32_t at,
    struct element_place *p)
{
	const struct sass_instruction *i = &c->sass.instruction[at];
	struct operands o;

	if (!place_of(c, at, p) || !operands_of(&o, i))
		return false;
	return o.offset >= 0 && o.offset + i->bytes <= (int64_t)p->scale &&
	    address[at].kind == AFFINE_STEPS &&
	    address[at].x == (int32_t)p->scale;
}

/* Bytes of an element of the stored arrays, if every store goes to its thread's own
 * one, and, unless ${any}, every load comes from there; else 0. */
static uint32_t
look(const struct code *c, const struct affine *address, bool any)
{
	struct indexes load = { .count = 0 }, store = { .count = 0 };
	struct internals own;
	uint32_t bytes = 0;

	internals_find(&own, &c->sass);
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		struct element_place p;

		if (any ? is_foreign_block(&own, i) : is_foreign(&own, i))
			return 0;
		if (i->space != SPACE_GLOBAL ||
		    !(i->flags & (SASS_LOAD | SASS_STORE)) ||
		    (any && !(i->flags & SASS_STORE)))
			continue;
		if (!is_own(c, address, at, &p) || !add_index(
		    i->flags & SASS_STORE ? &store : &load, p.index))
			return 0;
		if (i->flags & SASS_STORE)
			bytes = p.scale;
	}
	return any || (is_among(&load, &store) && is_among(&store, &load)) ?
	    bytes : 0;
}

bool
pointwise_copies(const struct code *c, const struct record_SIGNATURE *shape)
{
	if (pointwise_bytes(c, shape) == 0)
		return false;
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		struct operands o;
		uint32_t from;

		if (!(i->flags & SASS_STORE))
			continue;
		if (!operands_of(&o, i) || o.uses < 2)
			return false;
		from = writer(c, at, o.use[o.uses - 1]);
		if (from == SASS_NONE ||
		    c->sass.instruction[from].space != SPACE_GLOBAL ||
		    !(c->sass.instruction[from].flags & SASS_LOAD))
			return false;
	}
	return true;
}

static uint32_t
look_at(const struct code *c, const struct record_SIGNATURE *shape, bool any)
{
	struct affine *address;
	uint32_t bytes;

	if (c == NULL || !c->disassembled)
		return 0;
	address = affine_addresses(c, shape);
	if (address == NULL)
		return 0;
	bytes = look(c, address, any);
	free(address);
	return bytes;
}

uint32_t
pointwise_bytes(const struct code *c, const struct record_SIGNATURE *shape)
{
	return look_at(c, shape, false);
}

uint32_t
pointwise_stored(const struct code *c, const struct record_SIGNATURE *shape)
{
	return look_at(c, shape, true);
}

/* --- what is taken up from another kernel ---------------------------------- */

/* The pointer among the parameters that the address in register ${reg} at ${at} starts
 * from: an offset in c[0x0], looked for through ${depth} instructions; 0: not found.
 * *${looked}: at how many in all, which may grow with the power of ${depth}. */
static uint32_t
pointer_in(const struct code *c, uint32_t at, int reg, int depth, int *looked)
{
	uint32_t w = writer(c, at, reg), found = 0;
	const struct sass_instruction *i;
	struct operands o;

	if (w == SASS_NONE || depth == 0 || (*looked)++ >= POINTER_LOOKED)
		return 0;
	i = &c->sass.instruction[w];
	if (!operands_of(&o, i))
		return 0;
	if (opcode_is(i, "LDC") || opcode_is(i, "ULDC") || opcode_is(i, "LDCU"))
		return operand_has(i, "64") ? o.parameter : 0;
	if (!opcode_adds(i) && !opcode_is(i, "LEA") && !opcode_is(i, "UIADD3") &&
	    !(opcode_is(i, "IMAD") && operand_has(i, "WIDE")))
		return 0;
	if (o.parameter != 0 && (o.uses < 2 || !opcode_is(i, "IMAD")))
		return o.parameter;	/* else a factor of the index */
	/* The pointer is the last of what is added, the scaled index comes first. */
	for (int k = o.uses; k-- > 0 && found == 0;)
		found = pointer_in(c, w, o.use[k], depth - 1, looked);
	return found;
}

static uint32_t
pointer_of(const struct code *c, uint32_t at)
{
	struct operands o;
	int looked = 0;

	if (!operands_of(&o, &c->sass.instruction[at]) || !o.has_address ||
	    o.base == REGISTER_NONE)
		return 0;
	return pointer_in(c, at, o.base, POINTER_DEPTH, &looked);
}

/* See pointwise_taken; *${all} must be 0. */
static uint32_t
look_taken(const struct code *c, const struct affine *address, double *all)
{
	uint32_t own[POINTERS_MOST], other[POINTERS_MOST], bytes = 0;
	uint32_t index[POINTERS_MOST];
	size_t owns = 0, others = 0;
	struct internals called;

	internals_find(&called, &c->sass);
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		struct element_place p;
		uint32_t from;
		bool mine;

		if (is_foreign_block(&called, i))
			return 0;
		if (i->space != SPACE_GLOBAL || !(i->flags & SASS_LOAD))
			continue;
		from = pointer_of(c, at);
		mine = is_own(c, address, at, &p);
		if (from == 0 || owns == POINTERS_MOST || others == POINTERS_MOST)
			return 0;
		if (mine && bytes != 0 && bytes != p.scale)
			return 0;
		if (mine) {
			bytes = p.scale;
			*all += i->bytes;
		}
		/* Through one pointer an element before or behind it (that of another
		 * column, modulo the width) has an index that is computed anew. */
		for (size_t n = 0; mine && n < owns; n++)
			if (own[n] == from && index[n] != p.index)
				return 0;
		if (mine) {
			index[owns] = p.index;
			own[owns++] = from;
		} else {
			other[others++] = from;
		}
	}
	for (size_t n = 0; n < owns; n++)
		for (size_t k = 0; k < others; k++)
			if (own[n] == other[k])
				return 0;
	return bytes;
}

uint32_t
pointwise_taken(const struct code *c, const struct record_SIGNATURE *shape,
    double *all)
{
	struct affine *address;
	uint32_t bytes;

	*all = 0;
	if (c == NULL || !c->disassembled ||
	    (address = affine_addresses(c, shape)) == NULL)
		return 0;
	bytes = look_taken(c, address, all);
	free(address);
	return bytes;
}

/* --- a state in place ------------------------------------------------------- */

struct access_place {
	uint32_t base, uniform;	/* the instructions that computed them */
	int64_t offset;
	uint32_t bytes;
};

static bool
is_access(const struct sass_instruction *i, uint32_t flag)
{
	return i->space == SPACE_GLOBAL && i->flags & flag;
}

/* The address of the access at ${at}; false if its base is not known. */
static bool
address_of(const struct code *c, uint32_t at, struct access_place *p)
{
	struct operands o;

	if (!operands_of(&o, &c->sass.instruction[at]) || !o.has_address)
		return false;
	p->base = o.base == REGISTER_NONE ? SASS_NONE : writer(c, at, o.base);
	p->uniform = o.uniform == REGISTER_NONE ? SASS_NONE :
	    writer(c, at, o.uniform);
	p->offset = o.offset;
	p->bytes = c->sass.instruction[at].bytes;
	return p->base != SASS_NONE;
}

/* Is there an access of kind ${flag} at the address ${p}? */
static bool
is_also(const struct code *c, const struct access_place *p, uint32_t flag)
{
	struct access_place o;

	for (uint32_t at = 0; at < c->sass.instructions; at++)
		if (is_access(&c->sass.instruction[at], flag) &&
		    address_of(c, at, &o) && o.base == p->base &&
		    o.uniform == p->uniform && o.offset == p->offset &&
		    o.bytes == p->bytes)
			return true;
	return false;
}

/* Do the threads of a block go to different addresses? */
static bool
is_apart(const struct affine *a, uint32_t bytes)
{
	int64_t x = a->x < 0 ? -(int64_t)a->x : a->x;

	return a->kind == AFFINE_STEPS && (x >= bytes || (x == 0 && a->y != 0));
}

/* Does the instruction at ${at} write the base or uniform register of ${o}? */
static bool
moves(const struct code *c, uint32_t at, const struct operands *o)
{
	struct operands w;

	return operands_of(&w, &c->sass.instruction[at]) &&
	    w.def != REGISTER_NONE &&
	    ((o->base >= w.def && o->base < w.def + w.defs) ||
	    (o->uniform >= w.def && o->uniform < w.def + w.defs));
}

/* Does the access at ${at} go to one address for all threads, the same in each turn
 * of the loops around it? */
static bool
is_fixed(const struct code *c, const struct affine *a, uint32_t at)
{
	struct operands o;

	if (!affine_is_one(a) || !operands_of(&o, &c->sass.instruction[at]))
		return false;
	for (size_t n = 0; n < c->sass.loops; n++) {
		const struct sass_loop *l = &c->sass.loop[n];

		for (uint32_t i = l->head; l->head <= at && at <= l->tail &&
		    i <= l->tail; i++)
			if (moves(c, i, &o))
				return false;
	}
	return true;
}

/* Adds the accesses to the state to ${p}, as bytes, and their indexes to ${own};
 * ${all} gets the bytes of all accesses to different addresses. */
static bool
sum_state(const struct code *c, const struct affine *address,
    struct pointwise_state *p, struct pointwise_state *all, struct indexes *own)
{
	struct internals called;
	unsigned accesses = 0;

	internals_find(&called, &c->sass);
	for (uint32_t at = 0; at < c->sass.instructions; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		bool store = is_access(i, SASS_STORE);
		struct element_place e;
		struct access_place a;

		if (is_foreign(&called, i))
			return false;
		if (!store && !is_access(i, SASS_LOAD))
			continue;
		if (++accesses > ACCESSES_MOST)
			return false;
		if (store && !is_apart(&address[at], i->bytes))
			return false;
		if (is_apart(&address[at], i->bytes))
			*(store ? &all->stores : &all->loads) += i->bytes;
		if (!address_of(c, at, &a) ||
		    !is_also(c, &a, store ? SASS_LOAD : SASS_STORE))
			continue;
		*(store ? &p->stores : &p->loads) += i->bytes;
		if (place_of(c, at, &e))
			add_index(own, e.index);
	}
	return p->stores > 0;
}

/* Is the load at ${at} of the state, or of an element of its index? */
static bool
is_mine(const struct code *c, const struct affine *address,
    const struct indexes *own, uint32_t at)
{
	struct element_place e;
	struct access_place a;

	return (address_of(c, at, &a) && is_also(c, &a, SASS_STORE)) ||
	    (is_own(c, address, at, &e) &&
	    is_among(&(struct indexes){ { e.index }, 1 }, own));
}

/* What the host may exchange between launches: the pointers to arrays whose elements a
 * thread has as its own, and the steps from thread to thread in those that it stores to. */
struct mine {
	struct indexes pointers, steps;
	bool known;		/* each of them */
};

static uint32_t
step_of(const struct affine *a)
{
	return (uint32_t)(a->x < 0 ? -(int64_t)a->x : a->x);
}

static struct mine
find_mine(const struct code *c, const struct affine *address,
    const struct indexes *own)
{
	struct mine m = { .known = true };

	for (uint32_t at = 0; at < c->sass.instructions && m.known; at++) {
		bool store = is_access(&c->sass.instruction[at], SASS_STORE);
		uint32_t from;

		if (!store && !(is_access(&c->sass.instruction[at], SASS_LOAD) &&
		    is_mine(c, address, own, at)))
			continue;
		from = pointer_of(c, at);
		m.known = from != 0 && add_index(&m.pointers, from) && (!store ||
		    add_index(&m.steps, step_of(&address[at])));
	}
	return m;
}

/* What the load at ${at} is, which is not its thread's own; OTHERS_NONE: it may get what
 * another thread stored in this launch, or in the one before. */
static enum pointwise_others
other_of(const struct code *c, const struct affine *a, const struct slices *t,
    const struct mine *m, uint32_t at)
{
	bool constant = c->sass.instruction[at].flags & SASS_READ_ONLY;
	uint32_t from = pointer_of(c, at);
	struct slice s;

	/* Under predicates, and through a loop, only the slice knows the pointer; values
	 * may be among what it finds. */
	slice_of(&s, t, at);
	if (from == 0 && (!constant || !s.known || s.parameters == 0 ||
	    s.parameters == SLICE_PARAMETERS))
		return OTHERS_NONE;
	for (int i = 0; i < m->pointers.count; i++) {
		if (m->pointers.of[i] == from)
			return OTHERS_NONE;
		for (int n = 0; from == 0 && n < s.parameters; n++)
			if (m->pointers.of[i] == s.parameter[n])
				return OTHERS_NONE;
	}
	if (a->kind != AFFINE_STEPS)
		return constant ? OTHERS_GATHERED : OTHERS_ANY;
	return is_among(&(struct indexes){ { step_of(a) }, 1 }, &m->steps) ?
	    OTHERS_NONE : OTHERS_ANY;
}

/* Are all loads of the state, of elements of the same index, of fixed values, or of other
 * arrays, without those ${only_own}? */
static bool
is_closed(const struct code *c, const struct affine *address,
    const struct indexes *own, bool only_own, enum pointwise_others *others)
{
	struct slices *t = NULL;
	struct mine m = { .known = true };
	bool closed = true;

	for (uint32_t at = 0; at < c->sass.instructions && closed; at++) {
		enum pointwise_others o;

		if (!is_access(&c->sass.instruction[at], SASS_LOAD) ||
		    is_mine(c, address, own, at) || is_fixed(c, &address[at], at))
			continue;
		if (t == NULL && !only_own && (t = slices_new(&c->sass)) != NULL)
			m = find_mine(c, address, own);
		o = t == NULL || !m.known ? OTHERS_NONE :
		    other_of(c, &address[at], t, &m, at);
		closed = o != OTHERS_NONE;
		*others = o > *others ? o : *others;
	}
	slices_free(t);
	return closed;
}

bool
pointwise_in_place(struct pointwise_state *p, const struct code *c,
    const struct record_SIGNATURE *shape)
{
	struct pointwise_state all = { 0, 0, OTHERS_NONE };
	struct indexes own = { .count = 0 };
	struct affine *address;
	bool found;

	*p = all;
	if (c == NULL || !c->disassembled)
		return false;
	address = affine_addresses(c, shape);
	if (address == NULL)
		return false;
	/* What is stored besides the state may be what the next launch looks up. */
	found = sum_state(c, address, p, &all, &own) && is_closed(c, address, &own,
	    p->stores < all.stores, &p->others);
	free(address);
	p->loads = all.loads > 0 ? p->loads / all.loads : 0;
	p->stores = all.stores > 0 ? p->stores / all.stores : 0;
	return found && p->loads > 0;
}
