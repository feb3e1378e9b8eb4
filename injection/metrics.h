/*
 * metrics.h: the list of counters, and CUPTI's Host API. The list is the file
 * METRICS_FILE in the metrics directory: one name a line, under headings in brackets,
 * followed by the chips for which it is left out. The counters under [headline] are one
 * configuration of the range profiler, so that the single pass of that configuration
 * completes them. All others except those under [source] are a second configuration;
 * CUPTI decides which of its passes collects a counter. Passes are collected one at a
 * time.
 */
#ifndef CADV_METRICS_H
#define CADV_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

#define METRICS_FILE "counters.metrics"
#define METRICS_MAX 256		/* counters for a chip, without [source] */
#define METRICS_CONFIGS 2
#define METRICS_PASSES 32	/* a set of passes is a uint32_t */
#define METRICS_SOURCE 32	/* metrics that are counted by instruction */

/* A configuration: counters that are collected in common passes. Passes are numbered
 * through all configurations. */
struct metrics_config {
	size_t first, count;		/* in ${name} of struct metrics */
	CUpti_Profiler_Host_Object *host;
	uint8_t *image;			/* CUPTI's configuration image */
	size_t size;
	size_t base, passes;		/* number of its first pass, and of passes */
	size_t patched;			/* number of the first pass that patches
					 * code: from this pass on a kernel takes
					 * many times as long */
};

struct metrics {
	char chip[64];
	const char *name[METRICS_MAX];	/* never freed */
	size_t count;
	struct metrics_config config[METRICS_CONFIGS];
	size_t configs;
	size_t passes;			/* of all configurations */
	size_t rejected;		/* names that CUPTI does not know for this chip */
	/* From the heading [source]: SASS metrics, which the range profiler does not
	 * collect. */
	const char *source[METRICS_SOURCE];
	size_t sources;
};

/* Id of the METRIC record for source[i]; the ids of the other counters begin at 1. */
#define METRICS_SOURCE_ID(i) ((uint32_t)(METRICS_MAX + 1 + (i)))

/*
 * metrics_load(m, api, directory, chip, split, where): read the list, without names
 * that are left out for ${chip} or that CUPTI does not know for it, and build the
 * configurations; without ${split} one with all counters. 0; -1 if there is no list, or
 * no name for the chip; else CUPTI's error code, with the call that failed in
 * *${where}.
 */
int metrics_load(struct metrics *m, const struct cupti_api *api,
    const char *directory, const char *chip, bool split, const char **where);

/* metrics_find(m, name): the index of counter ${name}, or -1. */
int metrics_find(const struct metrics *m, const char *name);

/* metrics_bits(c): the passes of a configuration as a set of bits. metrics_all(m): the
 * passes of all configurations. */
uint32_t metrics_bits(const struct metrics_config *c);
uint32_t metrics_all(const struct metrics *m);

/* metrics_evaluate(m, config, api, image, size, value): write the values of range 0 of
 * a counter-data image of configuration ${config} to ${value}, which has room for all
 * counters; values of other configurations are kept; NaN if a pass is missing. Returns
 * CUPTI's code. */
int metrics_evaluate(const struct metrics *m, size_t config,
    const struct cupti_api *api, const uint8_t *image, size_t size,
    double *value);

#endif
