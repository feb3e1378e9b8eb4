/*
 * metrics.h: which counters, and CUPTI's Host API around them. The lists are
 * data: <metrics directory>/<chip>.metrics, one name a line, under headings in
 * brackets; all but those under [source] make one configuration of the range
 * profiler, whose passes are collected one by one.
 */
#ifndef CADV_METRICS_H
#define CADV_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

#define METRICS_MAX 256		/* in the one configuration of a chip */
#define METRICS_PASSES 32	/* which are there is told by the bits of a word */
#define METRICS_SOURCE 32	/* counted by instruction */

struct metrics {
	char chip[64];
	const char *name[METRICS_MAX];	/* the process keeps them */
	size_t count;
	CUpti_Profiler_Host_Object *host;
	uint8_t *config;		/* configuration image */
	size_t config_size;
	size_t passes;
	size_t patched;			/* the first pass that patches code: it
					 * and those after it make a kernel many
					 * times longer */
	size_t rejected;		/* names CUPTI does not know here */
	/* The heading [source]: SASS metrics, no business of the profiler. */
	const char *source[METRICS_SOURCE];
	size_t sources;
};

/* The id of METRIC records for source[i]; the others begin at 1. */
#define METRICS_SOURCE_ID(i) ((uint32_t)(METRICS_MAX + 1 + (i)))

/*
 * metrics_load(m, api, directory, chip, where): read the list for ${chip}, drop
 * names that the chip does not have and build the configuration. 0; -1 if there is
 * no list; else the CUPTI code that refused, with its place in *${where}.
 */
int metrics_load(struct metrics *m, const struct cupti_api *api,
    const char *directory, const char *chip, const char **where);

/* metrics_find(m, name): its index, or -1. */
int metrics_find(const struct metrics *m, const char *name);

/* metrics_evaluate(m, api, image, size, value): the values of range 0 of a
 * counter-data image, ${m}->count of them; NaN where a pass is missing.
 * Returns CUPTI's code. */
int metrics_evaluate(const struct metrics *m, const struct cupti_api *api,
    const uint8_t *image, size_t size, double *value);

#endif
