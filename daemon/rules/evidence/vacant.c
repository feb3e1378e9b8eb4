/*
 * rules/evidence/vacant.c: see vacant.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/elected.h"
#include "rules/evidence/numbered.h"
#include "rules/evidence/vacant.h"
#include "source/flow.h"
#include "source/slice.h"

#define BLOCKS_MOST 1024	/* of a function; compiled reductions have 10 to 60 */
#define CODE_MOST 8192		/* instructions; these have 100 to 1,000 */
#define ENDS_MOST 16		/* different ends of rows in one function */
#define GUARDS_MOST 64		/* guards against going past them */

/* Of the warps: with more of them at work, some rows may need the whole block. */
#define USED_MOST 0.5

/* Which guards stop warps on all paths to some place: a bit for each end of a row, and one
 * for those that let few threads through. */
#define BEHIND_ROW ((1u << ENDS_MOST) - 1)
#define BEHIND_FEW (1u << ENDS_MOST)

struct room {
	const struct sass *sass;
	struct flow flow;
	struct slices *slices;
	struct electing *electing;
	struct affine *address;
	uint32_t threads;
	uint8_t *reached;	/* for each block: is there a path from the begin? */
	uint8_t *jumps;		/* … do threads that wait at its end go on elsewhere? */
	uint8_t *always;	/* … does each warp execute it, once? */
	uint8_t *seen;		/* … scratch of reach() */
	uint32_t *behind;	/* … which guards it is behind */
	uint32_t *stack;
	uint32_t end[ENDS_MOST];	/* sources of the bounds of guards */
	uint32_t ends;
	uint32_t guard[GUARDS_MOST];	/* the first block behind each guard */
	uint32_t guards;
	uint32_t data[GUARDS_MOST];	/* of those behind which each warp loads: the
					 * guards that it has passed */
	uint32_t datas;
	size_t steps;
};

/* What the warps execute, by the code. */
struct work {
	double always;		/* loads that each warp executes */
	double guarded;		/* the fewest of a warp that executes any other */
	double inst;		/* instructions that each executes, at least */
	double waves;		/* of them that take a wavefront or more */
	bool waits;		/* all warps come to a barrier */
};

static void
room_free(struct room *r)
{
	free(r->address);
	elected_free(r->electing);
	slices_free(r->slices);
	free(r->reached);
	free(r->behind);
	flow_free(&r->flow);
}

static int
room_make(struct room *r, const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	size_t n;

	memset(r, 0, sizeof(*r));
	r->sass = &c->sass;
	r->threads = x->kernel->shape.block_x;
	if (flow_make(&r->flow, &c->sass) != 0)
		return -1;
	n = (size_t)r->flow.blocks + 1;
	r->reached = calloc(4 * n, sizeof(*r->reached));
	r->behind = calloc(2 * n, sizeof(*r->behind));
	r->slices = slices_new(&c->sass);
	r->electing = r->slices != NULL ? elected_new(&c->sass, r->slices) : NULL;
	r->address = affine_addresses(c, &x->kernel->shape);
	if (r->reached == NULL || r->behind == NULL || r->electing == NULL ||
	    r->address == NULL) {
		room_free(r);
		return -1;
	}
	r->always = r->reached + n;
	r->seen = r->always + n;
	r->jumps = r->seen + n;
	r->stack = r->behind + n;
	return 0;
}

/* --- paths ----------------------------------------------------------------- */

/* An edge that no path takes, or a block that none enters; FLOW_NONE: none. */
struct without {
	uint32_t block, from;
	int edge;
	bool warp;		/* paths of warps: these go where one lane goes */
};

static const struct without nothing = { FLOW_NONE, FLOW_NONE, 0, false };

static void
push(struct room *r, uint32_t *depth, uint32_t b, const struct without *w)
{
	r->steps++;
	if (b == FLOW_NONE || b == w->block || r->seen[b])
		return;
	r->seen[b] = 1;
	r->stack[(*depth)++] = b;
}

/* Do the threads that wait at the end of ${b} go on elsewhere than right behind it?
 * Compilers place the meeting point there, and reuse the few barrier registers. */
