/*
 * rules/engine/rank.c: seconds, severity and order of findings. Time is never claimed
 * twice: fixes of one kernel are merged and its model evaluated again, those of
 * findings about several kernels too; findings about the run share pools of idle
 * and copy time that empty as they claim.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/rule.h"

#define SHARE_HIGH 0.10		/* of the run's time */
#define SHARE_MEDIUM 0.02

/* What kernels and copies together can save at most. */
static double
exposed_s(const struct run *run)
{
	return run->gpu_exposed_ns > 0 ? (double)run->gpu_exposed_ns * 1e-9 :
	    INFINITY;
}

#define FAULTS (IDLE_CAUSES + 1)	/* pools that are part of the kernels' own */
#define SHARE (IDLE_CAUSES + 2)		/* time */
#define TURNS (IDLE_CAUSES + 3)
#define ISSUED (IDLE_CAUSES + 4)	/* what the host's calls keep the run for */

/* What all kernels together can save at most: their own time. */
static double
kernels_s(const struct run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->kernels; i++)
		sum += gain_exposed_s(&run->kernel[i]);
	return fmin(sum, exposed_s(run));
}

/* In which copies ran and no kernel beside them, on the GPU with most of it. */
static double
copying_s(const struct run *run)
{
	double most = 0;

	for (size_t i = 0; i < run->devices; i++)
		most = fmax(most, ((double)run->device[i].copy_ns -
		    (double)run->device[i].copy_hidden_ns) * 1e-9);
	return most;
}

static void
pools_of(const struct run *run, double pool[POOLS])
{
	double copies = 0, all = 0;
	struct gpus gpus;

	for (int i = 0; i < IDLE_CAUSES; i++)
		pool[i] = (double)run->idle_ns[i] * 1e-9;
	/* Nothing shortens what comes before or after the GPU's work, but code
	 * that is there already; without a launch, memory that is, too. */
	pool[IDLE_STARTUP] = fmin(pool[IDLE_STARTUP],
	    (double)run->jit_startup_ns * 1e-9 +
	    (run->launches == 0 ? rule_allocating_s(run, NULL) : 0));
	pool[IDLE_SHUTDOWN] = 0;
	/* Nor does it the one longest phase of the host's own, or those in
	 * which it goes through results. */
	pool[IDLE_HOST] = fmax(0, pool[IDLE_HOST] - fmax(
	    (double)run->idle_longest_by[IDLE_HOST],
	    (double)run->results.host_ns - (double)run->results.end_ns) * 1e-9);
	for (size_t i = 0; i < run->copies; i++) {
		double gpu = (double)run->copy[i].gpu_ns;
		double e = run->copy[i].exposed_ns;

		copies += isfinite(e) ? fmin(fmax(e, 0), gpu) : gpu;
		all += gpu;
	}
	pool[IDLE_CAUSES] = fmin(copies * 1e-9, exposed_s(run));
	pool[ISSUED] = fmax(0, fmin(all * 1e-9, copying_s(run)) -
	    (double)run->results.copy_ns * 1e-9 - pool[IDLE_CAUSES]);
	pool[FAULTS] = fmin(kernels_s(run), rule_fault_s(run) *
	    rule_kernel_exposure(run));
	rule_gpus(run, &gpus);
	pool[SHARE] = fmin(kernels_s(run) - pool[FAULTS], gpus.uneven_s);
	pool[TURNS] = kernels_s(run);
}

/* Take up to ${s} seconds out of ${pools}, first out of those that few others
 * may claim; returns what was there, and adds it to ${taken}, unless NULL. */
static double
take(double pool[POOLS], uint32_t pools, double s, double taken[POOLS])
{
	static const int order[POOLS] = {
		IDLE_CAUSES, ISSUED, FAULTS, SHARE, TURNS,
		IDLE_ALLOCATION, IDLE_LAUNCH, IDLE_API, IDLE_AFTER_SYNC,
		IDLE_HOST, IDLE_STARTUP, IDLE_SHUTDOWN
	};
	double got = 0;

	for (int k = 0; k < POOLS && got < s; k++) {
		double part;
		int i = order[k];

		if (!(pools & 1u << i))
			continue;
		part = fmin(pool[i], s - got);
		pool[i] -= part;
		got += part;
		if (taken != NULL)
			taken[i] += part;
	}
	return got;
}

