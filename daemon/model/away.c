/*
 * model/away.c: what the host came back to after it had made no CUDA call for a while. A
 * gap of the GPU tells how long the host was busy elsewhere; these records tell in front
 * of which call of the program.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "model/internal.h"

/* A record stands for as many times as long at most: a bound on what a hostile stream may
 * claim. */
#define STANDS_MOST 1e6

/* Of a batch few tensors are copied one after the other: of more in a row each is an
 * element of its own, as of a list that is stacked, or of a data set that is loaded. Eight
 * by one line have seven behind another copy: fewer than INPUTS_BEHIND asks for. */
#define BATCH_COPIES 8

COMPARE(away_order, struct away, ORDER(x->end, y->end) ?: ORDER(x->site, y->site))

/* Makes room: the older half of what ${s} keeps is forgotten. */
static void
evict(struct model *m, struct stream *s)
{
	uint32_t n = (s->aways + 1) / 2;

	s->aways -= n;
	m->aways -= n;
	memmove(s->away, s->away + n, s->aways * sizeof(*s->away));
}

/* The counts behind ${r} are a second apart at least: it stands for no longer a time. */
#define COUNTED_NS 1000000000ull

/* Of times that are kept one by one each is as long as this at least, as counts are about a
 * second apart; if there are more than WORKEDS_MOST, twice as long. */
#define WORKED_NS (COUNTED_NS / 4)
#define WORKEDS_MOST 1024

/* Joins two by two of the times that ${m} keeps. */
static void
join_worked(struct model *m)
{
	uint32_t n = m->workeds / 2;

	for (uint32_t i = 0; i < n; i++) {
		struct working_time a = m->worked[2 * i], b = m->worked[2 * i + 1];

		m->worked[i] = (struct working_time){ a.from_ns, b.to_ns, a.ns + b.ns,
		    a.used_ns + b.used_ns, a.there_ns + b.there_ns };
	}
	m->workeds = n;
	m->worked_ns *= 2;
}

/* Keeps that of the ${ns} until ${now} each of ${workers} processes used a processor for
 * ${used}, as the last count said. That was about the time before this. */
static int
keep_worked(struct model *m, uint64_t now, uint64_t ns, double used, double workers)
{
	struct working_time *last = m->workeds > 0 ? &m->worked[m->workeds - 1] : NULL;
	uint64_t to = sub_sat(now, COUNTED_NS), from = sub_sat(to, ns);

	if (to <= from)
		return 0;
	if (last != NULL && last->to_ns == from && last->to_ns - last->from_ns <
	    max_u64(m->worked_ns, WORKED_NS)) {
		last->to_ns = to;
		last->ns += (double)ns;
		last->used_ns += used;
		last->there_ns += (double)ns * workers;
		return 0;
	}
	m->worked_ns = max_u64(m->worked_ns, WORKED_NS);
	if (m->workeds >= WORKEDS_MOST)
		join_worked(m);
	if (model_grow(&m->worked, &m->workeds_cap, m->workeds, WORKEDS_MOST,
	    sizeof(*m->worked)) != 0)
		return -1;
	m->worked[m->workeds++] = (struct working_time){ from, to, (double)ns, used,
	    (double)ns * workers };
	return 0;
}

static int
feed_working(struct model *m, const struct record_AWAY *r)
{
	struct working *w = &m->working;
	uint64_t ns = r->end_ns > w->at ? min_u64(COUNTED_NS, r->end_ns - w->at) : 0;
	double used = (double)ns * min_u64(1000, r->working) * 1e-3;

	w->at = max_u64(w->at, r->end_ns);
	if (r->workers == 0 || r->working == 0 || ns == 0)
		return 0;
	w->ns += (double)ns;
	w->used_ns += used;
	return keep_worked(m, r->end_ns, ns, used, (double)r->workers);
}

int
away_feed(struct model *m, struct stream *s, const struct record_AWAY *r)
{
	struct away a = { .start = r->start_ns, .end = r->end_ns, .site = r->site };

	if (r->site == 0)
		return 0;
	if (!model_time(m, r->start_ns, r->end_ns)) {
		s->process.lost[LOSS_TIMESTAMP]++;
		return 0;
	}
	a.stands = fmin(STANDS_MOST, fmax(1, (double)r->total_ns /
	    fmax(1, (double)(r->end_ns - r->start_ns))));
	a.count = fmin(STANDS_MOST, fmax(1, (double)r->count));
	a.workers = (uint16_t)min_u64(r->workers, UINT16_MAX);
	a.processors = (uint16_t)min_u64(r->processors, UINT16_MAX);
	if (feed_working(m, r) != 0)
		return -1;
	if (m->aways >= MAX_AWAYS)
		evict(m, s);
	if (m->aways >= MAX_AWAYS)
		return 0;
	if (model_grow(&s->away, &s->aways_cap, s->aways, MAX_AWAYS,
	    sizeof(*s->away)) != 0)
		return -1;
	s->away_dirty = s->away_dirty || (s->aways > 0 &&
	    s->away[s->aways - 1].end > a.end);
	s->away[s->aways++] = a;
	m->aways++;
	return 0;
}

