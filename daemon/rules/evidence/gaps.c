/*
 * rules/evidence/gaps.c: see gaps.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"

/* A launch site with its part of the host's work in front of the kernel's launches. */
struct gap_place {
	const struct site *site;
	const char *file, *function;	/* of the frame that is shown; never NULL */
	uint32_t line;
	double s;
};

COMPARE(by_line, struct gap_place, strcmp(x->file, y->file) ?: ORDER(x->line, y->line) ?:
    ORDER(y->s, x->s))
COMPARE(by_function, struct gap_place, strcmp(x->file, y->file) ?:
    strcmp(x->function, y->function) ?: ORDER(y->s, x->s))

/* The number of gaps in class ${i} of ${run} and the two classes next to it. */
static double
alike(const struct run *run, size_t i)
{
	double n = (double)run->gap[i].count;

	if (i > 0)
		n += (double)run->gap[i - 1].count;
	if (i + 1 < GAP_CLASSES)
		n += (double)run->gap[i + 1].count;
	return n;
}

double
gaps_alike(const struct run *run, uint64_t ns)
{
	size_t i = ns == 0 ? 0 : 63u - (size_t)__builtin_clzll(ns);

	return alike(run, i < GAP_CLASSES ? i : GAP_CLASSES - 1);
}

/* Idle seconds of these gaps that the host is the cause of. */
static double
host_s(const struct gap_class *c)
{
	return ((double)c->idle_ns[IDLE_HOST] + (double)c->idle_ns[IDLE_API] +
	    (double)c->idle_ns[IDLE_AFTER_SYNC]) * 1e-9;
}

struct again
gaps_again(const struct run *run, double least, double shortest_s)
{
	struct again a = { .base = rule_active_s(run) };
	double phases = ((double)run->idle_ns[IDLE_HOST] +
	    (double)run->idle_ns[IDLE_API] +
	    (double)run->idle_ns[IDLE_AFTER_SYNC]) * 1e-9;

	for (size_t i = 0; i < GAP_CLASSES; i++) {
		const struct gap_class *c = &run->gap[i];
		double s = host_s(c);

		if (alike(run, i) < least)
			continue;
		phases -= s;
		if (s < shortest_s * (double)c->count)
			continue;
		a.gaps += (double)c->count;
		a.input += (double)c->input_ns * 1e-9;
		a.moved += (double)c->moved_ns * 1e-9;
		/* Which are in front of copies, too, is not known: the most. */
		a.fed += fmax(0, fmin((double)c->fed_ns * 1e-9,
		    s - (double)c->input_ns * 1e-9));
		a.output += (double)c->output_ns * 1e-9;
		a.between += fmax(0, (double)c->output_ns * 1e-9 +
		    (double)c->input_ns * 1e-9 - s);
		a.outputs += (double)c->outputs;
		a.output_bytes += (double)c->output_bytes;
		a.waited += (double)c->waited_ns * 1e-9;
		a.waits += (double)c->waits;
		a.host += (double)c->idle_ns[IDLE_HOST] * 1e-9;
		a.brief += s <= BRIEF_S * (double)c->count ? s : 0;
		a.api += (double)c->idle_ns[IDLE_API] * 1e-9;
		a.sync += (double)c->idle_ns[IDLE_AFTER_SYNC] * 1e-9;
	}
	a.base -= fmax(0, phases);
	return a;
}

double
gaps_s(const struct run *run, double least, double longest_s)
{
	double sum = 0, longer = 0;

	for (size_t i = 0; i < GAP_CLASSES; i++) {
		const struct gap_class *c = &run->gap[i];
		double s = host_s(c);

		if (s > longest_s * (double)c->count)
			longer += (double)c->count;
		else if (alike(run, i) >= least)
			sum += s;
	}
	return sum + (double)run->idle_ns[IDLE_LAUNCH] * 1e-9 *
	    fmax(0, 1 - longer / fmax(1, (double)run->idle_gaps));
}

