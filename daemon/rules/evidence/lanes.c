#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/elected.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lanes.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"
#include "source/slice.h"

#define SLICES_MAX 1024		/* loads whose addresses are examined */

/* Lanes can only diverge if the code has a point where they reconverge. */
static bool
never_parts(const struct code *c)
{
	if (c == NULL || !c->disassembled)
		return false;
	for (size_t i = 0; i < c->sass.instructions; i++) {
		const struct sass_instruction *s = &c->sass.instruction[i];

		if (s->flags & SASS_CALL || opcode_is(s, "BSSY") ||
		    opcode_is(s, "SSY") || opcode_is(s, "BRX"))
			return false;
	}
	return c->sass.instructions > 0;
}

/* Does a load of a loop begin at a position that was loaded, and go on by a whole warp's
 * elements from turn to turn? */
bool
lanes_walk_rows(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct slices *t = c != NULL && c->disassembled ?
	    slices_new(&c->sass) : NULL;
	bool found = false;
	int slices = 0;

	for (uint32_t s = 0; t != NULL && s < c->sass.instructions &&
	    slices < SLICES_MAX; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		struct slice from;

		if (found || i->space != SPACE_GLOBAL || i->bytes == 0 ||
		    !(i->flags & SASS_LOAD) || sass_loop_of(&c->sass, s) == NULL)
			continue;
		slices++;
		slice_of(&from, t, s);
		found = from.known && from.loads &&
		    from.step == (int64_t)WARP * i->bytes * from.pieces;
	}
	slices_free(t);
	return found;
}

/* The instructions between ${from} and ${to}, as often as loops repeat them: eight times
 * for each loop around, of which so many iterations are usual. */
static double
repeated(const struct sass *s, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++) {
		const struct sass_loop *l = sass_loop_of(s, i);

		sum += l != NULL ? pow(8, l->depth + 1) : 1;
	}
	return sum;
}

/* Is register ${reg}, which ${at} reads, computed from what was loaded, for all of the
 * warp from the same place? */
static bool
is_warps(const struct slices *t, const struct affine *address, uint32_t at, int reg)
{
	struct slice from;

	slice_of_register(&from, t, at, reg);
	if (!from.known || !from.loads || from.loaded == 0 ||
	    from.loaded > SLICE_LOADS)
		return false;
	for (int i = 0; i < from.loaded; i++)
		if (!affine_is_one(&address[from.load[i]]))
			return false;
	return true;
}

/* Where a lane goes on that takes the forward branch or exit ${at}; SASS_NONE if it is
 * none, or all lanes do. */
static uint32_t
skips_to(const struct sass *s, uint32_t at)
{
	const struct sass_instruction *i = &s->instruction[at];

	if (!(i->flags & SASS_CONDITIONAL) || i->flags & SASS_BACKWARD)
		return SASS_NONE;
	if (i->flags & SASS_EXIT)
		return (uint32_t)s->instructions;
	return i->flags & SASS_BRANCH && i->target != SASS_NONE ?
	    sass_at(s, i->target) : SASS_NONE;
}

/* Do forward branches leave out lanes by such a register, and with it most of the code? */
static bool
skip_most(const struct sass *s, const struct slices *t, struct electing *e,
    const struct affine *address, bool row)
{
	uint32_t n = (uint32_t)s->instructions;
	double all = repeated(s, 0, n);
	size_t steps = 0;
	int slices = 0;

	for (uint32_t b = 0; b < n && steps < SASS_STEPS_MOST &&
	    slices < SLICES_MAX; b++) {
		uint32_t by, to = skips_to(s, b);
		int bound = to != SASS_NONE ?
		    elected_bound(e, b, row, &by) : REGISTER_NONE;

		if (bound == REGISTER_NONE)
			continue;
		steps += to - b;
		if (repeated(s, b + 1, to) < all / 2)
			continue;
		slices++;
		if (is_warps(t, address, by, bound))
			return true;
	}
	return false;
}

bool
lanes_end_rows(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct slices *t = c != NULL && c->disassembled ?
	    slices_new(&c->sass) : NULL;
	struct electing *e = t != NULL ? elected_new(&c->sass, t) : NULL;
	struct affine *address = e != NULL ?
	    affine_addresses(c, &x->kernel->shape) : NULL;
	bool found = address != NULL && skip_most(&c->sass, t, e, address,
	    x->kernel->shape.block_x == WARP);

	free(address);
	elected_free(e);
	slices_free(t);
	return found;
}

