/*
 * source/flow.c: blocks, dominators, loops; see flow.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "source/flow.h"
#include "source/opcode.h"

/* Limit of steps up the dominator tree. Compiled code needs a few per block;
 * over the limit loops are left out. */
#define MAX_STEPS (1u << 25)

/* --- blocks --------------------------------------------------------------- */

/* The number of the barrier in "B0,0x230"; FLOW_NONE. */
static uint32_t
barrier_of(const struct sass_instruction *in)
{
	const char *p = opcode_operands(in);
	char *end;
	unsigned long v;

	if (p[0] != 'B' || p[1] < '0' || p[1] > '9')
		return FLOW_NONE;
	v = strtoul(p + 1, &end, 10);
	return v < FLOW_BARRIERS ? (uint32_t)v : FLOW_NONE;
}

/* The instruction at which the threads after BSSY reconverge; SASS_NONE. */
static uint32_t
meeting_at(const struct sass *s, const struct sass_instruction *in)
{
	const char *p = strchr(opcode_operands(in), ',');

	if (p == NULL)
		return SASS_NONE;
	p += 1 + strspn(p + 1, " ");
	if (strncmp(p, "0x", 2) != 0)
		return SASS_NONE;
	return sass_at(s, (uint32_t)strtoul(p, NULL, 16));
}

static bool
ends_block(const struct sass_instruction *in)
{

	if ((in->flags & SASS_EXIT) != 0)
		return true;
	if ((in->flags & SASS_BRANCH) != 0)
		return (in->flags & SASS_CALL) == 0;
	return opcode_is(in, "BSYNC");
}

/* Marks the instructions that begin a block in f->of; returns the number of
 * BSSY. */
static uint32_t
leaders_mark(struct flow *f, const struct sass *s)
{
	const struct sass_instruction *in;
	uint32_t i, at, meetings = 0;

	f->of[0] = 1;
	for (i = 0; i < s->instructions; i++) {
		in = &s->instruction[i];
		at = SASS_NONE;
		if ((in->flags & SASS_BRANCH) != 0 && in->target != SASS_NONE)
			at = sass_at(s, in->target);
		else if (opcode_is(in, "BSSY")) {
			at = meeting_at(s, in);
			meetings++;
		}
		if (at != SASS_NONE)
			f->of[at] = 1;
		if (ends_block(in) && i + 1 < s->instructions)
			f->of[i + 1] = 1;
	}
	return meetings;
}

static void
block_close(const struct flow *f, const struct sass *s, struct block *b)
{
	const struct sass_instruction *in = &s->instruction[b->last];
	bool conditional = (in->flags & SASS_CONDITIONAL) != 0, falls = true;
	uint32_t at;

	b->next[0] = b->next[1] = b->barrier = FLOW_NONE;
	if ((in->flags & SASS_EXIT) != 0)
		falls = conditional;
	else if ((in->flags & SASS_BRANCH) != 0 &&
	    (in->flags & SASS_CALL) == 0) {
		falls = conditional;
		at = in->target == SASS_NONE ? SASS_NONE :
		    sass_at(s, in->target);
		if (at == SASS_NONE)
			b->unknown = true;
		else
			b->next[1] = f->of[at];
	} else if (opcode_is(in, "BSYNC")) {
		b->barrier = barrier_of(in);
		b->unknown = b->barrier == FLOW_NONE;
	}
	if (!falls)
		return;
	if (b->last + 1 < s->instructions)
		b->next[0] = f->of[b->last + 1];
	else
		b->unknown = true;
}

static void
meetings_note(struct flow *f, const struct sass *s)
{
	struct meeting m;
	uint32_t i, at;

	for (i = 0; i < s->instructions; i++) {
		if (!opcode_is(&s->instruction[i], "BSSY"))
			continue;
		m.barrier = barrier_of(&s->instruction[i]);
		at = meeting_at(s, &s->instruction[i]);
		if (m.barrier == FLOW_NONE || at == SASS_NONE)
			continue;
		m.block = f->of[at];
		f->meeting[f->meetings++] = m;
	}
}

static void
written_note(struct flow *f, const struct sass *s)
{
	internals_find(&f->own, s);
	for (uint32_t n = 0; n < f->own.count; n++) {
		struct written *w = &f->written[n];
		struct operands o;

		for (uint32_t i = f->own.at[n]; i < s->instructions &&
		    !opcode_is(&s->instruction[i], "RET"); i++) {
			w->instructions++;
			if (!operands_of(&o, &s->instruction[i]))
				continue;
			for (int r = o.def; r < o.def + o.defs && r < REGISTERS; r++)
				w->registers[r / 64] |= 1ull << r % 64;
		}
	}
}

