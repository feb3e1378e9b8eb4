/*
 * kernel-fusion-candidate: kernels that always follow each other and work on the
 * same data. As one kernel they would move the data once and be launched once.
 *
 * No counter says which addresses a kernel touches. Known are the volume that
 * each moves and that one always comes right after the other. The volume of a
 * kernel that was not counted comes from its code, if it has no loop and each
 * thread has its own elements. Ten patterns count as the same data:
 *  - re-read: the first writes little (a result for each row), and the second
 *    reads as much as the first did;
 *  - siblings: each writes little and has one pointer to read from, and two
 *    arrays of the size read would not fit into the memory that the program has;
 *  - readers: each writes little, goes over its arrays once, and loads nothing that can be
 *    the result of another (streamed.h); and together they read more than all memory in
 *    use, so that some of them read the same;
 *  - hand-over: the first writes most of what the second, of the same shape,
 *    reads, and the second finds it in L2 instead of DRAM;
 *  - in place: the same volumes, of whatever size, of kernels whose code shows
 *    that each thread touches only the elements of its own index;
 *  - step: launches of one shape in a step of a loop, perhaps several of one kernel,
 *    of which each after the first touches only the elements of its thread's index, or
 *    loads them there and tables elsewhere, or transforms of Thrust and CUB, which do so
 *    by contract, and perhaps a reduction, scan or selection of these behind them; and
 *    which together touch more than all memory in use;
 *  - copy: the second only moves what the first has written; swapping two
 *    pointers makes it unnecessary;
 *  - network: one kernel that follows itself for each distance of a butterfly
 *    (butterfly.h); the launches whose distance is within a block's elements
 *    can be one;
 *  - state: one kernel that follows itself and changes its threads' own elements in
 *    place, which is at least several times as much as all memory in use; it may look
 *    up values in other arrays;
 *  - columns: a library's product of a matrix and a vector that follows itself, and
 *    reads more than half of all memory in use, so that it is the same matrix.
 */
#include <math.h>
#include <string.h>

#include "facts/warp.h"
#include "rules/engine/coded.h"
#include "rules/evidence/revisit.h"
#include "rules/evidence/butterfly.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/parameters.h"
#include "rules/evidence/pointwise.h"
#include "rules/evidence/reuse.h"
#include "rules/evidence/steady.h"
#include "rules/evidence/steps.h"
#include "rules/evidence/streamed.h"

#define CHAIN_MAX 8		/* kernels; more are several chains */
#define GROUPS_MAX 32		/* chains of the same kernel names are one finding */
#define ALWAYS 0.9		/* of the launches: warm-up and the end may differ */
#define SAME 0.25		/* relative difference of two equal volumes:
				 * each kernel has overheads of its own, such as
				 * reading the results of the kernel before */
#define LITTLE 0.1		/* of what was read: a result, not the data */
#define MOST 0.4		/* of what the second reads, the least the first
				 * must write */
#define TWICE 0.1		/* of what a step touches, what must be touched twice:
				 * the volumes are known to a few percent */
#define APART 2			/* times what the kernels before have left, at least, that
				 * is read through each pointer: it leads to no result of
				 * theirs */
#define SIZES 4			/* times as much or as little: other types */
#define COMPUTE_UNKNOWN 0.3	/* issue utilisation of an average kernel */
#define STEPS_LEAST 32		/* launches of a loop over time or over parts; a few
				 * of one kernel may be a measurement's repeats */
#define COMPUTE_MOST 0.5	/* of a launch: arithmetic that is as long as the
				 * loads leaves nothing to save */
#define SHARED_BYTES 49152	/* shared memory that every GPU's blocks may have */

enum link { LINK_NONE, LINK_BLIND, LINK_REREAD, LINK_SIBLINGS, LINK_READERS,
	LINK_HANDOVER, LINK_INPLACE, LINK_COPY, LINK_STEP };

/* What is known of one kernel, by its index. */
struct node {
	enum link link;		/* to the kernel that follows */
	double before;		/* its launches right after a kernel with such a link */
	double gone[VIEWS];	/* time that fusion saves, in launches of this kernel */
	int group;		/* index + 1; 0: none */
	/* From pointwise.h, + 1; 0: not determined yet. A kernel may come up in each of
	 * the launches of all sequences. */
	uint32_t element, stored, taken;	/* bytes */
	double own;			/* bytes, with ${taken} */
	bool streamed_known;
	struct streamed streamed;	/* once 0: it is not so */
};

struct group {
	uint32_t kernel[CHAIN_MAX];	/* indexes; of the group's first chain */
	size_t length;
	enum link link;
	double chains, gaps, idle_s;
	bool unsure;		/* that its launches share data is likely only */
};

struct search {
	struct rule_view *x;
	struct node *node;
	struct group group[GROUPS_MAX];
	size_t groups;
};

static uint32_t
index_of(const struct search *s, const struct kernel *k)
{
	return (uint32_t)(k - s->x->run->kernel);
}

/* Bytes that a launch reads from beyond L1; NaN: not counted. */
static double
bytes_counted(const struct search *s, const struct kernel *k)
{
	const struct load *l = &s->x->loads[index_of(s, k)];

	if (!isfinite(k->metric[METRIC_GLOBAL_LD_SECTORS]) ||
	    (!isfinite(k->metric[METRIC_L2_FROM_L1]) &&
	    !isfinite(k->metric[METRIC_L2_READ]) &&
	    !isfinite(k->metric[METRIC_L1_HIT_RATE])))
		return NAN;
	return l->l2_ld * 32;
}

static double
threads_in_all(const struct kernel *k)
{
	return rule_blocks(k) * rule_threads(k);
}

/* Bytes that the loads or stores (${flag}) in its code move, if every thread
 * executes each once. */
static double
bytes_coded(const struct kernel *k, uint32_t flag)
{
	const struct code *c = k->code;
	double sum = 0;

	if (c == NULL || !c->disassembled || c->sass.loops > 0)
		return NAN;
	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].space == SPACE_GLOBAL &&
		    c->sass.instruction[s].flags & flag)
			sum += c->sass.instruction[s].bytes;
	return sum * threads_in_all(k);
}

static double
bytes_written(const struct kernel *k)
{
	double counted = k->metric[METRIC_GLOBAL_ST_SECTORS] * 32;

	return isfinite(counted) ? counted : bytes_coded(k, SASS_STORE);
}

static bool
is_own(const struct search *s, const struct kernel *k)
{
	return !(k->shape.flags & (SIGNATURE_COOPERATIVE |
	    SIGNATURE_COMMUNICATION)) && !library_owns(s->x->run, k);
}

/* The kernel that follows ${k} nearly every time; NULL: none. */
static const struct kernel *
next_of(const struct search *s, const struct kernel *k)
{
	const struct run *run = s->x->run;
	const struct kernel *n;

	if (k->next == 0 || k->next > run->kernels || k->next == k->id ||
	    (double)k->next_count < rule_value(s->x, "min_repeats") ||
	    (double)k->next_count < ALWAYS * (double)k->launches)
		return NULL;
	n = &run->kernel[k->next - 1];
	return n->device == k->device && k->device < run->devices ? n : NULL;
}