static bool
jumps(const struct flow *f, const struct block *b)
{
	for (uint32_t m = 0; m < f->meetings; m++)
		if (f->meeting[m].barrier == b->barrier &&
		    f->block[f->meeting[m].block].first == b->last + 1)
			return false;
	return b->barrier != FLOW_NONE;
}

/* Do all warps go on behind branch ${at}, with the lane that it lets past? */
static bool
elects_lane(const struct room *r, uint32_t at)
{
	return elected_past(r->electing, at) == ELECTED_LANE;
}

/* Marks in r->seen the blocks that paths from block ${first} come to. */
static void
reach(struct room *r, uint32_t first, struct without w)
{
	const struct flow *f = &r->flow;
	uint32_t depth = 0;

	memset(r->seen, 0, f->blocks);
	push(r, &depth, first, &w);
	while (depth > 0) {
		uint32_t b = r->stack[--depth];
		const struct block *block = &f->block[b];

		for (int e = 0; e < 2; e++)
			if ((b != w.from || e != w.edge) && !(w.warp &&
			    e == 1 && elects_lane(r, block->last)))
				push(r, &depth, block->next[e], &w);
		for (uint32_t m = 0; r->jumps[b] && m < f->meetings; m++)
			if (f->meeting[m].barrier == block->barrier)
				push(r, &depth, f->meeting[m].block, &w);
	}
}

/* Does any path that r->seen has end? */
static bool
ends(const struct room *r)
{
	for (uint32_t b = 0; b < r->flow.blocks; b++)
		if (r->seen[b] && r->sass->instruction[
		    r->flow.block[b].last].flags & SASS_EXIT)
			return true;
	return false;
}

/* Whom the predicate of ${at} lets through, or, ${inverse}, its opposite. */
static enum numbered_pass
passes(const struct room *r, uint32_t at, bool inverse, uint32_t *end)
{
	uint32_t by = elected_by(r->electing, at);
	struct operands o;

	if (by == SASS_NONE || !operands_of(&o, &r->sass->instruction[at]))
		return PASS_ALL;
	return numbered_passes(r->sass, by, (o.guard > 0) != inverse,
	    r->threads, end);
}

/* The bit of a bound that comes from ${source}; 0: there are too many. */
static uint32_t
end_of(struct room *r, uint32_t source)
{
	uint32_t i = 0;

	while (i < r->ends && r->end[i] != source)
		i++;
	if (i == ENDS_MOST)
		return 0;
	if (i == r->ends)
		r->end[r->ends++] = source;
	return 1u << i;
}

static uint32_t
bit_of(struct room *r, enum numbered_pass pass, uint32_t source)
{
	return pass == PASS_ROW ? end_of(r, source) :
	    pass == PASS_FEW ? BEHIND_FEW : 0;
}

/* Marks what is behind the branch or exit that ends block ${b}. */
static void
mark_behind(struct room *r, uint32_t b)
{
	const struct block *block = &r->flow.block[b];

	for (int e = 0; e < 2; e++) {
		uint32_t source = 0, bit;
		enum numbered_pass pass;

		if (block->next[e] == FLOW_NONE)
			continue;
		pass = passes(r, block->last, e == 0, &source);
		bit = bit_of(r, pass, source);
		if (bit == 0)
			continue;
		reach(r, 0, (struct without){ FLOW_NONE, b, e, false });
		for (uint32_t i = 0; i < r->flow.blocks; i++)
			if (r->reached[i] && !r->seen[i])
				r->behind[i] |= bit;
		if (bit & BEHIND_ROW && r->guards < GUARDS_MOST)
			r->guard[r->guards++] = block->next[e];
	}
}

/* False if it is not known where paths lead, or it would take too long. */
static bool
find_paths(struct room *r)
{
	const struct flow *f = &r->flow;

	if (f->blocks == 0 || f->blocks > BLOCKS_MOST)
		return false;
	for (uint32_t b = 0; b < f->blocks; b++)
		r->jumps[b] = jumps(f, &f->block[b]);
	reach(r, 0, nothing);
	memcpy(r->reached, r->seen, f->blocks);
	for (uint32_t b = 0; b < f->blocks; b++)
		if (r->reached[b] && f->block[b].unknown)
			return false;
	for (uint32_t b = 0; b < f->blocks && r->steps < SASS_STEPS_MOST; b++) {
		uint32_t flags = r->sass->instruction[f->block[b].last].flags;

		if (!r->reached[b])
			continue;
		reach(r, 0, (struct without){ b, FLOW_NONE, 0, true });
		r->always[b] = !ends(r) && sass_loop_of(r->sass,
		    f->block[b].first) == NULL;
		if (flags & SASS_CONDITIONAL && flags & (SASS_BRANCH | SASS_EXIT))
			mark_behind(r, b);
	}
	return r->steps < SASS_STEPS_MOST;
}

