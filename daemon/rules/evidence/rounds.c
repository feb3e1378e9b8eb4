/*
 * rules/evidence/rounds.c: see rounds.h.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/rounds.h"
#include "source/operand.h"
#include "source/slice.h"

/* Instructions from one barrier to the next: a step of a butterfly takes 8 to 12, one
 * of a segmented scan 10, a radix-2 stage of an FFT 30; more is work of its own. */
#define STRETCH_MOST 48

/* Barriers of a warp between such stretches: four rounds with two each, as of 16
 * elements; fewer part phases. */
#define BARRIERS_LEAST 8

/* Steps of a row that load from where no earlier one did: those of a scan of 16 elements
 * have four partners and the thread's own word; a stencil with two buffers has two. */
#define PLACES_LEAST 4

/* What is left of the instructions, the shared wavefronts and the waiting of a round
 * if it is a shuffle: load, store, address, guard, sum and two barriers become a
 * shuffle, a guard and a sum; of ten rounds of 1,024 threads two or three barriers
 * remain. Measured on an H100, butterflies of 1,024 points: instructions 0.51,
 * wavefronts 0.44, time 0.36. */
#define LEFT_INST 0.5
#define LEFT_WAVES 0.4
#define LEFT_TIME 0.35

/* Loads whose addresses are looked at, of all loops. */
#define SLICES_MAX 1024

/* What is looked at, and how many steps are left: they grow as loops within loops, and as
 * loads times the instructions before them. Without any left, nothing is a round. */
struct looking {
	const struct sass *sass;
	const struct slices *slices;
	bool *is_round;			/* of each loop: see is_loop */
	int loads;
	size_t left;
};

static bool
is_exchange(const struct sass_instruction *i)
{
	return i->space == SPACE_SHARED && !(i->flags & SASS_ATOMIC) &&
	    i->flags & (SASS_LOAD | SASS_STORE);
}

/* What the instructions ${first} to ${last} are. With shuffles, what can be exchanged
 * within warps already is. */
struct stretch {
	uint32_t barriers;
	bool loads, stores, shuffles;
};

static struct stretch
look(const struct sass *s, uint32_t first, uint32_t last)
{
	struct stretch t = { .barriers = 0 };

	for (uint32_t i = first; i <= last; i++) {
		const struct sass_instruction *in = &s->instruction[i];

		t.barriers += (in->flags & SASS_BARRIER) != 0;
		t.shuffles = t.shuffles || in->flags & SASS_SHUFFLE;
		if (is_exchange(in)) {
			t.loads = t.loads || in->flags & SASS_LOAD;
			t.stores = t.stores || in->flags & SASS_STORE;
		}
	}
	return t;
}

/* Does a load of the loop go elsewhere in the next turn? The neighbours of a stencil
 * stay where they are. */
static bool
moves(struct looking *k, const struct sass_loop *l)
{
	const struct sass *s = k->sass;

	for (uint32_t i = l->head; i <= l->tail; i++) {
		struct slice from;

		if (!is_exchange(&s->instruction[i]) ||
		    !(s->instruction[i].flags & SASS_LOAD))
			continue;
		if (k->loads++ >= SLICES_MAX)
			return false;
		slice_of(&from, k->slices, i);
		if (!from.known || from.carried)
			return true;
	}
	return false;
}

/* Is there a load in ${first} to ${last} from where none was since ${begin}? */
static bool
goes_elsewhere(struct looking *k, uint32_t begin, uint32_t first, uint32_t last)
{
	const struct sass *s = k->sass;

	for (uint32_t i = first; i <= last; i++) {
		struct operands own, o;
		bool known = false;

		if (!is_exchange(&s->instruction[i]) ||
		    !(s->instruction[i].flags & SASS_LOAD) ||
		    !operands_of(&own, &s->instruction[i]))
			continue;
		for (uint32_t n = i; n-- > begin && !known;) {
			if (k->left == 0)
				return false;
			k->left--;
			if (!operands_of(&o, &s->instruction[n]))
				continue;
			/* Its base is another since. */
			if (o.def != REGISTER_NONE && own.base >= o.def &&
			    own.base < o.def + o.defs)
				break;
			known = n < first && is_exchange(&s->instruction[n]) &&
			    s->instruction[n].flags & SASS_LOAD &&
			    o.base == own.base && o.uniform == own.uniform &&
			    o.offset == own.offset;
		}
		if (!known)
			return true;
	}
	return false;
}