static bool
is_reread(const struct search *s, const struct kernel *a,
    const struct kernel *b)
{
	const struct record_DEVICE *d =
	    &s->x->run->device[a->device].limits;
	double read = bytes_counted(s, a), again = bytes_counted(s, b);
	double left = bytes_written(a), blocks = rule_blocks(a);

	/* Each block writes something (a sum over all blocks is made by atomics or
	 * by another kernel), and what it read would fit into its shared memory. */
	return read >= rule_value(s->x, "min_bytes") &&
	    left <= LITTLE * read && left >= 32 * blocks &&
	    fabs(again - read) <= SAME * read &&
	    read / blocks <= fmax(SHARED_BYTES, d->smem_per_block_optin);
}

/* What ${a} writes is too little to be what ${b} reads through its only input
 * pointer, so ${b} does not depend on ${a}. Two such arrays exceed the memory
 * in use, so both read the same one. */
static bool
is_sibling(const struct search *s, const struct kernel *a,
    const struct kernel *b)
{
	double read = bytes_counted(s, a), again = bytes_counted(s, b);

	return read >= rule_value(s->x, "min_bytes") &&
	    bytes_written(a) <= LITTLE * read &&
	    bytes_written(b) <= LITTLE * again &&
	    fabs(again - read) <= SAME * read &&
	    parameters_pointers(b->name) == 2 &&
	    s->x->loads[index_of(s, b)].memory < 2 * (1 - SAME) * read;
}

/* What ${k} leaves in memory by stores and atomics, at most: a sector for each lane of an
 * atomic. NaN: unknown. */
static double
bytes_left(const struct kernel *k)
{
	const struct code *c = k->code;
	double lanes = 0;

	if (c == NULL || !c->disassembled)
		return NAN;
	for (uint32_t at = 0; at < c->sass.instructions; at++)
		if (c->sass.instruction[at].flags & SASS_ATOMIC &&
		    c->sass.instruction[at].space != SPACE_SHARED)
			lanes += c->counted ? WARP * inst_executed(c, at) : NAN;
	return bytes_written(k) + 32 * lanes;
}

static const struct streamed *
streamed(const struct search *s, const struct kernel *k)
{
	struct node *n = &s->node[index_of(s, k)];

	if (!n->streamed_known && !streamed_of(&n->streamed, k->code, &k->shape))
		n->streamed = (struct streamed){ 0, 0 };
	n->streamed_known = true;
	return &n->streamed;
}

/* Different bytes that a launch of ${k}, which goes over its arrays once, reads, at least:
 * what blocks share (edges of tiles) comes from DRAM once, while L2 has it; of a sector
 * that is loaded again and again for a part each time, that part counts. 0: not known. */
static double
bytes_once(const struct search *s, const struct kernel *k)
{
	double read = bytes_counted(s, k), dram = k->metric[METRIC_DRAM_READ];
	double asked = k->metric[METRIC_GLOBAL_LD_SECTORS] *
	    k->metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR];

	return isfinite(read) && isfinite(dram) && isfinite(asked) ?
	    fmin(fmin(read, dram), asked) * streamed(s, k)->once : 0;
}

/* Does ${b} need no result of kernels that left ${left} bytes? */
static bool
is_free_of(const struct search *s, const struct kernel *b, double left)
{
	return streamed(s, b)->least * bytes_counted(s, b) >= APART * left;
}

static bool
is_reader(const struct search *s, const struct kernel *k)
{
	double read = bytes_counted(s, k);

	return read >= rule_value(s->x, "min_bytes") &&
	    bytes_left(k) <= LITTLE * read &&
	    bytes_once(s, k) >= rule_value(s->x, "min_bytes");
}

static bool
is_handover(const struct search *s, const struct kernel *a,
    const struct kernel *b)
{
	double l2 = (double)s->x->run->device[a->device].limits.l2_bytes;
	double made = bytes_written(a), read = bytes_counted(s, b);
	double dram = b->metric[METRIC_DRAM_READ];

	return made >= rule_value(s->x, "min_bytes") && made >= MOST * read &&
	    made <= (1 + SAME) * read && made <= l2 / 2 &&
	    threads_in_all(a) == threads_in_all(b) &&
	    read - dram >= made / 2 &&
	    read <= (1 + SAME) * (made + bytes_counted(s, a) + dram);
}

/* Bytes of an element, if each thread accesses only its own; 0: it accesses
 * others, too. */
static uint32_t
element_of(const struct search *s, const struct kernel *k)
{
	struct node *n = &s->node[index_of(s, k)];

	if (n->element == 0)
		n->element = pointwise_bytes(k->code, &k->shape) + 1;
	return n->element - 1;
}

/* The same of what it stores, whatever it loads. */
static uint32_t
stored_of(const struct search *s, const struct kernel *k)
{
	struct node *n = &s->node[index_of(s, k)];

	if (n->stored == 0)
		n->stored = pointwise_stored(k->code, &k->shape) + 1;
	return n->stored - 1;
}

/* Bytes of an element that each thread loads as its own; *${own}: of all such loads. */
static uint32_t
taken_of(const struct search *s, const struct kernel *k, double *own)
{
	struct node *n = &s->node[index_of(s, k)];

	if (n->taken == 0)
		n->taken = pointwise_taken(k->code, &k->shape, &n->own) + 1;
	*own = n->own;
	return n->taken - 1;
}

/* Bytes that a launch reads; NaN: neither counted nor known from the code. */
static double
bytes_read(const struct search *s, const struct kernel *k)
{
	double counted = bytes_counted(s, k);

	return isfinite(counted) || element_of(s, k) == 0 ? counted :
	    bytes_coded(k, SASS_LOAD);
}

static bool
is_counted(const struct search *s, const struct kernel *k)
{
	return isfinite(bytes_counted(s, k)) &&
	    isfinite(k->metric[METRIC_GLOBAL_ST_SECTORS]);
}

static bool
is_inplace(const struct search *s, const struct kernel *a,
    const struct kernel *b)
{
	double made = bytes_written(a), read = bytes_read(s, b);

	return made >= rule_value(s->x, "min_bytes") && made >= MOST * read &&
	    made <= (1 + SAME) * read &&
	    threads_in_all(a) == threads_in_all(b) && element_of(s, a) > 0 &&
	    element_of(s, a) == element_of(s, b);
}

static bool
is_copied(const struct search *s, const struct kernel *a,
    const struct kernel *b)
{
	double made = bytes_written(a), read = bytes_read(s, b);

	return made >= rule_value(s->x, "min_bytes") &&
	    fabs(made - read) <= SAME * read &&
	    pointwise_copies(b->code, &b->shape);
}

static enum link
link_of(const struct search *s, const struct kernel *a)
{
	const struct kernel *b = next_of(s, a);

	if (b == NULL || !is_own(s, a) || !is_own(s, b))
		return LINK_NONE;
	if (is_copied(s, a, b))
		return LINK_COPY;
	if (!is_counted(s, a) || !is_counted(s, b))
		return is_inplace(s, a, b) ? LINK_INPLACE : LINK_BLIND;
	return is_reread(s, a, b) ? LINK_REREAD :
	    is_sibling(s, a, b) ? LINK_SIBLINGS :
	    is_reader(s, a) && is_reader(s, b) && is_free_of(s, b,
	    bytes_left(a)) ? LINK_READERS :
	    is_inplace(s, a, b) ? LINK_INPLACE :
	    is_handover(s, a, b) ? LINK_HANDOVER : LINK_NONE;
}

