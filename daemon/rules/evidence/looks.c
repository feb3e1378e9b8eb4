/*
 * rules/evidence/looks.c: see looks.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "rules/engine/same.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/looks.h"

#define SAID 3			/* functions */
#define WAITS_LEAST 3		/* arithmetic: two without the longest, as of pauses.h */
#define MOSTLY 0.5		/* arithmetic */
#define SAID_LEAST 0.1		/* of the time, each */

/* Is ${l} in one of the gaps of ${rounds}? */
static bool
in_rounds(const struct run *run, const struct look *l, const struct pauses *rounds)
{
	for (size_t i = 0; i < run->pauses; i++)
		if (rounds->of >> i & 1 && l->at_ns >= run->pause[i].start_ns &&
		    l->at_ns < run->pause[i].end_ns)
			return true;
	return false;
}

/* Is ${l} in the host's longest phase, which is often the program's start? */
static bool
in_longest(const struct run *run, const struct look *l)
{
	const struct pause *most = NULL;

	for (size_t i = 0; i < run->pauses; i++)
		if (most == NULL || run->pause[i].host_ns > most->host_ns)
			most = &run->pause[i];
	return most != NULL && l->at_ns >= most->start_ns && l->at_ns < most->end_ns;
}

/* The class of the gap in which ${l} fell, of those that the host caused. */
static size_t
class_of(const struct look *l)
{
	size_t class = l->gap >= LOOK_GAP ? l->gap - LOOK_GAP : 0;

	return class < GAP_CLASSES ? class : GAP_CLASSES - 1;
}

static bool
recurs(const struct run *run, const struct look *l, double least)
{
	return l->gap == LOOK_LAUNCH || (l->gap >= LOOK_GAP &&
	    gaps_alike(run, 1ull << class_of(l)) >= least);
}

/* Is the program's own Python at the line of ${place} on the stack ${s}? */
static bool
is_at(const struct site *s, const struct site *place)
{
	struct site own = *s;

	own.first = gaps_own_frame(s);
	return same_site(&own, place);
}

bool
looks_counts(const struct run *run, const struct look *l, struct looks_of of)
{
	if (of.is != NULL && (l->site == NULL || !of.is(l->site)))
		return false;
	if (of.outside != NULL && l->site != NULL && is_at(l->site, of.outside))
		return false;
	if (of.since_ns > 0)
		return l->at_ns >= of.since_ns;
	if (of.rounds != NULL)
		return in_rounds(run, l, of.rounds);
	if (of.anywhere)
		return true;
	return (of.apart ? l->gap != 0 && !in_longest(run, l) :
	    recurs(run, l, of.least)) && (!(of.shortest_s > 0) ||
	    (l->gap >= LOOK_GAP && ldexp(1e-9, (int)class_of(l)) >= of.shortest_s));
}

/* The seconds of looks that count, and of these those at stacks that are asked for. */
struct sums {
	double s, asked, looks;
};

static struct sums
sums_of(const struct run *run, struct looks_of of, bool (*is)(const struct site *s))
{
	struct sums a = { .s = 0 };

	for (size_t i = 0; i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (!looks_counts(run, l, of))
			continue;
		a.looks++;
		a.s += l->s;
		a.asked += l->site != NULL && is(l->site) ? l->s : 0;
	}
	return a;
}

static double
share_of(struct sums a)
{
	return a.looks >= LOOKS_TELL && a.s > 0 ? a.asked / a.s : NAN;
}

double
looks_share(const struct run *run, struct looks_of of, bool (*is)(const struct site *s))
{
	return share_of(sums_of(run, of, is));
}

static bool
is_any(const struct site *s)
{
	return s != NULL;
}

double
looks_s(const struct run *run, struct looks_of of)
{
	return sums_of(run, of, is_any).s;
}

double
looks_compiling(const struct run *run)
{
	double s = sums_of(run, (struct looks_of){ .anywhere = true },
	    framework_in_compiler).asked;

	return s > MOSTLY * rule_wall_s(run) ? s : 0;
}

/* The waits at stacks that are asked for, in gaps that do not recur: looks one after another
 * are one wait. Without the longest. */
static struct sums
apart(const struct run *run, double least, bool (*is)(const struct site *s), double *waits)
{
	double longest = 0, wait = 0;
	struct sums a = { .s = 0 };
	bool before = false;

	*waits = 0;
	for (size_t i = 0; i < run->looks; i++) {
		const struct look *l = &run->look[i];
		bool now = l->gap >= LOOK_GAP && !recurs(run, l, least) &&
		    l->site != NULL && is(l->site);

		*waits += now && !before;
		wait = !now ? 0 : before ? wait + l->s : l->s;
		a.s += now ? l->s : 0;
		a.looks += now;
		longest = fmax(longest, wait);
		before = now;
	}
	a.asked = a.s -= longest;
	return *waits >= WAITS_LEAST && a.looks >= LOOKS_TELL ? a : (struct sums){ .s = 0 };
}

