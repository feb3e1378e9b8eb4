/*
 * rules/told.c: rules-told CAPTURE… prints the findings of each capture,
 * unchanged and with data withheld: one line a finding, tab-separated, so that
 * two states of the rules can be compared with diff.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "rules/once.h"

/* The ways to read a capture: which data is withheld, and whether as if
 * launched once. */
static const struct {
	const char *name;
	enum withheld held;
	bool once;
} view[] = {
	{ "whole", NOTHING_HELD, false },
	{ "auto", HELD_SAMPLES, false },	/* kernels that repeat */
	{ "counters", HELD_DEFAULT, false },	/* a kernel that is replayed once */
	{ "once", HELD_DEFAULT, true },		/* a first launch */
	{ "permission", HELD_PERMISSION, false },
};

static void
print(const char *path, const char *name, const struct advice *a)
{
	const char *base = strrchr(path, '/');

	base = base != NULL ? base + 1 : path;
	for (size_t i = 0; i < a->findings; i++) {
		const struct finding *f = &a->finding[i];

		printf("%s\t%s\t%s\t%s\t%s\t%s\t%.3g\t%.3g\t%.3g\t%.3g\n", base,
		    name, f->worth_it ? "worth" : "-", severity_name[f->severity],
		    f->rule, f->where, f->saves_s, f->saves_low_s,
		    f->saves_high_s, f->kernel_speedup);
	}
}

static int
tell(const char *path, size_t v)
{
	struct kernel *less;
	struct analysed x;
	struct advice *a;

	if (analysed_load(&x, path, view[v].held) != 0)
		return 1;
	if (!view[v].once) {
		print(path, view[v].name, x.advice);
		analysed_release(&x);
		return 0;
	}
	less = calloc(x.run->kernels + 1, sizeof(*less));
	a = less != NULL ? once_advise(&x, less) : NULL;
	if (a != NULL)
		print(path, view[v].name, a);
	advice_free(a);
	free(less);
	analysed_release(&x);
	return a == NULL;
}

int
main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++)
		for (size_t v = 0; v < sizeof(view) / sizeof(view[0]); v++)
			failed |= tell(argv[i], v);
	return failed;
}
