/*
 * rules/evidence/grown.c: see grown.h.
 *
 * What grows is a part of the launches, in some functions; products take others for another
 * size. So sequences are alike if they are as long and half of their launches are of the same
 * functions, in whatever order, as a period begins anywhere.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/engine/same.h"
#include "rules/evidence/grown.h"
#include "rules/evidence/steps.h"

#define ALIKE_LEAST 0.5		/* of the launches; arithmetic: most */
#define LOOP_LEAST 0.5		/* of the loop's launches are in such sequences; most */
#define SHRUNK_MOST 0.1		/* of the times that it grows: another generation's beginning */

/* Of the launches of ${s} of the function that ${k} runs, the blocks; ${n}: their number. */
static double
blocks_of(const struct rule_view *x, const struct sequence *s, const struct kernel *k,
    size_t *n)
{
	double blocks = 0;

	*n = 0;
	for (size_t i = 0; i < steps_length(s); i++) {
		const struct kernel *o = steps_kernel(x, s, i);

		if (o == NULL || !same_text(o->mangled, k->mangled))
			continue;
		blocks += rule_blocks(o);
		++*n;
	}
	return blocks;
}

static bool
is_alike(const struct rule_view *x, const struct sequence *s, const struct sequence *like)
{
	size_t n = steps_length(s), same = 0, a, b;

	if (s->length != like->length)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		if (k == NULL || k->mangled == NULL)
			continue;
		blocks_of(x, s, k, &a);
		blocks_of(x, like, k, &b);
		same += a == b;
	}
	return (double)same >= ALIKE_LEAST * (double)n;
}

static int
compare(const void *a, const void *b)
{
	const struct sequence *const *s = a, *const *t = b;

	return ((*s)->first_ns > (*t)->first_ns) - ((*s)->first_ns < (*t)->first_ns);
}

/* How often the grids of the function of ${k} grow from one of ${n} sequences to the next that
 * launches it as often as ${like}; 0 if they shrink, too. */
static size_t
growths(const struct rule_view *x, const struct sequence *const *s, size_t n,
    const struct sequence *like, const struct kernel *k)
{
	size_t often, m, grown = 0, shrunk = 0;
	double before = 0;

	blocks_of(x, like, k, &often);
	for (size_t i = 0; i < n; i++) {
		double blocks = blocks_of(x, s[i], k, &m);

		if (m != often)
			continue;
		grown += before > 0 && blocks > before;
		shrunk += blocks < before;
		before = blocks;
	}
	return (double)shrunk <= SHRUNK_MOST * (double)grown ? grown : 0;
}

size_t
grown_sizes(const struct rule_view *x, const struct sequence **s, size_t n)
{
	const struct sequence *like = NULL;
	double all = 0, alike = 0;
	size_t have = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		all += (double)s[i]->length * (double)s[i]->repeats;
		if (like == NULL || s[i]->repeats > like->repeats)
			like = s[i];
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_alike(x, s[i], like))
			continue;
		alike += (double)s[i]->length * (double)s[i]->repeats;
		s[have++] = s[i];
	}
	if (have <= GROWN_SIZES || alike < LOOP_LEAST * all)
		return 0;
	qsort(s, have, sizeof(*s), compare);
	for (size_t i = 0; i < steps_length(like); i++) {
		const struct kernel *k = steps_kernel(x, like, i);
		size_t grown = k != NULL && k->mangled != NULL ?
		    growths(x, s, have, like, k) : 0;

		most = grown > most ? grown : most;
	}
	return most >= GROWN_SIZES ? most : 0;
}
