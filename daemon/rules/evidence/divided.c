/*
 * rules/evidence/divided.c: see divided.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/divided.h"
#include "rules/evidence/inst.h"
#include "source/callee.h"
#include "source/operand.h"
#include "source/slice.h"

#define CARRIED_MOST 63		/* registers that pass a value from iteration to
				 * iteration */
#define DATA (1ull << 63)	/* a bit beside theirs: data loaded in the loop */
#define LOOPS_MOST 256		/* of a function, that are examined */
#define ACCESSES_MOST 64	/* of a loop, whose addresses are compared */
#define UNROLLED_MOST 16	/* iterations unrolled into one */
#define COUNTERS_MOST 128	/* of a loop, whose origin is examined */
#define DEPTHS 4		/* loop nesting; deeper loops count as the deepest */
#define TURNS_MOST 1e6

/* Cycles between two instructions of a warp, without counters. Arithmetic:
 * dependent ones are 4 to 6 apart, and some wait for memory. */
#define CYCLES_EACH 8

/* What a register holds at some point of an iteration. */
struct value {
	uint64_t needs;		/* bits of carried registers, and DATA */
	uint8_t sum;		/* carried register + 1 of which it is the old
				 * value plus what the loop added; 0: none */
	bool varies;		/* the summand differs between iterations */
	bool set;		/* written by the loop */
};

struct turn {
	const struct sass *sass;
	const struct sass_loop *loop;
	struct value of[REGISTERS];
	uint64_t predicate[16];
	int carried[CARRIED_MOST];	/* registers */
	int count;
	uint64_t used;		/* carried registers used for anything but their sum */
	uint64_t ends;		/* of them, those that may end the loop */
	bool lost;		/* the loop is not understood */
	bool staged;		/* see is_staged */
};

static bool
is_in(const struct sass_loop *l, uint32_t at)
{
	return at >= l->head && at <= l->tail;
}

/* Does ${i} combine operand ${u} with the others in a way that is independent
 * of the order of such steps? */
static bool
is_added(const struct sass_instruction *i, const struct operands *o, int u)
{
	if (opcode_adds(i) || opcode_is_any(i, "FADD DADD HADD2 FMNMX DMNMX IMNMX "
	    "VIMNMX UIMNMX HMNMX2 MOV UMOV"))
		return true;
	return (opcode_is_any(i, "FFMA DFMA HFMA2 IMAD UIMAD LEA ULEA") ||
	    i->flags & SASS_TENSOR) && u == o->uses - 1 && o->uses > 0;
}

/* The number of carried register ${reg}, whose value comes from the previous
 * iteration; -1 if there are too many. */
static int
carry(struct turn *t, int reg)
{
	for (int k = 0; k < t->count; k++)
		if (t->carried[k] == reg)
			return k;
	if (t->count == CARRIED_MOST) {
		t->lost = true;
		return -1;
	}
	t->carried[t->count] = reg;
	return t->count++;
}

static bool
is_register(int reg)
{
	return reg >= 0 && reg < REGISTERS;
}

/* The carried registers that reading ${v} depends on. */
static uint64_t
needs_of(const struct value *v)
{
	return v->needs | (v->sum > 0 ? 1ull << (v->sum - 1) : 0);
}

/* The carried registers that the predicate of ${i} depends on. */
static uint64_t
guard_of(const struct turn *t, const struct operands *o)
{
	return o->guard != 0 ? t->predicate[abs(o->guard) - 1] : 0;
}

/* The value that ${i} computes; notes what it reads. */
static struct value
result_of(struct turn *t, const struct sass_instruction *i,
    const struct operands *o)
{
	struct value r = { .set = true };
	bool load = i->flags & (SASS_LOAD | SASS_ATOMIC) &&
	    i->space != SPACE_CONSTANT;
	int sum = -1;

	for (int u = 0; u < o->uses && sum < 0 && !o->has_address; u++)
		if (is_register(o->use[u]) && t->of[o->use[u]].sum > 0 &&
		    is_added(i, o, u))
			sum = u;
	for (int u = 0; u < o->uses; u++) {
		const struct value *v;

		if (!is_register(o->use[u]))
			continue;
		v = &t->of[o->use[u]];
		if (u == sum) {
			r.sum = v->sum;
			r.varies = r.varies || v->varies;
			r.needs |= v->needs;
			continue;
		}
		r.needs |= needs_of(v);
		r.varies = r.varies || v->set || v->sum > 0;
		if (v->sum > 0)
			t->used |= 1ull << (v->sum - 1);
	}
	r.needs |= guard_of(t, o);
	t->used |= guard_of(t, o) & ~DATA;
	if (load || i->flags & SASS_SHUFFLE)
		r.needs |= DATA;
	r.varies = r.varies || load || o->guarded;
	return r;
}

