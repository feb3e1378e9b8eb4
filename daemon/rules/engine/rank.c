/*
 * rules/engine/rank.c: seconds and severity of findings. No time is claimed
 * twice: fixes of one kernel are merged and its model is evaluated again, also
 * for findings about several kernels; findings about the run share pools of
 * idle and copy time that are drained by claims.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "rules/engine/order.h"
#include "rules/engine/pools.h"

#define SHARE_HIGH 0.10		/* of the run's time */
#define SHARE_MEDIUM 0.02

/* Sets the gain of a finding's claims, at most what the pools hold. */
static void
gain_of_claims(struct draft *d, const double pool[POOLS])
{
	d->f.saves_s = pools_claimed(d, pool, VIEW_MID);
	d->f.saves_low_s = fmin(pools_claimed(d, pool, VIEW_LOW), d->f.saves_s);
	d->f.saves_high_s = fmax(pools_claimed(d, pool, VIEW_HIGH), d->f.saves_s);
}

static void
set_gain(struct draft *d, struct gain g)
{
	d->f.saves_s = g.mid;
	d->f.saves_low_s = g.low;
	d->f.saves_high_s = g.high;
}

/* The gain of all parts of a finding: at most the time by which kernels and
 * copies lengthened the run. */
static struct gain
gain_of_parts(const struct draft *d, const struct run *run)
{
	double most = pools_exposed_s(run);
	struct gain g = { 0, 0, 0 };

	for (size_t i = 0; i < d->parts; i++) {
		struct gain one = gain_of(d->part[i].load, d->part[i].kernel,
		    d->part[i].fix);

		g.low += one.low;
		g.mid += one.mid;
		g.high += one.high;
	}
	g.low = fmin(g.low, most);
	g.mid = fmin(g.mid, most);
	g.high = fmin(g.high, most);
	return g;
}

void
rank_kernel(struct draft *d, double noise_s)
{
	double share;

	if (order_is_correctness(d)) {	/* predicts nothing */
		d->f.worth_it = !d->minor;
		return;
	}
	if (d->f.kernel == NULL || d->load == NULL)
		return;
	set_gain(d, gain_of(d->load, d->f.kernel, d->fix));
	d->f.grounds = d->load->grounds;
	share = gain_share(d->load, &d->fix[VIEW_MID], VIEW_MID);
	if (d->load->time_s > 0 && share < 1) {
		d->f.kernel_speedup = 1 / (1 - share);
		d->gpu_s = share * (double)d->f.kernel->total_ns * 1e-9;
	}
	d->f.worth_it = d->f.saves_s > 0 && d->f.saves_s >= noise_s;
}

/* Sets the severity of a finding worth a change that saves ${s} seconds. One that may
 * save nothing (its low end lies in the noise) need not be a fault at all: whatever it
 * promises, nothing that fails on severity should fail on it. */
static void
weigh(struct draft *d, double s, const struct run *run, double noise_s)
{
	double wall = rule_wall_s(run);
	enum severity severity = s >= SHARE_HIGH * wall ? SEV_HIGH :
	    s >= SHARE_MEDIUM * wall ? SEV_MEDIUM : SEV_LOW;

	if (d->f.saves_low_s < noise_s)
		severity = SEV_LOW;
	d->f.severity = severity < d->cap ? severity : d->cap;
}

/* It is said that the workers are the limit, if they take so much of a gain: arithmetic, one
 * digit. */
#define BOUND_TOLD 0.1

/* What makes the loop faster than the processes that prepare its data saves no more than the
 * time in which these wait meanwhile, unless there are more of them or they have less to do:
 * the high view. */
static void
bound_by_workers(struct draft *d, const struct run *run)
{
	struct finding *f = &d->f;
	struct during during = f->kernel != NULL ? (struct during){ f->kernel->first_ns,
	    f->kernel->last_ns } : d->during;
	double before = f->saves_s, most = rule_wall_s(run) * (1 - run->working);

	if (d->feeds || !(run->working > 0))
		return;
	most = fmin(most, workers_leave_s(run, during, f->saves_s));
	f->saves_s = fmin(f->saves_s, most);
	f->saves_low_s = fmin(f->saves_low_s, most);
	if (before - f->saves_s > BOUND_TOLD * before)
		f->gain_note = "the processes that prepare its data are the limit from there "
		    "on, by the time that they work now: a faster loop needs more of them, or "
		    "less work of each";
}