double
gaps_inputs(const struct run *run, double longer_s)
{
	double n = 0;

	for (size_t i = 0; i < GAP_CLASSES; i++) {
		const struct gap_class *c = &run->gap[i];
		double s = host_s(c);

		/* Those of a class are about as long: they share its time. */
		if (s > 0 && s >= longer_s * (double)c->count)
			n += (double)c->count * fmin(1, (double)c->input_ns * 1e-9 / s);
	}
	return n;
}

static bool
is_launch(const struct run *run, const struct site *s)
{
	return s->call == CALL_LAUNCH && s->kernel > 0 && s->kernel <= run->kernels;
}

/* What a recorded launch of a kernel stands for: only some have their stack taken. */
struct stands_for {
	double s;			/* of host_before_ns */
	double launches;
};

/* That, for each kernel id; ${s} of it is 0 where none was recorded. */
static struct stands_for *
shares_new(const struct run *run)
{
	struct stands_for *share = calloc(run->kernels + 1, sizeof(*share));

	if (share == NULL)
		return NULL;
	for (size_t i = 0; i < run->sites; i++)
		if (is_launch(run, &run->site[i]))
			share[run->site[i].kernel].launches +=
			    (double)run->site[i].count;
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		double recorded = k->id <= run->kernels ? share[k->id].launches : 0;

		if (recorded > 0)
			share[k->id] = (struct stands_for){
			    (double)k->host_before_ns * 1e-9 / recorded,
			    (double)k->launches / recorded };
	}
	return share;
}

struct in_front
gaps_in_front(const struct run *run, bool (*is)(const struct site *s))
{
	struct stands_for *share = shares_new(run);
	double most = 0;
	struct in_front f = { .site = NULL };

	for (size_t i = 0; share != NULL && i < run->sites; i++) {
		const struct site *s = &run->site[i];
		double part;

		if (!is_launch(run, s) || !is(s))
			continue;
		part = (double)s->count * share[s->kernel].s;
		f.s += part;
		f.launches += (double)s->count * share[s->kernel].launches;
		if (f.site == NULL || part > most) {
			f.site = s;
			most = part;
		}
	}
	free(share);
	return f;
}

/* Does it launch ${run}'s work, rather than trials of a library's variants? */
static bool
is_work(const struct run *run, const struct site *s)
{
	return is_launch(run, s) && !framework_tunes(s);
}

/* The share of the launches of kernel ${id} that are such trials, 0..1. Of stacks that were
 * met once, and counted for none, each stands for as much. */
static double
tried_share(const struct run *run, uint32_t id, bool (*is)(const struct site *s))
{
	size_t end, i = site_launches(run->site, run->sites, id, &end);
	double all = 0, mine = 0;

	for (; i < end; i++) {
		const struct site *s = &run->site[i];
		double n;

		if (!is_launch(run, s) || s->kernel != id)
			continue;
		n = fmax(0.5, (double)s->count);
		all += n;
		mine += is(s) ? n : 0;
	}
	return all > 0 ? mine / all : 0;
}

struct tried
gaps_tried(const struct run *run, bool (*is)(const struct site *s))
{
	struct tried t = { .s = 0 };

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		double share = tried_share(run, k->id, is);

		t.s += share * (double)k->host_before_ns * 1e-9;
		t.launches += share * (double)k->launches;
	}
	return t;
}

/* The launches in those of ${n} sequences that repeat often. */
static double
repeating(const struct sequence *s, size_t n)
{
	double launches = 0;

	for (size_t i = 0; i < n; i++)
		if (s[i].repeats >= GAPS_OFTEN)
			launches += (double)s[i].length * (double)s[i].repeats;
	return launches;
}

double
gaps_repeated(const struct run *run)
{
	return run->launches > 0 ? repeating(run->sequence, run->sequences) /
	    (double)run->launches : 0;
}

double
gaps_varied(const struct run *run)
{
	return run->launches > 0 ? repeating(run->alike, run->alikes) /
	    (double)run->launches : 0;
}

