/*
 * The place of the gaps that come again: what the host was in meanwhile, as looks at it say, or
 * else the line of what lies behind or in front of them.
 */
#include <math.h>

#include "base/text.h"
#include "rules/engine/same.h"
#include "rules/evidence/framework.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

#define LAUNCHES_TOLD 0.1	/* the line that launches most is told from there; arithmetic: of
				 * less it is one of many */
#define INPUT_TOLD 0.2	/* late input is mentioned: with half of it or more it is the
			 * cause */

/* Do threads of a framework copy most of what goes to the host? No line of Python does. */
static bool
by_framework(const struct run *run)
{
	double all = 0, python = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call >= 64 || !(IDLE_COPIES >> s->call & 1) || !idle_to_host(s))
			continue;
		all += (double)s->count;
		python += s->frames > 0 && s->frame[0].python ?
		    (double)s->count : 0;
	}
	return lines_python(run) && python < 0.5 * all;
}

/* What precedes most of the ${idle} seconds in gaps ${a}, for the summary: ", 66 ms after
 * each of 99 copies to the host (7.08 MB) at run.py:175"; "" if nothing does. If its line
 * is known, it is the finding's place. */
static const char *
place_after(const struct rule_view *x, struct draft *d, const struct again *a,
    double idle)
{
	const struct run *run = x->run;
	bool output = a->output > 0.5 * idle;
	double n = output ? a->outputs : a->waits;
	const struct site *at;
	const struct site_frame *f;
	const char *what, *where = "";

	if (!output && !(a->waited > 0.5 * idle))
		return "";
	at = idle_site_after(x, output, n);
	what = output ? arena_format(x->arena, "%s to the host (%s)",
	    say_counted(x->arena, n, "copy"),
	    say_bytes(x->arena, a->output_bytes / n)) :
	    arena_format(x->arena, "%s for the GPU",
	    say_counted(x->arena, n, "wait"));
	if (at != NULL) {
		f = &at->frame[at->first];
		where = arena_format(x->arena, f->line > 0 ? " at %s:%u" : " in %s",
		    text_base_name(f->file), f->line);
		d->f.site = at;
		d->f.location = arena_format(x->arena, "%s, most of it after %s",
		    d->f.location, output ? "this line's copies to the host" :
		    "this line's waits");
	} else if (output && by_framework(run)) {
		where = " by the framework's own threads";
	}
	return arena_format(x->arena, ", %s after each of %s%s",
	    say_seconds(x->arena, (output ? a->output : a->waited) / n), what,
	    where);
}

/* What a backward pass launches is due to what was called before. */
static bool
is_forward(const struct site *s)
{
	return !framework_waits_for_backward(s);
}

const struct site *
idle_launching_function(const struct rule_view *x)
{
	struct looks_of of = idle_looks(x);
	double share = 0;
	const struct site *at;

	of.is = is_forward;
	at = looks_function(x->arena, x->run, of, &share);
	return share >= OWN_TOLD ? at : NULL;
}

/* What the host was in while the GPU waited is a better place than what it did next, if a
 * line has most of it. Of what is made and copied each time the copies are the place. */
static void
place_looks(const struct rule_view *x, struct draft *d, const struct again *a)
{
	bool loader = idle_is(d, "loader"), own = idle_is_of(d->variant, IDLE_OWN);
	struct looks_of of = idle_looks(x);
	double share = 0;
	const struct site *at;
	struct site *site;
	double s;

	if (idle_is(d, "kept") || idle_is_of(d->variant, IDLE_MADE))
		return;
	of.is = loader ? framework_loads : NULL;
	of.apart = loader;
	at = own ? idle_own_work(x, &share) : NULL;
	if (idle_is_of(d->variant, IDLE_LAUNCHING)) {
		of.is = is_forward;
		at = idle_launching_function(x);
	}
	own = at != NULL;
	if (at == NULL)
		at = looks_place(x->arena, x->run, of, LOOKED_TOLD, &s);
	if (at == NULL || (site = arena_get(x->arena, sizeof(*site))) == NULL)
		return;
	*site = *at;
	if (loader || idle_is(d, "input"))
		idle_copy_workers(x->run, site);
	d->f.site = site;
	d->f.location = arena_format(x->arena, loader ? "%s, in which the host is in the "
	    "loader, here" : own ? "%s, in which the host is in this function more than in any "
	    "other of the program's" : "%s, in which the host is mostly in what this line does",
	    say_counted(x->arena, a->gaps, "gap"));
}

