/*
 * model/look.c: what a Python program's thread was found in, at looks from outside. Each
 * look stands for the time since the one before; here it gets the gap of the GPU in which
 * it fell, so that the rules can sum up what the host did while the GPU waited.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "model/internal.h"

#define PERIOD_MOST 10000000000u	/* ns: a bound on what a hostile stream may claim */

COMPARE(look_order, struct seen_look, ORDER(x->at, y->at) ?: ORDER(x->site, y->site))

/* Makes room: the older half of what ${s} keeps is forgotten. */
static void
evict(struct model *m, struct stream *s)
{
	uint32_t n = (s->looks + 1) / 2;

	s->looks -= n;
	m->looks -= n;
	memmove(s->look, s->look + n, s->looks * sizeof(*s->look));
}

int
look_feed(struct model *m, struct stream *s, const struct record_SEEN *r)
{
	struct seen_look l = { .at = r->time_ns, .site = r->site,
	    .period = min_u64(r->period_ns, PERIOD_MOST) };

	if (!model_time(m, r->time_ns, r->time_ns)) {
		s->process.lost[LOSS_TIMESTAMP]++;
		return 0;
	}
	if (m->looks >= MAX_LOOKS)
		evict(m, s);
	if (m->looks >= MAX_LOOKS)
		return 0;
	if (model_grow(&s->look, &s->looks_cap, s->looks, MAX_LOOKS,
	    sizeof(*s->look)) != 0)
		return -1;
	s->look_dirty = s->look_dirty || (s->looks > 0 &&
	    s->look[s->looks - 1].at > l.at);
	s->look[s->looks++] = l;
	m->looks++;
	return 0;
}

void
look_sort(struct model *m)
{
	struct stream *s;
	uint32_t i;

	for (i = 0; i < m->stream_count; i++) {
		s = m->stream[i];
		if (s->look_dirty)
			qsort(s->look, s->looks, sizeof(*s->look), look_order);
		s->look_dirty = false;
	}
}

void
look_gap(struct model *m, struct stream *s, uint64_t from, uint64_t to, uint8_t gap)
{
	uint32_t i = FIRST_NOT(mid, 0, s->looks, s->look[mid].at < from);

	for (; i < s->looks && s->look[i].at < to; i++)
		if (spans_overlap(&m->overhead, s->look[i].at, s->look[i].at + 1) == 0)
			s->look[i].gap = gap;
}

void
look_settle(const struct model *m, struct run *run)
{
	struct look *to = run->look;
	uint32_t i, j;

	for (i = 0; i < m->stream_count; i++) {
		const struct stream *s = m->stream[i];

		for (j = 0; j < s->looks; j++)
			*to++ = (struct look){ .at_ns = sub_sat(s->look[j].at,
			    run->origin_ns), .s = (double)s->look[j].period * 1e-9,
			    .gap = s->look[j].gap, .stream = i,
			    .number = s->look[j].site };
	}
	run->looks = m->looks;
}
