/*
 * shuffle-reduction without counts: active lanes are not sampled, but the code
 * shows the steps of a tree. Under one predicate two words are loaded from
 * shared memory, their sum is stored to the address of one of them, and there is
 * no barrier in between. Such a step in a loop with a barrier, if its partner's
 * address moves, or several such steps with barriers between them, are a tree.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/rounds.h"
#include "source/operand.h"
#include "rules/engine/sampled.h"
#include "source/slice.h"

#define BACK_MOST 32		/* instructions from the store back to its loads */
#define LOOP_MOST 256		/* instructions of a loop */
#define ROW_LEAST 3		/* consecutive steps */

/* A step: its store, the first of its loads, and the partner's. */
struct step {
	uint32_t store, first, partner;
	int base;		/* address of the sum */
	int64_t offset, apart;	/* distance to the partner; 0: another base */
};

static bool
is_shared(const struct sass_instruction *i, uint32_t flag)
{
	return i->space == SPACE_SHARED && i->flags & flag &&
	    !(i->flags & SASS_ATOMIC);
}

/* The last instruction before ${s} that writes ${reg}, under the same predicate
 * and with no barrier in between; SASS_NONE. */
static uint32_t
writer_of(const struct code *c, uint32_t s, int reg, int guard)
{
	for (uint32_t n = 0; n < BACK_MOST && s-- > 0; n++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		struct operands o;

		if (i->flags & (SASS_BARRIER | SASS_BRANCH))
			return SASS_NONE;
		if (operands_of(&o, i) && o.def != REGISTER_NONE &&
		    reg >= o.def && reg < o.def + o.defs)
			return o.guard == guard ? s : SASS_NONE;
	}
	return SASS_NONE;
}

static bool
combines(const struct sass_instruction *i)
{
	return i->flags & (SASS_ADD | SASS_INT | SASS_FP32 | SASS_FP64) &&
	    !(i->flags & (SASS_LOAD | SASS_STORE | SASS_PREDICATE));
}

static bool
same_place(const struct operands *a, const struct operands *b)
{
	return a->base == b->base && a->uniform == b->uniform &&
	    a->offset == b->offset;
}

/* Is the store at ${s} the end of a step? Fills ${out}. */
static bool
is_step(const struct code *c, uint32_t s, struct step *out)
{
	uint32_t sum, from[2], loads = 0;
	struct operands st, o, ld;
	bool own = false, other = false;

	if (!is_shared(&c->sass.instruction[s], SASS_STORE) ||
	    !operands_of(&st, &c->sass.instruction[s]) || st.guard == 0 ||
	    !st.has_address || st.base == REGISTER_NONE || st.uses < 2)
		return false;
	sum = writer_of(c, s, st.use[st.uses - 1], st.guard);
	if (sum == SASS_NONE || !combines(&c->sass.instruction[sum]) ||
	    !operands_of(&o, &c->sass.instruction[sum]))
		return false;
	*out = (struct step){ .store = s, .base = st.base,
	    .offset = st.offset };
	for (int u = 0; u < o.uses && loads < 2; u++) {
		uint32_t at = writer_of(c, sum, o.use[u], st.guard);

		if (at == SASS_NONE || !is_shared(&c->sass.instruction[at],
		    SASS_LOAD) || !operands_of(&ld, &c->sass.instruction[at]))
			continue;
		from[loads++] = at;
		if (same_place(&ld, &st)) {
			own = true;
			continue;
		}
		other = true;
		out->partner = at;
		out->apart = ld.base == st.base ? ld.offset - st.offset : 0;
	}
	if (loads < 2 || !own || !other)
		return false;
	out->first = from[0] < from[1] ? from[0] : from[1];
	return true;
}

static bool
has_barrier(const struct code *c, uint32_t first, uint32_t last)
{
	for (uint32_t s = first; s <= last; s++)
		if (c->sass.instruction[s].flags & SASS_BARRIER)
			return true;
	return false;
}

