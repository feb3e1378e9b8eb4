/*
 * cli/analysis.h: a capture file analysed in this process: what the daemon
 * would say of it, without a daemon.
 */
#ifndef CADV_CLI_ANALYSIS_H
#define CADV_CLI_ANALYSIS_H

#include <jansson.h>

#include "ingest/capture.h"

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
 * analysis_from_file(a, path, t, e): load, settle, judge. ${t} may be NULL. On
 * -1 ${e} is set and ${a} needs no release.
 */
int analysis_from_file(struct analysis *a, const char *path,
    const struct thresholds *t, struct error *e);
void analysis_release(struct analysis *a);

/* The whole analysis as one object: run, findings, kernels, copies, processes,
 * devices, diagnostics. New reference, or NULL without memory. */
json_t *analysis_json(const struct analysis *a);

#endif
