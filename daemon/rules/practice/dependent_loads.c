/*
 * dependent-loads: in each turn of a loop warps wait for an index, and then for what
 * it leads to. Where the index itself stands is known before: loaded a turn ahead,
 * its trip to memory goes on beside the other.
 *
 * The samples say how long warps wait for indices: a warp that waits is sampled at
 * the first instruction that needs the value. A list whose next element only the
 * last one tells has nothing to load ahead, and an index that is loaded ahead
 * already is used in front of its load, in the order of the code.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/lines.h"
#include "source/slice.h"
#include "rules/evidence/stalls.h"

#define LOOKED_MOST 256		/* loads in loops whose addresses are looked into */
#define MASK_MEMORY STALL_BIT(LONG_SCOREBOARD)

struct chain {
	double waiting;		/* samples at the first uses of indices */
	double turns;		/* of the loop with most of them; NaN not counted */
	double most;		/* samples of that one */
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

/* Can the index at ${a} be loaded a turn ahead: does nothing that ${loop} loads say
 * where it stands? */
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

/* The index at ${a}, which the load at ${b} of the same turn needs. */
static void
add_index(struct chain *k, const struct code *c, const struct sass_loop *loop,
    uint32_t a, uint32_t b, struct mark *m)
{
	size_t at = inst_of_sass(c, a);
	size_t use = at != SIZE_MAX ? inst_first_use(c, at) : SIZE_MAX;
	double waiting;

	/* Marked: it was here before, for another load that needs it. */
	if (use == SIZE_MAX || m[at].weight > 0 ||
	    c->instruction[use].sass > b ||
	    !is_inside(loop, c->instruction[use].sass))
		return;
	/* Several indices may be waited for at one place: it counts once. */
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
 * A turn is waiting for the index, ${index} of the time, and the rest. Beside each
 * other they take as long as the longer one; two turns ahead the index is there
 * whatever the rest takes. Never more than the cycles without an instruction.
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
