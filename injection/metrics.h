/*
 * metrics.h: which counters, and CUPTI's Host API around them. The lists are
 * data: <metrics directory>/<chip>.metrics, one name a line.
 */
#ifndef CADV_METRICS_H
#define CADV_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

#define METRICS_MAX 256

struct metrics {
	char chip[64];
	const char *name[METRICS_MAX];	/* ours to free; the process keeps them */
	size_t count;
	size_t rejected;		/* names CUPTI does not know here */
	CUpti_Profiler_Host_Object *host;
	uint8_t *config;		/* configuration image */
	size_t config_size;
	size_t passes;
};

/*
 * metrics_load(m, api, directory, chip): read the list for ${chip}, drop names
 * the chip does not have, build the configuration. 0; -1 if there is no list
 * (${m}->count 0); else the CUPTI code that refused, with its place in
 * *${where}.
 */
int metrics_load(struct metrics *m, const struct cupti_api *api,
    const char *directory, const char *chip, const char **where);

/* metrics_evaluate(m, api, image, size, value): the values of range 0 of a
 * counter-data image; NaN where a pass is missing. Returns CUPTI's code. */
int metrics_evaluate(const struct metrics *m, const struct cupti_api *api,
    const uint8_t *image, size_t size, double *value);

#endif
