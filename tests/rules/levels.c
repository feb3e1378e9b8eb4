/*
 * rules/levels.c CAPTURE...: the same run at two levels. The gain predicted for
 * a kernel at one level must lie within the interval of the other: more data
 * narrows predictions and does not contradict them. Exit status 1 otherwise.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "rules/analysed.h"

/* A smaller share of a time is not noticeable. */
#define NOISE 0.03

static const enum withheld less[] = {
	HELD_DEFAULT, HELD_SOURCE, HELD_SAMPLES, HELD_CODE, HELD_COUNTERS
};

static const struct finding *
same(const struct advice *a, const struct finding *f)
{
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].id, f->id) == 0)
			return &a->finding[i];
	return NULL;
}

static bool
within(const struct finding *f, const struct finding *g, double least)
{
	return f->saves_s >= g->saves_low_s - least &&
	    f->saves_s <= g->saves_high_s + least;
}

/* The number of findings that contradict each other; *${pairs}: findings that
 * are in both. */
static int
compare(const char *path, const struct analysed *all,
    const struct analysed *part, enum withheld held, int *pairs)
{
	int failures = 0;

	for (size_t i = 0; i < all->advice->findings; i++) {
		const struct finding *f = &all->advice->finding[i];
		const struct finding *g = same(part->advice, f);
		double least = f->kernel != NULL ?
		    NOISE * gain_exposed_s(f->kernel) : INFINITY;

		if (g == NULL || f->kernel == NULL || !isfinite(f->saves_s) ||
		    !isfinite(g->saves_s))
			continue;
		++*pairs;
		if (within(f, g, least) && within(g, f, least))
			continue;
		printf("FAIL %s: %s of %s saves %.3g s (%.3g to %.3g), and "
		    "%.3g s (%.3g to %.3g) without %s\n", strrchr(path, '/'),
		    f->rule, f->where, f->saves_s, f->saves_low_s,
		    f->saves_high_s, g->saves_s, g->saves_low_s,
		    g->saves_high_s, withheld_name[held]);
		failures++;
	}
	return failures;
}

static int
judge(const char *path, int *pairs)
{
	struct analysed all, part;
	int failures = 0;

	if (analysed_load(&all, path, NOTHING_HELD) != 0)
		return 1;
	for (size_t i = 0; i < sizeof(less) / sizeof(less[0]); i++) {
		if (analysed_load(&part, path, less[i]) != 0) {
			failures++;
			continue;
		}
		failures += compare(path, &all, &part, less[i], pairs);
		analysed_release(&part);
	}
	analysed_release(&all);
	return failures;
}

int
main(int argc, char **argv)
{
	int failures = 0, pairs = 0;

	for (int i = 1; i < argc; i++)
		failures += judge(argv[i], &pairs);
	printf("%d findings at two levels, %d contradict\n", pairs, failures);
	return failures > 0 || pairs == 0;
}