void
away_sort(struct model *m)
{
	struct stream *s;
	uint32_t i;

	for (i = 0; i < m->stream_count; i++) {
		s = m->stream[i];
		if (s->away_dirty)
			qsort(s->away, s->aways, sizeof(*s->away), away_order);
		s->away_dirty = false;
	}
}

void
away_prune(struct model *m, uint64_t before)
{
	struct stream *s;
	uint32_t i, n;

	for (i = 0; i < m->stream_count; i++) {
		s = m->stream[i];
		n = FIRST_NOT(mid, 0, s->aways, s->away[mid].end < before);
		if (n == 0)
			continue;
		s->aways -= n;
		m->aways -= n;
		memmove(s->away, s->away + n, s->aways * sizeof(*s->away));
	}
}

/* The sums of site ${site} of ${s}, made if they are new; NULL if there are too many or
 * no memory. */
static struct away_sum *
sum_of(struct model *m, struct stream *s, uint32_t site)
{
	uint32_t i = idmap_get(&s->away_site, site);

	if (i != IDMAP_NONE)
		return &m->away_sum[i];
	if (model_grow(&m->away_sum, &m->away_sums_cap, m->away_sums,
	    MAX_AWAY_SITES, sizeof(*m->away_sum)) != 0 ||
	    idmap_put(&s->away_site, site, m->away_sums) != 0)
		return NULL;
	return &m->away_sum[m->away_sums++];
}

void
away_most(struct away_sum *sum, uint16_t workers, uint16_t processors)
{

	if (workers > sum->workers)
		sum->workers = workers;
	if (processors > sum->processors)
		sum->processors = processors;
}

uint32_t
away_gap(struct model *m, struct stream *s, uint64_t from, uint64_t to, uint64_t host,
    bool comes_again)
{
	uint32_t i = FIRST_NOT(mid, 0, s->aways, s->away[mid].end <= from);
	const struct away *a;
	struct away_sum *sum;
	uint64_t start, ns, half = host / 2;
	uint32_t most = 0;

	/* A record's end is taken before the call's time: it is never later. */
	for (; i < s->aways && s->away[i].end <= to && host > 0; i++) {
		a = &s->away[i];
		start = max_u64(a->start, from);
		if (a->end <= start || (sum = sum_of(m, s, a->site)) == NULL)
			continue;
		ns = a->end - start - spans_overlap(&m->overhead, start, a->end);
		ns = min_u64(ns, host);
		host -= ns;
		from = a->end;
		most = ns > half ? a->site : most;
		sum->longest_ns = max_u64(sum->longest_ns, ns);
		if (!comes_again || ns == 0)
			continue;
		sum->idle_ns += (double)ns * a->stands;
		sum->gaps += a->count;
		away_most(sum, a->workers, a->processors);
	}
	return most;
}

const struct away_sum *
away_of(const struct model *m, uint32_t stream, uint32_t site)
{
	uint32_t i = site == 0 || stream >= m->stream_count ? IDMAP_NONE :
	    idmap_get(&m->stream[stream]->away_site, site);

	return i == IDMAP_NONE ? NULL : &m->away_sum[i];
}

void
away_after(struct away_sum *sum, uint32_t kernel, double ns)
{

	if (kernel == sum->after) {
		sum->after_ns += ns;
	} else if (ns > sum->after_ns) {
		sum->after = kernel;
		sum->after_ns = ns - sum->after_ns;
	} else {
		sum->after_ns -= ns;
	}
}

void
away_behind(struct model *m, struct stream *s, uint32_t site, uint64_t ns,
    uint32_t inputs, uint32_t kernel)
{
	struct away_sum *sum;

	if (site == 0 || (sum = sum_of(m, s, site)) == NULL)
		return;
	sum->seen_ns += (double)ns;
	if (inputs > 0 && inputs <= BATCH_COPIES)
		sum->behind_ns += (double)ns;
	away_after(sum, kernel, (double)ns);
}
