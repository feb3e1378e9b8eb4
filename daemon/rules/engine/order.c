/*
 * rules/engine/order.c: see order.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "rules/engine/order.h"
#include "rules/engine/pools.h"

/* The number of findings ordered by what the others leave: the cost is
 * quadratic, and nobody reads more. Later ones keep their order. */
#define ORDERED_MOST 200

bool
order_is_correctness(const struct draft *d)
{
	return strcmp(d->rule->category, "correctness") == 0;
}

/* --- each by itself ------------------------------------------------------------ */

/* Findings worth a change, then correctness, then those not worth a change. A
 * saving too small to see in the whole run does not come before a real fault. */
enum group { FIRST, SEEN, FAULTY, SMALL, UNTIDY, NOT_WORTH };

static enum group
group_of(const struct draft *d)
{
	if (!d->f.worth_it)
		return NOT_WORTH;
	if (d->leads)
		return FIRST;
	if (order_is_correctness(d))
		return d->f.severity > SEV_LOW ? FAULTY : UNTIDY;
	return d->small ? SMALL : SEEN;
}

/* For sorting: by the middle value. By the low value, or the mean of the two, 9
 * and 4 of our 144 recordings would begin with another finding, mostly not the
 * true one; of 33 programs that were not seen before, one fewer would begin
 * with the true one (2026-11-22). */
static int
by_rank(const void *va, const void *vb)
{
	const struct draft *a = va, *b = vb;
	int ga = (int)group_of(a), gb = (int)group_of(b);

	if (ga != gb)
		return ga - gb;
	if (pools_sane(a->f.saves_s) != pools_sane(b->f.saves_s))
		return pools_sane(a->f.saves_s) > pools_sane(b->f.saves_s) ?
		    -1 : 1;
	return ORDER(pools_sane(b->gpu_s), pools_sane(a->gpu_s)) ?:
	    ORDER(b->f.severity, a->f.severity) ?: ORDER(a->order, b->order) ?:
	    strcmp(a->f.id, b->f.id);
}

/* --- in relation to each other --------------------------------------------------- */

/* What the findings already placed change. */
struct changed {
	const struct run *run;
	struct fix *fix;		/* [run->kernels], merged, middle view */
	size_t *kernel_by;		/* [run->kernels], rank of the first to
					 * change it; 0: none */
	double full[POOLS], left[POOLS];
	size_t pool_by[POOLS];
	double kernels_s;		/* kernel time that is gone */
	double together_s;		/* of the joint savings, what is left */
};

/* Seconds of a finding's kernels or claims: by itself, and what is left of it. */
struct share {
	double alone, left;
	double lost;			/* the largest part lost … */
	size_t after;			/* … to the finding of that rank; 0: none */
};

static void
lose(struct share *s, double lost, size_t to)
{
	if (!(lost > s->lost) || to == 0)
		return;
	s->lost = lost;
	s->after = to;
}

/* Adds to ${s} the seconds that ${fix} saves in ${k} on top of the changes so
 * far. With a ${rank} it becomes one of them. */
static double
kernel_left(struct changed *c, const struct kernel *k, const struct load *l,
    const struct fix *fix, struct share *s, size_t rank)
{
	size_t i = k->id - 1;		/* ids of a run's kernels start at 1 */
	double exposed = gain_exposed_s(k), alone, left;
	struct fix both = c->fix[i];

	fix_merge(&both, fix);
	alone = gain_share(l, fix, VIEW_MID) * exposed;
	left = alone;
	if (c->kernel_by[i] != 0)
		left = fmin(alone, fmax(0, gain_share(l, &both, VIEW_MID) -
		    gain_share(l, &c->fix[i], VIEW_MID)) * exposed);
	s->alone += alone;
	s->left += left;
	lose(s, alone - left, c->kernel_by[i]);
	if (rank == 0)
		return left;
	c->fix[i] = both;
	if (c->kernel_by[i] == 0)
		c->kernel_by[i] = rank;
	return left;
}

