/*
 * report/json.h: one serializer per noun. The results are the HTTP API's
 * bodies, the input of the terminal report and of --format json: the same
 * fields everywhere. config/openapi.json describes each noun under its name;
 * tests/api/fields.test.mjs compares it with the output. Names contain units
 * (_ns relative to the run's start, _bytes, _ratio 0..1, _s seconds); 64-bit
 * ids are strings; what was not measured is null, with a reason beside it.
 * Every object that a command prints has "schema_version": 1 at its top.
 *
 * All return a new reference, or NULL without memory.
 */
#ifndef CADV_JSON_H
#define CADV_JSON_H

#include <jansson.h>
#include <stdint.h>

struct run;
struct kernel;
struct advice;
struct finding;
struct functions;
struct rule_info;

#define SCHEMA_VERSION 1

/* The documents that need only the run and its advice. */
#define TAKES_RUN(id) json_t *json_##id(const struct run *r);
#define TAKES_ADVICE(id)						\
	json_t *json_##id(const struct run *r, const struct advice *a);
#define TAKES_SUBJECT(id)
#define TAKES_BOUNDED(id)
#define STORED(id, noun, of, shape, when, takes) TAKES_##takes(id)
#define DOCUMENT(id, noun, of, shape, when, takes, path, operation, summary) \
	TAKES_##takes(id)
#include "report/document.def"
#undef TAKES_RUN
#undef TAKES_ADVICE
#undef TAKES_SUBJECT
#undef TAKES_BOUNDED

/* json_conditions(r): the conditions of the run: RunConditions; null: not
 * recorded. Members of the launcher's JSON with a wrong type are left out. */
json_t *json_conditions(const struct run *r);
/* json_run(r, a, analysis): ${analysis}: a number that grows with each analysis. */
json_t *json_run(const struct run *r, const struct advice *a, int analysis);
json_t *json_kernel(const struct run *r, const struct kernel *k,
    const struct advice *a);
/* json_kernel with the functions of ${r}, which it otherwise computes itself. */
json_t *json_kernel_with(const struct run *r, const struct kernel *k,
    const struct advice *a, const struct functions *f);
json_t *json_kernels(const struct run *r, const struct advice *a);	/* array */
json_t *json_metrics(const struct kernel *k);
/* json_metrics with the counters that no rule reads; ${k} must be a kernel of ${r}. */
json_t *json_metrics_of(const struct run *r, const struct kernel *k);
/* json_timeline(r, from_ns, to_ns, px): bins of [from, to), merged so that at
 * most ${px} remain; to 0: the end. */
json_t *json_timeline(const struct run *r, uint64_t from_ns, uint64_t to_ns,
    unsigned px);
/* json_finding_of(r, a, at): ${r} may be NULL; then saves.share_ratio is null. */
json_t *json_finding_of(const struct run *r, const struct advice *a, size_t at);
json_t *json_finding(const struct finding *f, size_t rank);
json_t *json_rule(const struct rule_info *r);
json_t *json_rules(void);						/* array */

#endif
