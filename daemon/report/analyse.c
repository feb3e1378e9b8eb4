#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "report/analyse.h"
#include "model/model.h"
#include "report/document.h"
#include "report/functions.h"
#include "report/json_source.h"
#include "rules/engine/finding.h"

/* Bytes that the source tier of one run may take in the store: the code of 100
 * large kernels, and every header they include. */
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
			return NULL;
		d->item = grown;
		d->cap = cap;
	}
	doc = &d->item[d->items];
	memset(doc, 0, sizeof(*doc));
	doc->noun = noun;
	text_copy(doc->id, sizeof(doc->id), id);
	return doc;
}

/* Takes over ${text}; returns the document, or NULL without memory. */
static struct document *
document_add_text(struct documents *d, const char *noun, const char *id,
    char *text)
{
	struct document *doc = NULL;

	if (text != NULL)
		doc = document_new(d, noun, id);
	if (doc == NULL) {
		free(text);
		return NULL;
	}
	doc->json = text;
	d->items++;
	return doc;
}

/* ${json} as malloced text; takes over ${json}. */
static char *
text_of(json_t *json)
{
	char *text = NULL;

	if (json != NULL)
		text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(json);
	return text;
}

/* Takes over ${json}. Returns the document, for its sort keys. */
static struct document *
document_add(struct documents *d, const char *noun, const char *id,
    json_t *json)
{

	return document_add_text(d, noun, id, text_of(json));
}

/* Adds the documents of which there is one for each ${of}; BOUNDED ones are
 * written below. */
static int
subject_documents(struct documents *d, enum document_of of, const char *id,
    const struct subject *x, bool final)
{
	const struct document_kind *kind;
	const struct kernel *k = x->kernel;
	struct document *doc;
	size_t i;

	if (stop_asked())
		return -1;
	for (i = 0; i < DOCUMENTS; i++) {
		kind = &document_kind[i];
		if (kind->of != of || kind->write == NULL ||
		    (kind->when == DOCUMENT_WHEN_FINAL && !final))
			continue;
		if ((doc = document_add(d, kind->noun, id, kind->write(x))) ==
		    NULL)
			return -1;
		if (i != DOCUMENT_kernel)
			continue;
		doc->time_ns = (int64_t)(k->total_ns & INT64_MAX);
		doc->launches = (int64_t)(k->launches & INT64_MAX);
		doc->name = text_dup_clean(k->name, strlen(k->name));
	}
	return 0;
}

static int
kernel_documents(struct documents *d, const struct analysis *a, bool final)
{
	struct functions f;
	struct subject x = { .analysis = a, .functions = &f };
	char id[16];
	int rc;
	size_t i;

	rc = functions_make(&f, a->run);
	for (i = 0; rc == 0 && i < a->run->kernels; i++) {
		x.kernel = &a->run->kernel[i];
		snprintf(id, sizeof(id), "%" PRIu32, x.kernel->id);
		rc = subject_documents(d, DOCUMENT_OF_KERNEL, id, &x, final);
	}
	functions_free(&f);
	return rc;
}

static int
by_total(const void *a, const void *b)
{
	const struct kernel *x = *(const struct kernel *const *)a,
	    *y = *(const struct kernel *const *)b;

	return x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ?
	    -1 : x->id < y->id ? -1 : 1;
}

/* The source and instructions of one kernel, if *${room} bytes suffice for them. */
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
		return -1;
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
	    document_add_text(d,
	    document_kind[DOCUMENT_instructions].noun, id, code) == NULL) {
		json_decref(source);
		return -1;
	}
	if ((text = text_of(source)) == NULL)
		return -1;
	if (strlen(text) > *room) {
		free(text);
		text = text_of(json_source_none(k->id,
		    &reason_row[REASON_LEFT_OUT_LINES]));
	} else {
		*room -= strlen(text);
	}
	return document_add_text(d, document_kind[DOCUMENT_source].noun, id,
	    text) != NULL ? 0 : -1;
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
			return -1;
		if (r->source_file[i].size > *room) {
			json_object_set_new(file, "text", json_null());
			json_object_set_new(file, "missing", json_string(
			    "left out: the run has more source text than is "
			    "kept"));
		}
		if ((text = text_of(file)) == NULL)
			return -1;
		*room -= strlen(text) < *room ? strlen(text) : *room;
		if (document_add_text(d,
		    document_kind[DOCUMENT_source_file].noun, id, text) ==
		    NULL)
			return -1;
	}
	return 0;
}