/* The same for all kernels of ${d}. */
static void
kernels_left(struct changed *c, const struct draft *d, struct share *s,
    size_t rank)
{
	double left = 0;

	if (d->f.kernel != NULL && d->load != NULL)
		left += kernel_left(c, d->f.kernel, d->load, &d->fix[VIEW_MID],
		    s, rank);
	for (size_t i = 0; i < d->parts; i++)
		left += kernel_left(c, d->part[i].kernel, d->part[i].load,
		    &d->part[i].fix[VIEW_MID], s, rank);
	if (rank != 0)
		c->kernels_s += left;
}

/* The same for its claims. */
static void
claims_left(struct changed *c, const struct draft *d, struct share *s,
    size_t rank)
{
	double alone, left, taken[POOLS] = { 0 };

	if (d->claims == 0)
		return;
	alone = pools_claimed(d, c->full, VIEW_MID);
	left = pools_claimed(d, c->left, VIEW_MID);
	s->alone += alone;
	s->left += fmin(alone, left);
	for (size_t i = 0; i < d->claims; i++)
		for (int p = 0; p < POOLS; p++)
			if (d->claim[i].pools & 1u << p)
				lose(s, alone - left, c->pool_by[p]);
	if (rank == 0)
		return;
	for (size_t i = 0; i < d->claims; i++)
		pools_take(c->left, d->claim[i].pools,
		    pools_sane(d->claim[i].s.mid), taken);
	for (int p = 0; p < POOLS; p++)
		if (taken[p] > 0 && c->pool_by[p] == 0)
			c->pool_by[p] = rank;
}

/* Pools that are part of the kernels' time cannot exceed what is left of that. */
static void
shrink(struct changed *c, size_t rank)
{
	static const enum pool_at own[] = { AT_FAULTS, AT_SHARE, AT_TURNS };
	double rest = fmax(0, pools_kernels_s(c->run) - c->kernels_s);

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (!(c->left[own[i]] > rest))
			continue;
		c->left[own[i]] = rest;
		if (c->pool_by[own[i]] == 0)
			c->pool_by[own[i]] = rank;
	}
}

/* Sets what ${d} still saves. */
static void
look(struct changed *c, struct draft *d)
{
	struct share s = { 0, 0, 0, 0 };
	double left = d->f.saves_s;

	kernels_left(c, d, &s, 0);
	claims_left(c, d, &s, 0);
	if (s.alone > 0 && s.left < s.alone)
		left *= s.left / s.alone;
	if (left > c->together_s) {
		left = c->together_s;
		lose(&s, d->f.saves_s - left, 1);
	}
	/* What was left with fewer changes cannot be less than now. */
	if (!(left < d->f.left_s))
		return;
	d->f.left_s = left;
	d->f.after = s.after;
}

/* Gives ${d} its place of that rank and applies its changes for the later ones. */
static void
settle(struct changed *c, struct draft *d, size_t rank)
{
	struct share s = { 0, 0, 0, 0 };

	kernels_left(c, d, &s, rank);
	claims_left(c, d, &s, rank);
	shrink(c, rank);
	c->together_s = fmax(0, c->together_s - pools_sane(d->f.left_s));
}

/* Moves d[at] behind those that save more. False: it stays. */
static bool
yield(struct draft *d, size_t at, size_t end)
{
	struct draft own = d[at];
	size_t to = at + 1;

	while (to < end && group_of(&d[to]) == group_of(&own) &&
	    pools_sane(d[to].f.left_s) > pools_sane(own.f.left_s))
		to++;
	if (to == at + 1)
		return false;
	memmove(&d[at], &d[at + 1], (to - at - 1) * sizeof(*d));
	d[to - 1] = own;
	return true;
}

#define SAID_LEAST 0.5		/* arithmetic: half of the whole change's worth */

/* The least that d[i] saves if it is to be done before d[at]. Where d[at] takes waits out
 * of a step along with the rest, they come first only if they are most of it. */
static double
least_before(const struct draft *d, size_t at, size_t i)
{
	return d[at].with_waits && (d[i].waits & d[at].barred) == BAR_WAIT ?
	    SAID_LEAST * pools_sane(d[at].f.saves_s) : 0;
}

/*
 * The finding to do before d[at]: among those that bar it, the one that saves
 * the most, if that is more than d[at] surely saves meanwhile; 0: none. No
 * graph is captured across a wait of the host, and none launches ahead of late
 * input; the middle view assumes that both are gone. So an expert removes the
 * wait first, though it may save less.
 */
