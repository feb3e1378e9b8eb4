/*
 * rules/evidence/inner.c: see inner.h.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/inner.h"
#include "rules/evidence/steps.h"

/* Arithmetic: twice the same may be chance, and a body is a counter, a slice and some work. */
#define TURNS_LEAST 3u
#define BODY_LEAST 3u
/* Turns that may be unrolled; arithmetic: of more a sixteenth is left, less than a launch in
 * ten, and the code of more is long to compile. */
#define UNROLLED_MOST 16u
#define FUSES_LEAST 0.5		/* of a turn's launches; arithmetic, most */

/* Does XLA fuse ${k}'s work with that of the turn before? Its names say the kind of a fusion:
 * those of a loop over elements do, also where such a kernel writes a few elements of an array;
 * a reduction ends one, and a library's call is none. */
static bool
fuses(const struct rule_view *x, const struct kernel *k)
{
	static const char *const begin[] = { "loop_", "wrapped_", "input_scatter" };
	const struct library *l = k != NULL ? steps_library(x, k) : NULL;

	if (k == NULL || k->short_name == NULL || (l != NULL && strcmp(l->name, "XLA") != 0) ||
	    strstr(k->short_name, "reduce") != NULL || strstr(k->short_name, "sort") != NULL)
		return false;
	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (strncmp(k->short_name, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}

/* The turns of ${p} launches each at ${i} of ${n}; 1: it is no loop, or one kernel in a row. */
static size_t
turns_at(const uint32_t *kernel, size_t n, size_t i, size_t p)
{
	size_t same = 0;
	bool several = false;

	while (i + same + p < n && kernel[i + same] == kernel[i + same + p])
		same++;
	if (same < p)
		return 1;
	for (size_t j = 1; j < p; j++)
		several |= kernel[i + j] != kernel[i];
	return several ? same / p + 1 : 1;
}

/* The launches of the loop that begins at ${i}; 0: none does. */
static size_t
loop_at(const struct sequence *s, size_t n, size_t i, size_t *body)
{
	size_t most = 0;

	for (size_t p = BODY_LEAST; i + TURNS_LEAST * p <= n; p++) {
		size_t turns = turns_at(s->kernel, n, i, p);

		if (turns >= TURNS_LEAST && turns * p > most) {
			most = turns * p;
			*body = p;
		}
	}
	return most;
}

/* A call in a loop within a loop, of kernel id ${kernel}; NULL. */
static const struct site *
nested(const struct run *run, uint32_t kernel)
{
	size_t end, i = site_launches(run->site, run->sites, kernel, &end);

	for (; i < end; i++)
		if (run->site[i].call == CALL_LAUNCH && run->site[i].kernel == kernel &&
		    framework_loop_depth(&run->site[i]) > 1)
			return &run->site[i];
	return NULL;
}

struct inner
inner_of(const struct rule_view *x, const struct sequence *s, double *gone)
{
	struct inner in = { .turns = 0 };
	size_t n = steps_length(s), body = 0, length, most = 0, step;

	for (size_t i = 0; i < n; i += step) {
		const struct site *site = NULL;
		double turns, fused = 0;

		length = loop_at(s, n, i, &body);
		step = length == 0 ? 1 : length;
		for (size_t j = i; length > 0 && j < i + body; j++) {
			fused += fuses(x, steps_kernel(x, s, j));
			site = site == NULL ? nested(x->run, s->kernel[j]) : site;
		}
		if (length == 0 || site == NULL || fused < FUSES_LEAST * (double)body)
			continue;
		turns = (double)(length / body);
		for (size_t j = i; j < i + body; j++) {
			const struct kernel *k = steps_kernel(x, s, j);

			if (fuses(x, k))
				gone[k - x->run->kernel] += (double)s->repeats * turns *
				    (1 - 1 / fmin(turns, UNROLLED_MOST)) *
				    (double)s->length / (double)n;
		}
		in.share += (double)length / (double)n;
		in.goes += fused * turns * (1 - 1 / fmin(turns, UNROLLED_MOST)) / (double)n;
		if (length > most) {
			most = length;
			in.turns = (uint32_t)(length / body);
			in.body = (uint32_t)body;
			in.site = site;
		}
	}
	return in;
}
