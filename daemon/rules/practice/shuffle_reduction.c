/*
 * shuffle-reduction: a tree in shared memory: store, barrier, half of the
 * threads load and add, barrier, a quarter …
 *
 * It has two shapes in the code: a loop with a barrier, in which fewer lanes
 * load from shared memory than reach the barrier; or the same unrolled: a row
 * of barriers with stores between them by fewer and fewer lanes. If from step
 * to step twice as many lanes store afterwards, the partial sums are needed:
 * then it is half of a scan, not a reduction.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/rounds.h"
#include "source/slice.h"

#define LANES_LESS 0.75		/* lanes at work / lanes at the barrier */
#define STEPS_LEAST 2		/* halvings in a row */
#define LOOP_MOST 256		/* instructions */
#define HALF 0.6

struct tree {
	double inst, samples;	/* executed warp instructions, samples */
	double threads, barrier_threads;	/* threads of loads, of barriers */
	double barriers;
};

/* What one stretch of code executes. */
struct stretch {
	double inst, samples;
	double loads, barriers;		/* warp instructions */
	double load_threads, store_threads, barrier_threads;
	double adds;
};

static struct stretch
look(const struct code *c, uint32_t first, uint32_t last)
{
	struct stretch t = { 0 };

	for (uint32_t s = first; s <= last && s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);
		double inst, threads;

		if (at == SIZE_MAX)
			continue;
		inst = inst_value(c, at, SOURCE_INST);
		threads = inst * inst_lanes(c, at);
		if (!(inst > 0))
			continue;
		if (!isfinite(threads))
			threads = inst;
		t.inst += inst;
		t.samples += inst_samples(c, at);
		if (i->flags & SASS_BARRIER) {
			t.barriers += inst;
			t.barrier_threads = fmax(t.barrier_threads, threads);
		} else if (inst_shared(c, at) == INST_LOAD) {
			t.loads += inst;
			/* An addition may have two loaded operands, one of them
			 * the thread's own. */
			t.load_threads = fmax(t.load_threads, threads);
		} else if (inst_shared(c, at) == INST_STORE) {
			t.store_threads = fmax(t.store_threads, threads);
		} else if (i->flags & (SASS_ADD | SASS_INT | SASS_FMA)) {
			t.adds += inst;
		}
	}
	return t;
}

static void
mark(const struct code *c, struct mark *m, uint32_t first, uint32_t last)
{
	for (uint32_t s = first; s <= last && s < c->sass.instructions; s++) {
		size_t at = inst_of_sass(c, s);

		if (at == SIZE_MAX || m[at].weight > 0)
			continue;
		m[at].weight = c->sampled ? inst_samples(c, at) :
		    inst_value(c, at, SOURCE_INST);
		/* Lanes of the accesses, not of the barrier. */
		if (inst_shared(c, at) != INST_NONE) {
			m[at].under = inst_value(c, at, SOURCE_INST);
			m[at].over = m[at].under * inst_lanes(c, at);
		}
	}
}

static void
add(struct tree *t, const struct stretch *s)
{
	t->inst += s->inst;
	t->samples += s->samples;
	t->barriers += s->barriers;
	t->threads += s->load_threads;
	t->barrier_threads += s->barrier_threads;
}

static bool
has_barrier(const struct code *c, const struct sass_loop *l)
{
	for (uint32_t s = l->head; s <= l->tail; s++)
		if (c->sass.instruction[s].flags & SASS_BARRIER)
			return true;
	return false;
}

/* Does it contain a barrier, but no inner loop that does? */
static bool
is_candidate(const struct code *c, size_t l)
{
	const struct sass_loop *loop = &c->sass.loop[l];

	if (loop->tail - loop->head > LOOP_MOST || !has_barrier(c, loop))
		return false;
	/* Loops are sorted by head: inner loops come after it. */
	for (size_t k = l + 1; k < c->sass.loops &&
	    c->sass.loop[k].head <= loop->tail; k++)
		if (c->sass.loop[k].tail < loop->tail &&
		    has_barrier(c, &c->sass.loop[k]))
			return false;
	return true;
}

/* Does a load of the loop change its distance in the next iteration? In a tree
 * the partner is then half as far away; the neighbours of a stencil stay. */
static bool
has_moving_load(const struct code *c, const struct slices *slices,
    const struct sass_loop *l)
{
	for (uint32_t s = l->head; s <= l->tail; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		struct slice from;

		if (i->space != SPACE_SHARED || !(i->flags & SASS_LOAD))
			continue;
		slice_of(&from, slices, s);
		if (!from.known || from.carried)
			return true;
	}
	return false;
}

static void
find_loops(const struct code *c, const struct slices *slices, struct tree *t,
    struct mark *m)
{
	for (size_t l = 0; l < c->sass.loops; l++) {
		const struct sass_loop *loop = &c->sass.loop[l];
		struct stretch s;

		if (!is_candidate(c, l))
			continue;
		s = look(c, loop->head, loop->tail);
		if (!(s.barriers > 0) || !(s.loads > 0) || !(s.adds > 0) ||
		    !(s.store_threads > 0) ||
		    s.load_threads > LANES_LESS * s.barrier_threads)
			continue;
		/* As many threads store as load: a sum in place, not a tile. */
		if (s.store_threads < 0.4 * s.load_threads ||
		    s.store_threads > 1.1 * s.load_threads)
			continue;
		if (!has_moving_load(c, slices, loop))
			continue;
		add(t, &s);
		mark(c, m, loop->head, loop->tail);
	}
}

