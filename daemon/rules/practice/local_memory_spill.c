/*
 * local-memory-spill: spilled registers, or arrays indexed at run time, are in local
 * memory, which is global memory behind L1. The code tells the two apart: a spilled
 * register is at a constant offset of the stack, an array element at a computed one.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "source/callee.h"
#include "source/operand.h"
#include "source/rare.h"
#include "source/slice.h"

/* An array that is indexed at run time costs more than its accesses: the address
 * (two to three instructions) and, in the loop that is not unrolled because of
 * it, the counter, the comparison and the branch. */
#define INDEX_INST 5

#define INDICES_MAX 64		/* accesses whose address is examined */

#define STACK 1			/* the register that holds the stack pointer */

static double
zero(double v)
{

	return isfinite(v) ? v : 0;
}

/* Is the address computed, rather than a constant offset of the stack? */
static bool
is_indexed(const struct sass_instruction *s)
{
	struct operands o;

	operands_of(&o, s);
	return !o.has_address || (o.base != STACK &&
	    o.base != REGISTER_NONE) || o.uses > 2;
}

/* The share of local accesses at computed addresses; NaN where the code is not
 * known. Sets the weights of ${m}. */
static double
indexed_share(const struct code *c, struct mark *m)
{
	double indexed = 0, all = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		const struct sass_instruction *s = inst_sass(c, i);
		double inst = inst_value(c, i, SOURCE_INST);
		double sectors = inst_value(c, i, SOURCE_LOCAL_SECTORS);

		if (!(inst > 0) || (s != NULL && s->space != SPACE_LOCAL &&
		    !(sectors > 0)) || (s == NULL && !(sectors > 0)))
			continue;
		m[i].weight = sectors > 0 ? sectors : inst;
		m[i].over = isfinite(sectors) ? sectors : 0;
		m[i].under = isfinite(sectors) ? inst : 0;
		if (s == NULL)
			continue;
		all += inst;
		if (is_indexed(s))
			indexed += inst;
	}
	return all > 0 ? indexed / all : NAN;
}

/* Stores to the stack that are never loaded again pass arguments to a function
 * (printf): no register was spilled. Without a call of a function that takes any there
 * they are values that nobody reads: of an array that is reached through a pointer the
 * compiler can keep the elements in registers, too, but not leave out its stores. */
static bool
is_handed_over(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	bool calls = false;
	struct internals own;

	if (rule_metric(x, METRIC_LOCAL_LD_INST) > 0 || c == NULL ||
	    !c->disassembled)
		return false;
	internals_find(&own, &c->sass);
	for (uint32_t i = 0; i < c->sass.instructions; i++) {
		const struct sass_instruction *s = &c->sass.instruction[i];

		if (s->space == SPACE_LOCAL && s->flags & SASS_LOAD)
			return false;
		calls = calls || (s->flags & SASS_CALL &&
		    callee_at(&own, s) == SASS_NONE);
	}
	return calls;
}

/* Is most of it in the compiler's exact sine and cosine of large arguments?
 * Another rule reports those. */
static bool
is_rare(const struct code *c)
{
	double rare = 0, all = 0;

	for (uint32_t s = 0; c != NULL && s < c->sass.instructions; s++) {
		double inst = inst_executed(c, s);

		if (c->sass.instruction[s].space != SPACE_LOCAL || !(inst > 0))
			continue;
		all += inst;
		if (rare_share(&c->sass, s) > 0)
			rare += inst;
	}
	return rare > all / 2;
}

/* Is the instruction part of the loop's work? In loops over floats, integer
 * instructions and moves serve the loop, unless floats are made from integers
 * (random numbers). */
static bool
is_work(const struct sass_instruction *s, bool floats)
{
	if (s->flags & (SASS_BRANCH | SASS_PREDICATE) ||
	    s->space == SPACE_LOCAL)
		return false;
	if (s->space == SPACE_GLOBAL || s->space == SPACE_SHARED ||
	    s->flags & SASS_BARRIER)
		return true;
	return !floats || s->flags & (SASS_FP32 | SASS_FP64 | SASS_FP16);
}

/* Warp instructions of a loop, without those of loops inside it. */
struct turn {
	double indexed, work, work_of_floats, all, floats, made;
};

static void
add_to(struct turn *t, const struct sass_instruction *i, double inst)
{
	t->all += inst;
	if (i->space == SPACE_LOCAL && is_indexed(i))
		t->indexed += inst;
	if (i->flags & (SASS_FP32 | SASS_FP64 | SASS_FP16))
		t->floats += inst;
	if (opcode_is(i, "I2F") || opcode_is(i, "I2FP"))
		t->made += inst;
	t->work += is_work(i, false) ? inst : 0;
	t->work_of_floats += is_work(i, true) ? inst : 0;
}

/* The share of warp instructions that go when the loops that index local arrays
 * are unrolled; NaN where the code is not known. */