/* Does ${i} decide whether there is a next iteration? */
static bool
is_exit(const struct turn *t, const struct sass_instruction *i)
{
	uint32_t to = i->target != SASS_NONE ? sass_at(t->sass, i->target) :
	    SASS_NONE;

	if (i->flags & SASS_EXIT)
		return true;
	return i->flags & SASS_BRANCH && (to == SASS_NONE ||
	    !is_in(t->loop, to) || to == t->loop->head);
}

/* Does ${i} store to shared memory at an address that differs between iterations? */
static bool
moves(const struct turn *t, const struct sass_instruction *i,
    const struct operands *o)
{
	int reg[2] = { o->base, o->uniform };

	if (i->space != SPACE_SHARED || !(i->flags & SASS_STORE))
		return false;
	for (int n = 0; n < 2; n++)
		if (is_register(reg[n]) && needs_of(&t->of[reg[n]]) != 0)
			return true;
	return false;
}

static void
step(struct turn *t, uint32_t at)
{
	const struct sass_instruction *i = &t->sass->instruction[at];
	struct operands o;
	struct value r;

	if (i->flags & SASS_CALL || !operands_of(&o, i) ||
	    (i->flags & SASS_BARRIER && !t->staged) ||
	    (i->flags & SASS_ATOMIC && o.def != REGISTER_NONE) ||
	    (t->staged && moves(t, i, &o))) {
		t->lost = true;
		return;
	}
	r = result_of(t, i, &o);
	/* If the data may end the loop, an iteration waits for the data. */
	if (is_exit(t, i) && r.needs & DATA)
		t->lost = true;
	if (is_exit(t, i))
		t->ends |= needs_of(&r);
	for (int k = 0; k < 16; k++)
		if (o.predicates >> k & 1)
			t->predicate[k] = (o.guarded ? t->predicate[k] : 0) |
			    r.needs | (r.sum > 0 ? 1ull << (r.sum - 1) : 0);
	if (o.predicates != 0 && r.sum > 0 && o.def == REGISTER_NONE)
		t->used |= 1ull << (r.sum - 1);
	for (int k = 0; k < o.defs; k++) {
		struct value *v, old;

		if (!is_register(o.def + k))
			continue;
		v = &t->of[o.def + k];
		old = *v;
		*v = r;
		if (o.guarded) {	/* or it keeps its value */
			v->needs |= old.needs;
			if (old.sum != r.sum && old.sum > 0)
				v->needs |= 1ull << (old.sum - 1);
		}
	}
}

/*
 * The instruction of the loop behind ${at}. A branch past the call of the compiler's own
 * function for arguments that the code before it does not serve is taken: what the call
 * computes is the same value, from the same arguments.
 */
static uint32_t
next_of(const struct turn *t, uint32_t at)
{
	const struct sass *s = t->sass;
	uint32_t to = s->instruction[at].flags & SASS_BRANCH &&
	    s->instruction[at].target != SASS_NONE ?
	    sass_at(s, s->instruction[at].target) : SASS_NONE;

	if (to == SASS_NONE || to <= at || to - at > 2 * CALLEE_AROUND ||
	    !is_in(t->loop, to))
		return at + 1;
	for (uint32_t i = at + 1; i < to; i++)
		if (callee_is_rare(&s->instruction[i]))
			return to;
	return at + 1;
}

/* What an iteration did with each register so far. */
struct use {
	bool written, read;	/* in all lanes; before it was */
	int guard;		/* written under this predicate, ±(number + 1); 0 */
	unsigned since;		/* that predicate's value: how often it was set */
};

/* Is ${u} written under the predicate, with its value, that guards ${o}? */
static bool
is_guarded_alike(const struct use *u, const struct operands *o,
    const unsigned set[16])
{
	return u->guard != 0 && o->guard == u->guard &&
	    set[abs(o->guard) - 1] == u->since;
}

/* Notes the registers that ${o} reads and writes; ${set}: how often each predicate
 * was set. */
