/*
 * rules/practice/launch_bound_graph_candidate/place.c: where the program launches a
 * sequence, and the lines at which it waits meanwhile.
 */
#include <inttypes.h>

#include "base/text.h"
#include "rules/engine/same.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/steps.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

#define WAITS_MOST 3	/* lines with waits that are named: what a sentence holds */
#define WAITS_TOLD 0.1	/* the second and third from so many stacks for each repeat on; stacks
			 * are taken of a part of the calls: of a read in each step, 133 in
			 * 673 steps (a training of Mamba, H200, 2026-11-30) */
#define WAITS_LINES 64	/* lines in one loop among which these are looked for */

bool
bound_has_python(const struct site *s)
{
	for (size_t i = 0; i < s->frames; i++)
		if (s->frame[i].python)
			return true;
	return false;
}

bool
bound_by_python(const struct rule_view *x, const struct site *s)
{
	return s != NULL ? bound_has_python(s) : lines_python(x->run);
}

/* The frame of Python at ${depth} from the outermost, which is 0; NULL: there are fewer.
 * Those of Python are in front of the native ones. */
const struct site_frame *
bound_frame(const struct site *s, size_t depth)
{
	size_t n = 0;

	while (n < s->frames && s->frame[n].python)
		n++;
	return depth < n ? &s->frame[n - 1 - depth] : NULL;
}

/* The number of outermost frames of Python that both stacks share, up to lines. */
static size_t
in_common(const struct site *a, const struct site *b)
{
	size_t n = 0;

	for (;; n++) {
		const struct site_frame *f = bound_frame(a, n), *g = bound_frame(b, n);

		if (f == NULL || g == NULL || f->line != g->line ||
		    !same_frame_function(f, g))
			return n;
	}
}

/* The number of frames, from the outermost on, within which all launches of the sequence
 * lie: those around the function that loops. Kernels may be launched elsewhere, too: of
 * their sites the one nearest to ${at} counts. */
size_t
bound_depth(const struct rule_view *x, const struct sequence *s, const struct site *at)
{
	size_t depth = SITE_DEPTH;

	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		size_t end, near = 0;
		size_t k = site_launches(x->run->site, x->run->sites,
		    s->kernel[i], &end);
		bool known = false;

		for (; k < end; k++) {
			const struct site *o = &x->run->site[k];
			size_t n;

			if (o->call != CALL_LAUNCH || o->kernel != s->kernel[i] ||
			    !bound_has_python(o))
				continue;
			n = in_common(at, o);
			near = !known || n > near ? n : near;
			known = true;
		}
		depth = known && near < depth ? near : depth;
	}
	/* One line calls a whole step, as TorchScript's interpreter is: it loops at most in
	 * the function of that line. */
	while (depth > 0 && bound_frame(at, depth) == NULL)
		depth--;
	return depth;
}

/* Is ${s} called in the function at ${depth} of ${at}, or by it? */
bool
bound_within(const struct site *s, const struct site *at, size_t depth)
{
	const struct site_frame *f = bound_frame(at, depth), *g = bound_frame(s, depth);

	return f != NULL && g != NULL && in_common(s, at) >= depth &&
	    same_frame_function(f, g);
}

/* A line of Python, how often the loop calls from it and, of a helper that is called at several
 * lines of the program, the line that does so most often in the loop; NULL: one calls it. */
struct called_line {
	const struct site_frame *f, *from;
	double calls;
};

/* The line of the program that calls the function in which ${s} is shown; NULL: a package calls
 * it back. */
static const struct site_frame *
caller_of(const struct site *s)
{
	const struct site_frame *f = &s->frame[s->first];

	for (size_t i = s->first + 1; i < s->frames && s->frame[i].python; i++)
		if (site_own(&s->frame[i]) && !same_frame_function(f, &s->frame[i]))
			return site_installed(&s->frame[i]) ? NULL : &s->frame[i];
	return NULL;
}

/* If several lines call what ${l} is a line of, sets the one of most of its calls within ${depth}
 * of ${at}, of the sites for which ${is} is true: the helper's own line does not say which of
 * its calls is meant. */
static void
add_caller(const struct run *run, const struct site *at, size_t depth,
    bool (*is)(const struct site *s), struct called_line *l)
{
	struct called_line all[WAITS_LINES];
	size_t n = 0, most = 0;

	for (size_t i = 0, j; i < run->sites; i++) {
		const struct site *o = &run->site[i];
		const struct site_frame *from;

		if (!is(o) || !same_frame_line(l->f, &o->frame[o->first]) ||
		    (from = caller_of(o)) == NULL)
			continue;
		for (j = 0; j < n && !same_frame_line(all[j].f, from); j++)
			;
		if (j == n && n < WAITS_LINES)
			all[n++] = (struct called_line){ .f = from };
		if (j < n && bound_within(o, at, depth))
			all[j].calls += (double)o->count;
	}
	for (size_t i = 1; i < n; i++)
		most = all[i].calls > all[most].calls ? i : most;
	l->from = n > 1 && all[most].calls > 0 ? all[most].f : NULL;
}

/* The lines of the sites in the loop of ${s}, which launches at ${at}, for which ${is} is true,
 * those with the most calls first, into ${to}, of which there are WAITS_MOST. Returns how many
 * there are, up to that. */