struct lanes
lanes_of(const struct rule_view *x)
{
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double uniform = rule_metric(x, METRIC_BRANCH_UNIFORM);
	double divergent = rule_metric(x, METRIC_BRANCH_DIVERGENT);
	const struct code *c = x->kernel->code;
	uint32_t threads = rule_threads(x->kernel);
	struct lanes l = { NAN, NAN, NAN, 32 };

	if (inst > 0) {
		l.active = rule_metric(x, METRIC_THREAD_INST) / inst;
		l.on = rule_metric(x, METRIC_THREAD_INST_PRED_ON) / inst;
	}
	if (isfinite(divergent))
		l.divergent = divergent == 0 ? 0 :
		    divergent / (divergent + (uniform > 0 ? uniform : 0));
	/* Counts by instruction tell the same. */
	if (c != NULL && c->counted) {
		inst = inst_total(c, SOURCE_INST);
		uniform = inst_total(c, SOURCE_BRANCH_UNIFORM);
		divergent = inst_total(c, SOURCE_BRANCH_DIVERGENT);
		if (isnan(l.active) && inst > 0)
			l.active = inst_total(c, SOURCE_THREADS) / inst;
		if (isnan(l.on) && inst > 0)
			l.on = inst_total(c, SOURCE_THREADS_ON) / inst;
		if (isnan(l.divergent) && isfinite(divergent))
			l.divergent = divergent == 0 ? 0 : divergent /
			    (divergent + (uniform > 0 ? uniform : 0));
	}
	if (isnan(l.divergent) && never_parts(c))
		l.divergent = 0;
	if (threads > 0)
		l.block = (double)threads / ((threads + 31) / 32);
	return l;
}

struct draft *
lanes_draft(struct rule_view *x, const struct lanes *l, double lanes)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.inst = fmin(fmax(lanes, 1) / 32, 1);
	/* No rewrite fills every lane. */
	rule_fix_near(d, &fix, 0.5, 0.95);
	rule_evidence(x, d, "lanes_per_inst", l->active,
	    "active lanes per instruction, of 32",
	    .derived = metric_table[METRIC_THREAD_INST].name,
	    .unit = "lane/inst", .key = "max_lanes");
	if (isfinite(l->on))
		rule_evidence(x, d, "lanes_on_per_inst", l->on,
		    "lanes with a true predicate, of 32",
		    .derived = metric_table[METRIC_THREAD_INST_PRED_ON].name,
		    .unit = "lane/inst");
	if (isfinite(l->divergent))
		rule_evidence(x, d, "divergent_ratio", l->divergent,
		    "divergent share of branch targets",
		    .derived = metric_table[METRIC_BRANCH_DIVERGENT].name);
	d->f.gain_note = "the same work in full warps: fewer instructions";
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "WarpStateStats --section SourceCounters --import-source yes");
	return d;
}

void
lanes_branches(const struct rule_view *x, struct draft *d)
{
	const struct code *c = x->kernel->code;
	struct mark *m = marks_new(x);

	for (size_t i = 0; m != NULL && i < c->instructions; i++) {
		double divergent = inst_value(c, i, SOURCE_BRANCH_DIVERGENT);

		if (!(divergent > 0))
			continue;
		m[i].weight = divergent;
		m[i].over = 100 * divergent;
		m[i].under = divergent + fmax(0,
		    inst_value(c, i, SOURCE_BRANCH_UNIFORM));
	}
	lines_fill(x, d, m, "%s % of its branches diverge");
	free(m);
}

void
lanes_idle(const struct rule_view *x, struct draft *d)
{
	const struct code *c = x->kernel->code;
	struct mark *m = marks_new(x);

	for (size_t i = 0; m != NULL && i < c->instructions; i++) {
		double inst = inst_value(c, i, SOURCE_INST);
		double lanes = inst_lanes(c, i);

		if (!(inst > 0) || !isfinite(lanes))
			continue;
		m[i].weight = inst * fmax(0, 32 - lanes);
		m[i].over = inst * lanes;
		m[i].under = inst;
	}
	lines_fill(x, d, m, "%s of 32 lanes active");
	free(m);
}