static void
note_uses(struct use use[REGISTERS], const struct operands *o, unsigned set[16])
{
	for (int n = 0; n < o->uses; n++) {
		struct use *u = is_register(o->use[n]) ? &use[o->use[n]] : NULL;

		if (u != NULL && !u->written && !is_guarded_alike(u, o, set))
			u->read = true;
	}
	for (int k = 0; k < o->defs; k++) {
		struct use *u = is_register(o->def + k) ? &use[o->def + k] : NULL;

		if (u == NULL)
			continue;
		if (!o->guarded) {
			u->written = true;
		} else if (o->guard != 0 && (u->guard == 0 ||
		    is_guarded_alike(u, o, set))) {
			u->guard = o->guard;
			u->since = set[abs(o->guard) - 1];
		} else if (!u->written) {
			u->read = u->written = true;
		}
	}
	for (int k = 0; k < 16; k++)
		set[k] += o->predicates >> k & 1;
}

/* Marks the registers of ${use} that the code behind the loop reads. */
static void
note_later(const struct turn *t, struct use use[REGISTERS])
{
	struct operands o;

	for (uint32_t at = t->loop->tail + 1; at < t->sass->instructions; at++) {
		operands_of(&o, &t->sass->instruction[at]);
		for (int n = 0; n < o.uses; n++)
			if (is_register(o.use[n]) && use[o.use[n]].guard != 0 &&
			    !use[o.use[n]].written)
				use[o.use[n]].read = true;
	}
}

/*
 * Finds the registers that an iteration writes, and may read before. What is written
 * under a predicate keeps its old value in other lanes: that counts if it is read
 * under another predicate, or behind the loop.
 */
static void
find_carried(struct turn *t)
{
	static const struct value none;
	struct use use[REGISTERS] = { 0 };
	unsigned set[16] = { 0 };
	struct operands o;

	for (uint32_t at = t->loop->head; at <= t->loop->tail;
	    at = next_of(t, at)) {
		operands_of(&o, &t->sass->instruction[at]);
		note_uses(use, &o, set);
	}
	note_later(t, use);
	for (int r = 0; r < REGISTERS; r++) {
		t->of[r] = none;
		if (use[r].read && (use[r].written || use[r].guard != 0))
			t->of[r].sum = (uint8_t)(carry(t, r) + 1);
	}
}

/* What dividing costs for carried register ${k}: nothing for a counter; a sum that
 * nothing else reads is added up in the end, one that iterations read needs a scan. */
static enum division
division_of(const struct turn *t, int k)
{
	const struct value *v = &t->of[t->carried[k]];
	uint64_t self = 1ull << k;

	if (v->sum != k + 1 || v->needs & self)
		return DIVIDED_NOT;
	if (!v->varies)
		return DIVIDED_FREELY;
	if (t->ends & self)
		return DIVIDED_NOT;
	return t->used & self ? DIVIDED_SCAN : DIVIDED_SUMS;
}

/* Does a register depend, through others, on its own value in an earlier iteration? */
static bool
goes_round(const struct turn *t, uint64_t counters)
{
	uint64_t reach[CARRIED_MOST];

	for (int k = 0; k < t->count; k++) {
		reach[k] = counters >> k & 1 ? 0 :
		    needs_of(&t->of[t->carried[k]]) & ~DATA & ~counters;
	}
	for (int m = 0; m < t->count; m++)
		for (int k = 0; k < t->count; k++)
			if (reach[k] >> m & 1)
				reach[k] |= reach[m];
	for (int k = 0; k < t->count; k++)
		if (reach[k] >> k & 1)
			return true;
	return false;
}

/* The last instruction of ${l} before ${end} that writes ${reg}; SASS_NONE, also if the
 * loop branches, so that another may have. */
static uint32_t
last_def(const struct sass *sass, const struct sass_loop *l, int reg, uint32_t end)
{
	uint32_t found = SASS_NONE;
	struct operands o;

	for (uint32_t at = l->head; at < end; at++) {
		if (sass->instruction[at].flags & SASS_BRANCH && at != l->tail)
			return SASS_NONE;
		operands_of(&o, &sass->instruction[at]);
		if (o.def != REGISTER_NONE && reg >= o.def &&
		    reg < o.def + o.defs)
			found = at;
	}
	return found;
}

/* The only instruction of ${l} that writes ${reg}; SASS_NONE. */
static uint32_t
only_def(const struct sass *sass, const struct sass_loop *l, int reg)
{
	uint32_t last = last_def(sass, l, reg, l->tail + 1);

	return last != SASS_NONE && last_def(sass, l, reg, last) == SASS_NONE ?
	    last : SASS_NONE;
}