static size_t
lines_of(const struct rule_view *x, const struct sequence *s, const struct site *at,
    bool (*is)(const struct site *s), struct called_line *to)
{
	struct called_line all[WAITS_LINES];
	size_t depth = at != NULL ? bound_depth(x, s, at) : 0, n = 0, told = 0;

	for (size_t i = 0, j; i < x->run->sites; i++) {
		const struct site *o = &x->run->site[i];

		if (!is(o) || (at != NULL && !bound_within(o, at, depth)))
			continue;
		for (j = 0; j < n && !same_frame_line(all[j].f, &o->frame[o->first]); j++)
			;
		if (j == n && n < WAITS_LINES)
			all[n++] = (struct called_line){ .f = &o->frame[o->first] };
		if (j < n)
			all[j].calls += (double)o->count;
	}
	for (; told < WAITS_MOST && told < n; told++) {
		size_t most = told;
		struct called_line l;

		for (size_t i = told + 1; i < n; i++)
			most = all[i].calls > all[most].calls ? i : most;
		l = all[most];
		all[most] = all[told];
		all[told] = l;
		if (at != NULL)
			add_caller(x->run, at, depth, is, &l);
		to[told] = l;
	}
	return told;
}

/* Does the host read results in the loop of ${s}, which launches at ${at}? */
bool
bound_reads(const struct rule_view *x, const struct sequence *s, const struct site *at)
{
	struct called_line l[WAITS_MOST];

	return lines_of(x, s, at, lines_reads, l) > 0;
}

/* The lines of Python in that loop at which the host reads results most often or, if it reads
 * none, waits for its copies to the device: what the step has to lose before a graph fits it.
 * Beside the first those at which it often does. NULL: none is known. */
const char *
bound_waits(const struct rule_view *x, const struct sequence *s, const struct site *at)
{
	struct called_line l[WAITS_MOST];
	size_t n = lines_of(x, s, at, lines_reads, l);
	const char *all = NULL;

	if (n == 0 && at != NULL)
		n = lines_of(x, s, at, lines_feeds, l);
	while (n > 1 && l[n - 1].calls < WAITS_TOLD * (double)s->repeats)
		n--;
	for (size_t i = 0; i < n; i++) {
		const char *base = text_base_name(l[i].f->file);

		all = i == 0 ? arena_format(x->arena, "%s:%" PRIu32, base, l[i].f->line) :
		    same_text(l[i].f->file, l[i - 1].f->file) ?
		    arena_format(x->arena, "%s, :%" PRIu32, all, l[i].f->line) :
		    arena_format(x->arena, "%s, %s:%" PRIu32, all, base, l[i].f->line);
		/* Behind the last of those that one line calls. */
		if (l[i].from != NULL && (i + 1 == n || l[i + 1].from == NULL ||
		    !same_frame_line(l[i].from, l[i + 1].from)))
			all = arena_format(x->arena, "%s (called from %s:%" PRIu32 ")", all,
			    text_base_name(l[i].from->file), l[i].from->line);
	}
	return all;
}

/* If what the sequence begins with is launched by a thread without a line, such as a
 * backward pass, or by an optimizer, the place is the first one that has a line of Python
 * and is the model's: where a step begins in the sequence is chance, and its line is what
 * compiling begins with. If there is none, the first that has a line. Returns which launch
 * of the sequence that is. */
size_t
bound_place(const struct rule_view *x, struct draft *d, const struct sequence *s)
{
	const struct site *any = NULL;
	size_t at = 0;

	if (d->f.site == NULL || !lines_python(x->run) ||
	    (bound_has_python(d->f.site) && !steps_by_optimizer(d->f.site)))
		return 0;
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		const struct site *site = lines_launched(x->run, s->kernel[i]);

		if (site == NULL || !bound_has_python(site))
			continue;
		at = any == NULL ? i : at;
		any = any == NULL ? site : any;
		if (!steps_by_optimizer(site)) {
			d->f.site = site;
			return i;
		}
	}
	d->f.site = any != NULL ? any : d->f.site;
	return at;
}

/* The calls but launches, as far as their stacks are known, that share more than ${depth} frames
 * from the outermost on with ${at}: of launches only the first few have stacks. */
static double
calls_beyond(const struct run *run, const struct site *at, size_t depth)
{
	double calls = 0;

	for (size_t i = 0; i < run->sites; i++)
		if (run->site[i].call != CALL_LAUNCH && in_common(at, &run->site[i]) > depth)
			calls += (double)run->site[i].count;
	return calls;
}

/* The site of launch ${i} of ${s} that the sequence repeats at, in place of ${at}: what reports
 * once in 50 steps calls the same functions. There only some of the launches are, and fewer
 * calls; where ${at} and the other part, all are with the other. */
const struct site *
bound_repeated(const struct rule_view *x, const struct sequence *s, size_t i, const struct site *at)
{
	const struct site *best = at;
	const struct site_frame *outer = at != NULL ? bound_frame(at, 0) : NULL;
	size_t end, k, depth;

	if (outer == NULL)
		return at;
	depth = bound_depth(x, s, at);
	k = site_launches(x->run->site, x->run->sites, s->kernel[i], &end);
	for (; k < end; k++) {
		const struct site *o = &x->run->site[k];
		const struct site_frame *f = bound_frame(o, 0);
		size_t shared;

		/* Another thread's stack, as of a backward pass, has no line of the program. */
		if (o->call != CALL_LAUNCH || o->kernel != s->kernel[i] || f == NULL ||
		    !same_frame_function(outer, f) ||
		    (best != at && o->count <= best->count))
			continue;
		shared = in_common(at, o);
		if (depth <= shared && bound_depth(x, s, o) > shared &&
		    calls_beyond(x->run, o, shared) > calls_beyond(x->run, at, shared))
			best = o;
	}
	return best;
}
