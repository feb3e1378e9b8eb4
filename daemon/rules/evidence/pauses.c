/*
 * rules/evidence/pauses.c: see pauses.h.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/pauses.h"

#define PAUSES_LEAST 3	/* arithmetic: two rounds that can be compared lie between three */
#define ALIKE 2		/* of similar length: a factor, as of the gaps of a class (gaps.h) */
#define FAMILIAR 0.5	/* of the launches; arithmetic: most */

_Static_assert(PAUSES_MOST <= 64, "a bit of struct pauses for each");

/* The line of the program's own Python in front of whose call ${p} lies, and the host was
 * the cause of most of it; NULL: there is none. Where other processes prepare the input, a
 * batch that is late is no work of the host's between rounds. */
static const struct site_frame *
line_of(const struct run *run, const struct pause *p)
{
	const struct site_frame *f;
	size_t i;

	if (p->site == NULL || 2 * p->host_ns < p->idle_ns ||
	    gaps_alike(run, p->host_ns) >= GAPS_ALIKE || framework_tunes(p->site) ||
	    framework_compiles(p->site) || framework_calls_back(p->site) ||
	    p->site->workers > 0)
		return NULL;
	i = gaps_own_frame(p->site);
	f = i < p->site->frames ? &p->site->frame[i] : NULL;
	return f != NULL && f->python && f->file != NULL ? f : NULL;
}

static bool
is_same(const struct site_frame *a, const struct site_frame *b)
{
	return a != NULL && b != NULL && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Those of the gaps ${of} that are about as long as the second longest: what the first one
 * has of the program's start may make it longer. */
static uint64_t
similar(const struct run *run, uint64_t of)
{
	uint64_t longest = 0, second = 0, out = 0;

	for (size_t i = 0; i < run->pauses; i++) {
		uint64_t ns = run->pause[i].host_ns;

		if (!(of >> i & 1))
			continue;
		second = ns > longest ? longest : ns > second ? ns : second;
		longest = ns > longest ? ns : longest;
	}
	for (size_t i = 0; i < run->pauses; i++)
		if (of >> i & 1 && run->pause[i].host_ns >= second / ALIKE &&
		    run->pause[i].host_ns <= second * ALIKE)
			out |= 1ull << i;
	return out;
}

/* Are most launches of kernels that ran before ${from} and behind ${to}? */
static bool
is_familiar(const struct run *run, uint64_t from, uint64_t to)
{
	double all = 0, both = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		all += (double)k->launches;
		if (k->first_ns < from && k->last_ns > to)
			both += (double)k->launches;
	}
	return both > FAMILIAR * all;
}

static const struct device *
busiest(const struct run *run)
{
	const struct device *d = run->device;

	for (size_t i = 1; i < run->devices; i++)
		d = run->device[i].busy_ns > d->busy_ns ? &run->device[i] : d;
	return d;
}

/* Adds to ${a} the gap ${p}, whose round ends with ${next} (NULL: with the run). */
static void
add_round(const struct run *run, struct pauses *a, const struct pause *p,
    const struct pause *next)
{
	const struct device *d = busiest(run);
	double host = (double)p->host_ns * 1e-9;
	double end = (double)(next != NULL ? next->start_ns : d->last_ns) * 1e-9;
	double busy = (double)(next != NULL ? next->busy_ns : d->busy_ns) * 1e-9;

	a->gaps++;
	a->s += host;
	a->beside_s += fmin(host, fmax(0, end - (double)p->end_ns * 1e-9));
	a->busy_s += fmin(host, fmax(0, busy - (double)p->busy_ns * 1e-9));
	if (p->idle_ns > a->longest_ns) {
		a->longest_ns = p->idle_ns;
		a->site = p->site;
	}
}

/* What the gaps ${of} at one line are together; none if they do not divide rounds. */
static struct pauses
rounds_of(const struct run *run, uint64_t of)
{
	struct pauses a = { .launches = INFINITY, .of = of };
	const struct pause *in[PAUSES_MOST];
	size_t n = 0;

	for (size_t i = 0; i < run->pauses; i++)
		if (of >> i & 1)
			in[n++] = &run->pause[i];
	if (n < PAUSES_LEAST || !is_familiar(run, in[1]->start_ns, in[n - 2]->end_ns))
		return (struct pauses){ 0 };
	for (size_t i = 0; i < n; i++) {
		const struct pause *next = i + 1 < n ? in[i + 1] : NULL;

		if (next != NULL)
			a.launches = fmin(a.launches, (double)next->launches -
			    (double)in[i]->launches);
		add_round(run, &a, in[i], next);
	}
	return a.launches >= GAPS_OFTEN ? a : (struct pauses){ 0 };
}

struct pauses
pauses_again(const struct run *run)
{
	const struct site_frame *line[PAUSES_MOST];
	struct pauses best = { 0 }, a;

	if (!lines_python(run) || run->devices == 0)
		return best;
	for (size_t i = 0; i < run->pauses; i++)
		line[i] = line_of(run, &run->pause[i]);
	for (size_t i = 0; i < run->pauses; i++) {
		uint64_t of = 0;

		for (size_t j = 0; j < run->pauses; j++)
			if (is_same(line[i], line[j]))
				of |= 1ull << j;
		if (of == 0 || (of & ((1ull << i) - 1)) != 0)
			continue;
		a = rounds_of(run, similar(run, of));
		best = a.s > best.s ? a : best;
	}
	return best.s >= GAPS_SHARE * rule_active_s(run) ? best : (struct pauses){ 0 };
}

uint64_t
pauses_phase_ns(const struct run *run)
{
	struct pauses a = pauses_again(run);
	uint64_t most = 0;

	if (a.gaps == 0 || a.longest_ns < run->idle_longest_ns)
		return run->idle_longest_by[IDLE_HOST];
	for (size_t i = 0; i < run->pauses; i++)
		if (!(a.of >> i & 1) && run->pause[i].host_ns > most)
			most = run->pause[i].host_ns;
	return most;
}