/* Does ${k} have a link of this kind to its next kernel, and do nearly all
 * launches of that one come right after such a link? */
static bool
goes_on(const struct search *s, const struct kernel *k, enum link link)
{
	const struct kernel *b;

	if (s->node[index_of(s, k)].link != link)
		return false;
	b = &s->x->run->kernel[k->next - 1];
	return s->node[index_of(s, b)].before >= ALWAYS * (double)b->launches;
}

static bool
reads_again(enum link link)
{
	return link == LINK_REREAD || link == LINK_SIBLINGS ||
	    link == LINK_READERS;
}

/* The share of a launch's time, without its fixed cost, that its instructions
 * need: fusing does not remove that work. */
static double
compute_share(const struct load *l)
{
	double body = l->time_s - l->fixed_s, top = NAN;

	for (int i = RES_ISSUE; i <= RES_TENSOR; i++)
		top = fmax(top, l->resource_s[i]);	/* fmax ignores NaN */
	return body > 0 && isfinite(top) ? fmin(1, fmax(0, top / body)) :
	    COMPUTE_UNKNOWN;
}

/* ${count} launches of kernel ${i} shrink to ${left} of their time. */
static void
shrink(struct search *s, uint32_t i, double count, const double left[VIEWS])
{
	for (int v = 0; v < VIEWS; v++)
		s->node[i].gone[v] += count *
		    (1 - fmin(1, fmax(0, isfinite(left[v]) ? left[v] : 1)));
}

/* All kernels of a chain read the same data: the longest stays, and the others
 * add their instructions to it, half of which hide behind its loads. The others load
 * ${again} of what they load, 0..1, again. */
static void
shrink_readers(struct search *s, const uint32_t *k, size_t n, double count,
    const double again[VIEWS])
{
	const struct load *l = s->x->loads;
	size_t longest = 0;

	for (size_t i = 1; i < n; i++)
		if (l[k[i]].time_s > l[k[longest]].time_s)
			longest = i;
	for (size_t i = 0; i < n; i++) {
		double share = compute_share(&l[k[i]]);
		double body = 1 - l[k[i]].fixed_s / l[k[i]].time_s;
		double left[VIEWS] = { (1 + share) / 2, share / 2, 0 };

		for (int v = 0; v < VIEWS; v++)
			left[v] = body * (1 - again[v] * (1 - left[v]));
		if (i != longest)
			shrink(s, k[i], count, left);
	}
}

/* The share of the time left without ${gone} bytes, for kernels that were not
 * counted: moving the bytes takes at least the time that they need at DRAM's rate. */
static double
without_bytes(const struct search *s, const struct kernel *k, double gone)
{
	const struct load *l = &s->x->loads[index_of(s, k)];
	double rate = s->x->run->device[k->device].ceilings.dram_bytes_per_s;

	return clamp01(1 - gone / rate / l->time_s);
}

/* The fused kernel keeps in registers what ${a} stores and ${b} loads now.
 * Perhaps nothing else reads ${a}'s stores either: the high view omits them, the
 * middle view half of them, where the data are known to be the same (${same}). */
static void
shrink_pair(struct search *s, uint32_t a, uint32_t b, double count, bool same)
{
	const struct kernel *k = s->x->run->kernel;
	const struct load *l = s->x->loads;
	double made = bytes_written(&k[a]);
	struct fix loads = FIX_NONE, stores = FIX_NONE;
	double left[VIEWS], last[VIEWS] = { 1, 1, 1 };

	if (same)	/* it runs in the threads of ${a}, which started them */
		loads.part[RES_START] = 0;
	loads.global_ld = fmax(0, 1 - made / bytes_read(s, &k[b]));
	stores.global_st = 0;
	for (int v = 0; v < VIEWS; v++) {
		bool counted = is_counted(s, &k[a]) && is_counted(s, &k[b]);
		double stored = counted ? gain_time(&l[a], &stores,
		    (enum gain_view)v) / l[a].time_s : without_bytes(s, &k[a], made);

		left[v] = (counted ? gain_time(&l[b], &loads, (enum gain_view)v) /
		    l[b].time_s : without_bytes(s, &k[b], made)) -
		    l[b].fixed_s / l[b].time_s;
		if (v == VIEW_HIGH)
			last[v] = stored;
		else if (v == VIEW_MID && same)
			last[v] = (1 + stored) / 2;
	}
	shrink(s, b, count, left);
	shrink(s, a, count, last);
}

/* Sets ${again}, of what all kernels of a chain but the largest read, the share that they
 * read again: beyond all memory in use, of which they may read every byte; at best all of
 * it. False: not enough to be sure. */
static bool
find_again_read(const struct search *s, const uint32_t *k, size_t n,
    double again[VIEWS])
{
	const struct kernel *all = s->x->run->kernel;
	double memory = reuse_memory(s->x->run), sum = 0, most = 0, left = 0;

	for (size_t i = 0; i < n; i++) {
		double read = bytes_once(s, &all[k[i]]);

		if (i > 0 && !is_free_of(s, &all[k[i]], left))
			return false;
		sum += read;
		most = fmax(most, read);
		left += bytes_left(&all[k[i]]);
	}
	if (!(sum - memory >= TWICE * sum) || !(sum > most))
		return false;
	again[VIEW_LOW] = again[VIEW_MID] = fmin(1, (sum - memory) / (sum - most));
	again[VIEW_HIGH] = 1;
	return true;
}

static bool
same_names(const struct search *s, const struct group *g, const uint32_t *k,
    size_t n)
{
	const struct kernel *all = s->x->run->kernel;

	if (g->length != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *a = all[g->kernel[i]].mangled, *b = all[k[i]].mangled;

		if (a == NULL || b == NULL || (a != b && strcmp(a, b) != 0) ||
		    all[g->kernel[i]].device != all[k[i]].device)
			return false;
	}
	return true;
}

/* The group of a chain; -1: there are too many. */
static int
group_of(struct search *s, enum link link, const uint32_t *k, size_t n)
{
	struct group *g;

	for (size_t i = 0; i < s->groups; i++)
		if (s->group[i].link == link && same_names(s, &s->group[i], k, n))
			return (int)i;
	if (s->groups == GROUPS_MAX)
		return -1;
	g = &s->group[s->groups];
	memset(g, 0, sizeof(*g));
	memcpy(g->kernel, k, n * sizeof(*k));
	g->length = n;
	g->link = link;
	return (int)s->groups++;
}