const struct sequence *
gaps_unit(const struct run *run)
{
	const struct sequence *most = NULL;

	for (size_t i = 0; i < run->sequences; i++) {
		const struct sequence *s = &run->sequence[i];

		if (!s->in_graph && s->length > 1 && (most == NULL ||
		    repeating(s, 1) > repeating(most, 1)))
			most = s;
	}
	return most != NULL && repeating(most, 1) >= GAPS_UNIT * (double)run->launches ?
	    most : NULL;
}

#define TRIED_MOST 0.5	/* of the launches; arithmetic: the program's own are fewer */

bool
gaps_unsteady(const struct run *run)
{
	return run->launches > 0 &&
	    gaps_tried(run, framework_tunes).launches > TRIED_MOST * (double)run->launches &&
	    repeating(run->sequence, run->sequences) + repeating(run->alike, run->alikes) <
	    GAPS_REPEATED * (double)run->launches;
}

/* The launch sites whose line is known; returns how many. */
static size_t
places_of(struct gap_place *p, const struct run *run, const struct stands_for *share)
{
	size_t n = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (!is_work(run, s) || s->first >= s->frames ||
		    s->frame[s->first].file == NULL)
			continue;
		p[n++] = (struct gap_place){ .site = s,
		    .file = s->frame[s->first].file,
		    .function = s->frame[s->first].function != NULL ?
		    s->frame[s->first].function : "",
		    .line = s->frame[s->first].line,
		    .s = (double)s->count * share[s->kernel].s };
	}
	return n;
}

/* A line on the stack of a launch site, with the site's part. */
struct gap_call {
	const struct site *site;
	size_t frame;
	const char *file;
	uint32_t line;
	size_t depth;		/* frames further out: the smaller, the further out */
	double s;
};

COMPARE(by_call, struct gap_call, strcmp(x->file, y->file) ?: ORDER(x->line, y->line) ?:
    ORDER(x->site, y->site) ?: ORDER(x->frame, y->frame))

#define WITHIN 0.6	/* of what has a line; arithmetic: more than half, so that no other
			 * line beside it has as much */

/* The lines of the program's own code on the stack of ${s}, but for ${any} without the
 * outermost of several, which has called them all; of packages only if no file of its own is
 * there. */
static size_t
calls_of(struct gap_call *c, const struct site *s, double seconds, bool any)
{
	size_t n = 0;
	bool own = false;

	for (size_t f = 0; f < s->frames; f++)
		own |= site_own(&s->frame[f]) && !site_installed(&s->frame[f]);
	for (size_t f = 0; f < s->frames; f++)
		if (site_own(&s->frame[f]) && !(own && site_installed(&s->frame[f])))
			c[n++] = (struct gap_call){ .site = s, .frame = f,
			    .file = s->frame[f].file, .line = s->frame[f].line,
			    .depth = s->frames - f, .s = seconds };
	return n > 1 && !any ? n - 1 : n;
}

/* Of ${n} sorted calls, the line with the least that is at least ${least_s}; of two with
 * as much the inner one. *${s}: what it has. A line that recurs on one stack counts once. */
static const struct gap_call *
innermost(const struct gap_call *c, size_t n, double least_s, double *s)
{
	const struct gap_call *best = NULL, *top = c;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 && c[i].line == c[i - 1].line &&
		    strcmp(c[i].file, c[i - 1].file) == 0;

		if (!same) {
			sum = 0;
			top = &c[i];
		}
		if (!same || c[i].site != c[i - 1].site)
			sum += c[i].s;
		top = c[i].s > top->s ? &c[i] : top;
		if (i + 1 < n && c[i + 1].line == c[i].line &&
		    strcmp(c[i + 1].file, c[i].file) == 0)
			continue;
		if (sum >= least_s && (best == NULL || sum < *s * (1 - 1e-9) ||
		    (sum <= *s * (1 + 1e-9) && top->depth > best->depth))) {
			best = top;
			*s = sum;
		}
	}
	return best;
}

