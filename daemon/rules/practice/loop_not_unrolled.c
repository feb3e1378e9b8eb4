/*
 * loop-not-unrolled: a short hot loop spends many of its instructions on counting.
 *
 * Only counting loops: one of their comparisons reads a register to which they
 * add a constant. Unrolling does not help loops that follow pointers, retry, or
 * wait at barriers.
 *
 * A search counts, too, but ends early, by what it loaded: the compiler loads one
 * element at a time, since it may not load behind the end. A batch of loads before
 * the tests is for the program to write. It pays where warps wait for memory and the
 * search is so long that a few loads behind the hit do not matter. If its length is
 * constant, the compiler may unroll it whole, and no loop is left (ladder.h).
 *
 * Nor does the compiler move a load across a store that might change what it reads: a
 * loop that it unrolled loads and stores in turn, with one load in flight.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/ladder.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"
#include "source/rare.h"
#include "source/remainder.h"
#include "source/slice.h"

#define BODY_MOST 48		/* instructions */
#define UNROLL 4
#define BRANCHES_MOST 2		/* the loop's own, and one exit */
#define LOADS_MOST 8		/* loads whose address is examined */
#define BATCH 8			/* loads before the tests of a search */
#define SEARCH_LOADS 2		/* more before a test are a batch already */
#define SEARCH_BODY 512		/* instructions of a search: the compiler unrolls it by
				 * up to 16, with a test behind each load */
#define SEARCH_TESTS 33		/* branches of a search: unrolled by 32 */
#define SEARCH_TURNS 32		/* four batches: half of one, in the mean, is loaded
				 * in vain */
#define ACCESSES_MOST 64	/* of a loop that loads and stores in turn */
#define SEARCH_BUSY 0.8		/* DRAM and L2: 0.88 is usual (gain.c), of which a
				 * tenth is noise */

struct loop {
	const struct sass_loop *at;
	double inst, overhead;	/* executed warp instructions */
	double turns;
	bool loads;		/* has global loads whose addresses are known ahead */
	bool chases;		/* has loads whose addresses were loaded in the loop */
	bool counts;
	bool searches;		/* it ends early by a value that it loaded */
};

struct loops {
	double inst, overhead, turns;	/* sums over all loops that count */
	double total;
	unsigned found;
	bool loads;
};

/* Is it a loop of a math function, which the compiler inlined: of no source line? */
static bool
is_library(const struct sass *s, const struct sass_loop *l)
{
	struct remainder_call c;

	return rare_is_loop(s, l) || remainder_of(s, l, &c);
}

static bool
is_innermost(const struct code *c, size_t l)
{
	const struct sass_loop *loop = &c->sass.loop[l];

	for (size_t k = l + 1; k < c->sass.loops &&
	    c->sass.loop[k].head <= loop->tail; k++)
		if (c->sass.loop[k].tail < loop->tail)
			return false;
	return true;
}

/* Does the instruction add to the register that it writes? */
static bool
is_increment(const struct sass_instruction *i, const struct operands *o)
{
	bool adds = opcode_adds(i) ||
	    (opcode_is(i, "IMAD") && (operand_has(i, "IADD") ||
	    operand_has(i, "X")));

	if (!adds || o->def == REGISTER_NONE)
		return false;
	for (int u = 0; u < o->uses; u++)
		if (o->use[u] == o->def)
			return true;
	return false;
}

/* Registers that a loop steps by a constant, compares, and uses as addresses. */
struct registers {
	bool stepped[REGISTERS], compared[REGISTERS], address[REGISTERS];
};

static void
find_registers(const struct code *c, const struct sass_loop *l,
    struct registers *r)
{
	memset(r, 0, sizeof(*r));
	for (uint32_t s = l->head; s <= l->tail; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		struct operands o;

		operands_of(&o, i);
		if (is_increment(i, &o) && o.has_immediate)
			r->stepped[o.def] = true;
		for (int u = 0; u < o.uses; u++)
			if (i->flags & SASS_PREDICATE)
				r->compared[o.use[u]] = true;
		if (o.has_address && o.base != REGISTER_NONE)
			r->address[o.base] = true;
		if (o.has_address && o.uniform != REGISTER_NONE)
			r->address[o.uniform] = true;
	}
}

/* Does the instruction only serve the loop (counter, comparison, branch)? */
static bool
is_overhead(const struct sass_instruction *i, const struct registers *r,
    struct loop *k)
{
	struct operands o;
	bool counts = false;