/* Sets the place by what is in front of most of the gaps; or, if no place has so much, within
 * what. */
static void
place_in_front(const struct rule_view *x, struct draft *d, const struct again *a, double idle)
{
	const struct run *run = x->run;
	const struct site *place;
	double within;
	bool whole;

	if ((place = gaps_away(x->arena, run, 0.5 * idle, rule_value(x, "min_gaps"), NULL)) !=
	    NULL) {
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, most of it in front of "
		    "what this line calls", d->f.location);
	} else if (a->moved > 0.5 * idle && (place = gaps_after(x->arena, run,
	    IDLE_COPIES, idle_moves, 1, 1)) != NULL) {
		/* A step of XLA begins with one. */
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, most of it in front "
		    "of the work that this line starts", d->f.location);
	} else if ((place = gaps_place(run, 0.5 * idle, &whole)) != NULL) {
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, most of it in front "
		    "of %s", d->f.location, whole ? "what this function launches" :
		    "these launches");
	} else if ((place = gaps_within(x->arena, run, WITHIN_TOLD * idle,
	    &within)) != NULL) {
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, %s of it within what "
		    "this line calls", d->f.location, say_percent(x->arena,
		    fmin(1, within / idle)));
	}
}

/* The launches of a line of Python, as far as stacks were taken. */
struct launching_line {
	const struct site *most;	/* its stack with the most of them */
	double launches;
};

static bool
is_launch(const struct site *s)
{
	return (s->call == CALL_LAUNCH || s->call == CALL_GRAPH_LAUNCH) && idle_from_python(s);
}

/* Adds ${s} to those of ${n} lines that it is one of, or as one more, for which there is room. */
static size_t
add_launching(struct launching_line *line, size_t n, const struct site *s)
{
	size_t i;

	for (i = 0; i < n && !same_site(line[i].most, s); i++)
		;
	if (i == n)
		line[n++] = (struct launching_line){ s, 0 };
	line[i].launches += (double)s->count;
	if (s->count > line[i].most->count)
		line[i].most = s;
	return n;
}

/* The line of Python that launches most, compilers' trials left aside, if that is
 * LAUNCHES_TOLD of those that have a line; NULL. */
static const struct site *
launching_line(const struct rule_view *x)
{
	const struct run *run = x->run;
	struct launching_line *line = arena_get(x->arena, run->sites * sizeof(*line));
	double all = 0;
	size_t n = 0, most = 0;

	for (size_t i = 0; line != NULL && i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (!is_launch(s) || framework_tunes(s))
			continue;
		all += (double)s->count;
		n = add_launching(line, n, s);
	}
	for (size_t i = 1; i < n; i++)
		most = line[i].launches > line[most].launches ? i : most;
	return n > 0 && line[most].launches >= LAUNCHES_TOLD * all ? line[most].most : NULL;
}

/* Sets the place of what an interpreter launches: the line of Python that launches most, if
 * that is known. */
static void
place_launches(const struct rule_view *x, struct draft *d)
{
	d->f.site = launching_line(x);
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	if (d->f.site != NULL)
		d->f.location = arena_format(x->arena, "%s; this line launches most",
		    d->f.location);
}

const char *
idle_place(const struct rule_view *x, struct draft *d, const struct idle_gaps *g)
{
	const struct again *a = &g->a;
	bool input = idle_is_of(d->variant, IDLE_LOADING | IDLE_INPUT);
	const char *after = "";

	d->f.location = say_counted(x->arena, a->gaps, "gap");
	if (input) {
		d->waits = g->idle >= GAPS_LATE_S * a->gaps ? BAR_INPUT : 0;
		(idle_is_of(d->variant, IDLE_LOADING) ? idle_loader_place :
		    idle_input_place)(x, d, g);
	} else {
		/* What the host does with it lies behind that line. */
		after = place_after(x, d, a, g->idle);
		if (*after == '\0' || d->f.site == NULL)
			place_in_front(x, d, a, g->idle);
	}
	if (d->f.site == NULL && idle_is_of(d->variant, IDLE_LAUNCHING))
		place_launches(x, d);
	if (!input && a->input > INPUT_TOLD * g->idle)
		d->f.location = arena_format(x->arena, "%s, %s of it in front of "
		    "copies to the GPU", d->f.location,
		    say_percent(x->arena, a->input / g->idle));
	place_looks(x, d, a);
	return after;
}