struct gaps_within {
	struct gap_call *call;
	size_t calls, cap;
	double lines_s;
	bool any;		/* also the outermost line, and lines with less than WITHIN */
};

struct gaps_within *
gaps_within_new(void)
{
	return calloc(1, sizeof(struct gaps_within));
}

struct gaps_within *
gaps_within_any(void)
{
	struct gaps_within *w = gaps_within_new();

	if (w != NULL)
		w->any = true;
	return w;
}

void
gaps_within_free(struct gaps_within *w)
{
	if (w != NULL)
		free(w->call);
	free(w);
}

void
gaps_within_add(struct gaps_within *w, const struct site *site, double s)
{
	struct gap_call *more;
	size_t n;

	if (w == NULL)
		return;
	if (w->calls + site->frames > w->cap) {
		n = 2 * w->cap + site->frames;
		if ((more = realloc(w->call, n * sizeof(*more))) == NULL)
			return;
		w->call = more;
		w->cap = n;
	}
	n = calls_of(w->call + w->calls, site, s, w->any);
	w->calls += n;
	w->lines_s += n > 0 ? s : 0;
}

const struct site *
gaps_within_find(struct gaps_within *w, struct arena *arena, double least_s, double *s)
{
	const struct gap_call *best;
	struct site *site;

	if (w == NULL || w->calls == 0)
		return NULL;
	qsort(w->call, w->calls, sizeof(*w->call), by_call);
	best = innermost(w->call, w->calls, fmax(least_s, w->any ? 0 :
	    WITHIN * w->lines_s), s);
	if (best == NULL || (site = arena_get(arena, sizeof(*site))) == NULL)
		return NULL;
	*site = *best->site;
	site->first = best->frame;
	return site;
}

const struct site *
gaps_within(struct arena *arena, const struct run *run, double least_s, double *s)
{
	struct stands_for *share = shares_new(run);
	struct gaps_within *w = gaps_within_new();
	const struct site *best;

	for (size_t i = 0; share != NULL && i < run->sites; i++)
		if (is_work(run, &run->site[i]))
			gaps_within_add(w, &run->site[i], (double)run->site[i].count *
			    share[run->site[i].kernel].s);
	best = gaps_within_find(w, arena, least_s, s);
	gaps_within_free(w);
	free(share);
	return best;
}

static bool
same_line(const struct gap_place *a, const struct gap_place *b)
{
	return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static bool
same_function(const struct gap_place *a, const struct gap_place *b)
{
	return strcmp(a->function, b->function) == 0 &&
	    strcmp(a->file, b->file) == 0;
}

/* Is it likely to be one function? Each module of a model has a forward. */
static bool
is_one(const char *function)
{
	static const char *const many[] = { "", "forward", "__call__", "<lambda>",
	    "__init__" };

	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		if (strcmp(function, many[i]) == 0)
			return false;
	return true;
}

/* Of the ${n} sorted places, the largest site of those that are ${same} and have the
 * most together, if that is more than ${least_s}; else NULL. */
static const struct site *
most_at(const struct gap_place *p, size_t n, double least_s,
    bool (*same)(const struct gap_place *a, const struct gap_place *b))
{
	const struct site *best = NULL;
	double sum = 0;
	size_t first = 0, top = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && !same(&p[i], &p[first])) {
			first = top = i;
			sum = 0;
		}
		sum += p[i].s;
		top = p[i].s > p[top].s ? i : top;
		if (sum > least_s) {
			least_s = sum;
			best = p[top].site;
		}
	}
	return best;
}

const struct site *
gaps_place(const struct run *run, double least_s, bool *whole)
{
	struct gap_place *p = calloc(run->sites + 1, sizeof(*p));
	struct stands_for *share = shares_new(run);
	const struct site *best = NULL;
	size_t n, kept = 0;

	*whole = false;
	n = p != NULL && share != NULL ? places_of(p, run, share) : 0;
	if (n > 0) {
		qsort(p, n, sizeof(*p), by_line);
		best = most_at(p, n, least_s, same_line);
	}
	for (size_t i = 0; best == NULL && i < n; i++)
		if (is_one(p[i].function))
			p[kept++] = p[i];
	if (kept > 0) {
		qsort(p, kept, sizeof(*p), by_function);
		best = most_at(p, kept, least_s, same_function);
		*whole = best != NULL;
	}
	free(share);
	free(p);
	return best;
}

