/*
 * report/json_source.h: the source tier's nouns, as report/json.h's are. All
 * return a new reference, or NULL without memory.
 *
 * source     of a kernel: { kernel_id, name, function (mangled)|null, counted,
 *              sampled, disassembled, has_lines, debug, missing: { counts,
 *              samples, lines, sass }, each a text or null, metrics: [ { name,
 *              unit, label } ]: those measured here, stalls: [ { name,
 *              meaning, group, group_label } ]: those sampled here, files: [ { index, path,
 *              captured, missing|null } ]: those its lines are in, lines:
 *              [ line ], totals: { values, samples|null },
 *              samples_shared_by: kernels with these samples,
 *              sample_period_cycles|null, findings: [finding id] }
 * line       { index, file: of the run's source files, line, inlined_at: index
 *              of a line|null, function: it was inlined from|null,
 *              instructions, values, samples|null, findings: [finding id] }: of
 *              its own instructions, not of what is inlined into it
 * values     { metric: number|null (not measured) }; a metric of "metrics" that
 *              is left out is 0
 * samples    { all, not_issued, stalls: { reason: n }: those over 0 }
 * instruction { pc, line: index|null, text|null, values, samples|null }
 * source file { index, path, size_bytes, captured, missing|null }; alone it
 *              also has text|null
 * site       { call ("launch", "cudaMemcpy" …), kernel_id|null, count,
 *              function|null, file|null, line|null, module|null: of the frame
 *              to show, first: its index|null, frames: [ { function|null,
 *              file|null, line|null, module|null, python, inlined, nearest } ]
 *              }
 * hot line   { file|null, line|null, function|null, called_file|null,
 *              called_line|null, pc, sass|null, text|null, share_ratio|null,
 *              value|null, what|null }
 */
#ifndef CADV_JSON_SOURCE_H
#define CADV_JSON_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
json_t *json_source_none(uint32_t kernel_id, const char *why);

/* Why there is nothing of a kernel's source in a run of ${level} ("counters")
 * and ${state} ("finished"); never NULL. */
const char *source_missing(const char *level, const char *state);

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