double
looks_apart(const struct run *run, double least, bool (*is)(const struct site *s),
    double *waits)
{
	return apart(run, least, is, waits).s;
}

double
looks_or_apart(const struct run *run, double least, bool (*is)(const struct site *s))
{
	struct sums a = sums_of(run, (struct looks_of){ .least = least }, is), b;
	double waits;

	b = apart(run, least, is, &waits);
	return share_of((struct sums){ a.s + b.s, a.asked + b.asked, a.looks + b.looks });
}

COMPARE(by_site, struct looked, ORDER((uintptr_t)x->site, (uintptr_t)y->site))

struct looked *
looks_stacks(const struct run *run, struct looks_of of, size_t *n, double *all)
{
	struct looked *s = calloc(run->looks + 1, sizeof(*s));
	size_t out = 0, looks = 0;

	*all = 0;
	for (size_t i = 0; s != NULL && i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (l->site == NULL || !looks_counts(run, l, of))
			continue;
		s[looks++] = (struct looked){ l->site, l->s };
		*all += l->s;
	}
	if (looks < LOOKS_TELL) {
		free(s);
		return NULL;
	}
	qsort(s, looks, sizeof(*s), by_site);
	for (size_t i = 1; i < looks; i++)
		if (s[i].site == s[out].site)
			s[out].s += s[i].s;
		else
			s[++out] = s[i];
	*n = out + 1;
	return s;
}

const struct site *
looks_place(struct arena *arena, const struct run *run, struct looks_of of, double share,
    double *s)
{
	struct gaps_within *w = gaps_within_new();
	const struct site *best = NULL;
	struct looked *stack;
	double all, forward = 0;
	size_t n;

	if ((stack = looks_stacks(run, of, &n, &all)) != NULL) {
		for (size_t i = 0; i < n; i++) {
			if (framework_waits_for_backward(stack[i].site))
				continue;
			gaps_within_add(w, stack[i].site, stack[i].s);
			forward += stack[i].s;
		}
		best = gaps_within_find(w, arena, share * forward, s);
	}
	gaps_within_free(w);
	free(stack);
	return best;
}

/* What the function does there, beside its own work. */
enum doing {
	OWN,
	WAITS,			/* for a loader */
	WORKS,			/* called by a loader */
	LAUNCHES,		/* within calls of a framework's modules */
	DIFFERENTIATES		/* waits for a backward pass */
};

/* A function with a line of it, and the seconds there. */
struct in_function {
	const struct site *site;
	size_t at;		/* its frame of the site */
	const struct site_frame *frame;
	enum doing doing;
	double s;
};

COMPARE(by_line, struct in_function, strcmp(x->frame->file, y->frame->file) ?:
    strcmp(x->frame->function, y->frame->function) ?: ORDER(x->doing, y->doing) ?:
    ORDER(x->frame->line, y->frame->line))
COMPARE(by_share, struct in_function, ORDER(y->s, x->s))

static bool
same_function(const struct in_function *a, const struct in_function *b)
{
	return a->doing == b->doing && strcmp(a->frame->file, b->frame->file) == 0 &&
	    strcmp(a->frame->function, b->frame->function) == 0;
}

/* The frame that called the one of ${f}, ${up} calls further out; NULL: there is none. */
static const struct site_frame *
caller_of(const struct in_function *f, size_t up)
{
	return f->at + up < f->site->frames && f->site->frame[f->at + up].python ?
	    &f->site->frame[f->at + up] : NULL;
}

static bool
same_calling(const struct site_frame *a, const struct site_frame *b)
{
	return a == b || (a != NULL && b != NULL && a->line == b->line &&
	    a->file != NULL && b->file != NULL && strcmp(a->file, b->file) == 0);
}

/* Of ${n} stacks at one line those that the caller ${up} calls further out has most seconds
 * of, moved to the front; how many these are. */