/* What ${at} adds to ${reg}; 0: nothing, or not known. */
static int64_t
added_by(const struct sass *sass, uint32_t at, int reg)
{
	struct operands o;

	if (at == SASS_NONE)
		return 0;
	operands_of(&o, &sass->instruction[at]);
	return !o.guarded && o.uses == 1 && o.use[0] == reg && o.has_immediate &&
	    opcode_adds(&sass->instruction[at]) ? o.immediate : 0;
}

/* By how much ${reg}, the base of addresses, grows in each iteration, in one step at
 * ${at}: by itself, or through a register that is then moved to it. 0: not known. */
static int64_t
grown_at(const struct sass *sass, const struct sass_loop *l, int reg, uint32_t at)
{
	struct operands o;

	if (at == SASS_NONE)
		return 0;
	operands_of(&o, &sass->instruction[at]);
	if (o.uses == 1 && o.use[0] != reg && !o.guarded && !o.has_address)
		return operand_has(&sass->instruction[at], "MOV") ||
		    opcode_is_any(&sass->instruction[at], "MOV UMOV") ?
		    added_by(sass, last_def(sass, l, o.use[0], at), reg) : 0;
	return added_by(sass, at, reg);
}

/* The register whose step was looked for last, in the whole loop. */
struct stepped {
	bool looked;
	int reg;
	uint32_t at;
	int64_t by;
};

/* grown_at of ${reg}, if that is behind ${last}. */
static int64_t
step_of(struct stepped *k, const struct sass *sass, const struct sass_loop *l, int reg,
    uint32_t last)
{
	if (!k->looked || k->reg != reg) {
		k->looked = true;
		k->reg = reg;
		k->at = only_def(sass, l, reg);
		k->by = grown_at(sass, l, reg, k->at);
	}
	return k->at != SASS_NONE && k->at > last ? k->by : 0;
}

/* An access, with what is known of its address: looked for at most once, as each load is
 * compared with each store. */
struct compared {
	uint32_t at;
	bool looked;
	uint32_t array;		/* the only parameter that its address starts from; 0 */
};

/* The array that the address of ${a} starts from; 0: not known. */
static uint32_t
array_of(const struct slices *s, struct compared *a)
{
	struct slice from;

	if (!a->looked) {
		slice_of(&from, s, a->at);
		a->array = from.known && from.parameters == 1 ? from.parameter[0] : 0;
		a->looked = true;
	}
	return a->array;
}

/* Do ${a}, a load, and ${b}, a store, access different arrays, or the same address;
 * or parts of a window that the next iteration is past? */
static bool
is_apart(const struct slices *s, struct compared *a, struct compared *b,
    const struct sass *sass, const struct sass_loop *l, struct stepped *k)
{
	const struct sass_instruction *i = &sass->instruction[a->at];
	const struct sass_instruction *j = &sass->instruction[b->at];
	int bytes = i->bytes > j->bytes ? i->bytes : j->bytes;
	struct operands x, y;

	operands_of(&x, i);
	operands_of(&y, j);
	if (x.base == y.base && x.uniform == y.uniform && (x.offset == y.offset ||
	    llabs(x.offset - y.offset) + bytes <= llabs(step_of(k, sass, l, x.base,
	    a->at > b->at ? a->at : b->at))))
		return true;
	return array_of(s, a) != 0 && array_of(s, b) != 0 &&
	    array_of(s, a) != array_of(s, b);
}

/* The same address, as far as its registers tell? */
static bool
is_same_place(const struct sass *sass, uint32_t a, uint32_t b)
{
	struct operands x, y;

	operands_of(&x, &sass->instruction[a]);
	operands_of(&y, &sass->instruction[b]);
	return x.base == y.base && x.uniform == y.uniform &&
	    x.offset == y.offset;
}

/* The first access of ${l} before ${end} to the place in shared memory that ${at}
 * accesses and with a flag in ${flags}; SASS_NONE. */
static uint32_t
first_at_place(const struct sass *sass, const struct sass_loop *l, uint32_t at,
    uint32_t end, uint32_t flags)
{
	for (uint32_t i = l->head; i < end; i++)
		if (sass->instruction[i].space == SPACE_SHARED &&
		    sass->instruction[i].flags & flags &&
		    is_same_place(sass, i, at))
			return i;
	return SASS_NONE;
}

