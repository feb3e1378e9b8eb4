/*
 * read-only-path-unused: the kernel only reads through a pointer, but the
 * compiler cannot know that: a store through another pointer may change the data.
 * So it loads again after each store, or does not move the load up across it.
 *
 * The read-only path itself is no faster; the loss is that loads could be made
 * once, or moved up and issued together. So all of these must hold: the loads take
 * the coherent path, the kernel never writes through their pointer parameter, and
 * a store precedes them in the same stretch of code. In addition, their address is
 * the same in every iteration of the loop, so that they could be made once before
 * it, or the kernel waits for memory while no resource is saturated.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/access.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"
#include "source/slice.h"

#define WRITTEN_MAX 64
#define SLICES_MAX 128		/* stores, and loads, that are examined */

enum store_wait { WAITS_NOT, WAITS_AGAIN, WAITS_BEHIND };

struct loads {
	double again;		/* loads of one address, repeated in every iteration */
	double behind;		/* the others */
	double all;
};

struct written {
	uint32_t parameter[WRITTEN_MAX];
	int count;
	bool known;		/* every store's pointer was found */
};

static bool
is_written(const struct written *w, uint32_t parameter)
{
	for (int i = 0; i < w->count; i++)
		if (w->parameter[i] == parameter)
			return true;
	return false;
}

/* Finds the parameters through which the kernel stores or performs atomics. */
static struct written
find_written(const struct accesses *a, const struct code *c,
    const struct slices *t)
{
	struct written w = { .known = true };
	int slices = 0;

	for (size_t i = 0; i < c->instructions && w.known; i++) {
		struct slice s;

		if (a->of[i].kind != INST_STORE && a->of[i].kind != INST_ATOMIC)
			continue;
		if (slices++ < SLICES_MAX)
			slice_of(&s, t, c->instruction[i].sass);
		else
			s.known = false;
		if (!s.known || s.parameters == 0) {
			w.known = false;
			break;
		}
		for (int p = 0; p < s.parameters; p++) {
			if (is_written(&w, s.parameter[p]))
				continue;
			if (w.count == WRITTEN_MAX)
				w.known = false;
			else
				w.parameter[w.count++] = s.parameter[p];
		}
	}
	return w;
}

/* Is there a store in front of ${at}, across which the compiler cannot move it:
 * anywhere in its loop, or in the code before it? */
static bool
is_behind_store(const struct code *c, uint32_t at)
{
	const struct sass_loop *loop = sass_loop_of(&c->sass, at);
	uint32_t first = loop != NULL ? loop->head : 0;
	uint32_t last = loop != NULL ? loop->tail : at;

	for (uint32_t s = first; s < last && s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		if (i->space == SPACE_GLOBAL &&
		    i->flags & (SASS_STORE | SASS_ATOMIC))
			return true;
	}
	return false;
}

/* Is ${at} in a loop that does not change its address? */
static bool
is_invariant(const struct code *c, uint32_t at, const struct slice *s)
{
	return sass_loop_of(&c->sass, at) != NULL && !s->changes;
}

static enum store_wait
look(const struct code *c, const struct slices *t, size_t i,
    const struct written *w)
{
	const struct sass_instruction *s = inst_sass(c, i);
	struct slice slice;

	if (s == NULL || s->flags & SASS_READ_ONLY ||
	    !is_behind_store(c, c->instruction[i].sass))
		return WAITS_NOT;
	slice_of(&slice, t, c->instruction[i].sass);
	if (!slice.known || slice.parameters == 0)
		return WAITS_NOT;
	for (int p = 0; p < slice.parameters; p++)
		if (is_written(w, slice.parameter[p]))
			return WAITS_NOT;
	return is_invariant(c, c->instruction[i].sass, &slice) ? WAITS_AGAIN :
	    WAITS_BEHIND;
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct loads *l)
{
	double waves = rule_metric(x, METRIC_LSU_WAVEFRONTS);
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	struct fix fix = FIX_NONE;

	if (l->again > 0) {
		fix.global_ld = 1 - 0.95 * l->again / l->all;
		fix.part[RES_LSU] = fix.global_ld;
		if (waves > 0)
			fix.part[RES_L1] = 1 - fmin(0.95, l->again / waves);
		if (inst > 0)
			fix.inst = 1 - fmin(0.9, l->again / inst);
		fix.stall = 1 - 0.95 * x->load->memory_stall * l->again /
		    l->all;
		rule_fix(d, &fix, 0.3, 0.6);
		return;
	}
	/* The compiler unrolls loops of unknown length by four: four loads in
	 * flight instead of one. */
	fix.flight = 1 + 3 * l->behind / l->all;
	rule_fix(d, &fix, 0, 0.15);
	d->cap = SEV_LOW;
}