	operands_of(&o, i);
	if (i->flags & SASS_PREDICATE)
		for (int u = 0; u < o.uses; u++)
			counts = counts || r->stepped[o.use[u]];
	k->counts = k->counts || counts;
	if (counts || i->flags & SASS_BRANCH)
		return true;
	return is_increment(i, &o) && (operand_has(i, "X") ||
	    r->compared[o.def] || r->address[o.def]);
}

/* Loads whose addresses are known before the iteration can be issued together;
 * those of a pointer chase cannot. */
static void
look_at_load(const struct slices *t, uint32_t s, struct loop *k)
{
	struct slice slice;

	slice_of(&slice, t, s);
	if (slice.known && slice.loads && slice.changes)
		k->chases = true;
	else if (slice.known)
		k->loads = true;
}

/* Does the loop load ${s} from an address that it computes without what it loads? */
static bool
is_ahead(const struct slices *t, const struct sass_loop *l, uint32_t s)
{
	struct slice from;

	slice_of(&from, t, s);
	if (!from.known || !from.changes || from.loaded > SLICE_LOADS)
		return false;
	for (int k = 0; k < from.loaded; k++)
		if (from.load[k] >= l->head && from.load[k] <= l->tail)
			return false;
	return true;
}

/* Does the loop count register ${reg}, as ${s} reads it? The compiler may count in one
 * register and carry it over in another. */
static bool
is_counter(const struct slices *t, uint32_t s, int reg)
{
	struct slice from;

	slice_of_register(&from, t, s, reg);
	return from.known && from.carried && !from.loads;
}

/*
 * The elements that the loop tests in a turn, if it ends by what it loads, at addresses
 * that it computes without that, and tests it before it loads more; else 0. It may store
 * what it finds, if that cannot change what it loads.
 */
static unsigned
search_of(const struct code *c, const struct slices *t,
    const struct sass_loop *l)
{
	bool held[REGISTERS] = { false }, tests = false, counts = false;
	bool stores = false, constant = true;
	unsigned loads = 0, most = 0, branches = 0;
	struct registers r;

	find_registers(c, l, &r);
	for (uint32_t s = l->head; s <= l->tail; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		bool reads = false, steps = false, load = i->space ==
		    SPACE_GLOBAL && i->flags & SASS_LOAD;
		struct operands o;

		operands_of(&o, i);
		if (i->flags & (SASS_BRANCH | SASS_EXIT)) {
			branches++;
			loads = 0;
		}
		if (i->flags & (SASS_BARRIER | SASS_CALL | SASS_ATOMIC))
			return 0;
		stores = stores || i->flags & SASS_STORE;
		for (int u = 0; u < o.uses; u++) {
			reads = reads || held[o.use[u]];
			steps = steps || r.stepped[o.use[u]] ||
			    (i->flags & SASS_PREDICATE && !counts &&
			    is_counter(t, s, o.use[u]));
		}
		if (load) {
			if (!is_ahead(t, l, s))
				return 0;
			constant = constant && i->flags & SASS_READ_ONLY;
			most = ++loads > most ? loads : most;
		}
		tests = tests || (i->flags & SASS_PREDICATE && reads);
		counts = counts || (i->flags & SASS_PREDICATE && steps);
		for (int d = 0; d < o.defs && o.def + d < REGISTERS; d++)
			held[o.def + d] = load || reads;
	}
	return tests && counts && most > 0 && most <= SEARCH_LOADS &&
	    branches >= 2 && branches <= SEARCH_TESTS && (constant || !stores) ?
	    branches - 1 : 0;
}

static void
look(const struct code *c, const struct slices *t, struct loop *k)
{
	const struct sass_loop *l = k->at;
	unsigned branches = 0, loads = 0, tested = 0;
	double before, after;
	struct registers r;

	find_registers(c, l, &r);
	if (is_library(&c->sass, l))
		branches = BRANCHES_MOST + 1;
	for (uint32_t s = l->head; s <= l->tail; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double inst = inst_executed(c, s);

		k->inst += inst;
		if (is_overhead(i, &r, k))
			k->overhead += inst;
		if (i->flags & SASS_BRANCH)
			branches++;
		/* It waits, or ends depending on the data. */
		if (i->flags & (SASS_BARRIER | SASS_CALL | SASS_ATOMIC) ||
		    (i->flags & SASS_PREDICATE &&
		    i->flags & (SASS_FP32 | SASS_FP64 | SASS_FP16)))
			branches = BRANCHES_MOST + 1;
		if (i->space == SPACE_GLOBAL && i->flags & SASS_LOAD &&
		    loads++ < LOADS_MOST)
			look_at_load(t, s, k);
	}
	if (branches > BRANCHES_MOST || k->chases)
		k->counts = false;
	if (!is_library(&c->sass, l))
		tested = search_of(c, t, l);
	k->searches = tested > 0;
	if (k->searches)
		k->counts = false;
	before = l->head > 0 ? inst_executed(c, l->head - 1) : 0;
	after = inst_executed(c, l->tail + 1);
	k->turns = inst_executed(c, l->tail) / fmax(1, fmax(before, after));
	k->turns *= fmax(1, tested);
}

