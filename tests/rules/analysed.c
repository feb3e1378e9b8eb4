/*
 * rules/analysed.c: see analysed.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/capture.h"
#include "rules/analysed.h"

void
analysed_release(struct analysed *a)
{
	advice_free(a->advice);
	model_free(a->model);
	memset(a, 0, sizeof(*a));
}

static int
load(struct model *m, const char *path, enum withheld held)
{
	struct capture_stats stats = { .damaged = 0 };
	struct error e = ERROR_INIT;
	int rc = held == NOTHING_HELD ? capture_load(path, m, &stats, &e) :
	    withhold_load(path, held, m, &e);

	if (rc != 0)
		printf("%s: %s\n", path, e.text);
	else if (stats.damaged > 0 || stats.truncated)
		printf("%s: damaged\n", path);
	return rc != 0 || stats.damaged > 0 || stats.truncated ? -1 : 0;
}

int
analysed_load(struct analysed *a, const char *path, enum withheld held)
{
	memset(a, 0, sizeof(*a));
	a->model = model_new();
	if (a->model == NULL || load(a->model, path, held) != 0)
		goto fail;
	a->run = model_settle(a->model, true);
	if (a->run == NULL)
		goto fail;
	a->advice = advice_make(a->run, NULL);
	if (a->advice == NULL)
		goto fail;
	return 0;
fail:
	analysed_release(a);
	return -1;
}
