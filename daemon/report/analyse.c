#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "report/analyse.h"
#include "model/ceilings.h"
#include "model/model.h"
#include "report/functions.h"
#include "report/json.h"
#include "report/json_source.h"
#include "rules/engine/finding.h"

/* What the source tier of one run may take in the store: the code of 100 large
 * kernels, and every header they include. */
#define SOURCE_BUDGET (128u << 20)

static struct document *
document_new(struct documents *d, const char *noun, const char *id)
{
	struct document *grown, *doc;
	size_t cap;

	if (d->items == d->cap) {
		cap = d->cap == 0 ? 64 : 2 * d->cap;
		grown = realloc(d->item, cap * sizeof(*grown));
		if (grown == NULL)
			return (NULL);
		d->item = grown;
		d->cap = cap;
	}
	doc = &d->item[d->items];
	memset(doc, 0, sizeof(*doc));
	doc->noun = noun;
	text_copy(doc->id, sizeof(doc->id), id);
	return (doc);
}

/* Takes over ${text}. */
static struct document *
document_add_text(struct documents *d, const char *noun, const char *id,
    char *text)
{
	struct document *doc = NULL;

	if (text != NULL)
		doc = document_new(d, noun, id);
	if (doc == NULL) {
		free(text);
		return (NULL);
	}
	doc->json = text;
	d->items++;
	return (doc);
}

/* ${json} as text, malloced; takes it over. */
static char *
text_of(json_t *json)
{
	char *text = NULL;

	if (json != NULL)
		text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(json);
	return (text);
}

/* Takes over ${json}. Returns the document, for its sort keys. */
static struct document *
document_add(struct documents *d, const char *noun, const char *id,
    json_t *json)
{

	return (document_add_text(d, noun, id, text_of(json)));
}

/* How long launches took: the histogram behind the percentiles. */
static json_t *
time_histogram(const struct kernel *k)
{
	json_t *buckets = json_array();
	size_t i;

	for (i = 0; i < STAT_BUCKETS; i++) {
		if (k->time.bucket[i] == 0)
			continue;
		json_array_append_new(buckets, json_pack("[i, I]", (int)i,
		    (json_int_t)k->time.bucket[i]));
	}
	return (json_pack("{s:I, s:I, s:I, s:s, s:o}",
	    "count", (json_int_t)k->time.count,
	    "min_ns", (json_int_t)(k->time.count ? k->time.min : 0),
	    "max_ns", (json_int_t)k->time.max,
	    "scale", "bucket i holds times from 2^(i/4) ns",
	    "buckets", buckets));
}

static int
kernel_documents(struct documents *d, const struct run *r,
    const struct advice *a, const struct ceilings *c)
{
	const struct kernel *k;
	struct functions f;
	struct document *doc;
	char id[16];
	int rc = -1;
	size_t i;

	if (functions_make(&f, r) != 0)
		goto out;
	for (i = 0; i < r->kernels; i++) {
		if (stop_asked())
			goto out;
		k = &r->kernel[i];
		snprintf(id, sizeof(id), "%" PRIu32, k->id);
		doc = document_add(d, "kernel", id,
		    json_kernel_with(r, k, a, c, &f));
		if (doc == NULL)
			goto out;
		doc->time_ns = (int64_t)(k->total_ns & INT64_MAX);
		doc->launches = (int64_t)(k->launches & INT64_MAX);
		doc->name = text_dup_clean(k->name, strlen(k->name));
		if (document_add(d, "metrics", id, json_metrics_of(r, k)) == NULL ||
		    document_add(d, "launches", id, time_histogram(k)) == NULL)
			goto out;
	}
	rc = 0;
out:
	functions_free(&f);
	return (rc);
}

static int
by_time(const void *a, const void *b)
{
	const struct kernel *x = *(const struct kernel *const *)a,
	    *y = *(const struct kernel *const *)b;

	return (x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ?
	    -1 : x->id < y->id ? -1 : 1);
}

/* The source and instructions of one kernel, as far as *${room} bytes go. */
static int
code_documents(struct documents *d, const struct run *r,
    const struct kernel *k, const struct advice *a, size_t *room)
{
	json_t *source = json_source(r, k, a);
	char *code = NULL, *text, id[16];
	size_t len = 0;

	snprintf(id, sizeof(id), "%" PRIu32, k->id);
	if (source == NULL || (code = json_instructions(k, &len)) == NULL) {
		json_decref(source);
		return (-1);
	}
	if (len > *room) {
		free(code);
		code = NULL;
		json_object_set_new(json_object_get(source, "missing"), "sass",
		    json_string("left out: the run has more code than is "
		    "kept"));
	} else {
		*room -= len;
	}
	if (code != NULL &&
	    document_add_text(d, "instructions", id, code) == NULL) {
		json_decref(source);
		return (-1);
	}
	if ((text = text_of(source)) == NULL)
		return (-1);
	if (strlen(text) > *room) {
		free(text);
		text = text_of(json_source_none(k->id, "left out: the run has "
		    "more lines than are kept"));
	} else {
		*room -= strlen(text);
	}
	return (document_add_text(d, "source", id, text) != NULL ? 0 : -1);
}

