/*
 * rules/evidence/oncpu.c: see oncpu.h.
 */
#include <math.h>

#include "rules/engine/same.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/oncpu.h"

/* For each copy the host is at its line for so much longer than an operator takes it (10 to
 * 60 us, see BRIEF_S), with the copy three times. Arithmetic. */
#define EACH_S 300e-6

/* Is ${s} at the line of ${at}, in nothing that it calls in Python? */
static bool
is_at(const struct site *s, const struct site_frame *at)
{
	return s->frames > 0 && s->frame[0].python && same_frame_line(&s->frame[0], at);
}

/* The looks at the line of ${o}, of the ${all} seconds of those of ${of}. */
static void
look_at(struct oncpu *o, const struct run *run, struct looks_of of, double all, double idle)
{
	double s = 0, looks = 0;

	for (size_t i = 0; i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (l->site == NULL || !is_at(l->site, &o->site->frame[0]) ||
		    !looks_counts(run, l, of))
			continue;
		looks++;
		s += l->s;
	}
	o->s = looks >= LOOKS_TELL && all > 0 ? fmin(1, s / all) * idle : 0;
}

/* The copies to the GPU of the line at which ${site} is. */
static void
add_copies(struct oncpu *o, const struct run *run)
{
	const struct site_frame *at = &o->site->frame[0];

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (!lines_feeds(s) || !is_at(s, at))
			continue;
		o->copies += (double)s->count;
		o->away_s += s->idle_ns * 1e-9;
		if (s->count > o->site->count)
			o->site = s;
	}
}

struct oncpu
oncpu_of(const struct run *run, struct looks_of of, double idle)
{
	double all = looks_s(run, of);
	struct oncpu best = { .s = 0 };

	for (size_t i = 0; i < run->sites; i++) {
		struct oncpu o = { .site = &run->site[i] };

		if (!(o.site->idle_ns > 0) || !inputs_made(run, o.site) ||
		    gaps_own_frame(o.site) != 0)
			continue;
		look_at(&o, run, of, all, idle);
		if (o.s <= best.s)
			continue;
		add_copies(&o, run);
		if (o.s >= EACH_S * o.copies)
			best = o;
	}
	return best;
}
