/*
 * tensor-operands-reloaded: the tensor cores' operands come straight from
 * global memory, and each is used in so few products that loading takes longer
 * than multiplying. A tile in shared memory, or several tiles of the result per
 * warp, use an operand more often.
 *
 * Products and loads are compared within one loop, whose every iteration
 * executes them all, so that their number can be read from the code.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "source/flops.h"

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"

#define L1_BYTES 128		/* that an SM's L1 delivers per cycle:
				 * programming guide */
#define BUDGET (1u << 20)	/* instructions of loops examined, in all */

/* The share of the loads that stays, at least as much as makes them as fast as
 * the products: 2 × 2, 4 × 4 or 8 × 8 tiles of the result per warp (or the same
 * in shared memory) instead of one. */
static const double keep[VIEWS] = { 0.5, 0.25, 0.125 };

struct feed {
	double products;	/* SM cycles of the tensor cores, at their peak */
	double loads;		/* cycles of L1 for the loads of these loops */
	double count, fed;	/* matrix instructions; of them, with an operand
				 * from global memory */
};

/* How often the instruction is executed; without counts, 1: once per iteration. */
static double
weight_of(const struct code *c, uint32_t s)
{
	return c->counted ? inst_executed(c, s) : 1;
}

/* Does ${i} pass its operand's value on: a move, a conversion, packing? */
static bool
hands_on(const struct sass_instruction *i)
{
	return i->space == SPACE_NONE &&
	    !(i->flags & (SASS_TENSOR | SASS_PREDICATE | SASS_BRANCH));
}

static void
count_one(struct feed *f, const struct rule_view *x, uint32_t s,
    const struct operands *o, const bool *global, struct mark *m)
{
	const struct code *c = x->kernel->code;
	const struct sass_instruction *i = &c->sass.instruction[s];
	double n = weight_of(c, s), peak = x->device->sm->tensor;
	size_t at = inst_of_sass(c, s);
	struct flops flops;

	if (i->space == SPACE_GLOBAL && i->flags & SASS_LOAD &&
	    !(i->flags & (SASS_ATOMIC | SASS_ASYNC))) {
		f->loads += n * i->bytes * WARP / L1_BYTES;
		if (at != SIZE_MAX)
			m[at].weight += n * i->bytes;
	}
	if (!(i->flags & SASS_TENSOR) || flops_of(i, &flops) <= 0)
		return;
	f->count += n;
	f->products += n * flops.lane * WARP / (peak * flops.rate);
	for (int u = 0; u < o->uses && u < 2; u++)	/* not the accumulators */
		if (o->use[u] >= 0 && global[o->use[u]]) {
			f->fed += n;
			break;
		}
}

/* Walks the loop twice, so that values loaded at the end of an iteration for
 * the next are known; counts instructions that are in no inner loop. */
static void
count_loop(struct feed *f, const struct rule_view *x,
    const struct sass_loop *loop, struct mark *m)
{
	const struct code *c = x->kernel->code;
	bool global[REGISTERS] = { false };

	for (int turn = 0; turn < 2; turn++)
		for (uint32_t s = loop->head; s <= loop->tail; s++) {
			const struct sass_instruction *i =
			    &c->sass.instruction[s];
			bool from = false;
			struct operands o;

			operands_of(&o, i);
			if (turn == 1 && sass_loop_of(&c->sass, s) == loop)
				count_one(f, x, s, &o, global, m);
			if (i->space == SPACE_GLOBAL)
				from = (i->flags & SASS_LOAD) != 0;
			for (int u = 0; hands_on(i) && u < o.uses; u++)
				from = from || (o.use[u] >= 0 &&
				    global[o.use[u]]);
			for (int d = 0; d < o.defs && o.def >= 0 &&
			    o.def + d < REGISTERS; d++)
				global[o.def + d] = from;
		}
}

/* Sums over the loops whose products are fed by global loads. */
static void
count(struct feed *f, const struct rule_view *x, struct mark *m)
{
	const struct code *c = x->kernel->code;
	uint32_t looked = 0;

	for (size_t k = 0; k < c->sass.loops && looked < BUDGET; k++) {
		const struct sass_loop *loop = &c->sass.loop[k];
		struct feed one = { 0 };

		if (loop->tail >= c->sass.instructions)
			continue;
		looked += loop->tail - loop->head + 1;
		count_loop(&one, x, loop, m);
		f->count += one.count;
		if (one.fed < 0.5 * one.count || !(one.count > 0))
			continue;
		f->fed += one.fed;
		f->loads += one.loads;
		f->products += one.products;
	}
}

