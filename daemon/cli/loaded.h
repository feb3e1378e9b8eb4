/*
 * cli/loaded.h: a capture file analysed in this process, with the results that
 * the daemon would have.
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
	struct error *trouble;	/* error of loaded_reader */
};

#define LOADED_INIT { .analysis = ANALYSIS_INIT }

/*
 * loaded_from_file(l, path, t, keep, e): load, settle, evaluate the rules. ${t}
 * may be NULL. ${keep}: the run was recorded just now, and what this machine
 * can add to the capture (capture/enrich.h) is appended; other files stay
 * unchanged. 0; on -1 ${e} is set and ${l} needs no release.
 */
int loaded_from_file(struct loaded *l, const char *path,
    const struct thresholds *t, bool keep, struct error *e);
void loaded_release(struct loaded *l);

/* loaded_document(l, id, e): one of the run's documents (DOCUMENT_OF_RUN);
 * loaded_kernels(l, e): all its kernels. New references; NULL with ${e} set. */
json_t *loaded_document(const struct loaded *l, enum document_id id,
    struct error *e);
json_t *loaded_kernels(const struct loaded *l, struct error *e);

/* loaded_source(l, kernel, sass, e): the source document of a kernel, with
 * ${sass} including its instructions; loaded_source_file(l, index, e): one source
 * file with its text (report/json_source.h). New references; NULL with ${e} set. */
json_t *loaded_source(const struct loaded *l, uint32_t kernel, bool sass,
    struct error *e);
json_t *loaded_source_file(const struct loaded *l, uint32_t index,
    struct error *e);

/* loaded_reader(r, l, scratch, e): set up ${r} for formats (report/reader.h);
 * errors go to ${e}. ${r} borrows all of them. */
void loaded_reader(struct reader *r, struct loaded *l, const char *scratch,
    struct error *e);

#endif