static size_t
first_before(const struct draft *d, size_t at, size_t end)
{
	size_t first = 0;

	for (size_t i = at + 1; i < end; i++)
		if ((d[i].waits & d[at].barred) != 0 &&
		    group_of(&d[i]) == group_of(&d[at]) &&
		    pools_sane(d[i].f.saves_s) >= fmax(d[at].f.saves_low_s,
		    least_before(d, at, i)) &&
		    (first == 0 || d[i].f.saves_s > d[first].f.saves_s))
			first = i;
	return first;
}

/* Of a guess from the code alone, which is all or nothing: its worth beside what is
 * sure, even odds. */
#define GUESS_WORTH 0.5
#define GUESS_LOW 0.05		/* its low value, of the middle: about nothing */

static bool
is_guess(const struct draft *d)
{
	return d->f.kernel != NULL && d->load != NULL &&
	    d->f.grounds == GROUNDS_TRACE && d->f.confidence == CONF_LOW &&
	    d->f.saves_low_s <= GUESS_LOW * pools_sane(d->f.saves_s);
}

/*
 * The finding to do before d[at], if that is a guess from the code alone about what
 * limits a kernel: one that is sure of the same kernel, whose middle value is at least
 * what the guess is worth, and the largest of these; 0: none. They claim the same time.
 */
static size_t
sure_before(const struct draft *d, size_t at, size_t end)
{
	size_t first = 0;

	if (!is_guess(&d[at]))
		return 0;
	for (size_t i = at + 1; i < end; i++)
		if (d[i].f.kernel != NULL && d[i].load != NULL &&
		    d[i].f.kernel->mangled == d[at].f.kernel->mangled &&
		    d[i].f.confidence == CONF_HIGH &&
		    group_of(&d[i]) == group_of(&d[at]) &&
		    d[i].f.saves_low_s > d[at].f.saves_low_s &&
		    d[i].f.saves_s >= GUESS_WORTH * d[at].f.saves_s &&
		    (first == 0 || d[i].f.saves_s > d[first].f.saves_s))
			first = i;
	return first;
}

/* Moves d[from] forward to ${to}. */
static void
advance(struct draft *d, size_t from, size_t to)
{
	struct draft own = d[from];

	memmove(&d[to + 1], &d[to], (from - to) * sizeof(*d));
	d[to] = own;
}

static void
order_beside(struct draft *d, size_t n, struct changed *c)
{
	for (size_t i = 0; i < n && d[i].f.worth_it; i++) {
		size_t end = n < ORDERED_MOST ? n : ORDERED_MOST, first;

		if (order_is_correctness(&d[i]))
			continue;
		do
			look(c, &d[i]);
		while (i < end && yield(d, i, end));
		if (i < end && (first = first_before(d, i, end)) != 0) {
			if (d[i].f.behind == 0)
				d[i].f.behind = i + 1;
			advance(d, first, i);
			look(c, &d[i]);
		}
		if (i < end && (first = sure_before(d, i, end)) != 0) {
			advance(d, first, i);
			look(c, &d[i]);
		}
		settle(c, &d[i], i + 1);
	}
}

void
order_all(struct draft *d, size_t n, const struct run *run, double together_s)
{
	static const struct fix none = FIX_NONE;
	struct changed c = { .run = run, .together_s = together_s };

	for (size_t i = 0; i < n; i++) {
		d[i].f.left_s = d[i].f.saves_s;
		d[i].f.after = 0;
	}
	if (n < 2)
		return;
	qsort(d, n, sizeof(*d), by_rank);
	c.fix = calloc(run->kernels + 1, sizeof(*c.fix));
	c.kernel_by = calloc(run->kernels + 1, sizeof(*c.kernel_by));
	if (c.fix != NULL && c.kernel_by != NULL) {
		for (size_t i = 0; i < run->kernels; i++)
			c.fix[i] = none;
		pools_of(run, c.full);
		memcpy(c.left, c.full, sizeof(c.left));
		order_beside(d, n, &c);
	}
	free(c.fix);
	free(c.kernel_by);
}
