/* Exports a run as one file, in the formats of report/format.def. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/document.h"
#include "report/format.h"
#include "service/service.h"

#include "base/error.h"
#include "base/paths.h"
#include "http/api.h"
#include "http/route.h"

/* NULL with ${rs} answered if there is no such format. */
static const struct format *
format_of(struct response *rs, const char *name)
{
	static const char *const names = ""
#define EXPORTED(name, suffix, type, reads, help) " " #name
#define WRITTEN(id, name, suffix, type, reads, help) " " name
#include "report/format.def"
	    ;
	size_t i;

	if (name == NULL)
		return &format_exported[0];
	for (i = 0; i < EXPORTED_FORMATS; i++)
		if (strcmp(format_exported[i].name, name) == 0)
			return &format_exported[i];
	respond_problem(rs, PROBLEM_BAD_PARAMETER, "format",
	    "format is one of:%s", names);
	return NULL;
}

/* The ${arg} of struct reader's functions for a stored run. */
struct stored_run {
	struct request *rq;
	const struct store_run *run;
	struct error trouble;
};

static json_t *
read_json(struct stored_run *s, const char *noun, const char *id)
{
	char *text = NULL;
	json_t *j = NULL;

	if (store_doc(service_store(s->rq->service), s->run->number, noun, id,
	    &text, &s->trouble) == STORE_OK)
		j = json_loads(text, 0, NULL);
	free(text);
	return j;
}

static json_t *
read_document(void *arg, enum document_id which)
{

	return read_json(arg, document_kind[which].noun, "");
}

static json_t *
read_source(void *arg, uint32_t kernel)
{
	char id[16];

	snprintf(id, sizeof(id), "%" PRIu32, kernel);
	return read_json(arg, document_kind[DOCUMENT_source].noun, id);
}

static json_t *
read_part(void *arg, enum document_id which, uint32_t number)
{
	char id[16];

	snprintf(id, sizeof(id), "%" PRIu32, number);
	return read_json(arg, document_kind[which].noun, id);
}

static int
read_operations(void *arg, operation_visit *visit, void *visited)
{
	struct stored_run *s = arg;
	int rc = -1;

	if (service_operations(s->rq->service, s->run->number, visit, visited,
	    &rc, &s->trouble) != STORE_OK)
		return -1;
	return rc;
}

#define PARTS 5

/* Reads the documents of a run into ${r} and ${parts}. ${whole}: the format holds the
 * run in one piece, and does without findings, which a live run lacks. False with ${rs}
 * answered. */
static bool
open_documents(struct request *rq, struct response *rs,
    const struct store_run *run, struct report *r, struct stored_run *s,
    bool whole, json_t *parts[PARTS])
{
	char *findings = whole ? NULL : api_document(rq, rs, run, "findings", "",
	    PROBLEM_NO_DOCUMENT);

	if (findings == NULL && !whole)
		return false;
	r->findings = parts[0] = whole ? read_document(s, DOCUMENT_findings) :
	    json_loads(findings, 0, NULL);
	free(findings);
	r->run = parts[1] = api_run_object(run);
	r->kernels = parts[2] = api_kernels(rq, rs, run);
	r->diagnostics = parts[3] = read_document(s, DOCUMENT_diagnostics);
	r->copies = parts[4] = read_document(s, DOCUMENT_copies);
	return parts[2] != NULL;
}

/* Answers with a format that is made from documents only, and is therefore small. */
static void
answer_text(struct response *rs, const struct report *r,
    const struct format *format)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int bad = -1;

	if (f != NULL) {
		bad = format->write(f, r);
		bad |= fclose(f);
	}
	if (bad == 0) {
		respond_text(rs, 200, format->type, text, size);
		return;
	}
	free(text);
	respond_json(rs, 500, NULL);
}