static double
room_in(const double pool[POOLS], uint32_t pools)
{
	double sum = 0;

	for (int i = 0; i < POOLS; i++)
		if (pools & 1u << i)
			sum += pool[i];
	return sum;
}

static double
sane(double s)
{
	return isfinite(s) && s > 0 ? s : 0;
}

/* One view of all claims of a finding, which may draw on the same pools. */
static double
claimed(const struct draft *d, const double pool[POOLS], enum view v)
{
	double left[POOLS], sum = 0;

	memcpy(left, pool, sizeof(left));
	for (size_t i = 0; i < d->claims; i++) {
		const struct gain *s = &d->claim[i].s;

		sum += take(left, d->claim[i].pools, sane(v == VIEW_LOW ?
		    s->low : v == VIEW_MID ? s->mid : s->high), NULL);
	}
	return sum;
}

/* Claims of one finding, together no more than its pools hold. */
static void
gain_of_claims(struct draft *d, const double pool[POOLS])
{
	d->f.saves_s = claimed(d, pool, VIEW_MID);
	d->f.saves_low_s = fmin(claimed(d, pool, VIEW_LOW), d->f.saves_s);
	d->f.saves_high_s = fmax(claimed(d, pool, VIEW_HIGH), d->f.saves_s);
}

static void
set_gain(struct draft *d, struct gain g)
{
	d->f.saves_s = g.mid;
	d->f.saves_low_s = g.low;
	d->f.saves_high_s = g.high;
}

/* The kernels of one finding, each shortened: together no more than kernels and
 * copies lengthened the run. */