/* Follows the chain that begins with kernel ${from} and adds it to its group. */
static void
follow_chain(struct search *s, uint32_t from, enum link link)
{
	const struct run *run = s->x->run;
	uint32_t k[CHAIN_MAX] = { from };
	double count = (double)run->kernel[from].next_count;
	double again[VIEWS] = { 1, 1, 1 };
	size_t n = 1;
	int group;

	while (n < CHAIN_MAX && goes_on(s, &run->kernel[k[n - 1]], link) &&
	    run->kernel[k[n - 1]].next != from + 1) {
		count = fmin(count, (double)run->kernel[k[n - 1]].next_count);
		k[n] = run->kernel[k[n - 1]].next - 1;
		n++;
	}
	if (link == LINK_READERS && !find_again_read(s, k, n, again))
		return;
	group = group_of(s, link, k, n);
	for (size_t i = 0; i < n; i++)	/* a kernel belongs to one finding only */
		if (s->node[k[i]].group != 0 && s->node[k[i]].group != group + 1)
			group = -1;
	if (group < 0 || n < 2)
		return;
	s->group[group].chains += count;
	for (size_t i = 0; i < n; i++) {
		const struct kernel *a = &run->kernel[k[i]];

		s->node[k[i]].group = group + 1;
		if (i + 1 == n)
			break;
		s->group[group].idle_s += (double)a->next_idle_ns * 1e-9 *
		    count / (double)a->next_count;
		if (link == LINK_COPY)
			shrink(s, k[i + 1], count, (double[]){ 0.5, 0, 0 });
		else if (!reads_again(link))
			shrink_pair(s, k[i], k[i + 1], count,
			    link == LINK_INPLACE);
	}
	if (reads_again(link))
		shrink_readers(s, k, n, count, again);
}

/* --- a step of a loop ----------------------------------------------------- */

/* Does a launch of ${b} read at least what one of ${a} writes, not far from its size, and
 * is it enough to matter? */
static bool
can_take(const struct search *s, const struct kernel *a, const struct kernel *b)
{
	double made = bytes_written(a), then = bytes_written(b);

	return made >= rule_value(s->x, "min_bytes") &&
	    made * (1 - TWICE) <= bytes_counted(s, b) &&
	    then <= SIZES * made && made <= SIZES * then;
}

/* Can ${b} go on where the thread of the same index in ${a} ended: does ${a} store
 * only its own elements, of any it loads, and does ${b} touch only its own, or load its
 * own through a pointer of their own? */
static bool
goes_on_by_code(const struct search *s, const struct kernel *a,
    const struct kernel *b)
{
	const struct record_SIGNATURE *f = &a->shape, *t = &b->shape;
	double made = bytes_written(a), own;
	uint32_t stored;

	if (f->grid_x != t->grid_x || f->grid_y != t->grid_y ||
	    f->grid_z != t->grid_z || f->block_x != t->block_x ||
	    f->block_y != t->block_y || f->block_z != t->block_z ||
	    made < rule_value(s->x, "min_bytes"))
		return false;
	stored = stored_of(s, a);
	if (stored == 0 || element_of(s, b) == stored)
		return stored > 0;
	/* What it loads elsewhere is a small table, which L1 holds, and no array that
	 * ${a} may have stored. */
	return can_take(s, a, b) && taken_of(s, b, &own) == stored &&
	    bytes_counted(s, b) <= (1 + SAME) * fmax(made, own * threads_in_all(b));
}

static bool
is_transform(const struct search *s, const struct kernel *k)
{
	return library_transforms(s->x->run, k);
}

/* Does ${b}, which leaves less than it reads, read as much as ${a} writes? */
static bool
takes_all(const struct search *s, const struct kernel *a, const struct kernel *b)
{
	double made = bytes_written(a);

	return made >= rule_value(s->x, "min_bytes") &&
	    fabs(bytes_counted(s, b) - made) <= SAME * made;
}

static bool
is_continued(const struct search *s, const struct kernel *a,
    const struct kernel *b)
{
	if (a == NULL || b == NULL || a->device != b->device ||
	    !is_counted(s, a) || !is_counted(s, b))
		return false;
	if (is_transform(s, a))
		return is_transform(s, b) ? can_take(s, a, b) :
		    library_takes(s->x->run, b) && takes_all(s, a, b);
	return is_own(s, a) && is_own(s, b) && goes_on_by_code(s, a, b);
}

enum shared { SHARED_NOT, SHARED_LIKELY, SHARED_SURELY };

/* Do launches ${k} touch some bytes twice? Each touches as much as it reads or writes,
 * whichever is more; all memory in use is less than the sum. It is likely if it is less
 * than what transforms read and write, few of which work in place. */
static enum shared
is_shared(const struct search *s, const uint32_t *k, size_t n)
{
	const struct kernel *all = s->x->run->kernel;
	double sum = 0, both = 0, memory = reuse_memory(s->x->run);

	for (size_t i = 0; i < n; i++) {
		double read = bytes_counted(s, &all[k[i]]);
		double made = bytes_written(&all[k[i]]);

		sum += fmax(read, made);
		both += is_transform(s, &all[k[i]]) ? read + made :
		    fmax(read, made);
	}
	return sum - memory >= TWICE * sum ? SHARED_SURELY :
	    both - memory >= TWICE * both ? SHARED_LIKELY : SHARED_NOT;
}

/* Adds the launches ${k} of a step, unless other links claim one of its kernels. */
static void
add_step(struct search *s, const struct sequence *q, const uint32_t *k, size_t n)
{
	double count = (double)q->repeats;
	enum shared shared = n < 2 ? SHARED_NOT : is_shared(s, k, n);
	bool differ = false;
	int group;

	for (size_t i = 0; i < n; i++) {
		if (s->node[k[i]].group != 0)
			return;
		differ |= k[i] != k[0];
	}
	if (shared == SHARED_NOT || !differ || (group = group_of(s, LINK_STEP, k, n)) < 0)
		return;
	s->group[group].chains += count;
	s->group[group].unsure = shared == SHARED_LIKELY;
	for (size_t i = 0; i < n; i++) {
		s->node[k[i]].group = group + 1;
		if (i + 1 < n)
			shrink_pair(s, k[i], k[i + 1], count, true);
	}
	if (q->length > 0)
		s->group[group].idle_s += (double)q->idle_ns * 1e-9 *
		    (double)(n - 1) / q->length;
}

/* Has a copy or memset come in front of launch ${i} of the steps? */
static bool
is_moved(const struct sequence *q, size_t i)
{
	return (double)q->moved[i % steps_length(q)] >=
	    (1 - ALWAYS) * (double)q->repeats;
}

/* May the host have read or written the data between the launches of a step? It can
 * where it waits, if it reaches them without a copy. */
static bool
is_interrupted(const struct run *run, const struct sequence *q)
{
	return run->peak_host_bytes > 0 &&
	    (double)q->syncs >= (1 - ALWAYS) * (double)q->repeats;
}

/* The chains of one repeated sequence, a cycle: they begin where a launch does not
 * continue the one before it. */