/* Consecutive barriers in one loop, or in none. */
struct chain {
	const struct sass_loop *loop;
	uint32_t first, begin;	/* last barrier; first one of the row */
	double before;		/* threads that stored before the last barrier */
	unsigned steps;		/* halvings in a row */
	unsigned back;		/* doublings in a row */
	bool open;
};

static void
close_chain(const struct code *c, struct chain *k, struct tree *t,
    struct mark *m)
{
	struct stretch all;

	if (k->steps >= STEPS_LEAST) {
		all = look(c, k->begin, k->first);
		add(t, &all);
		mark(c, m, k->begin, k->first);
	}
	k->steps = 0;
}

/* Adds the chains of barriers in ${c}. False if they belong to a scan, whose
 * second half doubles again. */
static bool
find_chains(const struct code *c, struct tree *t, struct mark *m)
{
	struct chain k = { 0 };

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_loop *loop;
		struct stretch part;

		if (!(c->sass.instruction[s].flags & SASS_BARRIER))
			continue;
		loop = sass_loop_of(&c->sass, s);
		if (!k.open || loop != k.loop) {
			close_chain(c, &k, t, m);
			k = (struct chain){ .loop = loop, .open = true,
			    .first = loop != NULL ? loop->head : 0 };
		}
		part = look(c, k.first, s - (s > 0));
		if (k.before > 0 && part.store_threads > 0 && part.loads > 0 &&
		    part.store_threads <= HALF * k.before) {
			if (k.steps++ == 0)
				k.begin = k.first;
		} else {
			close_chain(c, &k, t, m);
		}
		k.back = k.before > 0 && part.loads > 0 &&
		    k.before <= HALF * part.store_threads ? k.back + 1 : 0;
		if (k.back >= STEPS_LEAST)
			return false;
		k.before = part.store_threads;
		k.first = s;
	}
	close_chain(c, &k, t, m);
	return true;
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct tree *t)
{
	const struct code *c = x->kernel->code;
	double inst = t->inst / fmax(1, inst_total(c, SOURCE_INST));
	double stall = c->sampled && c->samples.all > 0 ?
	    t->samples / (double)c->samples.all : inst;
	double waves = x->load->wavefronts[USER_SHARED_LD] +
	    x->load->wavefronts[USER_SHARED_ST];
	struct fix fix = FIX_NONE;

	/* Five shuffles remain, and one round over the warps' sums. */
	fix.inst = 1 - fmin(0.9, inst);
	fix.stall = (1 - fmin(0.95, stall)) / fix.inst;
	fix.stall = fmin(1, fix.stall);
	if (waves > 0)
		fix.shared_ld = fix.shared_st = 0.1;
	/* Barriers and switched-off lanes use the pipe, too. */
	fix.part[RES_L1] = fix.part[RES_LSU] = 1 - fmin(0.9, inst);
	fix.part[RES_LSU] /= fix.inst;
	rule_fix(d, &fix, 0.4, 0.75);
}

static enum rule_state
report(struct rule_view *x, const struct tree *t, double share,
    const struct mark *m)
{
	const struct code *c = x->kernel->code;
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, t);
	d->f.confidence = c->sampled ? CONF_HIGH : CONF_MEDIUM;
	rule_evidence(x, d, "tree_ratio", share, c->sampled ?
	    "samples in the tree" : "warp instructions in the tree",
	    .measured = c->sampled ? "PC samples" :
	    source_metric_table[SOURCE_INST].name, .key = "min_share");
	rule_evidence(x, d, "barriers", t->barriers,
	    "barriers of warps in it, a launch",
	    .measured = source_metric_table[SOURCE_INST].name, .unit = "inst");
	if (t->barrier_threads > 0)
		rule_evidence(x, d, "work_ratio", t->threads /
		    t->barrier_threads,
		    "threads that add / threads at the barriers",
		    .derived = source_metric_table[SOURCE_THREADS_ON].name);
	d->f.summary = arena_format(x->arena, "a tree of shared-memory sums and "
	    "barriers takes %s of %s", say_percent(x->arena, share),
	    c->sampled ? "the time" : "the instructions");
	d->f.advice = "reduce within each warp by __shfl_down_sync (or "
	    "__reduce_add_sync for integers), store one sum per warp, and let one "
	    "warp add those: one barrier instead of one a level";
	d->f.gain_note = "five shuffles and one barrier instead of the tree";
	lines_fill(x, d, m, "%s lanes active");
	return rule_settle(x, d);
}

enum rule_state
rule_shuffle_reduction(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	enum rule_state state = RULE_CLEAN;
	struct tree t = { 0 };
	struct slices *slices;
	struct mark *m;
	double share;

	if (isnan(inst_total(c, SOURCE_INST)))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	m = marks_new(x);
	slices = m != NULL ? slices_new(&c->sass) : NULL;
	if (slices == NULL) {
		x->arena->failed = true;
		free(m);
		return RULE_CLEAN;
	}
	find_loops(c, slices, &t, m);
	slices_free(slices);
	if (!find_chains(c, &t, m))
		t.inst = 0;
	share = c->sampled && c->samples.all > 0 ?
	    t.samples / (double)c->samples.all :
	    t.inst / fmax(1, inst_total(c, SOURCE_INST));
	if (t.inst > 0 && share >= rule_value(x, "min_share"))
		state = report(x, &t, share, m);
	free(m);
	return state == RULE_CLEAN ? rounds_find(x) : state;
}
