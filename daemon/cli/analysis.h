/*
 * cli/analysis.h: a capture file analysed in this process: what the daemon
 * would say of it, without a daemon.
 */
#ifndef CADV_CLI_ANALYSIS_H
#define CADV_CLI_ANALYSIS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"

struct advice;
struct error;
struct model;
struct run;
struct thresholds;

struct analysis {
	struct model *model;
	const struct run *run;		/* the model's */
	struct advice *advice;
	struct capture_stats stats;
};

#define ANALYSIS_INIT { .model = NULL }

/*
 * analysis_from_file(a, path, t, keep, e): load, settle, judge. ${t} may be
 * NULL. ${keep}: the capture is of a run that was made just now, and what this
 * machine can add to it (capture/enrich.h) is appended; any other file stays as
 * it is. On -1 ${e} is set and ${a} needs no release.
 */
int analysis_from_file(struct analysis *a, const char *path,
    const struct thresholds *t, bool keep, struct error *e);
void analysis_release(struct analysis *a);

/* The whole analysis as one object: run, findings, kernels, copies, processes,
 * devices, diagnostics. New reference, or NULL without memory. */
json_t *analysis_json(const struct analysis *a);

/* One of the API's documents of a run: "checklist", "copies" or "devices". New
 * reference, or NULL without memory. */
json_t *analysis_part(const struct analysis *a, const char *name);

/* source of a kernel, with ${sass} also its instructions, and one source file
 * with its text (report/json_source.h). New references; NULL with ${e} set. */
json_t *analysis_source(const struct analysis *a, uint32_t kernel, bool sass,
    struct error *e);
json_t *analysis_source_file(const struct analysis *a, uint32_t index,
    struct error *e);

#endif