static enum rule_state
report(struct rule_view *x, const struct loads *l, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	double found = l->again + l->behind;

	set_fix(x, d, l);
	d->f.confidence = l->again > 0 ? CONF_MEDIUM : CONF_LOW;
	rule_evidence(x, d, "coherent_ratio", found / l->all,
	    "read-only loads behind a store, of all global loads",
	    .derived = "disassembly, warp instructions", .key = "min_share");
	rule_evidence(x, d, "again_ratio", l->again / l->all,
	    "loads of the same address in every turn of a loop, of all",
	    .derived = "disassembly, warp instructions");
	rule_evidence(x, d, "memory_stall_ratio", x->load->memory_stall,
	    "part of the waiting that is for memory",
	    .source = x->load->stalls_known ? "measured" : "estimated",
	    .from = "counters", .key = "min_stall");
	d->f.summary = arena_format(x->arena, "%s of the global loads read what "
	    "the kernel never writes, %s", say_percent(x->arena,
	    found / l->all), l->again > 0 ? "again in every turn of a loop, "
	    "because a store might have changed it" : "and waits for stores "
	    "that might change it");
	d->f.advice = "declare what is only read as const T *__restrict__, and "
	    "what is written as T *__restrict__ too: the compiler may then "
	    "keep values in registers, move loads across stores and send "
	    "several at once";
	d->f.gain_note = l->again > 0 ? "these loads made once, before the "
	    "loop, as far as there are registers for them" : "some more loads "
	    "in flight for each warp; how far the compiler goes is not known "
	    "before it has been tried";
	return lines_settle(x, d, m, NULL);
}

/* Sorts the loads into ${l}; ${m} gets those that wait. */
static void
count(const struct accesses *a, const struct code *c, const struct slices *t,
    struct loads *l, struct mark *m)
{
	struct written w = find_written(a, c, t);
	int slices = 0;

	for (size_t i = 0; i < c->instructions && w.known; i++) {
		double requests = a->of[i].requests;
		enum store_wait wait;

		if (a->of[i].kind != INST_LOAD || !(requests > 0))
			continue;
		if (slices++ == SLICES_MAX)
			break;
		wait = look(c, t, i, &w);
		if (wait == WAITS_NOT)
			continue;
		m[i].weight = requests;
		if (wait == WAITS_AGAIN)
			l->again += requests;
		else
			l->behind += requests;
	}
}

static enum rule_state
find(struct rule_view *x, const struct accesses *a)
{
	const struct code *c = x->kernel->code;
	struct loads l = { .all = a->all[INST_LOAD].requests };
	enum rule_state state = RULE_CLEAN;
	double least = rule_value(x, "min_share") * l.all;
	struct slices *t;
	struct mark *m;

	if (!(l.all > 0) ||
	    !(a->all[INST_STORE].requests + a->all[INST_ATOMIC].requests > 0))
		return RULE_CLEAN;
	m = marks_new(x);
	t = slices_new(&c->sass);
	if (m != NULL && t != NULL)
		count(a, c, t, &l, m);
	slices_free(t);
	if ((l.again > 0 && l.again >= least) || (l.again + l.behind >= least && l.behind > 0 &&
	    x->load->bound < 0.5 &&
	    x->load->memory_stall >= rule_value(x, "min_stall")))
		state = report(x, &l, m);
	free(m);
	return state;
}

enum rule_state
rule_read_only_path_unused(struct rule_view *x)
{
	return accesses_ask(x, find);
}