static bool
is_global(const struct sass_instruction *i, uint32_t flags)
{
	return i->space == SPACE_GLOBAL && (i->flags & flags) != 0;
}

/* Does the loop do anything that keeps its loads where they are, other than stores? */
static bool
holds_loads(const struct code *c, const struct sass_loop *l)
{
	unsigned branches = 0;

	for (uint32_t s = l->head; s <= l->tail; s++) {
		uint32_t flags = c->sass.instruction[s].flags;

		if (flags & (SASS_BARRIER | SASS_CALL | SASS_ATOMIC))
			return true;
		if (flags & (SASS_BRANCH | SASS_EXIT))
			branches++;
	}
	return branches > BRANCHES_MOST;
}

/* Does the loop store through a parameter through which ${s} loads? */
static bool
is_stored(const struct code *c, const struct slices *t,
    const struct sass_loop *l, const struct slice *s)
{
	unsigned looked = 0;
	struct slice to;

	for (uint32_t at = l->head; at <= l->tail; at++) {
		if (!is_global(&c->sass.instruction[at], SASS_STORE))
			continue;
		if (looked++ == ACCESSES_MOST)
			return true;
		slice_of(&to, t, at);
		if (!to.known || to.parameters == 0)
			return true;
		for (int p = 0; p < to.parameters; p++)
			for (int q = 0; q < s->parameters; q++)
				if (to.parameter[p] == s->parameter[q])
					return true;
	}
	return false;
}

/* The loads of an unrolled loop, if each follows a store to other data, at an address
 * that is known ahead; else 0. */
static unsigned
behind_stores(const struct code *c, const struct slices *t,
    const struct sass_loop *l)
{
	unsigned loads = 0, behind = 0;
	bool stored = false;

	if (holds_loads(c, l))
		return 0;
	for (uint32_t s = l->head; s <= l->tail; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		struct slice from;

		stored = stored || is_global(i, SASS_STORE);
		if (!is_global(i, SASS_LOAD))
			continue;
		if (loads++ == ACCESSES_MOST || i->flags & SASS_READ_ONLY)
			return 0;
		slice_of(&from, t, s);
		if (!from.known || from.loads || !from.changes ||
		    from.parameters == 0 ||
		    (loads == 1 && is_stored(c, t, l, &from)))
			return 0;
		behind += stored;
		stored = false;
	}
	/* The first is behind the last turn's store. */
	return loads >= UNROLL && behind + 1 >= loads ? loads : 0;
}

/* Counting loops or, with ${searches}, searches. */
static void
find_loops(const struct rule_view *x, const struct slices *t, bool searches,
    struct loops *all, struct mark *m)
{
	const struct code *c = x->kernel->code;

	all->total = inst_total(c, SOURCE_INST);
	for (size_t n = 0; n < c->sass.loops; n++) {
		struct loop k = { .at = &c->sass.loop[n] };

		if (k.at->tail - k.at->head >= (searches ? SEARCH_BODY :
		    BODY_MOST) ||
		    !(inst_executed(c, k.at->tail) > 0) || !is_innermost(c, n))
			continue;
		look(c, t, &k);
		if (searches ? !k.searches || k.turns < SEARCH_TURNS :
		    !k.counts || k.turns < rule_value(x, "min_turns") ||
		    k.overhead < rule_value(x, "min_overhead") * k.inst)
			continue;
		all->inst += k.inst;
		all->overhead += k.overhead;
		all->turns += k.turns * k.inst;
		all->loads = all->loads || k.loads;
		all->found++;
		for (uint32_t s = k.at->head; s <= k.at->tail; s++) {
			size_t i = inst_of_sass(c, s);

			if (i != SIZE_MAX)
				m[i].weight = inst_executed(c, s);
		}
	}
}

/* Searches that the compiler unrolled whole, outside of the loops marked already. */
static void
find_ladders(const struct rule_view *x, const struct slices *t, struct loops *all,
    struct mark *m)
{
	static const struct ladder_form form = { SEARCH_LOADS, SEARCH_TURNS };
	const struct code *c = x->kernel->code;
	struct ladder l = { .looked = 0 };