static void
follow_steps(struct search *s, const struct sequence *q)
{
	const struct rule_view *x = s->x;
	size_t n = steps_length(q), first = 0;
	uint32_t k[CHAIN_MAX];
	size_t length = 0;

	if (n < 2 || q->length > n || is_interrupted(s->x->run, q))
		return;
	while (first < n && !is_moved(q, first) && is_continued(s,
	    steps_kernel(x, q, first + n - 1), steps_kernel(x, q, first)))
		first++;
	for (size_t i = first; i < first + n; i++) {
		const struct kernel *b = steps_kernel(x, q, i);

		if (length > 0 && (length == CHAIN_MAX || is_moved(q, i) ||
		    !is_continued(s, steps_kernel(x, q, i - 1), b))) {
			add_step(s, q, k, length);
			length = 0;
		}
		if (b != NULL)
			k[length++] = index_of(s, b);
	}
	add_step(s, q, k, length);
}

static void
follow_all_steps(struct search *s)
{
	const struct run *run = s->x->run;

	for (size_t i = 0; i < run->sequences; i++)
		if ((double)run->sequence[i].repeats >=
		    rule_value(s->x, "min_repeats") &&
		    run->sequence[i].device < run->devices)
			follow_steps(s, &run->sequence[i]);
}

/* All chains by links of one kind. */
static void
follow_all(struct search *s, enum link link)
{
	const struct run *run = s->x->run;
	bool *inside = arena_get(s->x->arena, run->kernels + 1);

	for (size_t i = 0; i < run->kernels; i++)
		s->node[i].before = 0;
	for (size_t i = 0; i < run->kernels; i++)
		if (s->node[i].link == link)
			s->node[run->kernel[i].next - 1].before +=
			    (double)run->kernel[i].next_count;
	for (size_t i = 0; inside != NULL && i < run->kernels; i++)
		if (goes_on(s, &run->kernel[i], link))
			inside[run->kernel[i].next - 1] = true;
	/* A closed chain has no beginning: a step of a loop hands its result to
	 * the next, and the whole of it is needed in between. */
	for (size_t i = 0; inside != NULL && i < run->kernels; i++)
		if (!inside[i] && goes_on(s, &run->kernel[i], link))
			follow_chain(s, (uint32_t)i, link);
	/* Where no kernel needs the other's result, a closed chain may begin
	 * anywhere. */
	for (size_t i = 0; i < run->kernels; i++)
		if ((link == LINK_INPLACE || link == LINK_SIBLINGS ||
		    link == LINK_READERS) &&
		    s->node[i].group == 0 && goes_on(s, &run->kernel[i], link))
			follow_chain(s, (uint32_t)i, link);
}

static const char *
names_of(const struct search *s, const struct group *g)
{
	const struct kernel *k = s->x->run->kernel;
	const char *text = "";

	for (size_t i = 0; i < g->length; i++) {
		const char *name = k[g->kernel[i]].short_name;

		if (i == 3 && g->length > 4)
			return arena_format(s->x->arena, "%s + %zu more", text,
			    g->length - i);
		text = arena_format(s->x->arena, "%s%s%s", text,
		    i > 0 ? " + " : "", name != NULL ? name :
		    "(unnamed kernel)");
	}
	return text;
}

static int
set_parts(struct search *s, struct draft *d, int group)
{
	static const struct fix none = FIX_NONE;
	const struct run *run = s->x->run;
	struct part *part;
	size_t n = 0;

	for (size_t i = 0; i < run->kernels; i++)
		n += s->node[i].group == group + 1;
	part = arena_get(s->x->arena, n * sizeof(*part));
	if (part == NULL)
		return -1;
	d->part = part;
	for (size_t i = 0; i < run->kernels; i++) {
		struct part *p = &part[d->parts];

		if (s->node[i].group != group + 1)
			continue;
		p->kernel = &run->kernel[i];
		p->load = &s->x->loads[i];
		for (int v = 0; v < VIEWS; v++) {
			p->fix[v] = none;
			p->fix[v].whole = fmax(0, 1 - s->node[i].gone[v] /
			    fmax(1, (double)run->kernel[i].launches));
		}
		d->parts++;
	}
	return 0;
}

/* Mean bytes that one link of the chain moves unnecessarily. */
static double
volume_of(const struct search *s, const struct group *g)
{
	const struct kernel *k = s->x->run->kernel;
	double sum = 0;

	for (size_t i = 0; i + 1 < g->length; i++)
		sum += reads_again(g->link) ?
		    bytes_read(s, &k[g->kernel[i + 1]]) :
		    bytes_written(&k[g->kernel[i]]);
	return sum / (double)(g->length - 1);
}

static bool
all_counted(const struct search *s, const struct group *g)
{
	for (size_t i = 0; i < g->length; i++)
		if (!is_counted(s, &s->x->run->kernel[g->kernel[i]]))
			return false;
	return true;
}

static void
set_evidence(const struct search *s, struct draft *d, const struct group *g)
{
	const struct rule_view *x = s->x;

	rule_evidence(x, d, "repeats", g->chains,
	    "times they follow each other", .measured = "kernel records",
	    .unit = "repeat", .key = "min_repeats");
	rule_evidence(x, d, "volume_bytes", volume_of(s, g),
	    g->link == LINK_READERS ? "read by each that follows" :
	    reads_again(g->link) ? "read again by each that follows" :
	    "written by one and read by the next", .source = all_counted(s, g) ?
	    "measured" : "estimated", .from = all_counted(s, g) ?
	    "sectors between L1 and L2" : CODED_FROM, .key = "min_bytes");
	if (g->link == LINK_READERS)
		rule_evidence(x, d, "memory_bytes", reuse_memory(x->run),
		    "all memory in use, at its peak", .measured = "memory records",
		    .unit = "B");
	for (size_t i = 0; i < g->length; i++) {
		const struct kernel *k = &x->run->kernel[g->kernel[i]];
		double read = bytes_read(s, k);

		rule_evidence(x, d, arena_format(x->arena, "kernel%zu_s", i +
		    1), x->loads[index_of(s, k)].time_s, arena_format(x->arena,
		    "%s, mean of a launch: %s%s%swrites %s", k->short_name !=
		    NULL ? k->short_name : "(unnamed kernel)", isfinite(read) ?
		    "reads " : "", isfinite(read) ? say_bytes(x->arena, read) :
		    "", isfinite(read) ? ", " : "", say_bytes(x->arena,
		    bytes_written(k))), .measured = "kernel records");
	}
	rule_evidence(x, d, "idle_s", g->idle_s,
	    "GPU idle between them, in all", .measured = "kernel records");
}