static void
judge(struct draft *d, const struct run *run, double noise_s)
{
	struct finding *f = &d->f;
	double wall = rule_wall_s(run);
	double most = f->kernel != NULL ? fmin(wall, pools_exposed_s(run)) : wall;

	if (order_is_correctness(d)) {
		f->worth_it = !d->minor;
		f->severity = d->minor ? SEV_INFO : d->cap;
		return;
	}
	f->saves_s = fmin(f->saves_s, most);
	f->saves_low_s = fmin(f->saves_low_s, most);
	f->saves_high_s = fmin(f->saves_high_s, most);
	bound_by_workers(d, run);
	f->worth_it = f->saves_s > 0 && f->saves_s >= noise_s;
	d->small = !(f->saves_s >= NOISE_SHARE * wall);
	f->severity = SEV_INFO;
	if (f->worth_it)
		weigh(d, f->saves_s, run, noise_s);
}

/* The change of one finding to one kernel. */
struct change {
	const struct kernel *kernel;
	const struct load *load;
	const struct fix *fix;
};

COMPARE(by_kernel, struct change, ORDER(x->kernel, y->kernel))

/* The changes of all findings worth a change; NULL without memory. */
static struct change *
changes_of(const struct draft *d, size_t n, size_t *count)
{
	size_t room = 1, k = 0;
	struct change *c;

	for (size_t i = 0; i < n; i++)
		room += 1 + d[i].parts;
	c = calloc(room, sizeof(*c));
	for (size_t i = 0; c != NULL && i < n; i++) {
		if (!d[i].f.worth_it)
			continue;
		if (d[i].f.kernel != NULL && d[i].load != NULL)
			c[k++] = (struct change){ d[i].f.kernel, d[i].load,
			    d[i].fix };
		for (size_t p = 0; p < d[i].parts; p++)
			c[k++] = (struct change){ d[i].part[p].kernel,
			    d[i].part[p].load, d[i].part[p].fix };
	}
	*count = k;
	return c;
}

/* Seconds saved in kernels by all findings worth a change, merged for each kernel. */
static double
kernels_together(const struct draft *d, size_t n)
{
	size_t count;
	struct change *of = changes_of(d, n, &count);
	double sum = 0;

	if (of == NULL)		/* without memory: no claim */
		return 0;
	qsort(of, count, sizeof(*of), by_kernel);
	for (size_t i = 0; i < count;) {
		const struct change *first = &of[i];
		struct fix all[VIEWS];
		size_t k = i;

		memcpy(all, first->fix, sizeof(all));
		for (; k < count && of[k].kernel == first->kernel; k++)
			for (int v = 0; v < VIEWS; v++)
				fix_merge(&all[v], &of[k].fix[v]);
		sum += gain_of(first->load, first->kernel, all).mid;
		i = k;
	}
	free(of);
	return sum;
}

/* Sets what is left for a residual finding: its share of the pools, less the
 * gaps that earlier findings cause. */
static void
leave(struct draft *d, const double full[POOLS], const double left[POOLS],
    double caused_s)
{
	double before = 0, now = 0, share;

	for (size_t c = 0; c < d->claims; c++) {
		before += pools_room(full, d->claim[c].pools);
		now += pools_room(left, d->claim[c].pools);
	}
	share = before > 0 ? now / before : 0;
	if (d->cause_s > 0)
		share = fmin(share, fmax(0, 1 - caused_s / d->cause_s));
	d->f.saves_s *= share;
	d->f.saves_low_s *= share;
	d->f.saves_high_s *= share;
	if (now < d->residual_min_s)
		set_gain(d, (struct gain){ 0, 0, 0 });
}

/* The pools while findings take their shares. */
struct claiming {
	double full[POOLS], left[POOLS];
	double caused;		/* seconds of gaps that they cause */
};