	all->total = inst_total(c, SOURCE_INST);
	for (uint32_t from = 0; ladder_next(&l, c, t, &form, from); from = l.tail + 1) {
		size_t first = inst_of_sass(c, l.head);
		double inst = 0;

		if (l.tested < SEARCH_TURNS || first == SIZE_MAX || m[first].weight > 0)
			continue;
		for (uint32_t s = l.head; s <= l.tail; s++) {
			size_t i = inst_of_sass(c, s);

			inst += inst_executed(c, s);
			if (i != SIZE_MAX)
				m[i].weight = inst_executed(c, s);
		}
		all->inst += inst;
		all->turns += l.tested * inst;
		all->found++;
	}
}

/* Would fewer instructions, or more of them at once, help? */
static bool
matters(const struct rule_view *x)
{
	const struct load *l = x->load;

	if (l->limit == RES_ISSUE || l->limit == RES_ALU ||
	    l->limit == RES_FMA || l->limit == RES_LSU)
		return true;
	return l->bound < 0.5;
}

static enum rule_state
report(struct rule_view *x, const struct loops *k, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.inst = 1 - fmin(0.8, k->overhead * (1 - 1.0 / UNROLL) / k->total);
	if (k->loads)
		fix.flight = 1 + (UNROLL - 1) * k->inst / k->total;
	rule_fix(d, &fix, k->loads ? 0.1 : 0.3, k->loads ? 0.25 : 0.8);
	d->f.confidence = k->loads ? CONF_LOW : CONF_MEDIUM;
	rule_evidence(x, d, "overhead_ratio", k->overhead / k->inst,
	    "counting, comparing and branching, of the loop's instructions",
	    .derived = "disassembly, warp instructions", .key = "min_overhead");
	rule_evidence(x, d, "loop_ratio", k->inst / k->total,
	    "the loop's part of all warp instructions",
	    .measured = source_metric_table[SOURCE_INST].name,
	    .key = "min_share");
	rule_evidence(x, d, "turns", k->turns / k->inst,
	    "iterations of the loop, mean",
	    .derived = source_metric_table[SOURCE_INST].name, .unit = "turn",
	    .key = "min_turns");
	d->f.summary = arena_format(x->arena, "%s short loop%s of "
	    "about %s iterations take%s %s of all instructions, "
	    "%s of them to count and branch",
	    k->found == 1 ? "a" : arena_format(x->arena, "%u", k->found),
	    k->found == 1 ? "" : "s", say_plain(x->arena, k->turns / k->inst),
	    k->found == 1 ? "s" : "", say_percent(x->arena,
	    k->inst / k->total), say_percent(x->arena, k->overhead / k->inst));
	d->f.advice = arena_format(x->arena, "write #pragma unroll before the loop "
	    "(with a factor where the trip count is not constant), make "
	    "the bound a constant or a template parameter, or take several "
	    "elements per iteration%s", k->loads ? "; loads of several then go "
	    "out together" : "");
	d->f.gain_note = arena_format(x->arena, "a fourth of the counting%s",
	    k->loads ? ", and more loads in flight" : "");
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

/* Do warps wait for loads, while memory could bring more? */
static bool
awaits_loads(const struct rule_view *x)
{
	const struct load *l = x->load;

	return l->memory_stall >= 0.5 && (l->bound < 0.5 ||
	    (l->limit <= RES_L2 && l->busy < SEARCH_BUSY));
}

/* A finding of loops that could have ${loads} in flight for one. */
static struct draft *
found_batch(struct rule_view *x, const struct loops *k, double loads,
    const char *title)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	d->f.title = title;
	fix.flight = 1 + (loads - 1) * k->inst / k->total;
	/* All of the waiting is shared by a batch, but not every one is full. */
	rule_fix_near(d, &fix, 0.25, 0.75);
	d->f.confidence = CONF_LOW;
	rule_evidence(x, d, "loop_ratio", k->inst / k->total,
	    "the loop's part of all warp instructions",
	    .measured = source_metric_table[SOURCE_INST].name,
	    .key = "min_share");
	return d;
}