static int
file_documents(struct documents *d, const struct run *r, size_t *room)
{
	json_t *file;
	char *text, id[24];
	size_t i;

	for (i = 0; i < r->source_files; i++) {
		snprintf(id, sizeof(id), "%zu", i);
		if ((file = json_source_file(r, i)) == NULL)
			return (-1);
		if (r->source_file[i].size > *room) {
			json_object_set_new(file, "text", json_null());
			json_object_set_new(file, "missing", json_string(
			    "left out: the run has more source text than is "
			    "kept"));
		}
		if ((text = text_of(file)) == NULL)
			return (-1);
		*room -= strlen(text) < *room ? strlen(text) : *room;
		if (document_add_text(d, "source-file", id, text) == NULL)
			return (-1);
	}
	return (0);
}

/* Lines, instructions, files and sites; only a final run has them. */
static int
source_documents(struct documents *d, const struct run *r,
    const struct advice *a)
{
	const struct kernel **k;
	size_t room = SOURCE_BUDGET, n = 0, i;
	int rc = -1;

	if ((k = calloc(r->kernels + 1, sizeof(*k))) == NULL)
		return (-1);
	for (i = 0; i < r->kernels; i++)
		if (r->kernel[i].code != NULL)
			k[n++] = &r->kernel[i];
	/* What takes the most time comes first, and so fits. */
	qsort(k, n, sizeof(*k), by_time);
	if (document_add(d, "source-files", "", json_source_files(r)) ==
	    NULL || document_add(d, "sites", "", json_sites(r)) == NULL ||
	    file_documents(d, r, &room) != 0)
		goto out;
	for (i = 0; i < n; i++)
		if (stop_asked() ||
		    code_documents(d, r, k[i], a, &room) != 0)
			goto out;
	rc = 0;
out:
	free(k);
	return (rc);
}

static int
finding_documents(struct documents *d, const struct run *r,
    const struct advice *a)
{
	size_t i;

	for (i = 0; i < a->findings; i++)
		if (stop_asked() || document_add(d, "finding", a->finding[i].id,
		    json_finding_of(r, &a->finding[i], i + 1)) == NULL)
			return (-1);
	return (0);
}

static int
all_documents(struct documents *d, const struct run *r,
    const struct advice *a, const struct ceilings *c, int revision, bool final)
{

	if (document_add(d, "run", "", json_run(r, a, revision)) == NULL ||
	    document_add(d, "copies", "", json_copies(r)) == NULL ||
	    document_add(d, "processes", "", json_processes(r)) == NULL ||
	    document_add(d, "devices", "", json_devices(r)) == NULL ||
	    document_add(d, "diagnostics", "", json_diagnostics(r)) == NULL ||
	    document_add(d, "timeline", "",
	    json_timeline(r, 0, 0, TIMELINE_BINS)) == NULL ||
	    document_add(d, "findings", "", json_findings(r, a)) == NULL ||
	    document_add(d, "checklist", "", json_checklist(r, a)) == NULL)
		return (-1);
	if (kernel_documents(d, r, a, c) != 0 ||
	    (final && source_documents(d, r, a) != 0))
		return (-1);
	return (finding_documents(d, r, a));
}

struct documents *
analyse(struct model *m, bool final, const struct thresholds *t, int revision,
    const struct run **run)
{
	const struct run *r = model_settle(m, final);
	struct ceilings *c = NULL;
	struct advice *a = NULL;
	struct documents *d = NULL;

	if (run != NULL)
		*run = r;
	if (r == NULL)
		return (NULL);
	c = calloc(r->devices + 1, sizeof(*c));
	d = calloc(1, sizeof(*d));
	if (c == NULL || d == NULL)
		goto fail;
	ceilings_of(c, r);
	if ((a = advice_make(r, c, t)) == NULL)
		goto fail;
	text_copy(d->uuid, sizeof(d->uuid), r->uuid);
	text_copy(d->state, sizeof(d->state), run_state_name[r->state]);
	if (r->label != NULL && r->label[0] != '\0')
		d->label = text_dup_clean(r->label, strlen(r->label));
	d->started_ns = (int64_t)(r->origin_ns & INT64_MAX);
	d->wall_ns = (int64_t)(r->wall_ns & INT64_MAX);
	if (all_documents(d, r, a, c, revision, final) != 0)
		goto fail;
	advice_free(a);
	free(c);
	return (d);
fail:
	advice_free(a);
	documents_free(d);
	free(c);
	return (NULL);
}

int
analyse_error(struct error *e)
{

	return (stop_asked() ? stop_error(e) : error_set(e, "out of memory"));
}

void
documents_free(struct documents *d)
{
	size_t i;

	if (d == NULL)
		return;
	for (i = 0; i < d->items; i++) {
		free(d->item[i].json);
		free(d->item[i].name);
	}
	free(d->item);
	free(d->label);
	free(d);
}
