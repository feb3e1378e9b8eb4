/*
 * dependent-loads: in each iteration of a loop warps wait for an index to be loaded,
 * and then for the data that it points to. If the index's own address is known earlier,
 * the index can be loaded an iteration ahead, so that the two trips to memory overlap.
 *
 * PC samples say how long warps wait for indices: a waiting warp is sampled at
 * the first instruction that needs the value. Linked lists are left out, since
 * the next address comes from the last element; so is an index that is already
 * loaded ahead: in the code its use comes before its load.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/lines.h"
#include "source/slice.h"
#include "rules/evidence/stalls.h"

#define LOOKED_MOST 256		/* loads in loops whose addresses are examined */
#define MASK_MEMORY STALL_BIT(LONG_SCOREBOARD)

struct chain {
	double waiting;		/* samples at the first uses of indices */
	double turns;		/* iterations of the loop that has most of them;
				 * NaN: not counted */
	double most;		/* samples of that loop */
	unsigned indices;
};

static bool
is_load(const struct sass_instruction *i)
{
	return i->space == SPACE_GLOBAL && (i->flags & SASS_LOAD) &&
	    !(i->flags & (SASS_ATOMIC | SASS_ASYNC));
}

static bool
is_inside(const struct sass_loop *l, uint32_t at)
{
	return at >= l->head && at <= l->tail;
}

/* Can the index at ${a} be loaded an iteration ahead? Its own address must not
 * depend on anything that ${loop} loads. */
static bool
is_known_ahead(const struct slices *t, const struct sass_loop *loop, uint32_t a)
{
	struct slice s;

	slice_of(&s, t, a);
	if (!s.known || !s.changes || s.loaded > SLICE_LOADS)
		return false;
	for (int k = 0; k < s.loaded; k++)
		if (is_inside(loop, s.load[k]))
			return false;
	return true;
}

static double
turns_of(const struct code *c, const struct sass_loop *l)
{
	double before = l->head > 0 ? inst_executed(c, l->head - 1) : 0;
	double after = inst_executed(c, l->tail + 1);

	return c->counted ? inst_executed(c, l->tail) /
	    fmax(1, fmax(before, after)) : NAN;
}

/* Adds the index loaded at ${a}, which the load at ${b} of the same iteration needs. */
static void
add_index(struct chain *k, const struct code *c, const struct sass_loop *loop,
    uint32_t a, uint32_t b, struct mark *m)
{
	size_t at = inst_of_sass(c, a);
	size_t use = at != SIZE_MAX ? inst_first_use(c, at) : SIZE_MAX;
	double waiting;

	/* Already marked: another load needs the same index. */
	if (use == SIZE_MAX || m[at].weight > 0 ||
	    c->instruction[use].sass > b ||
	    !is_inside(loop, c->instruction[use].sass))
		return;
	/* If warps wait for several indices at one instruction, it counts once. */
	waiting = m[use].over > 0 ? 0 : inst_stalled(c, use, MASK_MEMORY);
	m[use].over = 1;
	m[at].weight = fmax(waiting, 1e-3);
	k->waiting += waiting;
	k->indices++;
	if (waiting > k->most) {
		k->most = waiting;
		k->turns = turns_of(c, loop);
	}
}

static void
look(struct chain *k, const struct code *c, const struct slices *t,
    struct mark *m)
{
	int looked = 0;

	for (uint32_t b = 0; b < c->sass.instructions; b++) {
		const struct sass_loop *loop = sass_loop_of(&c->sass, b);
		struct slice s;

		if (loop == NULL || !is_load(&c->sass.instruction[b]) ||
		    looked++ >= LOOKED_MOST)
			continue;
		slice_of(&s, t, b);
		for (int n = 0; n < s.loaded && n < SLICE_LOADS; n++) {
			uint32_t a = s.load[n];

			if (a < b && is_inside(loop, a) &&
			    is_load(&c->sass.instruction[a]) &&
			    is_known_ahead(t, loop, a))
				add_index(k, c, loop, a, b, m);
		}
	}
}

/*
 * An iteration consists of waiting for the index (${index} of the time) and the rest.
 * Overlapped, the two take as long as the longer one; loaded two iterations ahead, the
 * index costs nothing. The saving is limited to cycles without an issued instruction.
 */
static void
set_fix(struct draft *d, double index, double unissued)
{
	struct fix fix = FIX_NONE;

	fix.stall = 1 - fmin(index, unissued);
	rule_fix(d, &fix, 0.5, 1);
	d->fix[VIEW_MID].stall = 1 - fmin(fmin(index, 1 - index), unissued);
	d->fix[VIEW_LOW].stall = fmax(d->fix[VIEW_LOW].stall,
	    d->fix[VIEW_MID].stall);
}

static enum rule_state
report(struct rule_view *x, const struct chain *k, const struct stalls *s,
    const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);

	set_fix(d, s->share, s->unissued);
	d->f.confidence = CONF_MEDIUM;
	stalls_evidence(x, d, s, "time of warps waiting for indices that could "
	    "be loaded ahead");
	if (isfinite(k->turns))
		rule_evidence(x, d, "turns", k->turns, "iterations of the loop",
		    .derived = source_metric_table[SOURCE_INST].name,
		    .unit = "turn", .key = "min_turns");
	d->f.summary = arena_format(x->arena, "warps wait %s of their time for "
	    "%s that the next load needs, and then for that load: one trip to "
	    "memory after the other, in each iteration", say_percent(x->arena,
	    s->share), k->indices == 1 ? "an index" : "indices");
	d->f.advice = "load the index of the next iteration before this one's value "
	    "is waited for, and keep it in a register; or unroll by 4: "
	    "first the 4 indices, then the 4 values (#pragma unroll 4; "
	    "pointers that are const and __restrict__, so that no store comes "
	    "between them)";
	d->f.gain_note = "the trip for the index beside the rest of a turn: as "
	    "long as the longer of the two; half of it in the low view";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

static enum rule_state
judge(struct rule_view *x, const struct slices *t, struct stalls *s,
    struct mark *m)
{
	const struct code *c = x->kernel->code;
	struct chain k = { .turns = NAN };

	look(&k, c, t, m);
	s->share = k.waiting / (double)c->samples.all;
	if (!(s->share >= rule_value(x, "min_stall")) ||
	    k.turns < rule_value(x, "min_turns"))
		return RULE_CLEAN;
	return report(x, &k, s, m);
}

enum rule_state
rule_dependent_loads(struct rule_view *x)
{
	enum rule_state state = RULE_NOT_MEASURED;
	const struct reason *reason;
	struct slices *t;
	struct mark *m;
	struct stalls s;

	reason = stalls_of(&s, x, MASK_MEMORY);
	if (reason != NULL)
		return rule_unmeasured_for(x, reason);
	if (!stalls_limit(x) || !(s.share >= rule_value(x, "min_stall")))
		return RULE_CLEAN;
	t = slices_new(&x->kernel->code->sass);
	m = marks_new(x);
	if (t == NULL || m == NULL)
		x->arena->failed = true;
	else
		state = judge(x, t, &s, m);
	slices_free(t);
	free(m);
	return state;
}