static enum rule_state
report_search(struct rule_view *x, const struct loops *k, const struct mark *m)
{
	struct draft *d = found_batch(x, k, BATCH,
	    "a search that loads one element at a time");

	rule_evidence(x, d, "turns", k->turns / k->inst,
	    "elements that a thread tests, mean",
	    .derived = source_metric_table[SOURCE_INST].name, .unit = "turn");
	rule_evidence(x, d, "stall_ratio", x->load->memory_stall,
	    "of the warps' time: waiting for memory", .derived = "counters");
	d->f.summary = arena_format(x->arena, "a loop over about %s elements "
	    "tests each one that it loads before it loads the next",
	    say_plain(x->arena, k->turns / k->inst));
	d->f.advice = "load a batch of elements (4 to 8) into registers first, "
	    "unrolled and within the bound, and test them in order: their loads "
	    "go out together, which the compiler may not do by itself behind "
	    "a test that ends the loop";
	d->f.bad_code = "while (k < N && left > 0)\n"
	    "    left -= a[k++];        // the next load waits for this one";
	d->f.good_code = "for (int k = 0; k < N && left > 0; k += 8) {  // 8 divides N\n"
	    "    float next[8];\n"
	    "    for (int u = 0; u < 8; u++)    // unrolled: eight loads at once\n"
	    "        next[u] = a[k + u];\n"
	    "    for (int u = 0; u < 8; u++)\n"
	    "        if (left > 0)\n"
	    "            left -= next[u];\n"
	    "}";
	d->f.gain_note = "eight loads in flight for one, up to what DRAM "
	    "delivers; half a batch is loaded in vain behind the hit";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

/* The loops whose loads wait behind stores; k->turns: loads that could go together. */
static void
find_behind(const struct rule_view *x, const struct slices *t, struct loops *all,
    struct mark *m)
{
	const struct code *c = x->kernel->code;

	all->total = inst_total(c, SOURCE_INST);
	for (size_t n = 0; n < c->sass.loops; n++) {
		const struct sass_loop *l = &c->sass.loop[n];
		double inst = 0;
		unsigned loads;

		if (!(inst_executed(c, l->tail) > 0) || !is_innermost(c, n) ||
		    is_library(&c->sass, l) ||
		    (loads = behind_stores(c, t, l)) == 0)
			continue;
		for (uint32_t s = l->head; s <= l->tail; s++) {
			size_t i = inst_of_sass(c, s);

			inst += inst_executed(c, s);
			if (i != SIZE_MAX &&
			    is_global(&c->sass.instruction[s], SASS_LOAD))
				m[i].weight = inst_executed(c, s);
		}
		all->inst += inst;
		all->turns += loads * inst;
		all->found++;
	}
}

static enum rule_state
report_behind(struct rule_view *x, const struct loops *k, const struct mark *m)
{
	struct draft *d = found_batch(x, k, fmin(BATCH, k->turns / k->inst),
	    "a loop's loads wait for its stores");

	rule_evidence(x, d, "loads", k->turns / k->inst,
	    "loads in an iteration, each behind a store",
	    .derived = "disassembly", .unit = "load");
	rule_evidence(x, d, "stall_ratio", x->load->memory_stall,
	    "of the warps' time: waiting for memory", .derived = "counters");
	d->f.summary = arena_format(x->arena, "an unrolled loop makes %s loads and "
	    "as many stores in turn: the compiler may not move a load across a "
	    "store that might change what it reads, so that one is in flight "
	    "at a time", say_plain(x->arena, k->turns / k->inst));
	d->f.advice = "load a batch of elements (4 to 8) into registers first, "
	    "unrolled, then compute and store them; or declare what is only "
	    "read as const T *__restrict__ and what is written as T "
	    "*__restrict__, so that the compiler may do so";
	d->f.gain_note = "as many loads in flight as a batch has, up to what "
	    "DRAM delivers";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rule_loop_not_unrolled(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	enum rule_state state = RULE_CLEAN;
	struct loops k = { 0 };
	struct slices *t;
	struct mark *m;

	if (isnan(inst_total(c, SOURCE_INST)))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	if (!matters(x) && !awaits_loads(x))
		return RULE_CLEAN;
	m = marks_new(x);
	t = slices_new(&c->sass);
	if (m != NULL && t != NULL && matters(x))
		find_loops(x, t, false, &k, m);
	if (k.found > 0 && k.inst >= rule_value(x, "min_share") * k.total) {
		state = report(x, &k, m);
	} else if (m != NULL && t != NULL && awaits_loads(x)) {
		memset(m, 0, (c->instructions + 1) * sizeof(*m));
		k = (struct loops){ 0 };
		find_loops(x, t, true, &k, m);
		find_ladders(x, t, &k, m);
		if (k.found > 0 &&
		    k.inst >= rule_value(x, "min_share") * k.total)
			state = report_search(x, &k, m);
	}
	if (m != NULL && t != NULL && state == RULE_CLEAN && awaits_loads(x)) {
		memset(m, 0, (c->instructions + 1) * sizeof(*m));
		k = (struct loops){ 0 };
		find_behind(x, t, &k, m);
		if (k.found > 0 &&
		    k.inst >= rule_value(x, "min_share") * k.total)
			state = report_behind(x, &k, m);
	}
	slices_free(t);
	free(m);
	return state;
}