static int
found(struct search *s, int group)
{
	struct rule_view *x = s->x;
	const struct group *g = &s->group[group];
	const char *names = names_of(s, g), *volume;
	bool library = is_transform(s, &x->run->kernel[g->kernel[0]]);
	bool taken = library && !is_transform(s,
	    &x->run->kernel[g->kernel[g->length - 1]]);
	struct draft *d = rule_found(x, names);

	if (set_parts(s, d, group) != 0)
		return -1;
	volume = say_bytes(x->arena, volume_of(s, g));
	lines_launch(x, d, x->run->kernel[g->kernel[0]].id);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0.5 * g->idle_s, 0.9 * g->idle_s, g->idle_s } };
	d->claims = 1;
	d->f.where = names;
	d->f.location = arena_format(x->arena, "%zu kernels, one right after "
	    "the other, %s times", g->length, say_whole(x->arena, g->chains));
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	set_evidence(s, d, g);
	if (g->link == LINK_SIBLINGS || g->link == LINK_READERS) {
		bool one = g->link == LINK_SIBLINGS;
		double sum = 0;

		for (size_t i = 0; i < g->length; i++)
			sum += bytes_counted(s, &x->run->kernel[g->kernel[i]]);
		d->f.confidence = CONF_MEDIUM;
		d->f.summary = one ? arena_format(x->arena, "%zu kernels follow "
		    "each other %s times; each reads %s and writes little; two "
		    "arrays of that size would not fit into the memory that "
		    "the program has allocated", g->length,
		    say_whole(x->arena, g->chains), volume) :
		    arena_format(x->arena, "%zu kernels follow each other %s times, "
		    "write little, and load no result of one another; they read "
		    "%s, and all memory in use is %s: they read the same arrays",
		    g->length, say_whole(x->arena, g->chains),
		    say_bytes(x->arena, sum), say_bytes(x->arena,
		    reuse_memory(x->run)));
		d->f.limiter = one ? arena_format(x->arena, "the same data comes "
		    "from memory %zu times", g->length) :
		    "the same data comes from memory again";
		d->f.advice = "compute all results in one kernel, in one pass: "
		    "each thread loads an element once and keeps a result for "
		    "each of the kernels in registers";
		d->f.gain_note = one ? "holds if none needs the result of the "
		    "one before; the longest kernel stays, the others add their "
		    "instructions to it" : "what they read beyond all memory in "
		    "use goes; the longest kernel stays, the others add their "
		    "instructions to it";
	} else if (g->link == LINK_REREAD) {
		d->f.confidence = CONF_MEDIUM;
		d->f.summary = arena_format(x->arena, "%zu kernels follow each "
		    "other %s times; each reads %s, and all but the last write "
		    "little", g->length, say_whole(x->arena, g->chains),
		    volume);
		d->f.limiter = arena_format(x->arena, "the same data seems to "
		    "come from L2 or DRAM %zu times", g->length);
		d->f.advice = "fuse these kernels into one: a warp or block "
		    "loads its row once, keeps it in registers or shared "
		    "memory, and goes on to the next step when it has the "
		    "result of the one before";
		d->f.gain_note = "holds if they read the same data, which equal "
		    "volumes suggest but no counter shows, and if a block needs "
		    "only results of its own; the longest kernel stays, the "
		    "others' instructions are added to it";
	} else if (g->link == LINK_COPY) {
		d->f.confidence = CONF_MEDIUM;
		d->f.title = "a kernel that only copies";
		d->f.summary = arena_format(x->arena, "the last of %zu kernels "
		    "that follow each other %s times does no more than copy: it "
		    "seems to be the %s that the one before has written",
		    g->length, say_whole(x->arena, g->chains), volume);
		d->f.limiter = "what was written moves once more";
		d->f.advice = "swap two pointers after each step instead of "
		    "copying: let the next step read where this one wrote";
		d->f.gain_note = "all of the copy's time; that it copies what "
		    "the kernel before has written, equal volumes suggest";
	} else if (g->link == LINK_STEP) {
		d->f.confidence = g->unsure ? CONF_LOW : CONF_MEDIUM;
		d->cap = SEV_MEDIUM;
		d->f.summary = arena_format(x->arena, "%zu launches follow each "
		    "other %s times; in each after the first %s, and together "
		    "they touch more than the %s of memory in use", g->length,
		    say_whole(x->arena, g->chains), library ? "a function is "
		    "called for each element" : "thread i takes up element i",
		    say_bytes(x->arena, reuse_memory(x->run)));
		d->f.limiter = "what one writes the next reads again";
		d->f.advice = taken ? "fuse these calls into one: "
		    "thrust::transform_reduce, or transform_inclusive_scan, over "
		    "zipped iterators (thrust::make_zip_iterator), or a transform "
		    "iterator as the input (thrust::make_transform_iterator), whose "
		    "function does all steps: nothing in between is stored" :
		    library ? "fuse these calls into one: a single "
		    "transform over zipped iterators (thrust::make_zip_iterator, "
		    "cub::DeviceTransform with a tuple), whose function does all "
		    "steps, with the values between them in registers" :
		    "fuse these kernels into one: what thread i writes for "
		    "thread i of the next stays in a register, and each array is "
		    "loaded and stored once. If the first reads its neighbours' "
		    "elements, let the last write to a second buffer, and swap "
		    "the pointers after each step";
		d->f.gain_note = "which of their arrays are the same no counter "
		    "shows; the high end if nobody else needs what is handed over";
	} else if (g->link == LINK_INPLACE) {
		d->f.confidence = CONF_MEDIUM;
		d->cap = SEV_MEDIUM;
		d->f.summary = arena_format(x->arena, "%zu kernels follow each "
		    "other %s times, in which thread i touches element i alone; "
		    "each seems to read the %s that the one before has written",
		    g->length, say_whole(x->arena, g->chains), volume);
		d->f.limiter = "what one writes the next reads again";
		d->f.advice = "fuse these kernels into one: a thread keeps its "
		    "element in a register from the first step to the last, and "
		    "loads and stores it once";
		d->f.gain_note = "that their arrays are the same, equal volumes "
		    "suggest; the high end if nobody else needs what is handed "
		    "over";
	} else {
		d->f.confidence = CONF_LOW;
		d->cap = SEV_MEDIUM;
		d->f.summary = arena_format(x->arena, "%zu kernels of one shape "
		    "follow each other %s times; each seems to read the %s that "
		    "the one before has written", g->length,
		    say_whole(x->arena, g->chains), volume);
		d->f.limiter = "what one writes the next finds in L2, not in "
		    "DRAM";
		d->f.advice = "fuse the two kernels into one: what a thread would "
		    "write and the same thread of the next kernel would read "
		    "stays in a register";
		d->f.gain_note = "holds if each thread reads what the thread "
		    "with its index wrote, not its neighbours' values; the "
		    "high end if nobody else needs what is handed over";
	}
	if (!all_counted(s, g)) {
		d->f.confidence = CONF_LOW;
		d->f.summary = arena_format(x->arena, "%s (estimated from "
		    "the code: nothing was counted)", d->f.summary);
	}
	d->f.next = say_ncu(x->arena, x->run, &x->run->kernel[g->kernel[0]],
	    "--section MemoryWorkloadAnalysis_Tables --section "
	    "SourceCounters --import-source yes");
	return 0;
}

/* One launch for all near distances works in shared memory between its one load
 * and one store: the share of the spared launches that is believed, in the low,
 * middle and high view. Measured on bitonic sort of 2²⁶ on an H200: 0.95. */
static const double spared[VIEWS] = { 0.5, 0.9, 1 };

static bool
is_network(const struct search *s, const struct kernel *k, struct butterfly *b)
{
	return k->next == k->id && k->device < s->x->run->devices &&
	    (double)k->next_count >= rule_value(s->x, "min_repeats") &&
	    (double)k->next_count >= ALWAYS * (double)k->launches &&
	    is_own(s, k) && butterfly_of(b, k);
}

