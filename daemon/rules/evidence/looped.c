/*
 * rules/evidence/looped.c: see looped.h.
 */
#include "rules/engine/same.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/looped.h"
#include "rules/evidence/looks.h"

#define TURNS 0.5	/* of the launches are the nodes of a turn; arithmetic: most */

/* The graph that is launched most, if most launches are its nodes; NULL. */
static const struct sequence *
graph_of(const struct run *run)
{
	const struct sequence *most = NULL;

	for (size_t i = 0; i < run->sequences; i++) {
		const struct sequence *s = &run->sequence[i];

		if (s->in_graph && (most == NULL || s->nodes > most->nodes))
			most = s;
	}
	return most != NULL && (double)most->nodes > TURNS * (double)run->launches &&
	    most->repeats >= GAPS_OFTEN ? most : NULL;
}

static const struct site_frame *
own_of(const struct site *s)
{
	size_t f = gaps_own_frame(s);

	return f < s->frames && s->frame[f].file != NULL ? &s->frame[f] : NULL;
}

/* The seconds of looks at the line of ${at}, while a launch was on its way; 0: too few. */
static double
launching_s(const struct run *run, const struct site_frame *at)
{
	double s = 0, looks = 0;

	for (size_t i = 0; i < run->looks; i++) {
		const struct look *l = &run->look[i];
		const struct site_frame *f;

		if (l->gap != LOOK_LAUNCH || l->site == NULL || (f = own_of(l->site)) == NULL ||
		    !same_frame_line(f, at))
			continue;
		looks++;
		s += l->s;
	}
	return looks >= LOOKS_TELL ? s : 0;
}

/* Of the graphs launched at the line of ${site} the one with the most. */
static const struct site *
most_at(const struct run *run, const struct site *site)
{
	const struct site_frame *at = own_of(site);

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		const struct site_frame *f;

		if (s->call == CALL_GRAPH_LAUNCH && s->count > site->count &&
		    (f = own_of(s)) != NULL && same_frame_line(f, at))
			site = s;
	}
	return site;
}

struct looped
looped_of(const struct run *run)
{
	const struct sequence *graph = run->xla_modules > 0 ? graph_of(run) : NULL;
	struct looped best = { .s = 0 };

	for (size_t i = 0; graph != NULL && i < run->sites; i++) {
		const struct site *s = &run->site[i];
		const struct site_frame *at;
		double idle;

		if (s->call != CALL_GRAPH_LAUNCH || !framework_loops(s) ||
		    (at = own_of(s)) == NULL || (idle = launching_s(run, at)) <= best.s)
			continue;
		best = (struct looped){ .site = s, .turns = (double)graph->repeats, .s = idle };
	}
	if (best.site != NULL)
		best.site = most_at(run, best.site);
	return best;
}