static double
unrolled_share(const struct code *c)
{
	double gone = 0, all;
	struct turn *t;

	if (c == NULL || !c->counted || !c->disassembled)
		return NAN;
	all = inst_total(c, SOURCE_INST);
	t = calloc(c->sass.loops + 1, sizeof(*t));
	if (t == NULL)
		return NAN;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_loop *l = sass_loop_of(&c->sass, s);

		if (l != NULL)
			add_to(&t[l - c->sass.loop],
			    &c->sass.instruction[s], inst_executed(c, s));
	}
	for (size_t n = 0; n < c->sass.loops; n++)
		if (t[n].indexed > 0)
			gone += t[n].all - (t[n].floats > 0 && !(t[n].made > 0) ?
			    t[n].work_of_floats : t[n].work);
	free(t);
	return all > 0 ? fmin(0.95, gone / all) : NAN;
}

/* If lanes access different elements, unrolling does not make the index a constant.
 * If all access the same one, a word of each lane is four sectors: as many as it has
 * bytes. */
#define DIFFER_LEAST 2		/* times as many: between one and a sector each */

/* Bytes of a lane in a mean local access. */
static double
local_bytes(const struct code *c)
{
	double bytes = 0, all = 0;

	for (uint32_t s = 0; c != NULL && c->disassembled &&
	    s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double inst = c->counted ? inst_executed(c, s) : 1;

		if (i->space != SPACE_LOCAL || i->bytes == 0)
			continue;
		all += inst;
		bytes += inst * i->bytes;
	}
	return all > 0 ? bytes / all : BANK;
}

static bool
lanes_differ(const struct rule_view *x)
{
	double inst = zero(rule_metric(x, METRIC_LOCAL_LD_INST)) +
	    zero(rule_metric(x, METRIC_LOCAL_ST_INST));

	return zero(rule_metric(x, METRIC_LOCAL_LD_SECTORS)) +
	    zero(rule_metric(x, METRIC_LOCAL_ST_SECTORS)) >
	    DIFFER_LEAST * local_bytes(x->kernel->code) * inst && inst > 0;
}

/* Does the address at instruction ${s} come from a value in memory? */
static bool
is_from_data(const struct slices *t, const struct code *c, uint32_t s)
{
	struct slice a;

	slice_of(&a, t, s);
	for (int i = 0; a.known && i < a.loaded && i < SLICE_LOADS; i++)
		if (c->sass.instruction[a.load[i]].space == SPACE_GLOBAL ||
		    c->sass.instruction[a.load[i]].space == SPACE_SHARED)
			return true;
	return false;
}

/* Do data say which element is accessed, as for a histogram? */
static bool
data_index(const struct code *c)
{
	struct slices *t = c != NULL && c->counted && c->disassembled ?
	    slices_new(&c->sass) : NULL;
	double data = 0, all = 0;

	for (uint32_t s = 0, looked = 0; t != NULL && s < c->sass.instructions &&
	    looked < INDICES_MAX; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double inst = inst_executed(c, s);

		if (i->space != SPACE_LOCAL || !(inst > 0) || !is_indexed(i))
			continue;
		looked++;
		all += inst;
		if (is_from_data(t, c, s))
			data += inst;
	}
	slices_free(t);
	return data > 0.5 * all;
}

/* Is unrolling no remedy for an array that is indexed at run time? */
static bool
stays_indexed(const struct rule_view *x)
{
	return lanes_differ(x) || data_index(x->kernel->code);
}

static const char *
advise(const struct rule_view *x, bool full, double indexed)
{
	if (indexed >= 0.5 && stays_indexed(x))
		return "move the array to shared memory, its elements interleaved "
		    "by thread (element i of thread t at i × blockDim.x + t): "
		    "the lanes take different elements, which in local memory "
		    "are a sector each";
	if (indexed >= 0.5)
		return "unroll the loops over the indexed local arrays, so "
		    "that every index is a constant: arrays that are indexed "
		    "at run time live in local memory; where two arrays take "
		    "turns by their pointers, write two turns out, each with "
		    "the arrays' own names; or move them to shared "
		    "memory (one column a thread)";
	if (full)
		return "split the kernel, or shorten what is live at once: "
		    "all 255 registers are in use";
	if (indexed < 0.5)
		return arena_format(x->arena, "relax __launch_bounds__ or "
		    "-maxrregcount, which hold registers down: they are "
		    "spilled though only %u of 255 are in use",
		    x->kernel->shape.regs);
	return arena_format(x->arena, "relax __launch_bounds__ or "
	    "-maxrregcount, or unroll the loop over an indexed local array: "
	    "only %u of 255 registers are in use; either a bound holds them "
	    "down, or it is an array indexed at run time, whose every index has "
	    "to be a constant, or which belongs into shared memory",
	    x->kernel->shape.regs);
}

static void
give_lines(const struct rule_view *x, struct draft *d, bool full, double indexed,
    const struct mark *m)
{
	d->f.advice = advise(x, full, indexed);
	if (indexed >= 0.5)
		d->f.title = "local array indexed at run time";
	else if (!isfinite(indexed) && !full)
		d->f.title = "local memory: spills, or an indexed array";
	if (isfinite(indexed))
		rule_evidence(x, d, "indexed_ratio", indexed, "local accesses "
		    "at computed addresses (arrays), the others are spilled "
		    "registers", .derived = "disassembly, warp instructions");
	lines_fill(x, d, m, "%s sectors an access");
}

