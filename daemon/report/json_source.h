/*
 * report/json_source.h: the source tier's nouns, in addition to those of
 * report/json.h: Source, SourceFile, Site and HotLine of config/openapi.json.
 * All return a new reference, or NULL without memory.
 */
#ifndef CADV_JSON_SOURCE_H
#define CADV_JSON_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/reason.h"

struct advice;
struct code;
struct finding;
struct kernel;
struct run;
struct site;

/* json_source(r, k, a): the source document; without lines if ${k} has no code. */
json_t *json_source(const struct run *r, const struct kernel *k,
    const struct advice *a);

/* json_source_none(kernel_id, why): the source document of a kernel without any
 * source, with the reason ${why}. */
json_t *json_source_none(uint32_t kernel_id, const struct reason *why);

/* source_missing(level, state): why there is no source of a kernel in a run of
 * ${level} ("counters") and ${state} ("finished"); never NULL. */
const struct reason *source_missing(const char *level, const char *state);

/* source_metric_key(i): the JSON key of metric ${i} of model/lines/source.def:
 * "global_sectors". */
const char *source_metric_key(size_t i);
/* source_metric_known(c, i): is anything known of that metric in ${c}? */
bool source_metric_known(const struct code *c, size_t i);

/*
 * json_instructions(k, len): the array of instructions of ${k} as malloced JSON
 * text of *${len} bytes: there may be 100,000 of them, too many for an object
 * each. NULL without memory.
 */
char *json_instructions(const struct kernel *k, size_t *len);

/* json_source_files, json_sites: report/json.h. */
json_t *json_source_file(const struct run *r, size_t index);	/* with text */
json_t *json_site(const struct site *s);	/* of NULL: null */
json_t *json_hot_lines(const struct finding *f);		/* array */

#endif