static void
mark(const struct code *c, struct mark *m, uint32_t first, uint32_t last)
{
	for (uint32_t s = first; s <= last; s++) {
		size_t at = inst_of_sass(c, s);

		if (at != SIZE_MAX)
			m[at].weight = c->samples.all > 0 ?
			    inst_samples(c, at) : inst_executed(c, s);
	}
}

/* The loop of a step whose partner moves; NULL. */
static const struct sass_loop *
loop_of(const struct code *c, const struct slices *t, const struct step *p)
{
	const struct sass_loop *l = sass_loop_of(&c->sass, p->store);
	struct slice from;

	if (l == NULL || l->tail - l->head > LOOP_MOST ||
	    !has_barrier(c, l->head, l->tail))
		return NULL;
	slice_of(&from, t, p->partner);
	return from.known && from.carried ? l : NULL;
}

/* Marks the instructions of trees; returns the number of trees. */
static unsigned
find(const struct code *c, const struct slices *t, struct mark *m)
{
	struct step p, begin = { 0 }, last = { 0 };
	unsigned row = 0, trees = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_loop *l;

		if (!is_step(c, s, &p))
			continue;
		if ((l = loop_of(c, t, &p)) != NULL) {
			mark(c, m, l->head, l->tail);
			trees++;
			continue;
		}
		/* Half the distance, behind a barrier. */
		if (row > 0 && p.base == last.base &&
		    p.offset == last.offset && p.apart != 0 &&
		    p.apart * 2 == last.apart &&
		    has_barrier(c, last.store, p.first)) {
			row++;
		} else if (row == 0 || p.base == begin.base) {
			begin = p;
			row = 1;
		} else {
			continue;	/* a step of another, interleaved tree */
		}
		last = p;
		if (row < ROW_LEAST)
			continue;
		trees += row == ROW_LEAST;
		mark(c, m, begin.first, p.store);
	}
	return trees;
}

static enum rule_state
report(struct rule_view *x, double share, double inst, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	const struct code *c = x->kernel->code;
	struct fix fix = FIX_NONE;

	/* Five shuffles remain, and one round over the warps' sums. */
	fix.inst = 1 - fmin(0.9, inst);
	fix.stall = fmin(1, (1 - fmin(0.95, share)) / fix.inst);
	fix.shared_ld = fix.shared_st = 0.1;
	fix.part[RES_L1] = fix.inst;
	rule_fix(d, &fix, 0.4, 0.75);
	rule_evidence(x, d, "tree_ratio", share, c->samples.all > 0 ?
	    "samples in the tree" : "instructions of the tree, of all",
	    .measured = c->samples.all > 0 ? sampled_counted :
	    metric_table[METRIC_INST_EXECUTED].name, .key = "min_share");
	d->f.summary = arena_format(x->arena, "a tree of shared-memory sums and "
	    "barriers takes %s of the %s", say_percent(x->arena, share),
	    c->samples.all > 0 ? "time" : "instructions");
	d->f.advice = "reduce within each warp by __shfl_down_sync (or "
	    "__reduce_add_sync for integers), store one sum per warp, and let one "
	    "warp add those: one barrier instead of one a level";
	d->f.gain_note = "five shuffles and one barrier instead of the tree";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
sampled_tree(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	enum rule_state state = RULE_NOT_MEASURED;
	struct slices *t = slices_new(&c->sass);
	struct mark *m = marks_new(x);
	double share = 0, inst = 0;

	if (t == NULL || m == NULL) {
		x->arena->failed = true;
	} else if (find(c, t, m) > 0) {
		for (size_t i = 0; i < c->instructions; i++) {
			share += m[i].weight;
			if (m[i].weight > 0)
				inst += inst_value(c, i, SOURCE_INST);
		}
		share /= fmax(1, c->samples.all > 0 ?
		    (double)c->samples.all : inst_total(c, SOURCE_INST));
		inst /= fmax(1, inst_total(c, SOURCE_INST));
		if (share >= rule_value(x, "min_share"))
			state = report(x, fmin(1, share), inst, m);
	}
	slices_free(t);
	free(m);
	if (state != RULE_FOUND && x->load->limit >= 0 && rounds_find(x) == RULE_FOUND)
		state = RULE_FOUND;
	return state;
}