static void
fill(struct rule_view *x, struct draft *d, double share, double local)
{
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double spills = zero(rule_metric(x, METRIC_LOCAL_LD_INST)) +
	    zero(rule_metric(x, METRIC_LOCAL_ST_INST));
	uint32_t bytes = x->kernel->shape.local_per_thread;
	bool full = x->kernel->shape.regs >= 255;
	const struct code *c = x->kernel->code;
	struct mark *m = c != NULL && c->counted ? marks_new(x) : NULL;
	double indexed = m != NULL ? indexed_share(c, m) : NAN, inst_each;
	double with = 1 + (INDEX_INST - 1) *
	    (isfinite(indexed) ? indexed : full ? 0 : 1);
	double unrolled = unrolled_share(x->kernel->code);
	struct fix fix = FIX_NONE;

	fix.local = 0;
	if (inst > 0)
		fix.inst = 1 - fmin(spills / inst, 0.9);
	rule_fix_near(d, &fix, 0.5, 0.9);
	/* The number of instructions per array access is not counted:
	 * INDEX_INST is an estimate. */
	inst_each = inst > 0 ? spills / inst : 0;
	d->fix[VIEW_MID].inst = 1 - fmin(with * inst_each, 0.9);
	d->fix[VIEW_HIGH].inst = 1 - fmin(2 * with * inst_each, 0.9);
	if (unrolled > 0) {	/* the instructions of its loops were counted */
		d->fix[VIEW_MID].inst = 1 - fmax(unrolled,
		    fmin(inst_each, 0.9));
		d->fix[VIEW_HIGH].inst = d->fix[VIEW_MID].inst;
	}
	if (indexed >= 0.5 && stays_indexed(x))	/* in shared memory as many */
		d->fix[VIEW_MID].inst = d->fix[VIEW_LOW].inst = 1;
	rule_evidence(x, d, "local_ratio", share,
	    "local part of the L1 sectors",
	    .derived = metric_table[METRIC_LOCAL_LD_SECTORS].name,
	    .key = "min_share");
	rule_evidence(x, d, "local_sectors", local, "local sectors a launch",
	    .measured = metric_table[METRIC_LOCAL_ST_SECTORS].name,
	    .unit = "sector");
	rule_evidence(x, d, "local_bytes", bytes, "local memory per thread",
	    .attribute = "kernel activity record");
	rule_evidence(x, d, "registers", x->kernel->shape.regs,
	    "registers per thread", .attribute = "kernel activity record",
	    .unit = "register");
	d->f.summary = arena_format(x->arena, "%s of the L1 traffic is local "
	    "loads and stores (%u registers%s)", say_percent(x->arena, share),
	    x->kernel->shape.regs, bytes == 0 ? "" : arena_format(x->arena,
	    ", %s of local memory a thread", say_bytes(x->arena, bytes)));
	give_lines(x, d, full, indexed, m);
	free(m);
	d->f.gain_note = unrolled > 0 ? "the kernel without its local loads and "
	    "stores and without what counts and indexes in their loops, as "
	    "counted there" : with < 2 ? "the kernel without its local loads and stores" :
	    "the kernel without its local loads and stores and without the "
	    "address and loop instructions around them, about 5 each";
}

enum rule_state
rule_local_memory_spill(struct rule_view *x)
{
	double ld = rule_metric(x, METRIC_LOCAL_LD_SECTORS);
	double st = rule_metric(x, METRIC_LOCAL_ST_SECTORS);
	double global = rule_metric(x, METRIC_GLOBAL_LD_SECTORS) +
	    rule_metric(x, METRIC_GLOBAL_ST_SECTORS);
	double local = zero(ld) + zero(st), share;
	struct draft *d;

	if (rule_is_debug(x))
		return rule_unmeasured(x, REASON_DEBUG_BUILD);
	/* The attribute alone does not prove that there is no local memory:
	 * CUPTI may not know it. */
	if ((isnan(ld) && isnan(st)) || isnan(global))
		return x->kernel->shape.local_per_thread == 0 &&
		    x->kernel->shape.local_total == 0 ? RULE_CLEAN :
		    rule_lacks(x);
	if (!(local > 0))
		return RULE_CLEAN;
	share = local / (local + global);
	if (share < rule_value(x, "min_share") || is_handed_over(x) ||
	    is_rare(x->kernel->code))
		return RULE_CLEAN;
	if (rule_metric(x, METRIC_LOCAL_LD_INST) == 0 &&
	    inst_lacks(x, NEED_CODE) != NULL)
		return rule_unmeasured_for(x, inst_lacks(x, NEED_CODE));
	d = rule_found(x, NULL);
	fill(x, d, share, local);
	return RULE_FOUND;
}