/* With ${t} × ${t} tiles per warp there are as many times fewer warps: at most
 * so many tiles that each SM keeps a block. */
static double
keep_of(const struct rule_view *x, double ratio, enum gain_view v)
{
	double least = fmax(1 / ratio, 1 / sqrt(fmax(1, x->load->blocks)));

	return fmin(1, fmax(keep[v], least));
}

static void
set_fix(const struct rule_view *x, struct draft *d, double ratio)
{
	const struct load *l = x->load;
	double inst = rule_metric(x, METRIC_INST_EXECUTED), all = load_waves(l);
	double of_l2 = fmin(1, or_zero(l->l2_ld / l->l2_sectors)), of_l1;

	of_l1 = all > 0 ? l->wavefronts[USER_GLOBAL_LD] / all : 0;
	for (int v = VIEW_LOW; v < VIEWS; v++) {
		double gone = 1 - keep_of(x, ratio, (enum gain_view)v);
		struct fix *f = &d->fix[v];

		f->part[RES_L1] = 1 - of_l1 * gone;
		f->part[RES_L2] = 1 - of_l2 * gone;
		f->part[RES_LSU] = 1 - of_l1 * gone;
		/* One wait for a load serves several products. */
		f->stall = 1 - or_zero(l->memory_stall) * gone *
		    (v == VIEW_HIGH ? 1 : 0.5);
		if (inst > 0)
			f->inst = 1 - fmin(0.5, gone *
			    or_zero(l->requests_ld) / inst);
	}
}

static enum rule_state
report(struct rule_view *x, double ratio, const struct mark *m)
{
	double busy = rule_busy(x, RES_TENSOR);
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, ratio);
	rule_evidence(x, d, "feed_ratio", ratio, "what L1 takes to deliver "
	    "operands / what the tensor cores take to multiply them",
	    .derived = "disassembly", .key = "min_ratio");
	if (isfinite(busy))
		rule_evidence(x, d, "tensor_ratio", busy,
		    "the tensor pipe busy",
		    .derived = metric_table[METRIC_PIPE_TENSOR].name,
		    .key = "max_busy");
	d->f.summary = arena_format(x->arena, "the tensor cores' operands come "
	    "from global memory, %s the time that multiplying them takes: "
	    "each is used in few products", say_times(x->arena, ratio));
	d->f.advice = "let a warp make 2 × 2 or 4 × 4 tiles of the result from "
	    "operands that it holds in registers, and the block bring what its "
	    "warps share into shared memory once (cp.async, then ldmatrix or "
	    "wmma::load_matrix_sync from there); or call cuBLAS or CUTLASS, "
	    "which do both";
	d->f.gain_note = "4 × 4 tiles in the place of each, as far as the grid "
	    "has the blocks, until the products take as long as their loads; "
	    "2 × 2 in the low view";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rule_tensor_operands_reloaded(struct rule_view *x)
{
	enum rule_state state = RULE_CLEAN;
	struct feed f = { 0 };
	struct mark *m;
	double ratio;

	if (x->device->sm->tensor == 0)
		return rule_unmeasured(x, REASON_TENSOR_UNKNOWN);
	if (rule_is_debug(x))
		return rule_unmeasured(x, REASON_DEBUG_BUILD);
	if (x->load->limit < 0)
		return rule_lacks(x);
	if (rule_busy(x, RES_TENSOR) >= rule_value(x, "max_busy"))
		return RULE_CLEAN;
	m = marks_new(x);
	if (m == NULL) {
		x->arena->failed = true;
		return RULE_NOT_MEASURED;
	}
	count(&f, x, m);
	ratio = f.products > 0 ? f.loads / f.products : 0;
	if (f.fed > 0 && f.fed >= 0.5 * f.count &&
	    ratio >= rule_value(x, "min_ratio"))
		state = report(x, ratio, m);
	free(m);
	return state;
}