int
flow_make(struct flow *f, const struct sass *s)
{
	uint32_t i, n = (uint32_t)s->instructions, meetings;

	memset(f, 0, sizeof(*f));
	if ((f->of = calloc((size_t)n + 1, sizeof(*f->of))) == NULL)
		return -1;
	meetings = leaders_mark(f, s);
	for (i = 0; i < n; i++) {
		f->blocks += f->of[i];
		f->of[i] = f->blocks - 1;
	}
	f->block = calloc((size_t)f->blocks + 1, sizeof(*f->block));
	f->meeting = calloc((size_t)meetings + 1, sizeof(*f->meeting));
	if (f->block == NULL || f->meeting == NULL) {
		flow_free(f);
		return -1;
	}
	for (i = 0; i < n; i++) {
		if (i == 0 || f->of[i] != f->of[i - 1])
			f->block[f->of[i]].first = i;
		f->block[f->of[i]].last = i;
	}
	for (i = 0; i < f->blocks; i++)
		block_close(f, s, &f->block[i]);
	meetings_note(f, s);
	written_note(f, s);
	return 0;
}

void
flow_free(struct flow *f)
{

	free(f->block);
	free(f->of);
	free(f->meeting);
	memset(f, 0, sizeof(*f));
}

/* --- dominators ----------------------------------------------------------- */

/* The algorithm of Cooper, Harvey and Kennedy: iterate in reverse postorder to
 * a fixed point. Blocks where execution may start (the entry, blocks without a
 * predecessor) hang below a root that is no block. */
struct ways {
	const struct flow *f;
	uint32_t *from, *start;	/* predecessors of each: from[start[b]..] */
	uint32_t *order;	/* blocks in postorder */
	uint32_t *rank;		/* index in it; the root is last */
	uint32_t *dom;		/* by block; blocks: the root, FLOW_NONE none */
	uint32_t *stack;
	uint8_t *edge;		/* of blocks on the stack: the next edge to
				 * follow */
	uint32_t ordered, steps;
};

static void
ways_free(struct ways *w)
{

	free(w->from);
	free(w->start);
	free(w->order);
	free(w->rank);
	free(w->dom);
	free(w->stack);
	free(w->edge);
}

static int
ways_alloc(struct ways *w, const struct flow *f)
{
	size_t n = (size_t)f->blocks + 2;

	memset(w, 0, sizeof(*w));
	w->f = f;
	w->from = calloc(2 * n, sizeof(*w->from));
	w->start = calloc(n, sizeof(*w->start));
	w->order = calloc(n, sizeof(*w->order));
	w->rank = calloc(n, sizeof(*w->rank));
	w->dom = calloc(n, sizeof(*w->dom));
	w->stack = calloc(n, sizeof(*w->stack));
	w->edge = calloc(n, sizeof(*w->edge));
	if (w->from == NULL || w->start == NULL || w->order == NULL ||
	    w->rank == NULL || w->dom == NULL || w->stack == NULL ||
	    w->edge == NULL)
		return -1;
	return 0;
}

static void
ways_back(struct ways *w)
{
	uint32_t i, j, to, n = w->f->blocks;

	for (i = 0; i < n; i++)
		for (j = 0; j < 2; j++)
			if ((to = w->f->block[i].next[j]) != FLOW_NONE)
				w->start[to + 1]++;
	for (i = 0; i < n; i++)
		w->start[i + 1] += w->start[i];
	for (i = n; i-- > 0;)
		for (j = 0; j < 2; j++)
			if ((to = w->f->block[i].next[j]) != FLOW_NONE)
				w->from[w->start[to] + w->rank[to]++] = i;
}

/* Depth first from ${root}; a visited block has an edge number. */
static void
ways_walk(struct ways *w, uint32_t root)
{
	uint32_t depth = 0, b, to;

	w->dom[root] = w->f->blocks;
	w->stack[depth++] = root;
	w->edge[root] = 1;
	while (depth > 0) {
		b = w->stack[depth - 1];
		if (w->edge[b] <= 2) {
			to = w->f->block[b].next[w->edge[b]++ - 1];
			if (to != FLOW_NONE && w->edge[to] == 0) {
				w->edge[to] = 1;
				w->stack[depth++] = to;
			}
			continue;
		}
		w->rank[b] = w->ordered;
		w->order[w->ordered++] = b;
		depth--;
	}
}