static int
found_network(struct search *s, const struct kernel *k,
    const struct butterfly *b)
{
	struct rule_view *x = s->x;
	struct part *part = arena_get(x->arena, sizeof(*part));
	struct draft *d = rule_found(x, k->short_name);

	if (d == NULL || part == NULL)
		return -1;
	*part = (struct part){ .kernel = k,
	    .load = &x->loads[index_of(s, k)] };
	for (int v = 0; v < VIEWS; v++) {
		part->fix[v] = (struct fix)FIX_NONE;
		part->fix[v].whole = 1 - spared[v] *
		    (1 - b->fused / b->launches);
	}
	d->part = part;
	d->parts = 1;
	lines_launch(x, d, k->id);
	d->f.where = k->short_name != NULL ? k->short_name :
	    "(unnamed kernel)";
	d->f.location = say_shape(x->arena, k);
	d->f.confidence = CONF_MEDIUM;
	rule_evidence(x, d, "repeats", (double)k->next_count,
	    "times it follows itself", .measured = "kernel records",
	    .unit = "repeat", .key = "min_repeats");
	rule_evidence(x, d, "steps", b->steps,
	    "distances that its threads have: 1, 2, 4 …",
	    .derived = "kernel activity record", .unit = "step");
	rule_evidence(x, d, "near", b->near,
	    "of them, within the elements of a block of 1,024 threads",
	    .derived = "kernel activity record", .unit = "step");
	rule_evidence(x, d, "launch_ratio", b->fused / b->launches,
	    "launches that are left, if those are one each time",
	    .derived = "kernel activity record");
	d->f.summary = arena_format(x->arena, "element i meets element i ^ "
	    "distance, a launch for each distance, %s in all; for %s of the %s "
	    "distances both lie in one block of 1,024 threads, and each launch "
	    "moves everything from memory and back", say_count(x->arena,
	    k->launches), say_whole(x->arena, b->near),
	    say_whole(x->arena, b->steps));
	d->f.limiter = "what one launch writes the next reads again";
	d->f.advice = "do all distances below a block's size in one launch: load "
	    "2,048 elements into shared memory, do step after step there with "
	    "__syncthreads() between them, and store them once";
	d->f.gain_note = "a launch of these steps takes about as long as one "
	    "step does now";
	d->f.next = say_ncu(x->arena, x->run, k, "--section "
	    "MemoryWorkloadAnalysis_Tables --section SourceCounters "
	    "--import-source yes");
	return 0;
}

/* --- one kernel, again and again -------------------------------------------- */

/* How many launches become one, in the low, middle and high view, of those that follow
 * each other. Two are the least; eight leave an eighth of the traffic, and more gain
 * little. Where several arrays may have their turns, the host's order must change, too:
 * the low view has nothing, the middle view four. Where the kernel has a loop for them, of
 * which a launch does one turn, all may as well be turns of one launch. */
static const double fused[VIEWS] = { 2, 8, INFINITY };
static const double fused_unsure[VIEWS] = { 1, 4, INFINITY };
static const double fused_turns[VIEWS] = { 2, INFINITY, INFINITY };

/* A draft about ${k} alone, whose launches shrink to ${left} of their time as ${n} of
 * them become one; NULL without memory. */
static struct draft *
draft_again(struct search *s, const struct kernel *k, const struct revisit *a,
    const double n[VIEWS], const double left[VIEWS])
{
	struct rule_view *x = s->x;
	struct part *part = arena_get(x->arena, sizeof(*part));
	double idle = (double)k->next_idle_ns * 1e-9;
	struct draft *d = rule_found(x, k->short_name);

	if (d == NULL || part == NULL)
		return NULL;
	*part = (struct part){ .kernel = k, .load = &x->loads[index_of(s, k)] };
	for (int v = 0; v < VIEWS; v++) {
		part->fix[v] = (struct fix)FIX_NONE;
		part->fix[v].whole = clamp01(isfinite(left[v]) ? left[v] : 1);
	}
	d->part = part;
	d->parts = 1;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0.5 * idle * (1 - 1 / n[VIEW_LOW]),
	    0.9 * idle * (1 - 1 / n[VIEW_MID]), idle } };
	d->claims = 1;
	d->cap = SEV_MEDIUM;
	lines_launch(x, d, k->id);
	d->f.where = k->short_name != NULL ? k->short_name : "(unnamed kernel)";
	d->f.location = say_shape(x->arena, k);
	d->f.confidence = a->sure && is_counted(s, k) ? CONF_MEDIUM : CONF_LOW;
	rule_evidence(x, d, "repeats", (double)k->next_count,
	    "times it follows itself", .measured = "kernel records",
	    .unit = "repeat", .key = "min_repeats");
	rule_evidence(x, d, "volume_bytes", a->touched,
	    "bytes that a launch has from the one before, if it is the same data",
	    .source = is_counted(s, k) ? "measured" : "estimated",
	    .from = is_counted(s, k) ? "sectors between L1 and L2" : CODED_FROM,
	    .key = "min_bytes");
	rule_evidence(x, d, "memory_bytes", reuse_memory(x->run),
	    "all memory in use, at its peak", .measured = "memory records",
	    .unit = "B");
	rule_evidence(x, d, "times", a->times,
	    "times that its launches touch each byte of that, at least",
	    .derived = "memory records, volumes");
	d->f.next = say_ncu(x->arena, x->run, k, "--section "
	    "MemoryWorkloadAnalysis_Tables --section SourceCounters "
	    "--import-source yes");
	return d;
}

/* Sets ${n}, the launches of ${k} that become one, to ${most}, as far as so many follow
 * each other. */
static void
set_fused(const struct search *s, const struct kernel *k,
    const double most[VIEWS], double n[VIEWS])
{
	double row = revisit_row(s->x, k, rule_value(s->x, "min_repeats"));

	for (int v = 0; v < VIEWS; v++)
		n[v] = fmin(most[v], fmax(1, row));
}

/* What needs no analysis of the code is asked first. */
static bool
is_state(const struct search *s, const struct kernel *k, struct revisit *a)
{
	return s->node[index_of(s, k)].group == 0 &&
	    (double)k->next_count >= STEPS_LEAST &&
	    revisit_row(s->x, k, rule_value(s->x, "min_repeats")) > 0 &&
	    is_own(s, k) && revisit_in_place(a, s->x, k, bytes_read(s, k),
	    bytes_written(k)) && a->touched >= rule_value(s->x, "min_bytes") &&
	    a->state.stores >= MOST && a->times >= rule_value(s->x, "min_repeats");
}

/* The share of what ${k} loads that is the state: of what comes from behind L1, where the
 * state, which a launch loads once, always comes from. What it looks up elsewhere it loads
 * after the change, too. */
static double
loaded_again(const struct search *s, const struct kernel *k, const struct revisit *a)
{
	return a->state.others == OTHERS_NONE ? a->state.loads :
	    fmin(1, a->touched / bytes_read(s, k));
}