/*
 * Does each iteration of ${l} first store to shared memory what it loads from there,
 * with a barrier between, as the tile of a matrix product? Other blocks can then take
 * over iterations. A value that an iteration loads, and stores for the next, is none;
 * that stores do not move from iteration to iteration is for the caller to see.
 */
static bool
is_staged(const struct sass *sass, const struct sass_loop *l)
{
	bool stored = false, passed = false;
	size_t looked = 0;

	for (uint32_t at = l->head; at <= l->tail; at++) {
		const struct sass_instruction *i = &sass->instruction[at];
		uint32_t loaded;

		if (i->flags & SASS_BARRIER)
			passed = stored;
		if (i->space != SPACE_SHARED)
			continue;
		if (i->flags & SASS_ATOMIC || (i->flags & SASS_LOAD && !passed))
			return false;
		if (!(i->flags & SASS_STORE))
			continue;
		stored = true;
		looked += 2 * (at - l->head);
		if (looked > SASS_STEPS_MOST)
			return false;
		loaded = first_at_place(sass, l, at, at, SASS_LOAD);
		if (loaded != SASS_NONE && first_at_place(sass, l, at, loaded,
		    SASS_STORE) == SASS_NONE)
			return false;
	}
	return passed;
}

/* Is nothing that the loop loads stored by it? ${staged}: what it has in shared
 * memory is no other iteration's. */
static bool
loads_unstored(const struct code *c, const struct sass_loop *l, bool staged)
{
	struct compared load[ACCESSES_MOST], store[ACCESSES_MOST];
	struct stepped k = { .looked = false };
	size_t loads = 0, stores = 0;
	struct slices *s = NULL;
	bool is = true;

	for (uint32_t at = l->head; at <= l->tail; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];

		if (staged && i->space == SPACE_SHARED)
			continue;
		if (i->flags & SASS_ASYNC || loads == ACCESSES_MOST ||
		    stores == ACCESSES_MOST)
			return false;
		if (i->flags & SASS_STORE)
			store[stores++] = (struct compared){ .at = at };
		else if (i->flags & SASS_LOAD && i->space != SPACE_CONSTANT &&
		    !(i->flags & SASS_READ_ONLY))
			load[loads++] = (struct compared){ .at = at };
	}
	for (size_t a = 0; a < loads && is; a++)
		for (size_t b = 0; b < stores && is; b++) {
			const struct sass_instruction *x =
			    &c->sass.instruction[load[a].at];
			const struct sass_instruction *y =
			    &c->sass.instruction[store[b].at];

			if (x->space != y->space && x->space != SPACE_GENERIC &&
			    y->space != SPACE_GENERIC)
				continue;
			if (x->space != SPACE_GLOBAL) {
				is = false;	/* shared or local memory */
				continue;
			}
			if (s == NULL && (s = slices_new(&c->sass)) == NULL)
				return false;
			is = is_apart(s, &load[a], &store[b], &c->sass, l, &k);
		}
	slices_free(s);
	return is;
}

enum division
divided_loop(const struct code *c, size_t loop)
{
	const struct sass_loop *l = &c->sass.loop[loop];
	struct turn *t;
	enum division by = DIVIDED_FREELY;
	uint64_t counters = 0;
	bool staged;

	if (l->tail >= c->sass.instructions)
		return DIVIDED_NOT;
	staged = is_staged(&c->sass, l);
	if (!loads_unstored(c, l, staged))
		return DIVIDED_NOT;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return DIVIDED_NOT;
	t->sass = &c->sass;
	t->loop = l;
	t->staged = staged;
	find_carried(t);
	for (uint32_t at = l->head; at <= l->tail && !t->lost; at = next_of(t, at))
		step(t, at);
	for (int k = 0; k < t->count && !t->lost; k++) {
		enum division one = division_of(t, k);

		if (one == DIVIDED_NOT)
			continue;
		counters |= 1ull << k;
		by = one > by ? one : by;
	}
	if (t->lost || goes_round(t, counters))
		by = DIVIDED_NOT;
	free(t);
	return by;
}

/*
 * Does the program already distribute the iterations of ${l} over its warps or threads?
 * Then the counter starts at the number of the warp or thread and steps by how many
 * there are, or a small multiple where the compiler unrolled the loop. The results are
 * combined behind the loop, whatever the iterations of one thread need of each other.
 */