static uint32_t
common(struct ways *w, uint32_t a, uint32_t b)
{

	while (a != b) {
		while (w->rank[a] < w->rank[b]) {
			a = w->dom[a];
			w->steps++;
		}
		while (w->rank[b] < w->rank[a]) {
			b = w->dom[b];
			w->steps++;
		}
		if (w->steps > MAX_STEPS)
			return w->f->blocks;
	}
	return a;
}

static bool
dominators_pass(struct ways *w)
{
	uint32_t i, j, b, p, dom;
	bool changed = false;

	for (i = w->ordered; i-- > 0 && w->steps <= MAX_STEPS;) {
		b = w->order[i];
		if (w->dom[b] == w->f->blocks)
			continue;
		dom = FLOW_NONE;
		for (j = w->start[b]; j < w->start[b + 1]; j++) {
			p = w->from[j];
			if (w->dom[p] != FLOW_NONE)
				dom = dom == FLOW_NONE ? p :
				    common(w, dom, p);
		}
		if (dom != w->dom[b]) {
			w->dom[b] = dom;
			changed = true;
		}
	}
	return changed;
}

/* Computes w->dom for every block. 1 if that exceeds MAX_STEPS. */
static int
dominators(struct ways *w)
{
	uint32_t i, n = w->f->blocks;

	ways_back(w);
	memset(w->rank, 0, n * sizeof(*w->rank));
	for (i = 0; i <= n; i++)
		w->dom[i] = FLOW_NONE;
	for (i = 0; i < n; i++)
		if (w->edge[i] == 0 &&
		    (i == 0 || w->start[i] == w->start[i + 1]))
			ways_walk(w, i);
	for (i = 0; i < n; i++)
		if (w->edge[i] == 0)
			ways_walk(w, i);
	w->rank[n] = n;
	while (dominators_pass(w) && w->steps <= MAX_STEPS)
		w->steps += n;
	return w->steps > MAX_STEPS;
}

/* --- loops ---------------------------------------------------------------- */

static bool
dominates(struct ways *w, uint32_t a, uint32_t b)
{

	while (b != w->f->blocks && w->rank[b] < w->rank[a]) {
		b = w->dom[b];
		w->steps++;
	}
	return a == b;
}

COMPARE(by_head, struct sass_loop,
    ORDER(x->head, y->head) ?: ORDER(y->tail, x->tail))

static int
loops_collect(struct ways *w, struct sass *s)
{
	uint32_t i, head, cap = 0;
	struct sass_loop *l;

	for (i = 0; i < s->instructions && w->steps <= MAX_STEPS; i++) {
		if ((s->instruction[i].flags & SASS_BACKWARD) == 0 ||
		    (head = sass_at(s, s->instruction[i].target)) == SASS_NONE ||
		    !dominates(w, w->f->of[head], w->f->of[i]))
			continue;
		if (s->loops == cap) {
			cap = cap == 0 ? 8 : 2 * cap;
			l = realloc(s->loop, cap * sizeof(*l));
			if (l == NULL)
				return -1;
			s->loop = l;
		}
		s->loop[s->loops++] = (struct sass_loop){ head, i, 0 };
	}
	return 0;
}

/* One loop per head: the last back edge. */
static void
loops_merge(struct sass *s)
{
	size_t i, n = 0;

	qsort(s->loop, s->loops, sizeof(*s->loop), by_head);
	for (i = 0; i < s->loops; i++)
		if (n == 0 || s->loop[i].head != s->loop[n - 1].head)
			s->loop[n++] = s->loop[i];
	s->loops = n;
}

/* Depth of each loop, and the innermost loop of each instruction. */
static int
loops_nest(struct sass *s)
{
	uint32_t i, depth = 0, next = 0, *open;

	s->inner = malloc(s->instructions * sizeof(*s->inner));
	open = malloc((s->loops + 1) * sizeof(*open));
	if (s->inner == NULL || open == NULL) {
		free(open);
		return -1;
	}
	for (i = 0; i < s->instructions; i++) {
		while (depth > 0 && s->loop[open[depth - 1]].tail < i)
			depth--;
		if (next < s->loops && s->loop[next].head == i) {
			s->loop[next].depth = depth;
			open[depth++] = next++;
		}
		s->inner[i] = depth == 0 ? SASS_NONE : open[depth - 1];
	}
	free(open);
	return 0;
}

int
flow_loops(const struct flow *f, struct sass *s)
{
	struct ways w;
	int rc = -1;

	if (ways_alloc(&w, f) == 0) {
		rc = dominators(&w) == 0 ? loops_collect(&w, s) : 0;
		if (rc == 0 && s->loops > 0) {
			loops_merge(s);
			rc = loops_nest(s);
		}
	}
	ways_free(&w);
	return rc;
}