/* The fused launch loads and stores the state once, and starts once. */
static int
found_state(struct search *s, const struct kernel *k, const struct revisit *a)
{
	struct rule_view *x = s->x;
	const struct load *l = &x->loads[index_of(s, k)];
	double loaded = loaded_again(s, k, a), left[VIEWS], n[VIEWS];
	struct steady steady;
	struct draft *d;

	steady_of(&steady, k->code);
	set_fused(s, k, !a->sure ? fused_unsure : steady.one_turn ? fused_turns :
	    fused, n);
	for (int v = 0; v < VIEWS; v++) {
		double gone = 1 - 1 / n[v];
		struct fix fix = FIX_NONE;

		fix.inst = 1 - gone * (v == VIEW_HIGH || (v == VIEW_MID &&
		    steady.one_turn) ? steady.outside : steady.same);
		fix.global_ld = 1 - loaded * gone;
		fix.global_st = 1 - a->state.stores * gone;
		fix.part[RES_START] = 1 - gone;
		left[v] = (is_counted(s, k) ? gain_time(l, &fix,
		    (enum gain_view)v) / l->time_s : without_bytes(s, k, gone *
		    (loaded * bytes_read(s, k) + a->state.stores *
		    bytes_written(k)))) - gone * l->fixed_s / l->time_s;
	}
	d = draft_again(s, k, a, n, left);
	if (d == NULL)
		return -1;
	d->f.summary = arena_format(x->arena, "%s follows itself %s times; each "
	    "thread loads its own elements, changes them and stores them where they "
	    "were, and needs nothing that another thread stores%s: %s a launch, and "
	    "all memory in use is %s", d->f.where, say_count(x->arena,
	    k->next_count), a->state.others == OTHERS_NONE ? "" : a->sure ?
	    " (what it looks up elsewhere is no second such array: there is no "
	    "memory for one)" : " in the same launch", say_bytes(x->arena,
	    a->touched), say_bytes(x->arena, reuse_memory(x->run)));
	d->f.limiter = "what one launch stores the next loads again";
	d->f.advice = a->sure && steady.one_turn ? "let a launch do many steps: its "
	    "loop does one turn in each launch now; let it do those of all launches "
	    "that follow each other, with the thread's elements in registers from "
	    "the first to the last" :
	    "let a launch do many steps: loop over them inside the kernel, "
	    "with the thread's elements in registers from the first to the last; "
	    "what differs from launch to launch (its arguments) goes into an array, "
	    "in constant memory if it is small";
	d->f.gain_note = a->sure && steady.one_turn ? "all that follow each other "
	    "in one launch, which does once what is outside of its loop; holds if "
	    "the host needs nothing in between" : a->sure ? "eight steps a launch, "
	    "if so many follow each "
	    "other; more if the host needs nothing in between" :
	    a->state.others == OTHERS_NONE ? "four steps a "
	    "launch; whether the launches take turns with several arrays no record "
	    "shows: then each has all its steps in one" : "four steps a launch; holds "
	    "if no launch stores what a later one loads from other arrays, as where "
	    "the host exchanges pointers after each step: no record shows that";
	return 0;
}

static bool
is_product(const struct search *s, const struct kernel *k, struct revisit *a)
{
	const struct load *l = &s->x->loads[index_of(s, k)];
	double read = fmin(bytes_counted(s, k), k->metric[METRIC_DRAM_READ]);

	return revisit_row(s->x, k, rule_value(s->x, "min_repeats")) > 0 &&
	    s->x->libraries[index_of(s, k)].columns != NULL &&
	    (steps_does(s->x, k, "matmul") || steps_does(s->x, k, "matvec")) &&
	    is_counted(s, k) && isfinite(k->metric[METRIC_DRAM_READ]) &&
	    bytes_written(k) <= LITTLE * read && revisit_reads(a, s->x, k, read) &&
	    a->sure && compute_share(l) <= COMPUTE_MOST;
}

/* One product reads the matrix once; its arithmetic is that of all vectors, half of
 * which hides behind the loads. */
static int
found_product(struct search *s, const struct kernel *k, const struct revisit *a)
{
	struct rule_view *x = s->x;
	const struct load *l = &x->loads[index_of(s, k)];
	const struct library *lib = &x->libraries[index_of(s, k)];
	double left[VIEWS], n[VIEWS];
	struct draft *d;

	set_fused(s, k, fused, n);
	for (int v = 0; v < VIEWS; v++) {
		double hidden = v == VIEW_HIGH ? 0 : compute_share(l) / 2;

		left[v] = 1 / n[v] + (1 - 1 / n[v]) * hidden;
	}
	d = draft_again(s, k, a, n, left);
	if (d == NULL)
		return -1;
	d->f.confidence = CONF_LOW;
	d->f.title = "a matrix times one vector after another";
	d->f.summary = arena_format(x->arena, "%s multiplies a matrix by one vector, "
	    "or a few, %s times in a row; each reads %s, and all memory in use is "
	    "%s: it is the same matrix", lib->name, say_count(x->arena,
	    k->next_count + 1), say_bytes(x->arena, a->touched),
	    say_bytes(x->arena, reuse_memory(x->run)));
	d->f.limiter = "the matrix comes from memory for each vector";
	d->f.advice = lib->columns;
	d->f.gain_note = "holds if the vectors are there at the beginning: where each "
	    "is the result of the product before, it does not; eight of them, if so "
	    "many follow each other";
	return 0;
}

/* Adds what is found of kernels that follow themselves; -1 without memory, else how
 * many. */
static int
find_again(struct search *s)
{
	const struct run *run = s->x->run;
	int n = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		struct butterfly network;
		struct revisit a;
		int rc = 0;

		if (is_network(s, k, &network))
			rc = found_network(s, k, &network);
		else if (is_state(s, k, &a))
			rc = found_state(s, k, &a);
		else if (is_product(s, k, &a))
			rc = found_product(s, k, &a);
		else
			continue;
		if (rc != 0)
			return -1;
		n++;
	}
	return n;
}

enum rule_state
rule_kernel_fusion_candidate(struct rule_view *x)
{
	const struct run *run = x->run;
	struct search s = { .x = x };
	const struct kernel *blind = NULL;
	int again;
	bool any;

	s.node = arena_get(x->arena, (run->kernels + 1) * sizeof(*s.node));
	if (s.node == NULL)
		return RULE_NOT_MEASURED;
	for (size_t i = 0; i < run->kernels; i++) {
		s.node[i].link = link_of(&s, &run->kernel[i]);
		if (s.node[i].link == LINK_BLIND)
			blind = &run->kernel[i];
	}
	follow_all(&s, LINK_COPY);
	follow_all(&s, LINK_REREAD);
	follow_all(&s, LINK_SIBLINGS);
	follow_all(&s, LINK_READERS);
	follow_all(&s, LINK_INPLACE);
	follow_all(&s, LINK_HANDOVER);
	follow_all_steps(&s);
	again = find_again(&s);
	if (again < 0)
		return RULE_NOT_MEASURED;
	any = again > 0;
	for (size_t i = 0; i < s.groups; i++) {
		if (!(s.group[i].chains > 0))
			continue;
		if (found(&s, (int)i) != 0)
			return RULE_NOT_MEASURED;
		any = true;
	}
	if (any)
		return RULE_FOUND;
	return blind != NULL ? rule_unmeasured_for(x,
	    reason_skip[blind->skip]) : RULE_CLEAN;
}