static struct gain
gain_of_parts(const struct draft *d, const struct run *run)
{
	double most = exposed_s(run);
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

static bool
is_correctness(const struct draft *d)
{
	return strcmp(d->rule->category, "correctness") == 0;
}

void
rank_kernel(struct draft *d, double noise_s)
{
	double share;

	if (is_correctness(d)) {	/* predicts nothing */
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

static void
judge(struct draft *d, const struct run *run, double noise_s)
{
	struct finding *f = &d->f;
	double wall = rule_wall_s(run);
	double most = f->kernel != NULL ? fmin(wall, exposed_s(run)) : wall;

	if (is_correctness(d)) {
		f->worth_it = !d->minor;
		f->severity = d->minor ? SEV_INFO : d->cap;
		return;
	}
	f->saves_s = fmin(f->saves_s, most);
	f->saves_low_s = fmin(f->saves_low_s, most);
	f->saves_high_s = fmin(f->saves_high_s, most);
	f->worth_it = f->saves_s > 0 && f->saves_s >= noise_s;
	d->small = !(f->saves_s >= NOISE_SHARE * wall);
	if (!f->worth_it)
		f->severity = SEV_INFO;
	else if (f->saves_s >= SHARE_HIGH * wall)
		f->severity = SEV_HIGH;
	else if (f->saves_s >= SHARE_MEDIUM * wall)
		f->severity = SEV_MEDIUM;
	else
		f->severity = SEV_LOW;
	if (f->severity > d->cap)
		f->severity = d->cap;
}

/* Worth it, then correctness, then what is not worth it. A saving that nobody sees
 * in the whole run does not stand before a real fault. */
enum group { FIRST, SEEN, FAULTY, SMALL, UNTIDY, NOT_WORTH };

static enum group
group_of(const struct draft *d)
{
	if (!d->f.worth_it)
		return NOT_WORTH;
	if (d->leads)
		return FIRST;
	if (is_correctness(d))
		return d->f.severity > SEV_LOW ? FAULTY : UNTIDY;
	return d->small ? SMALL : SEEN;
}

/* By the middle value. By the low one, or by the mean of the two, 9 and 4 of 144
 * recordings of ours would begin with another finding, mostly not the true one, and
 * of 33 programs that nobody had seen one fewer with it (2026-11-22). */
static int
by_rank(const void *va, const void *vb)
{
	const struct draft *a = va, *b = vb;
	int ga = (int)group_of(a), gb = (int)group_of(b);

	if (ga != gb)
		return ga - gb;
	if (sane(a->f.saves_s) != sane(b->f.saves_s))
		return sane(a->f.saves_s) > sane(b->f.saves_s) ? -1 : 1;
	if (sane(a->gpu_s) != sane(b->gpu_s))
		return sane(a->gpu_s) > sane(b->gpu_s) ? -1 : 1;
	if (a->f.severity != b->f.severity)
		return a->f.severity > b->f.severity ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return strcmp(a->f.id, b->f.id);
}

/* What one finding does to one kernel. */
struct change {
	const struct kernel *kernel;
	const struct load *load;
	const struct fix *fix;
};

static int
by_kernel(const void *va, const void *vb)
{
	const struct change *a = va, *b = vb;

	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	return 0;
}

/* All changes that are worth it; NULL without memory. */
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

/* Of each kernel all that is worth it, merged. */
static double
kernels_together(const struct draft *d, size_t n)
{
	size_t count;
	struct change *of = changes_of(d, n, &count);
	double sum = 0;

	if (of == NULL)		/* without memory nothing is promised */
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

/* What is left for a residual finding: as much as of its pools, and no gap that an
 * earlier one is the cause of. */
static void
leave(struct draft *d, const double full[POOLS], const double left[POOLS],
    double caused_s)
{
	double before = 0, now = 0, share;

	for (size_t c = 0; c < d->claims; c++) {
		before += room_in(full, d->claim[c].pools);
		now += room_in(left, d->claim[c].pools);
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

/* What earlier rules leave in the pools, in table order. */
static void
claim_all(struct draft *d, size_t n, const struct run *run, double noise_s)
{
	double full[POOLS], left[POOLS], caused = 0;

	pools_of(run, full);
	memcpy(left, full, sizeof(left));
	for (size_t i = 0; i < n; i++) {	/* drafts come in table order */
		if (d[i].f.kernel != NULL || is_correctness(&d[i]))
			continue;
		gain_of_claims(&d[i], full);
		if (d[i].residual)
			leave(&d[i], full, left, caused);
		if (d[i].parts > 0) {
			struct gain g = gain_of_parts(&d[i], run);

			d[i].f.saves_s += g.mid;
			d[i].f.saves_low_s += g.low;
			d[i].f.saves_high_s += g.high;
		}
		if (d[i].f.saves_s < noise_s)
			continue;
		caused += sane(d[i].cause_s);
		for (size_t c = 0; c < d[i].claims; c++)
			take(left, d[i].claim[c].pools,
			    sane(d[i].claim[c].s.mid), NULL);
	}
}

/* All claims that are worth it: how much of each pool they take. */
static void
pools_together(const struct draft *d, size_t n, const struct run *run,
    double taken[POOLS])
{
	double pool[POOLS];

	pools_of(run, pool);
	memset(taken, 0, sizeof(pool));
	for (size_t i = 0; i < n; i++) {
		double want = 0;

		if (d[i].f.kernel != NULL || is_correctness(&d[i]) ||
		    !d[i].f.worth_it)
			continue;
		for (size_t c = 0; c < d[i].claims; c++)
			want += fmin(sane(d[i].claim[c].s.mid),
			    room_in(pool, d[i].claim[c].pools));
		want = fmin(want, d[i].f.saves_s);
		for (size_t c = 0; c < d[i].claims; c++)
			want -= take(pool, d[i].claim[c].pools,
			    fmin(want, sane(d[i].claim[c].s.mid)), taken);
	}
}

/* All that is worth it at once. Each kernel's exposed time is its own limit, not
 * that of all; what kernels wait for pages or for another GPU is part of it;
 * copies lengthen the run beside kernels, and so do the host's calls for them. */
static double
all_together(const struct draft *d, size_t n, const struct run *run)
{
	double taken[POOLS], idle = 0, kernels;

	pools_together(d, n, run, taken);
	for (int i = 0; i < IDLE_CAUSES; i++)
		idle += taken[i];
	kernels = fmin(kernels_together(d, n) + taken[FAULTS] + taken[SHARE] +
	    taken[TURNS], kernels_s(run));
	return fmin(rule_wall_s(run), idle + taken[ISSUED] +
	    fmin(kernels + taken[IDLE_CAUSES], exposed_s(run)));
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
	if (n > 0)
		qsort(d, n, sizeof(*d), by_rank);
	for (size_t i = 0; i < n; i++)
		a->finding[i] = d[i].f;
	a->findings = n;
}
