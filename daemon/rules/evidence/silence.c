/*
 * rules/evidence/silence.c: see silence.h.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/engine/same.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/silence.h"

/* Less of the run may be work whose records the signal kept from arriving: they are sent once
 * in a twentieth of the run so far. Arithmetic: twice that. */
#define SILENCE_LEAST 0.1

#define SEEN_LEAST 0.5		/* of it, for which looks stand: arithmetic, most */
#define COMPILING_MOST 0.5	/* arithmetic */

/* Python that waits is found in one stack, or in those of a loop around a wait; that which works
 * in many: one that computes in a call of NumPy's that does not end cannot be told from one
 * that waits. Arithmetic: nearly all of it, as one digit. */
#define STACKS_MOST 0.9

/* What calls the loop is at one line all the time, but for what came in front of it: arithmetic,
 * of 25 looks one may be of that. Within the loop the lines change. */
#define COMMON_LEAST 0.96

/* The end of the GPU's last work. */
static uint64_t
last_ns(const struct run *run)
{
	uint64_t last = 0;

	for (size_t i = 0; i < run->devices; i++)
		last = run->device[i].last_ns > last ? run->device[i].last_ns : last;
	return last;
}

struct looks_of
silence_looks(const struct run *run)
{
	return (struct looks_of){ .since_ns = last_ns(run) };
}

/* Is Python found in more than a stack or two of the ${n} in ${stack}, so that it goes on? */
static bool
goes_on(const struct looked *stack, size_t n, double all)
{
	double first = 0, second = 0;

	for (size_t i = 0; i < n; i++) {
		second = fmax(second, fmin(first, stack[i].s));
		first = fmax(first, stack[i].s);
	}
	return first + second < STACKS_MOST * all;
}

double
silence_s(const struct run *run)
{
	struct looks_of of = silence_looks(run);
	double s = (double)run->idle_ns[IDLE_SHUTDOWN] * 1e-9, seen;
	struct looked *stack;
	bool works;
	size_t n;

	if (run->signal == 0 || of.since_ns == 0 || run->xla_unfinished.idle_ns > 0 ||
	    s < SILENCE_LEAST * rule_wall_s(run) ||
	    (stack = looks_stacks(run, of, &n, &seen)) == NULL)
		return 0;
	works = seen > SEEN_LEAST * s && goes_on(stack, n, seen) &&
	    looks_share(run, of, framework_in_compiler) < COMPILING_MOST;
	free(stack);
	return works ? s : 0;
}

/* The frame of ${s} that is ${depth} calls in from the outermost; NULL. */
static const struct site_frame *
frame_in(const struct site *s, size_t depth)
{
	return s != NULL && depth < s->frames ? &s->frame[s->frames - 1 - depth] : NULL;
}

static bool
at_one_line(const struct site_frame *a, const struct site_frame *b)
{
	return a != NULL && b != NULL && a->file != NULL && same_frame_line(a, b);
}

/* Is the frame ${depth} calls in of ${s} the program's own? */
static bool
is_own(const struct site *s, size_t depth)
{
	struct site in = *s;

	in.frame = &s->frame[s->frames - 1 - depth];
	in.frames = depth + 1;
	return gaps_own_frame(&in) == 0;
}

/* The line ${depth} calls in at which ${n} stacks are for most of the time, *${s} seconds: one of
 * them that shows it; NULL: none goes so far in. */
static const struct site *
busiest_line(const struct looked *stack, size_t n, size_t depth, double *s)
{
	const struct site *best = NULL;

	*s = 0;
	for (size_t i = 0; i < n; i++) {
		const struct site_frame *f = frame_in(stack[i].site, depth);
		double sum = 0;

		for (size_t k = 0; f != NULL && k < n; k++)
			if (at_one_line(f, frame_in(stack[k].site, depth)))
				sum += stack[k].s;
		if (sum > *s) {
			*s = sum;
			best = stack[i].site;
		}
	}
	return best;
}

/* Moves those of ${n} stacks to the front that are at the line of ${at} ${depth} calls in; how
 * many these are. */
static size_t
keep_line(struct looked *stack, size_t n, const struct site *at, size_t depth)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++)
		if (at_one_line(frame_in(at, depth), frame_in(stack[i].site, depth)))
			stack[out++] = stack[i];
	return out;
}

const struct site *
silence_place(struct arena *arena, const struct run *run)
{
	const struct site *at, *place = NULL;
	struct looked *stack;
	struct site *site;
	double all, s;
	size_t n, own = 0;

	if ((stack = looks_stacks(run, silence_looks(run), &n, &all)) == NULL)
		return NULL;
	s = all;
	for (size_t depth = 0; s >= COMMON_LEAST * all; depth++) {
		if ((at = busiest_line(stack, n, depth, &s)) == NULL)
			break;
		if (is_own(at, depth)) {
			place = at;
			own = depth;
		}
		n = keep_line(stack, n, at, depth);
	}
	free(stack);
	if (place == NULL || (site = arena_get(arena, sizeof(*site))) == NULL)
		return NULL;
	*site = *place;
	site->first = place->frames - 1 - own;
	return site;
}