static void
answer_trouble(struct response *rs, const struct error *e)
{

	respond_problem(rs, e->code == ERROR_NO_SPACE ? PROBLEM_NO_SPACE :
	    PROBLEM_INTERNAL, NULL, "%s", e->set ? e->text : "out of memory");
}

/* Answers with a format that can be as large as the run: through a file without a name.
 * The file is written before the answer begins, since the HTTP library reads a body
 * piece by piece in a thread that serves other connections, too. */
static void
answer_file(struct response *rs, struct report *r,
    const struct format *format, struct stored_run *s)
{
	char scratch[PATH_MAX];
	struct reader reader = { .arg = s, .scratch = scratch,
	    .origin_ns = (uint64_t)s->run->started_ns,
	    .document = read_document, .source = read_source,
	    .part = read_part, .operations = read_operations };
	int fd = paths_unnamed(scratch, &s->trouble), copy;
	FILE *f = fd >= 0 && (copy = dup(fd)) >= 0 ? fdopen(copy, "w") : NULL;
	struct stat st;
	bool bad = true;

	r->reader = &reader;
	if (f != NULL) {
		bad = format->write(f, r) != 0;
		if (fflush(f) != 0 || ferror(f) != 0)
			bad = error_set(&s->trouble, "the export cannot be "
			    "kept:") != 0;
		fclose(f);
	}
	if (bad || fstat(fd, &st) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
		if (fd >= 0)
			close(fd);
		answer_trouble(rs, &s->trouble);
		return;
	}
	rs->status = 200;
	rs->fd = fd;
	rs->length = (size_t)st.st_size;
}

static void
answer_written(struct request *rq, struct response *rs,
    const struct store_run *run, const struct format *format)
{
	struct stored_run stored = { .rq = rq, .run = run,
	    .trouble = ERROR_INIT };
	json_t *parts[PARTS] = { NULL };
	char name[32];
	struct report r = { .name = name };
	size_t i;

	snprintf(name, sizeof(name), "%" PRId64, run->number);
	if (format->reads == FORMAT_CAPTURE && strcmp(run->state, "live") == 0)
		respond_problem(rs, PROBLEM_CONFLICT, NULL, "the run is still "
		    "live: it can be exported as %s when it has ended",
		    format->name);
	else if (open_documents(rq, rs, run, &r, &stored,
	    format->reads == FORMAT_PARTS, parts) &&
	    format->reads != FORMAT_DOCUMENTS)
		answer_file(rs, &r, format, &stored);
	else if (parts[2] != NULL)
		answer_text(rs, &r, format);
	for (i = 0; i < PARTS; i++)
		json_decref(parts[i]);
}

/* Answers with the capture file itself. */
static void
answer_capture(struct request *rq, struct response *rs,
    const struct store_run *run)
{
	struct error e = ERROR_INIT;
	struct stat st;
	int fd = service_capture(rq->service, run->number, &e);

	if (fd < 0 || fstat(fd, &st) != 0) {
		if (fd >= 0)
			close(fd);
		respond_problem(rs, PROBLEM_NO_RUN, NULL, "%s", e.set ? e.text :
		    "the capture of this run is gone");
		return;
	}
	rs->status = 200;
	rs->fd = fd;
	rs->length = (size_t)st.st_size;
}

void
runs_export(struct request *rq, struct response *rs)
{
	const struct format *format = format_of(rs, rq->route->arg != NULL ?
	    rq->route->arg : query_get(rq, "format"));
	struct store_run run;

	if (format == NULL || api_run(rq, rs, &run) < 0)
		return;
	api_tag(rq, rs, &run);
	if (format->reads == FORMAT_FILE)
		answer_capture(rq, rs, &run);
	else
		answer_written(rq, rs, &run, format);
	if (rs->status == 200) {
		rs->type = format->type;
		respond_header(rs, "Content-Disposition", "attachment; "
		    "filename=\"run-%" PRId64 ".%s\"", run.number,
		    format->suffix);
	}
	store_run_clear(&run);
}