static size_t
keep_caller(struct in_function *f, size_t n, size_t up)
{
	const struct site_frame *best = NULL;
	double most = -1;
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		const struct site_frame *c = caller_of(&f[i], up);
		double s = 0;

		for (size_t k = 0; k < n; k++)
			s += same_calling(c, caller_of(&f[k], up)) ? f[k].s : 0;
		if (s > most) {
			most = s;
			best = c;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (same_calling(best, caller_of(&f[i], up)))
			f[out++] = f[i];
	return out;
}

#define CALLERS 4		/* a place shows the line and its callers, as many in all */

/* Of ${n} stacks at one line the one with the callers that have most of the seconds. */
static struct in_function
busiest(struct in_function *f, size_t n)
{
	for (size_t up = 1; n > 1 && up < CALLERS; up++)
		n = keep_caller(f, n, up);
	return f[0];
}

/* Joins those of ${n} that are of one function, each with its line of most time. */
static size_t
join(struct in_function *f, size_t n)
{
	size_t out = 0;

	qsort(f, n, sizeof(*f), by_line);
	for (size_t i = 0, end; i < n; i = end) {
		size_t from = i, count = 1;
		double most = -1, sum = 0;
		struct in_function top;

		for (end = i; end < n && same_function(&f[i], &f[end]);) {
			size_t line = end;
			double s = 0;

			for (; end < n && same_function(&f[i], &f[end]) &&
			    f[end].frame->line == f[line].frame->line; end++)
				s += f[end].s;
			sum += s;
			if (s > most) {
				most = s;
				from = line;
				count = end - line;
			}
		}
		top = busiest(&f[from], count);
		top.s = sum;
		f[out++] = top;
	}
	return out;
}

static enum doing
doing_of(const struct site *s, size_t at)
{
	struct site inner = *s;

	inner.frames = at;
	if (framework_loads(s))
		return framework_loads(&inner) ? WAITS : WORKS;
	if (framework_waits_for_backward(&inner))
		return DIFFERENTIATES;
	return framework_calls_module(&inner) ? LAUNCHES : OWN;
}

static size_t
functions_of(struct in_function *f, const struct looked *stack, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		const struct site *s = stack[i].site;
		size_t at = gaps_own_frame(s);

		if (at < s->frames && s->frame[at].file != NULL &&
		    s->frame[at].function != NULL)
			f[out++] = (struct in_function){ s, at, &s->frame[at],
			    doing_of(s, at), stack[i].s };
	}
	return out > 0 ? join(f, out) : 0;
}

/* The functions of the looks that count, the one with most first; malloced, as looks_stacks. */
static struct in_function *
functions_new(const struct run *run, struct looks_of of, size_t *n, double *all)
{
	struct in_function *f = NULL;
	struct looked *stack;

	*n = 0;
	if ((stack = looks_stacks(run, of, n, all)) != NULL)
		f = calloc(*n, sizeof(*f));
	if (f != NULL)
		*n = functions_of(f, stack, *n);
	if (f != NULL && *n > 0)
		qsort(f, *n, sizeof(*f), by_share);
	free(stack);
	return f;
}

/* The function that has most of that time with what is ${doing}, *${s} of *${all} seconds. */
static const struct site *
function_doing(struct arena *arena, const struct run *run, struct looks_of of,
    enum doing doing, double *s, double *all)
{
	struct site *site = NULL;
	struct in_function *f;
	size_t n;

	f = functions_new(run, of, &n, all);
	for (size_t i = 0; f != NULL && i < n; i++) {
		if (f[i].doing != doing)
			continue;
		if ((site = arena_get(arena, sizeof(*site))) != NULL) {
			*site = *f[i].site;
			site->first = f[i].at;
			*s = f[i].s;
		}
		break;
	}
	free(f);
	return site;
}

const struct site *
looks_function(struct arena *arena, const struct run *run, struct looks_of of, double *share)
{
	double s, all;
	const struct site *site = function_doing(arena, run, of, OWN, &s, &all);

	if (site != NULL)
		*share = s / all;
	return site;
}

const struct site *
looks_waiting(struct arena *arena, const struct run *run, struct looks_of of, double *s)
{
	double all;

	return function_doing(arena, run, of, WAITS, s, &all);
}

static const char *
say_function(const struct rule_view *x, const struct in_function *f, double all)
{
	static const char *const word[] = { [OWN] = "%s (%s)",
	    [WAITS] = "the loader that %s waits for (%s)",
	    [WORKS] = "%s, which the loader calls (%s)",
	    [LAUNCHES] = "modules that %s calls (%s)",
	    [DIFFERENTIATES] = "the backward pass that %s starts (%s)" };
	const char *name = strcmp(f->frame->function, "<module>") == 0 ?
	    arena_format(x->arena, "%s:%u", text_base_name(f->frame->file), f->frame->line) :
	    arena_format(x->arena, "%s() at %s:%u", f->frame->function,
	    text_base_name(f->frame->file), f->frame->line);

	return arena_format(x->arena, word[f->doing], name, say_percent(x->arena, f->s / all));
}

const char *
looks_say(const struct rule_view *x, struct looks_of of)
{
	const char *text = NULL;
	struct in_function *f;
	double all;
	size_t n;

	f = functions_new(x->run, of, &n, &all);
	for (size_t i = 0; f != NULL && i < n && i < SAID && f[i].s >= SAID_LEAST * all; i++)
		text = text == NULL ? say_function(x, &f[i], all) :
		    arena_format(x->arena, "%s, %s", text, say_function(x, &f[i], all));
	free(f);
	return text;
}