/* Lines, instructions and the files' texts; only for a final run. */
static int
source_documents(struct documents *d, const struct run *r,
    const struct advice *a)
{
	const struct kernel **k;
	size_t room = SOURCE_BUDGET, n = 0, i;
	int rc = -1;

	if ((k = calloc(r->kernels + 1, sizeof(*k))) == NULL)
		return -1;
	for (i = 0; i < r->kernels; i++)
		if (r->kernel[i].code != NULL)
			k[n++] = &r->kernel[i];
	/* The kernels with the most time first, so that they fit. */
	qsort(k, n, sizeof(*k), by_total);
	if (file_documents(d, r, &room) != 0)
		goto out;
	for (i = 0; i < n; i++)
		if (stop_asked() ||
		    code_documents(d, r, k[i], a, &room) != 0)
			goto out;
	rc = 0;
out:
	free(k);
	return rc;
}

static int
finding_documents(struct documents *d, const struct analysis *a, bool final)
{
	struct subject x = { .analysis = a };

	for (x.finding = 0; x.finding < a->advice->findings; x.finding++)
		if (subject_documents(d, DOCUMENT_OF_FINDING,
		    a->advice->finding[x.finding].id, &x, final) != 0)
			return -1;
	return 0;
}

static int
all_documents(struct documents *d, const struct analysis *a, bool final)
{
	const struct subject x = { .analysis = a };

	if (subject_documents(d, DOCUMENT_OF_RUN, "", &x, final) != 0 ||
	    kernel_documents(d, a, final) != 0 ||
	    (final && source_documents(d, a->run, a->advice) != 0))
		return -1;
	return finding_documents(d, a, final);
}

int
analysis_make(struct analysis *a, struct model *m, bool final,
    const struct thresholds *t)
{

	*a = (struct analysis)ANALYSIS_INIT;
	if ((a->run = model_settle(m, final)) == NULL)
		return -1;
	a->advice = advice_make(a->run, t);
	return a->advice != NULL ? 0 : -1;
}

void
analysis_release(struct analysis *a)
{

	advice_free(a->advice);
	*a = (struct analysis)ANALYSIS_INIT;
}

struct documents *
analyse(struct model *m, bool final, const struct thresholds *t, int revision,
    const struct run **run)
{
	struct analysis a;
	const struct run *r;
	struct documents *d;

	if (run != NULL)
		*run = NULL;
	if (analysis_make(&a, m, final, t) != 0)
		return NULL;
	r = a.run;
	a.revision = revision;
	if (run != NULL)
		*run = r;
	if ((d = calloc(1, sizeof(*d))) == NULL)
		goto out;
	text_copy(d->uuid, sizeof(d->uuid), r->uuid);
	text_copy(d->state, sizeof(d->state), run_state_name[r->state]);
	if (r->label != NULL && r->label[0] != '\0')
		d->label = text_dup_clean(r->label, strlen(r->label));
	d->started_ns = (int64_t)(r->origin_ns & INT64_MAX);
	d->wall_ns = (int64_t)(r->wall_ns & INT64_MAX);
	if (all_documents(d, &a, final) != 0) {
		documents_free(d);
		d = NULL;
	}
out:
	analysis_release(&a);
	return d;
}

int
analyse_error(struct error *e)
{

	return stop_asked() ? stop_error(e) : error_memory(e);
}

void
documents_replace(struct documents *d, enum document_id which, json_t *json)
{
	char *text = text_of(json);
	size_t i;

	for (i = 0; text != NULL && i < d->items; i++)
		if (strcmp(d->item[i].noun, document_kind[which].noun) == 0) {
			free(d->item[i].json);
			d->item[i].json = text;
			return;
		}
	free(text);
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