/* (Loops are sorted by their heads, each of which is that of one.) */
static bool
has_loop_within(const struct sass *s, const struct sass_loop *l)
{
	for (const struct sass_loop *k = l + 1; k < s->loop + s->loops &&
	    k->head <= l->tail; k++)
		if (k->tail <= l->tail)
			return true;
	return false;
}

/* Is each turn of the innermost loop ${l} a round, or several? */
static bool
is_loop(struct looking *k, const struct sass_loop *l)
{
	size_t steps = 1 + l->tail - l->head;
	struct stretch t;

	if (steps > k->left) {
		k->left = 0;
		return false;
	}
	k->left -= steps;
	t = look(k->sass, l->head, l->tail);
	return t.barriers > 0 && t.loads && t.stores && !t.shuffles &&
	    l->tail - l->head < STRETCH_MOST * t.barriers &&
	    !has_loop_within(k->sass, l) && moves(k, l);
}

/* Adds the instructions ${first} to ${last}, which are part of rounds. */
static void
add(struct rounds *r, const struct code *c, struct mark *m, uint32_t first,
    uint32_t last)
{
	for (uint32_t s = first; s <= last; s++) {
		size_t at = inst_of_sass(c, s);
		double n = inst_executed(c, s);

		if (at == SIZE_MAX)
			continue;
		r->inst += n;
		r->samples += inst_samples(c, at);
		if (c->sass.instruction[s].flags & SASS_BARRIER)
			r->barriers += n;
		m[at].weight = c->samples.all > 0 ? inst_samples(c, at) : n;
	}
}

/* A row of stretches, each between two barriers of one loop, or of none. */
struct row {
	uint32_t begin, last;		/* barriers; SASS_NONE: it is empty */
	const struct sass_loop *loop;
	unsigned places;		/* stretches that load from a new place */
};

static void
end_row(struct row *w, struct rounds *r, const struct code *c, struct mark *m)
{
	if (w->last != SASS_NONE && w->places >= PLACES_LEAST)
		add(r, c, m, w->begin + 1, w->last);
	w->last = SASS_NONE;
}

static void
add_straight(struct rounds *r, const struct code *c, struct looking *k,
    struct mark *m)
{
	const struct sass *s = &c->sass;
	struct row w = { .last = SASS_NONE };

	for (uint32_t i = 0; i < s->instructions; i++) {
		const struct sass_loop *l = sass_loop_of(s, i);
		struct stretch t;

		if (s->instruction[i].flags & SASS_BACKWARD)
			end_row(&w, r, c, m);
		if (!(s->instruction[i].flags & SASS_BARRIER) ||
		    (l != NULL && k->is_round[l - s->loop]))
			continue;
		if (w.last != SASS_NONE) {
			t = look(s, w.last + 1, i);
			if (l != w.loop || i - w.last > STRETCH_MOST ||
			    !(t.loads || t.stores) || t.shuffles)
				end_row(&w, r, c, m);
			else
				w.places += goes_elsewhere(k, w.begin,
				    w.last + 1, i);
		}
		if (w.last == SASS_NONE)
			w = (struct row){ .begin = i, .loop = l };
		w.last = i;
	}
	end_row(&w, r, c, m);
}

