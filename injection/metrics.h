/*
 * metrics.h: which counters, and CUPTI's Host API around them. The lists are
 * data: <metrics directory>/<chip>.metrics, one name a line, under headings in
 * brackets. Those under [headline] are a configuration of the range profiler of
 * their own, so that they are complete in its one pass, and all others but those
 * under [source] the second: CUPTI decides which pass of a configuration has a
 * counter. The passes are collected one by one.
 */
#ifndef CADV_METRICS_H
#define CADV_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

#define METRICS_MAX 256		/* of a chip, but for [source] */
#define METRICS_CONFIGS 2
#define METRICS_PASSES 32	/* which are there is told by the bits of a word */
#define METRICS_SOURCE 32	/* counted by instruction */

/* A configuration: some of the names, which its passes have together. A pass has a
 * number among those of all configurations. */
struct metrics_config {
	size_t first, count;		/* of the names */
	CUpti_Profiler_Host_Object *host;
	uint8_t *image;			/* CUPTI's configuration image */
	size_t size;
	size_t base, passes;		/* its first pass, and how many */
	size_t patched;			/* the first of them that patches code: it
					 * and those after it make a kernel many
					 * times longer */
};

struct metrics {
	char chip[64];
	const char *name[METRICS_MAX];	/* the process keeps them */
	size_t count;
	struct metrics_config config[METRICS_CONFIGS];
	size_t configs;
	size_t passes;			/* of all of them */
	size_t rejected;		/* names CUPTI does not know here */
	/* The heading [source]: SASS metrics, no business of the profiler. */
	const char *source[METRICS_SOURCE];
	size_t sources;
};

/* The id of METRIC records for source[i]; the others begin at 1. */
#define METRICS_SOURCE_ID(i) ((uint32_t)(METRICS_MAX + 1 + (i)))

/*
 * metrics_load(m, api, directory, chip, split, where): read the list for ${chip},
 * drop names that the chip does not have and build the configurations; without
 * ${split} all counters in one. 0; -1 if there is no list; else the CUPTI code that
 * refused, with its place in *${where}.
 */
int metrics_load(struct metrics *m, const struct cupti_api *api,
    const char *directory, const char *chip, bool split, const char **where);

/* metrics_find(m, name): its index, or -1. */
int metrics_find(const struct metrics *m, const char *name);

/* metrics_bits(c): the passes of a configuration as bits. metrics_all(m): of all. */
uint32_t metrics_bits(const struct metrics_config *c);
uint32_t metrics_all(const struct metrics *m);

/* metrics_evaluate(m, config, api, image, size, value): the values of range 0 of a
 * counter-data image of that configuration into ${value}, which has room for all
 * names and keeps those of other configurations; NaN where a pass is missing.
 * Returns CUPTI's code. */
int metrics_evaluate(const struct metrics *m, size_t config,
    const struct cupti_api *api, const uint8_t *image, size_t size,
    double *value);

#endif
