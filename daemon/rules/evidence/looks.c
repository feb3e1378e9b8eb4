/*
 * rules/evidence/looks.c: see looks.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/looks.h"

#define SAID 3			/* functions */
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

/* Is ${l} in a gap that counts? */
static bool
counts(const struct run *run, const struct look *l, struct looks_of of)
{
	size_t class = l->gap >= LOOK_GAP ? l->gap - LOOK_GAP : 0;

	if (of.rounds != NULL)
		return in_rounds(run, l, of.rounds);
	return l->gap == LOOK_LAUNCH || (l->gap >= LOOK_GAP && class < GAP_CLASSES &&
	    gaps_alike(run, 1ull << class) >= of.least);
}

double
looks_share(const struct run *run, struct looks_of of, bool (*is)(const struct site *s))
{
	double all = 0, asked = 0;
	size_t n = 0;

	for (size_t i = 0; i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (!counts(run, l, of))
			continue;
		n++;
		all += l->s;
		asked += l->site != NULL && is(l->site) ? l->s : 0;
	}
	return n >= LOOKS_TELL && all > 0 ? asked / all : NAN;
}

/* A stack with the seconds that the looks at it stand for. */
struct looked {
	const struct site *site;
	double s;
};

COMPARE(by_site, struct looked, ORDER((uintptr_t)x->site, (uintptr_t)y->site))

/* The stacks of the looks that count, each once; malloced, *${n} of them, *${all} the
 * seconds of all that have one. NULL: too few looks, or no memory. */
static struct looked *
stacks_of(const struct run *run, struct looks_of of, size_t *n, double *all)
{
	struct looked *s = calloc(run->looks + 1, sizeof(*s));
	size_t out = 0, looks = 0;

	*all = 0;
	for (size_t i = 0; s != NULL && i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (l->site == NULL || !counts(run, l, of))
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
	double all;
	size_t n;

	if ((stack = stacks_of(run, of, &n, &all)) != NULL) {
		for (size_t i = 0; i < n; i++)
			gaps_within_add(w, stack[i].site, stack[i].s);
		best = gaps_within_find(w, arena, share * all, s);
	}
	gaps_within_free(w);
	free(stack);
	return best;
}

/* A function with a line of it, and the seconds there. */
struct in_function {
	const struct site_frame *frame;
	bool loader;
	double s;
};

COMPARE(by_line, struct in_function, strcmp(x->frame->file, y->frame->file) ?:
    strcmp(x->frame->function, y->frame->function) ?: ORDER(x->loader, y->loader) ?:
    ORDER(x->frame->line, y->frame->line))
COMPARE(by_share, struct in_function, ORDER(y->s, x->s))

static bool
same_function(const struct in_function *a, const struct in_function *b)
{
	return a->loader == b->loader && strcmp(a->frame->file, b->frame->file) == 0 &&
	    strcmp(a->frame->function, b->frame->function) == 0;
}

/* Joins those of ${n} that are of one function, each with its line of most time. */
static size_t
join(struct in_function *f, size_t n)
{
	double line = 0, most = 0, sum = 0;
	const struct site_frame *top = NULL;
	size_t out = 0;

	qsort(f, n, sizeof(*f), by_line);
	for (size_t i = 0; i < n; i++) {
		bool last = i + 1 == n || !same_function(&f[i], &f[i + 1]);

		line = i > 0 && top != NULL && f[i].frame->line == f[i - 1].frame->line ?
		    line + f[i].s : f[i].s;
		if (top == NULL || line > most) {
			most = line;
			top = f[i].frame;
		}
		sum += f[i].s;
		if (!last)
			continue;
		f[out++] = (struct in_function){ top, f[i].loader, sum };
		sum = most = line = 0;
		top = NULL;
	}
	return out;
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
			f[out++] = (struct in_function){ &s->frame[at],
			    framework_loads(s), stack[i].s };
	}
	return out > 0 ? join(f, out) : 0;
}

static const char *
say_function(const struct rule_view *x, const struct in_function *f, double all)
{
	const char *name = strcmp(f->frame->function, "<module>") == 0 ?
	    arena_format(x->arena, "%s:%u", text_base_name(f->frame->file), f->frame->line) :
	    arena_format(x->arena, "%s() at %s:%u", f->frame->function,
	    text_base_name(f->frame->file), f->frame->line);

	return arena_format(x->arena, f->loader ? "the loader that %s asks (%s)" :
	    "%s (%s)", name, say_percent(x->arena, f->s / all));
}

const char *
looks_say(const struct rule_view *x, struct looks_of of)
{
	struct in_function *f = NULL;
	const char *text = NULL;
	struct looked *stack;
	size_t n, i;
	double all;

	if ((stack = stacks_of(x->run, of, &n, &all)) != NULL)
		f = calloc(n, sizeof(*f));
	n = f != NULL ? functions_of(f, stack, n) : 0;
	if (n > 0)
		qsort(f, n, sizeof(*f), by_share);
	for (i = 0; i < n && i < SAID && f[i].s >= SAID_LEAST * all; i++)
		text = text == NULL ? say_function(x, &f[i], all) :
		    arena_format(x->arena, "%s, %s", text, say_function(x, &f[i], all));
	free(f);
	free(stack);
	return text;
}
