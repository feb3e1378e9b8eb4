/*
 * metrics.h: which counters, and CUPTI's Host API around them. The lists are
 * data: <metrics directory>/<chip>.metrics, one name a line, in groups that
 * begin with a line in brackets.
 */
#ifndef CADV_METRICS_H
#define CADV_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

#define METRICS_MAX 256		/* in all groups of a chip */
#define METRICS_GROUPS 8
#define METRICS_SOURCE 32	/* counted by instruction */

/* Counters that are measured together: one configuration of the profiler. */
struct metrics {
	const char *name[METRICS_MAX];	/* the process keeps them */
	size_t count;
	size_t first;			/* number of the first over all groups */
	CUpti_Profiler_Host_Object *host;
	uint8_t *config;		/* configuration image */
	size_t config_size;
	size_t passes;
};

struct metrics_set {
	char chip[64];
	struct metrics group[METRICS_GROUPS];
	size_t groups;
	size_t count;			/* names in all groups */
	/* The first place of a name: where two groups have a counter, the one in
	 * the tighter range is listed first and wins. */
	size_t twin[METRICS_MAX];
	size_t rejected;		/* names CUPTI does not know here */
	/* The group [source]: SASS metrics, no business of the profiler. */
	const char *source[METRICS_SOURCE];
	size_t sources;
};

/* The id of METRIC records for source[i]; the others begin at 1. */
#define METRICS_SOURCE_ID(i) ((uint32_t)(METRICS_MAX + 1 + (i)))

/*
 * metrics_load(m, api, directory, chip, together, where): read the list for
 * ${chip}, drop names the chip does not have, build a configuration for each
 * group; ${together}: for one group of them all, whose passes are to be replayed.
 * 0; -1 if there is no list; else the CUPTI code that refused, with its place in
 * *${where}.
 */
int metrics_load(struct metrics_set *m, const struct cupti_api *api,
    const char *directory, const char *chip, bool together, const char **where);

/* metrics_evaluate(m, api, image, size, value): the values of range 0 of a
 * counter-data image, ${m}->count of them; NaN where a pass is missing.
 * Returns CUPTI's code. */
int metrics_evaluate(const struct metrics *m, const struct cupti_api *api,
    const uint8_t *image, size_t size, double *value);

#endif
