#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/paths.h"
#include "capture/enrich.h"
#include "capture/operation.h"
#include "model/model.h"
#include "report/functions.h"
#include "report/json.h"
#include "report/json_source.h"
#include "report/ranges.h"

#include "cli/loaded.h"

/* If it cannot be kept (the disk may be full), it still serves this reading. */
static int
enrich(struct model *m, const char *path, bool keep, struct error *e)
{
	struct error trouble = ERROR_INIT;
	struct capture_writer *w;

	if (!keep)
		return enrich_model(m, NULL, NULL, e);
	w = capture_writer_open(path, &trouble);
	if (enrich_model(m, w, NULL, &trouble) != 0 || w == NULL)
		log_failure("the capture lacks disassembly", &trouble);
	capture_writer_close(w);
	return 0;
}

/* Condenses a capture of too many small frames for this reading. */
static int
load_condensed(struct loaded *l, const char *path, struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX], file[PATH_MAX];
	int rc = -1;	/* its ranges cannot be read again */

	snprintf(dir, sizeof(dir), "%.4000s/cudadvise-XXXXXX",
	    tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL)
		return error_set(e, "cannot make '%s':", dir);
	if (paths_join(file, dir, "condensed.cadv", e) == 0 &&
	    capture_condense(path, file, e) == 0)
		rc = capture_load(file, l->model, &l->stats, e);
	unlink(file);
	rmdir(dir);
	return rc;
}

static int
load(struct loaded *l, const char *path, struct error *e)
{
	struct capture_index x;

	if (capture_load_file(path, l->model, &l->stats, &x, e) == 0) {
		l->ranges = x.ranges;
		capture_index_clear(&x);
		return 0;
	}
	if (!l->stats.crowded)
		return -1;
	*e = (struct error)ERROR_INIT;
	return load_condensed(l, path, e);
}

int
loaded_from_file(struct loaded *l, const char *path,
    const struct thresholds *t, bool keep, struct error *e)
{

	*l = (struct loaded)LOADED_INIT;
	if ((l->model = model_new()) == NULL ||
	    (l->path = strdup(path)) == NULL)
		goto memory;
	if (load(l, path, e) != 0)
		goto fail;
	if (enrich(l->model, path, keep, e) != 0)
		goto fail;
	if (analysis_make(&l->analysis, l->model, true, t) != 0)
		goto memory;
	return 0;

memory:
	error_set(e, "out of memory while analysing '%s'", path);
fail:
	loaded_release(l);
	return -1;
}

void
loaded_release(struct loaded *l)
{

	analysis_release(&l->analysis);
	model_free(l->model);
	free(l->path);
	*l = (struct loaded)LOADED_INIT;
}

static int
operations(const struct loaded *l, operation_visit *visit, void *visited,
    struct error *e)
{
	struct capture_index x;
	int rc;

	if (capture_load_index(l->path, &x, e) != 0)
		return -1;
	capture_index_kernels(&x, l->analysis.run);
	rc = capture_operations(l->path, &x, visit, visited, e);
	capture_index_clear(&x);
	return rc;
}

struct ranged {
	const struct loaded *l;
	struct error e;
};

static int
range_operations(void *arg, operation_visit *visit, void *visited)
{
	struct ranged *r = arg;

	return operations(r->l, visit, visited, &r->e);
}

/* Reads NVTX ranges in two passes over the capture, if the run has any. */
static json_t *
loaded_ranges(const struct loaded *l)
{
	struct ranged r = { .l = l, .e = ERROR_INIT };
	const struct reader reader = { .arg = &r,
	    .origin_ns = l->analysis.run->origin_ns,
	    .operations = range_operations };
	json_t *read;

	if (l->ranges == 0)
		return ranges_none(NULL);
	if ((read = ranges_read(&reader)) == NULL && r.e.set)
		read = ranges_none("the capture cannot be read again");
	return read;
}

json_t *
loaded_document(const struct loaded *l, enum document_id id, struct error *e)
{
	const struct subject x = { .analysis = &l->analysis };
	json_t *j = id == DOCUMENT_ranges ? loaded_ranges(l) :
	    document_kind[id].write(&x);

	if (j == NULL)
		error_memory(e);
	return j;
}

json_t *
loaded_kernels(const struct loaded *l, struct error *e)
{
	json_t *j = json_kernels(l->analysis.run, l->analysis.advice);

	if (j == NULL)
		error_memory(e);
	return j;
}

json_t *
loaded_source(const struct loaded *l, uint32_t id, bool sass,
    struct error *e)
{
	const struct run *r = l->analysis.run;
	const struct kernel *k = NULL;
	json_t *source;
	char *code;
	size_t len, i;

	for (i = 0; i < r->kernels; i++)
		if (r->kernel[i].id == id)
			k = &r->kernel[i];
	if (k == NULL) {
		error_set(e, "there is no kernel %u", id);
		return NULL;
	}
	source = json_source(r, k, l->analysis.advice);
	if (source != NULL && sass) {
		code = json_instructions(k, &len);
		if (code == NULL || json_object_set_new(source, "instructions",
		    json_loadb(code, len, 0, NULL)) != 0) {
			json_decref(source);
			source = NULL;
		}
		free(code);
	}
	if (source == NULL)
		error_memory(e);
	return source;
}

json_t *
loaded_source_file(const struct loaded *l, uint32_t index,
    struct error *e)
{
	json_t *file = json_source_file(l->analysis.run, index);

	if (file == NULL)
		error_set(e, "there is no source file %u", index);
	return file;
}

/* --- for formats (report/reader.h) ------------------------------------------- */

static json_t *
read_document(void *arg, enum document_id which)
{
	struct loaded *l = arg;

	return loaded_document(l, which, l->trouble);
}

static json_t *
read_source(void *arg, uint32_t kernel)
{
	struct loaded *l = arg;

	return loaded_source(l, kernel, false, l->trouble);
}

static json_t *
read_part(void *arg, enum document_id which, uint32_t number)
{
	struct loaded *l = arg;
	const struct run *run = l->analysis.run;
	struct subject x = { .analysis = &l->analysis };
	struct functions f;
	json_t *j = NULL;
	size_t i;

	if (which == DOCUMENT_source_file)
		return loaded_source_file(l, number, l->trouble);
	for (i = 0; i < run->kernels && x.kernel == NULL; i++)
		if (run->kernel[i].id == number)
			x.kernel = &run->kernel[i];
	if (x.kernel == NULL || functions_make(&f, run) != 0)
		return NULL;
	x.functions = &f;
	j = document_kind[which].write(&x);
	functions_free(&f);
	return j;
}

static int
read_operations(void *arg, operation_visit *visit, void *visited)
{
	struct loaded *l = arg;

	return operations(l, visit, visited, l->trouble);
}

void
loaded_reader(struct reader *r, struct loaded *l, const char *scratch,
    struct error *e)
{

	l->trouble = e;
	*r = (struct reader){ .arg = l, .scratch = scratch,
	    .origin_ns = l->analysis.run->origin_ns,
	    .document = read_document, .source = read_source,
	    .part = read_part, .operations = read_operations };
}