struct rounds
rounds_of(const struct rule_view *x, struct mark *m)
{
	const struct code *c = x->kernel->code;
	double warps = rule_blocks(x->kernel) *
	    ceil(rule_threads(x->kernel) / (double)WARP);
	struct slices *t = slices_new(&c->sass);
	struct looking k = { .sass = &c->sass, .slices = t,
	    .is_round = calloc(c->sass.loops + 1, sizeof(*k.is_round)),
	    .left = SASS_STEPS_MOST };
	struct rounds r = { 0, 0, 0 };

	if (t == NULL || k.is_round == NULL) {
		x->arena->failed = true;
		free(k.is_round);
		slices_free(t);
		return r;
	}
	for (size_t l = 0; l < c->sass.loops; l++) {
		k.is_round[l] = is_loop(&k, &c->sass.loop[l]);
		if (k.is_round[l])
			add(&r, c, m, c->sass.loop[l].head,
			    c->sass.loop[l].tail);
	}
	add_straight(&r, c, &k, m);
	free(k.is_round);
	slices_free(t);
	r.barriers /= fmax(1, warps);
	r.inst = fmin(1, r.inst / fmax(1, inst_total(c, SOURCE_INST)));
	r.samples = c->samples.all > 0 ?
	    fmin(1, r.samples / (double)c->samples.all) : NAN;
	return r;
}

static enum rule_state
report(struct rule_view *x, const struct rounds *r, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	bool sampled = isfinite(r->samples);
	double share = sampled ? r->samples : r->inst;
	struct fix fix = FIX_NONE;

	fix.inst = 1 - (1 - LEFT_INST) * r->inst;
	fix.stall = fmin(1, (1 - (1 - LEFT_TIME) * share) / fix.inst);
	fix.shared_ld = fix.shared_st = LEFT_WAVES;
	fix.part[RES_L1] = fix.part[RES_LSU] = 1 - (1 - LEFT_WAVES) * r->inst;
	fix.part[RES_LSU] /= fix.inst;
	rule_fix(d, &fix, 0.4, 0.9);
	d->f.confidence = CONF_LOW;
	d->f.title = "exchange in rounds of barriers";
	rule_evidence(x, d, "rounds_ratio", share, sampled ?
	    "samples in the rounds" : "warp instructions in the rounds",
	    .measured = sampled ? "PC samples" :
	    source_metric_table[SOURCE_INST].name, .key = "min_share");
	rule_evidence(x, d, "barriers", r->barriers,
	    "barriers that a warp comes to in them",
	    .derived = source_metric_table[SOURCE_INST].name, .unit = "inst");
	d->f.summary = arena_format(x->arena, "each thread exchanges words with "
	    "others in rounds, with %s barriers of the whole block a warp: they "
	    "take %s of %s", say_whole(x->arena, r->barriers),
	    say_percent(x->arena, share), sampled ? "the time" :
	    "the instructions");
	d->f.advice = "exchange within each warp by shuffles (__shfl_up_sync for a "
	    "scan, __shfl_xor_sync for a butterfly), which need no barrier, and "
	    "use shared memory only between warps, once for their sums, or to "
	    "turn the data for the next five rounds; let a thread have several "
	    "elements, and launch no more threads than there are elements";
	d->f.bad_code = "for (int d = 1; d < n; d <<= 1) {\n"
	    "    int v = t >= d ? sh[t - d] : 0;\n"
	    "    __syncthreads();\n    sh[t] += v;\n    __syncthreads();\n}";
	d->f.good_code = "for (int d = 1; d < 32; d <<= 1) {\n"
	    "    int v = __shfl_up_sync(~0u, x, d);\n"
	    "    if (lane >= d)\n        x += v;\n}\n"
	    "if (lane == 31)\n    sh[warp] = x;\n"
	    "__syncthreads();                 // then scan the warps' sums";
	d->f.gain_note = "half of the instructions of the rounds, and two or three "
	    "barriers in all";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rounds_find(struct rule_view *x)
{
	struct mark *m = marks_new(x);
	enum rule_state state = RULE_CLEAN;
	bool memory = x->load->bound >= 0.5 && x->load->limit >= 0 &&
	    x->load->limit < RES_L1;
	struct rounds r;

	if (m == NULL || memory || rule_threads(x->kernel) <= WARP) {
		free(m);
		return RULE_CLEAN;
	}
	r = rounds_of(x, m);
	if (r.barriers >= BARRIERS_LEAST && (isfinite(r.samples) ? r.samples :
	    r.inst) >= rule_value(x, "min_share"))
		state = report(x, &r, m);
	free(m);
	return state;
}
