#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/document.h"
#include "service/service.h"

#include "http/api.h"
#include "http/route.h"

#define TIMELINE_PX_DEFAULT 1024
#define TIMELINE_PX_MAX 4096
#define WINDOW_MAX 4000	/* operations in one answer: one a pixel of a wide screen */

char *
api_document(struct request *rq, struct response *rs,
    const struct store_run *run, const char *noun, const char *id,
    enum problem none)
{
	struct error e = ERROR_INIT;
	enum store_status status;
	char *json = NULL;

	status = store_doc(service_store(rq->service), run->number, noun, id,
	    &json, &e);
	if (status == STORE_OK)
		return json;
	if (status == STORE_NONE && id[0] == '\0')
		respond_problem(rs, PROBLEM_NO_DOCUMENT, NULL, "run %" PRId64
		    " has no %s: it has not been analysed", run->number, noun);
	else if (status == STORE_NONE)
		respond_problem(rs, none, NULL, "run %" PRId64 " has no %s "
		    "'%.64s'", run->number, noun, id);
	else
		api_store_failed(rs, status, &e, none);
	return NULL;
}

int
api_document_maybe(struct request *rq, struct response *rs,
    const struct store_run *run, const char *noun, const char *id,
    char **json)
{
	struct error e = ERROR_INIT;
	enum store_status status;

	*json = NULL;
	status = store_doc(service_store(rq->service), run->number, noun, id,
	    json, &e);
	if (status == STORE_OK || status == STORE_NONE)
		return 0;
	api_store_failed(rs, status, &e, PROBLEM_INTERNAL);
	return -1;
}

/* Answers with a list on a single page. ${json} is an array as text; NULL: an empty
 * one. */
static void
answer_items(struct response *rs, const char *json)
{
	struct body t = { 0 };

	body_add(&t, BODY_START ",\"items\":");
	body_add(&t, json != NULL ? json : "[]");
	body_add(&t, ",\"next_cursor\":null}");
	body_finish(&t, rs);
}

/*
 * Whether the run has no documents yet. Its lists are then answered as empty, not as
 * missing.
 */
static bool
not_yet(const struct store_run *run)
{
	return run->json == NULL;
}

/* The problem to answer if a document of this kind is missing. */
static const enum problem missing[DOCUMENT_OFS] = {
	[DOCUMENT_OF_RUN] = PROBLEM_NO_DOCUMENT,
	[DOCUMENT_OF_KERNEL] = PROBLEM_NO_KERNEL,
	[DOCUMENT_OF_FINDING] = PROBLEM_NO_FINDING,
	[DOCUMENT_OF_FILE] = PROBLEM_NO_FILE,
};

/* Reads a list of the run into *${json}, which stays NULL if the run lacks the list. 0;
 * -1 with ${rs} answered. */
static int
run_list(struct request *rq, struct response *rs, const struct store_run *run,
    const struct document_kind *kind, char **json)
{

	if (not_yet(run))
		return 0;
	if (kind->when == DOCUMENT_WHEN_FINAL)
		return api_document_maybe(rq, rs, run, kind->noun, "", json);
	*json = api_document(rq, rs, run, kind->noun, "",
	    PROBLEM_NO_DOCUMENT);
	return *json != NULL ? 0 : -1;
}

void
documents_get(struct request *rq, struct response *rs)
{
	const struct document_kind *kind = document_find(rq->route->arg);
	bool whole = kind->of == DOCUMENT_OF_RUN,
	    list = kind->shape == DOCUMENT_SHAPE_LIST;
	struct store_run run;
	struct body t = { 0 };
	char *json = NULL;

	if (api_run(rq, rs, &run) < 0)
		return;
	api_tag(rq, rs, &run);
	if (whole && list) {
		if (run_list(rq, rs, &run, kind, &json) < 0)
			goto out;
	} else if ((json = api_document(rq, rs, &run, kind->noun, whole ? "" :
	    rq->param[1], missing[kind->of])) == NULL) {
		goto out;
	}
	if (list) {
		answer_items(rs, json);
	} else {
		body_add(&t, BODY_START);
		body_add_object(&t, json);
		body_finish(&t, rs);
	}
out:
	free(json);
	store_run_clear(&run);
}

