/*
 * cli/loaded.h: a capture file analysed in this process: what the daemon would
 * say of it, without a daemon.
 */
#ifndef CADV_CLI_LOADED_H
#define CADV_CLI_LOADED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "report/analyse.h"
#include "report/document.h"
#include "report/reader.h"

struct error;

struct loaded {
	char *path;		/* of the capture */
	struct model *model;
	struct analysis analysis;
	struct capture_stats stats;
	uint64_t ranges;	/* NVTX ranges in it */
	struct error *trouble;	/* of loaded_reader */
};

#define LOADED_INIT { .analysis = ANALYSIS_INIT }

/*
 * loaded_from_file(l, path, t, keep, e): load, settle, judge. ${t} may be
 * NULL. ${keep}: the capture is of a run that was made just now, and what this
 * machine can add to it (capture/enrich.h) is appended; any other file stays as
 * it is. On -1 ${e} is set and ${l} needs no release.
 */
int loaded_from_file(struct loaded *l, const char *path,
    const struct thresholds *t, bool keep, struct error *e);
void loaded_release(struct loaded *l);

/* One of the run's documents (DOCUMENT_OF_RUN), and all its kernels. New
 * references; NULL with ${e} set. */
json_t *loaded_document(const struct loaded *l, enum document_id id,
    struct error *e);
json_t *loaded_kernels(const struct loaded *l, struct error *e);

/* source of a kernel, with ${sass} also its instructions, and one source file
 * with its text (report/json_source.h). New references; NULL with ${e} set. */
json_t *loaded_source(const struct loaded *l, uint32_t kernel, bool sass,
    struct error *e);
json_t *loaded_source_file(const struct loaded *l, uint32_t index,
    struct error *e);

/* loaded_reader(r, l, scratch, e): what formats read of it (report/reader.h); trouble
 * is told in ${e}. All are borrowed by ${r}. */
void loaded_reader(struct reader *r, struct loaded *l, const char *scratch,
    struct error *e);

#endif