static bool
is_dealt(const struct code *c, const struct sass_loop *l, uint32_t threads)
{
	struct slices *s = slices_new(&c->sass);
	uint32_t warps = threads / 32;
	int counters = 0;
	bool is = false;

	for (uint32_t at = l->head; s != NULL && at <= l->tail && !is &&
	    counters < COUNTERS_MOST; at++) {
		const struct sass_instruction *i = &c->sass.instruction[at];
		struct operands o;
		struct slice from;

		if (i->flags & SASS_BARRIER)
			break;
		if (!operands_of(&o, i) || o.defs != 1 || o.uses != 1 ||
		    o.use[0] != o.def || !o.has_immediate || o.has_address ||
		    !opcode_adds(i))
			continue;
		if (warps < 2 || o.immediate < 2 ||
		    o.immediate > (int64_t)UNROLLED_MOST * threads)
			continue;
		counters++;
		slice_of_register(&from, s, at, o.def);
		is = from.varies & VARIES_THREAD && (from.lane_unknown ?
		    o.immediate % warps == 0 :
		    from.lane == 1 && o.immediate % threads == 0);
	}
	slices_free(s);
	return is;
}

/* Instructions of a warp, by loop depth. */
static void
count_depths(const struct code *c, double inst[DEPTHS], const bool *inside)
{
	for (int d = 0; d < DEPTHS; d++)
		inst[d] = 0;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_loop *l = sass_loop_of(&c->sass, s);
		unsigned d = l == NULL ? 0 : l->depth + 1;

		if (inside == NULL || inside[s])
			inst[d < DEPTHS ? d : DEPTHS - 1]++;
	}
}

static double
executed_at(const double inst[DEPTHS], double turns)
{
	double sum = 0, times = 1;

	for (int d = 0; d < DEPTHS; d++, times *= turns)
		sum += inst[d] * times;
	return sum;
}

/* The iterations of each loop at which a warp executes ${all} instructions. */
static double
turns_for(const double inst[DEPTHS], double all)
{
	double low = 1, high = TURNS_MOST;

	if (!(executed_at(inst, 1) < all))
		return 1;
	while (high / low > 1.01) {
		double mid = sqrt(low * high);

		if (executed_at(inst, mid) < all)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* Instructions that a warp executes, counted or estimated from the time. */
static double
executed_of(const struct rule_view *x)
{
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double warps = rule_blocks(x->kernel) *
	    ceil(rule_threads(x->kernel) / 32.0);

	if (inst > 0 && warps > 0)
		return inst / warps;
	return fmax(0, x->load->time_s - x->load->fixed_s) *
	    x->ceiling->sm_hz / CYCLES_EACH;
}

/* The counted iterations of ${l}. */
static double
counted_turns(const struct code *c, const struct sass_loop *l)
{
	double before = l->head > 0 ? inst_executed(c, l->head - 1) : 0;
	double after = inst_executed(c, l->tail + 1);

	return inst_executed(c, l->tail) / fmax(1, fmax(before, after));
}

struct divided
divided_of(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct divided d = { 0, 1, DIVIDED_NOT };
	double inst[DEPTHS], part[DEPTHS], turns, all = 0, in = 0;
	bool *inside;

	if (c == NULL || !c->disassembled || c->sass.loops > LOOPS_MOST)
		return d;
	inside = calloc(c->sass.instructions + 1, sizeof(*inside));
	if (inside == NULL)
		return d;
	count_depths(c, inst, NULL);
	turns = turns_for(inst, executed_of(x));
	for (size_t i = 0; i < c->sass.loops; i++) {
		const struct sass_loop *l = &c->sass.loop[i];
		enum division by;

		/* In an inner loop all threads would have to synchronise after
		 * each outer iteration. */
		if (l->depth > 0)
			continue;
		by = is_dealt(c, l, rule_threads(x->kernel)) ? DIVIDED_SUMS :
		    divided_loop(c, i);
		if (by == DIVIDED_NOT)
			continue;
		d.ways = fmax(d.ways, c->counted ? counted_turns(c, l) : turns);
		d.by = by > d.by ? by : d.by;
		memset(&inside[l->head], true, l->tail - l->head + 1);
	}
	count_depths(c, part, inside);
	for (uint32_t s = 0; c->counted && s < c->sass.instructions; s++) {
		all += inst_executed(c, s);
		in += inside[s] ? inst_executed(c, s) : 0;
	}
	d.share = all > 0 ? in / all :
	    executed_at(part, turns) / fmax(executed_at(inst, turns), 1);
	free(inside);
	return d;
}