/* Reads the sort of a kernel list. 0; -1 with ${rs} answered if there is no such
 * sort. */
static int
kernel_sort(struct request *rq, struct response *rs, enum store_sort *sort,
    bool *reverse)
{
	static const struct {
		const char *name;
		enum store_sort sort;
		bool reverse;
	} sorts[] = {
		{ "-gpu_time_ns", SORT_TIME, false },
		{ "gpu_time_ns", SORT_TIME, true },
		{ "-launches", SORT_LAUNCHES, false },
		{ "launches", SORT_LAUNCHES, true },
		{ "name", SORT_NAME, false },
		{ "-name", SORT_NAME, true },
	};
	const char *name = query_get(rq, "sort");
	size_t i;

	*sort = SORT_TIME;
	*reverse = false;
	if (name == NULL)
		return 0;
	for (i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++)
		if (strcmp(sorts[i].name, name) == 0) {
			*sort = sorts[i].sort;
			*reverse = sorts[i].reverse;
			return 0;
		}
	respond_problem(rs, PROBLEM_BAD_PARAMETER, "sort",
	    "sort is one of gpu_time_ns, launches, name; a - before it "
	    "reverses");
	return -1;
}

static void
finish_list(struct request *rq, struct response *rs, struct body *t,
    const char *next)
{
	body_add(t, ",\"next_cursor\":");
	if (next[0] != '\0') {
		body_add_json(t, json_string(next));
		api_next(rq, rs, next);
	} else {
		body_add(t, "null");
	}
	body_add(t, "}");
	body_finish(t, rs);
}

static void
kernels_page(struct request *rq, struct response *rs,
    const struct store_run *run)
{
	const char *cursor = query_get(rq, "cursor"),
	    *match = query_get(rq, "match");
	char next[STORE_CURSOR_SIZE] = "";
	struct error e = ERROR_INIT;
	struct store_doc *doc = NULL;
	struct body t = { 0 };
	enum store_sort sort;
	enum store_status status;
	uint64_t limit;
	bool reverse;
	size_t i, n = 0;

	if (api_number(rq, rs, "limit", LIST_LIMIT_DEFAULT, 1, LIST_LIMIT_MAX,
	    &limit) < 0 || kernel_sort(rq, rs, &sort, &reverse) < 0)
		return;
	if (match != NULL && strlen(match) > QUERY_MATCH_MAX) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "match",
		    "match has at most %d bytes", QUERY_MATCH_MAX);
		return;
	}
	status = store_docs_match(service_store(rq->service), run->number,
	    "kernel", match != NULL ? match : "", sort, reverse,
	    cursor != NULL ? cursor : "", limit, &doc, &n, next, &e);
	if (status == STORE_NONE) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "cursor",
		    "not a cursor of this list");
		return;
	}
	if (status != STORE_OK) {
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
		return;
	}
	body_add(&t, BODY_START ",\"items\":[");
	for (i = 0; i < n; i++) {
		if (i > 0)
			body_add(&t, ",");
		body_add(&t, doc[i].json);
	}
	body_add(&t, "]");
	finish_list(rq, rs, &t, next);
	store_docs_free(doc, n);
}

void
documents_kernels(struct request *rq, struct response *rs)
{
	struct store_run run;

	if (api_run(rq, rs, &run) < 0)
		return;
	api_tag(rq, rs, &run);
	kernels_page(rq, rs, &run);
	store_run_clear(&run);
}