size_t
gaps_own_frame(const struct site *s)
{
	bool python = false;

	for (size_t f = 0; f < s->frames; f++) {
		if (site_own(&s->frame[f]) && !site_installed(&s->frame[f]))
			return f;
		python |= s->frame[f].python;
	}
	return !python && s->first < s->frames &&
	    s->frame[s->first].file != NULL ? s->first : s->frames;
}

const struct site *
gaps_after(struct arena *arena, const struct run *run, uint64_t calls,
    bool (*is)(const struct site *s), double made, double gaps)
{
	struct gap_place *p = calloc(run->sites + 1, sizeof(*p));
	const struct site *best = NULL;
	struct site *site = NULL;
	double all = 0;
	size_t n = 0;

	for (size_t i = 0; p != NULL && i < run->sites; i++) {
		const struct site *s = &run->site[i];
		size_t f = gaps_own_frame(s);

		if (s->call >= 64 || !(calls >> s->call & 1) ||
		    (is != NULL && !is(s)))
			continue;
		all += (double)s->count;
		if (f < s->frames)
			p[n++] = (struct gap_place){ .site = s,
			    .file = s->frame[f].file, .function = "",
			    .line = s->frame[f].line, .s = (double)s->count };
	}
	if (n > 0) {
		qsort(p, n, sizeof(*p), by_line);
		best = most_at(p, n, all * fmax(0.5, 1 - 0.5 * gaps /
		    fmax(1, made)), same_line);
	}
	free(p);
	if (best != NULL && (site = arena_get(arena, sizeof(*site))) != NULL) {
		*site = *best;
		site->first = gaps_own_frame(best);
	}
	return site;
}

/* Of ${n} places, the gaps of those at the line of ${site}'s frame ${frame}. */
static double
gaps_at(const struct gap_place *p, size_t n, const struct site *site, size_t frame)
{
	const struct site_frame *f = &site->frame[frame];
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].line == f->line && strcmp(p[i].file, f->file) == 0)
			sum += p[i].site->idle_gaps;
	return sum;
}

const struct site *
gaps_away(struct arena *arena, const struct run *run, double least_s, double gaps,
    bool (*is)(const struct site *s))
{
	struct gap_place *p = calloc(run->sites + 1, sizeof(*p));
	const struct site *best = NULL;
	struct site *site = NULL;
	size_t n = 0;

	for (size_t i = 0; p != NULL && i < run->sites; i++) {
		const struct site *s = &run->site[i];
		size_t f = gaps_own_frame(s);

		if (!(s->idle_ns > 0) || f >= s->frames || (is != NULL && !is(s)))
			continue;
		p[n++] = (struct gap_place){ .site = s, .file = s->frame[f].file,
		    .function = "", .line = s->frame[f].line,
		    .s = s->idle_ns * 1e-9 };
	}
	if (n > 0) {
		qsort(p, n, sizeof(*p), by_line);
		best = most_at(p, n, least_s, same_line);
	}
	if (best != NULL && gaps_at(p, n, best, gaps_own_frame(best)) >= gaps &&
	    (site = arena_get(arena, sizeof(*site))) != NULL) {
		*site = *best;
		site->first = gaps_own_frame(best);
	}
	free(p);
	return site;
}

double
gaps_away_s(const struct run *run, bool (*is)(const struct site *s), double *gaps)
{
	double sum = 0;

	*gaps = 0;
	for (size_t i = 0; i < run->sites; i++) {
		if (!(run->site[i].idle_ns > 0) || !is(&run->site[i]))
			continue;
		sum += run->site[i].idle_ns * 1e-9;
		*gaps += run->site[i].idle_gaps;
	}
	return sum;
}