static bool
is_load(const struct sass_instruction *in)
{
	return in->space == SPACE_GLOBAL && in->flags & SASS_LOAD &&
	    !(in->flags & SASS_ATOMIC);
}

static uint32_t
loads_of(const struct room *r, uint32_t b)
{
	const struct block *block = &r->flow.block[b];
	uint32_t n = 0;

	for (uint32_t i = block->first; i <= block->last; i++)
		n += is_load(&r->sass->instruction[i]);
	return n;
}

/* Which guards lead to loads that all warps execute that pass them. */
static void
find_data(struct room *r)
{
	for (uint32_t b = 0; b < r->flow.blocks; b++) {
		if (!(r->behind[b] & BEHIND_ROW) || loads_of(r, b) == 0)
			continue;
		for (uint32_t g = 0; g < r->guards && r->datas < GUARDS_MOST &&
		    r->steps < SASS_STEPS_MOST; g++) {
			uint32_t first = r->guard[g];
			uint32_t passed = r->behind[first] & BEHIND_ROW;

			if (passed == 0 || (r->behind[b] & passed) != passed)
				continue;
			reach(r, first, (struct without){ b, FLOW_NONE, 0,
			    false });
			if (first == b || !ends(r))
				r->data[r->datas++] = passed;
		}
	}
}

/* --- work ------------------------------------------------------------------ */

/* Which guards ${at} is behind, its own predicate among them. */
static uint32_t
guards_of(struct room *r, uint32_t at)
{
	uint32_t source = 0;
	enum numbered_pass own = passes(r, at, false, &source);

	return r->behind[r->flow.of[at]] | bit_of(r, own, source);
}

/* Do only warps come to ${at} that have loaded a part of the row, or will? */
static bool
has_data(struct room *r, uint32_t at)
{
	uint32_t guards = guards_of(r, at);

	for (uint32_t d = 0; d < r->datas; d++)
		if ((guards & r->data[d]) == r->data[d])
			return true;
	return false;
}

static unsigned
elected(struct room *r, uint32_t at)
{
	r->steps += at;
	return elected_of(r->electing, at);
}

/* Is its address the same for the whole block? */
static bool
is_one(const struct room *r, uint32_t at)
{
	return affine_is_one(&r->address[at]) &&
	    numbered_address(r->sass, at, r->threads).kind == NUMBERED_ONE;
}

/* Is what is stored computed from data, not from the thread's number alone? Without data
 * it is the neutral element of a sum, or left as it was. */
static bool
stores_data(const struct room *r, uint32_t at)
{
	struct operands o;
	struct slice from;

	if (!operands_of(&o, &r->sass->instruction[at]))
		return false;
	for (int u = 0; u < o.uses; u++) {
		if (o.use[u] == o.base || o.use[u] == o.uniform)
			continue;
		slice_of_register(&from, r->slices, at, o.use[u]);
		if (!from.known || (!from.loads && from.varies & VARIES_THREAD))
			return false;
	}
	return true;
}

/* Could a warp without data do what ${at} does for nothing? Not if others need it. */
static bool
is_idle(struct room *r, uint32_t at)
{
	const struct sass_instruction *in = &r->sass->instruction[at];
	bool looped = sass_loop_of(r->sass, at) != NULL;
	bool writes = in->flags & (SASS_STORE | SASS_ATOMIC);

	if ((in->flags & SASS_CALL && !callee_is_rare(in)) ||
	    in->flags & SASS_ASYNC || in->space == SPACE_TEXTURE ||
	    in->space == SPACE_GENERIC)
		return false;
	if (in->space != SPACE_SHARED && in->space != SPACE_GLOBAL &&
	    !(looped && in->flags & (SASS_FP32 | SASS_FP64 | SASS_FP16 |
	    SASS_XU | SASS_TENSOR)))
		return true;
	if (has_data(r, at))
		return true;
	if (in->space == SPACE_GLOBAL)
		return is_one(r, at) || (writes && elected(r, at) & ELECTED_WARP);
	if (guards_of(r, at) & BEHIND_FEW || elected(r, at) != 0)
		return true;
	if (in->space != SPACE_SHARED)
		return false;
	if (in->flags & SASS_STORE && !(in->flags & SASS_ATOMIC))
		return stores_data(r, at);
	return is_one(r, at) && !looped;
}

