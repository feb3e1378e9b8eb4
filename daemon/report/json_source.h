/*
 * report/json_source.h: the source tier's nouns, as report/json.h's are: Source,
 * SourceFile, Site and HotLine of config/openapi.json. All return a new
 * reference, or NULL without memory.
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

/* source without its lines when ${k} has no code. */
json_t *json_source(const struct run *r, const struct kernel *k,
    const struct advice *a);

/* json_source_none(kernel_id, why): source of a kernel of which nothing is
 * there, for the reason ${why}. */
json_t *json_source_none(uint32_t kernel_id, const struct reason *why);

/* Why there is nothing of a kernel's source in a run of ${level} ("counters")
 * and ${state} ("finished"); never NULL. */
const struct reason *source_missing(const char *level, const char *state);

/* What a metric of model/lines/source.def is called here: "global_sectors". */
const char *source_metric_key(size_t i);
/* Whether anything at all is known of it in ${c}. */
bool source_metric_known(const struct code *c, size_t i);

/*
 * json_instructions(k, len): the array of instruction of ${k} as malloced JSON
 * text of *${len} bytes: there may be 100,000 of them, which is more than one
 * wants as objects. NULL without memory.
 */
char *json_instructions(const struct kernel *k, size_t *len);

/* json_source_files, json_sites: report/json.h. */
json_t *json_source_file(const struct run *r, size_t index);	/* with text */
json_t *json_site(const struct site *s);	/* of NULL: null */
json_t *json_hot_lines(const struct finding *f);		/* array */

#endif