/* Sets the gain of a finding about the run, and takes its claims from the pools. */
static void
claim(struct draft *d, const struct run *run, struct claiming *c, double noise_s)
{

	gain_of_claims(d, c->full);
	if (d->residual)
		leave(d, c->full, c->left, c->caused);
	if (d->parts > 0) {
		struct gain g = gain_of_parts(d, run);

		d->f.saves_s += g.mid;
		d->f.saves_low_s += g.low;
		d->f.saves_high_s += g.high;
	}
	if (d->f.saves_s < noise_s)
		return;
	c->caused += pools_sane(d->cause_s);
	for (size_t i = 0; i < d->claims; i++)
		pools_take(c->left, d->claim[i].pools,
		    pools_sane(d->claim[i].s.mid), NULL);
}

/* Sets the gains of findings about the run, in table order: earlier rules drain the
 * pools; residual findings come after all others. */
static void
claim_all(struct draft *d, size_t n, const struct run *run, double noise_s)
{
	struct claiming c = { .caused = 0 };

	pools_of(run, c.full);
	memcpy(c.left, c.full, sizeof(c.left));
	for (int residual = 0; residual <= 1; residual++)
		for (size_t i = 0; i < n; i++)	/* drafts come in table order */
			if (d[i].residual == (residual == 1) &&
			    d[i].f.kernel == NULL && !order_is_correctness(&d[i]))
				claim(&d[i], run, &c, noise_s);
}

/* Sums up what the claims of all findings worth a change take from each pool. */
static void
pools_together(const struct draft *d, size_t n, const struct run *run,
    double taken[POOLS])
{
	double pool[POOLS];

	pools_of(run, pool);
	memset(taken, 0, sizeof(pool));
	for (size_t i = 0; i < n; i++) {
		double want = 0;

		if (d[i].f.kernel != NULL || order_is_correctness(&d[i]) ||
		    !d[i].f.worth_it)
			continue;
		for (size_t c = 0; c < d[i].claims; c++)
			want += fmin(pools_sane(d[i].claim[c].s.mid),
			    pools_room(pool, d[i].claim[c].pools));
		want = fmin(want, d[i].f.saves_s);
		for (size_t c = 0; c < d[i].claims; c++)
			want -= pools_take(pool, d[i].claim[c].pools,
			    fmin(want, pools_sane(d[i].claim[c].s.mid)), taken);
	}
}

/* Seconds saved by all findings worth a change at once. Each kernel's exposed
 * time is its own limit, not that of all. What kernels wait for pages or for
 * another GPU is part of it; copies lengthen the run besides kernels, and so do
 * the host's calls for them. */
static double
all_together(const struct draft *d, size_t n, const struct run *run)
{
	double taken[POOLS], idle, kernels;

	pools_together(d, n, run, taken);
	idle = taken[AT_ROUNDS];
	for (int i = 0; i < IDLE_CAUSES; i++)
		idle += taken[i];
	kernels = fmin(kernels_together(d, n) + taken[AT_FAULTS] + taken[AT_SHARE] +
	    taken[AT_TURNS], pools_kernels_s(run));
	return fmin(rule_wall_s(run), idle + taken[AT_ISSUED] + taken[AT_LAUNCHED] +
	    fmin(kernels + taken[AT_COPIES], pools_exposed_s(run)));
}

void
rank_all(struct draft *d, size_t n, const struct run *run, struct advice *a)
{
	double sum = 0;

	claim_all(d, n, run, a->noise_s);
	for (size_t i = 0; i < n; i++) {
		judge(&d[i], run, a->noise_s);
		if (d[i].f.worth_it && isfinite(d[i].f.saves_s))
			sum += d[i].f.saves_s;
	}
	a->together_s = all_together(d, n, run);
	a->overlap = sum > a->together_s * 1.001;
	order_all(d, n, run, a->together_s);
	for (size_t i = 0; i < n; i++) {
		if (d[i].f.worth_it && !order_is_correctness(&d[i]))
			weigh(&d[i], d[i].f.left_s, run, a->noise_s);
		a->finding[i] = d[i].f;
	}
	a->findings = n;
}