static void
launches_page(struct request *rq, struct response *rs,
    const struct store_run *run)
{
	const char *cursor = query_get(rq, "cursor");
	char next[STORE_CURSOR_SIZE] = "";
	struct error e = ERROR_INIT;
	struct body t = { 0 };
	enum store_status status;
	json_t *items = NULL;
	uint64_t limit, kernel, from_ns, to_ns;
	char *known;

	if (api_number(rq, rs, "limit", LIST_LIMIT_DEFAULT, 1, LIST_LIMIT_MAX,
	    &limit) < 0 ||
	    api_number(rq, rs, "from_ns", 0, 0, INT64_MAX, &from_ns) < 0 ||
	    api_number(rq, rs, "to_ns", 0, 0, INT64_MAX, &to_ns) < 0)
		return;
	known = api_document(rq, rs, run, "kernel", rq->param[1],
	    PROBLEM_NO_KERNEL);
	if (known == NULL)
		return;
	free(known);
	if (strcmp(run->state, "live") == 0) {
		respond_problem(rs, PROBLEM_CONFLICT, NULL, "the run is still "
		    "live: its launches are listed when it has ended");
		return;
	}
	if (text_u64(rq->param[1], 1, UINT32_MAX, &kernel) < 0)
		kernel = 0;	/* not a valid id: no launches */
	status = service_launches(rq->service, run->number, (uint32_t)kernel,
	    from_ns, to_ns, cursor != NULL ? cursor : "", limit, &items, next, &e);
	if (status != STORE_OK) {
		json_decref(items);
		api_store_failed(rs, status, &e, PROBLEM_NO_KERNEL);
		return;
	}
	body_add(&t, BODY_START ",\"items\":");
	body_add_json(&t, items);
	finish_list(rq, rs, &t, next);
}

void
documents_launches(struct request *rq, struct response *rs)
{
	struct store_run run;

	if (api_run(rq, rs, &run) < 0)
		return;
	api_tag(rq, rs, &run);
	launches_page(rq, rs, &run);
	store_run_clear(&run);
}

/* A window of a run: [from_ns, to_ns) since its start (${to_ns} 0: to its end), and how
 * much detail is asked for: the query's parameter ${name} of asked_window. */
struct window {
	struct store_run run;
	uint64_t from_ns, to_ns, much;
};

static int
asked_window(struct request *rq, struct response *rs, const char *name,
    uint64_t usual, uint64_t most, struct window *w)
{

	if (api_number(rq, rs, "from_ns", 0, 0, INT64_MAX, &w->from_ns) < 0 ||
	    api_number(rq, rs, "to_ns", 0, 0, INT64_MAX, &w->to_ns) < 0)
		return -1;
	if (w->to_ns != 0 && w->to_ns <= w->from_ns) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "to_ns",
		    "to_ns must be greater than from_ns");
		return -1;
	}
	if (api_number(rq, rs, name, usual, 1, most, &w->much) < 0 ||
	    api_run(rq, rs, &w->run) < 0)
		return -1;
	api_tag(rq, rs, &w->run);
	return 0;
}

/* Answers with ${view}, which it takes. */
static void
respond_view(struct response *rs, enum store_status status, json_t *view,
    const struct error *e)
{

	if (status != STORE_OK) {
		json_decref(view);
		api_store_failed(rs, status, e, PROBLEM_NO_RUN);
		return;
	}
	if (view != NULL)
		json_object_set_new(view, "schema_version", json_integer(1));
	respond_json(rs, 200, view);
}

void
documents_timeline(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	enum store_status status;
	json_t *timeline = NULL;
	struct window w;

	if (asked_window(rq, rs, "px", TIMELINE_PX_DEFAULT, TIMELINE_PX_MAX,
	    &w) < 0)
		return;
	status = service_timeline(rq->service, w.run.number, w.from_ns,
	    w.to_ns, (unsigned)w.much, &timeline, &e);
	respond_view(rs, status, timeline, &e);
	store_run_clear(&w.run);
}

void
documents_window(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	enum store_status status;
	json_t *window = NULL;
	struct window w;

	if (asked_window(rq, rs, "limit", LIST_LIMIT_DEFAULT, WINDOW_MAX,
	    &w) < 0)
		return;
	status = service_window(rq->service, w.run.number, w.from_ns,
	    w.to_ns == 0 ? INT64_MAX : w.to_ns, w.much, &window, &e);
	respond_view(rs, status, window, &e);
	store_run_clear(&w.run);
}