/* The loads of block ${b} and of those that all paths to it go through: a warp that
 * executes one of ${b} has executed these, too. */
static double
loads_to(struct room *r, uint32_t b)
{
	double n = 0;

	for (uint32_t d = 0; d < r->flow.blocks &&
	    r->steps < SASS_STEPS_MOST; d++) {
		uint32_t own = r->reached[d] && !r->always[d] ?
		    loads_of(r, d) : 0;

		if (own == 0)
			continue;
		reach(r, 0, (struct without){ d, FLOW_NONE, 0, false });
		n += r->seen[b] ? 0 : own;
	}
	return n;
}

static bool
add_block(struct room *r, struct work *w, uint32_t b)
{
	const struct block *block = &r->flow.block[b];
	uint32_t loads = loads_of(r, b);

	for (uint32_t i = block->first; i <= block->last; i++)
		if (!is_idle(r, i))
			return false;
	if (!r->always[b]) {
		if (loads > 0)
			w->guarded = fmin(w->guarded, loads_to(r, b));
		return true;
	}
	w->always += loads;
	w->inst += block->last - block->first + 1;
	for (uint32_t i = block->first; i <= block->last; i++) {
		const struct sass_instruction *in = &r->sass->instruction[i];

		w->waves += is_load(in) || in->flags & SASS_SHUFFLE;
		w->waits = w->waits || in->flags & SASS_BARRIER;
	}
	return true;
}

static bool
find_work(struct work *w, struct room *r)
{
	*w = (struct work){ .guarded = INFINITY };
	if (!find_paths(r))
		return false;
	find_data(r);
	if (r->datas == 0)
		return false;
	for (uint32_t b = 0; b < r->flow.blocks; b++)
		if (r->reached[b] && (!add_block(r, w, b) ||
		    r->steps >= SASS_STEPS_MOST))
			return false;
	return w->waits;
}

/* Without one, it need not be looked at; nor if it is too long for a sum of rows. */
static bool
has_barrier(const struct code *c)
{
	if (!c->disassembled || c->sass.instructions > CODE_MOST)
		return false;
	for (size_t i = 0; i < c->sass.instructions; i++)
		if (c->sass.instruction[i].flags & SASS_BARRIER)
			return true;
	return false;
}

bool
vacant_of(struct vacant *v, const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double of_block = ceil(rule_threads(x->kernel) / (double)WARP);
	double warps = rule_blocks(x->kernel) * of_block;
	double inst = rule_metric(x, METRIC_INST_EXECUTED) / warps;
	double waves = load_waves(x->load) / warps;
	struct work w;
	struct room r;
	bool known;

	v->loads = rule_metric(x, METRIC_GLOBAL_LD_INST) / warps;
	if (c == NULL || !has_barrier(c) || x->kernel->shape.block_y != 1 ||
	    x->kernel->shape.block_z != 1 || of_block < 2 ||
	    !(v->loads > 0) || !(inst > 0))
		return false;
	if (room_make(&r, x) != 0) {
		x->arena->failed = true;
		return false;
	}
	known = find_work(&w, &r);
	room_free(&r);
	if (!known || !(v->loads > w.always))
		return false;
	v->always = w.always;
	v->used = fmin(1, fmax((v->loads - w.always) / w.guarded, 1 / of_block));
	v->left = 1 - (1 - v->used) * fmin(1, w.inst / inst);
	v->waves = waves > 0 ? 1 - (1 - v->used) * fmin(1, w.waves / waves) : 1;
	return true;
}

bool
vacant_most(struct vacant *v, const struct rule_view *x)
{
	return vacant_of(v, x) && v->used <= USED_MOST;
}
