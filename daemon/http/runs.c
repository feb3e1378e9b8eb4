#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "capture/capture.h"
#include "service/service.h"
#include "report/json_util.h"

#include "http/api.h"

json_t *
api_run_object(const struct store_run *run)
{
	json_t *j = service_run_json(run);

	if (j != NULL)
		json_object_set_new(j, "revision",
		    json_integer(run->revision));
	return j;
}

static void
list_rows(struct request *rq, struct response *rs,
    const struct store_run *run, size_t n, bool more)
{
	struct body t = { 0 };
	char cursor[32] = "";
	size_t i;

	body_add(&t, BODY_START ",\"items\":[");
	for (i = 0; i < n; i++) {
		if (i > 0)
			body_add(&t, ",");
		body_add_json(&t, api_run_object(&run[i]));
	}
	body_add(&t, "],\"next_cursor\":");
	if (more && n > 0) {
		snprintf(cursor, sizeof(cursor), "r%" PRId64,
		    run[n - 1].number);
		body_add_json(&t, json_string(cursor));
		api_next(rq, rs, cursor);
	} else {
		body_add(&t, "null");
	}
	body_add(&t, "}");
	rs->live = true;	/* runs are added and deleted */
	body_finish(&t, rs);
}

void
runs_list(struct request *rq, struct response *rs)
{
	const char *cursor = query_get(rq, "cursor"),
	    *sort = query_get(rq, "sort");
	struct error e = ERROR_INIT;
	struct store_run *run = NULL;
	uint64_t limit, after = 0;
	enum store_status status;
	bool oldest;
	size_t n = 0;

	if (api_number(rq, rs, "limit", LIST_LIMIT_DEFAULT, 1, LIST_LIMIT_MAX,
	    &limit) < 0)
		return;
	if (cursor != NULL && (cursor[0] != 'r' ||
	    text_u64(cursor + 1, 1, INT64_MAX, &after) < 0)) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "cursor",
		    "not a cursor of this list");
		return;
	}
	oldest = sort != NULL && strcmp(sort, "number") == 0;
	if (sort != NULL && !oldest && strcmp(sort, "-number") != 0) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "sort",
		    "sort is -number or number");
		return;
	}
	/* One more than requested shows whether there is a next page. */
	status = store_runs(service_store(rq->service), (int64_t)after,
	    limit + 1, oldest, &run, &n, &e);
	if (status != STORE_OK)
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
	else
		list_rows(rq, rs, run, n > limit ? limit : n, n > limit);
	store_runs_free(run, n);
}

/* Answers with the run that the path names, and with the members of ${more} (taken; may
 * be NULL). */
static void
answer_run(struct request *rq, struct response *rs, json_t *more)
{
	struct service_trouble t;
	struct store_run run;
	json_t *j;

	if (api_run(rq, rs, &run) < 0) {
		json_decref(more);
		return;
	}
	api_tag(rq, rs, &run);
	j = api_run_object(&run);
	if (j != NULL)
		json_object_set_new(j, "schema_version", json_integer(1));
	if (j != NULL && strcmp(run.state, "live") == 0)
		json_object_set_new(j, "analysing", json_boolean(
		    service_analysing(rq->service, run.uuid)));
	if (j != NULL && service_trouble(rq->service, run.uuid, &t)) {
		json_object_set_new(j, "problem", json_pack("{s:o, s:o}",
		    "text", json_text(t.text), "remedy",
		    json_text(t.remedy[0] != '\0' ? t.remedy : NULL)));
		rs->live = true;	/* may change without a new revision */
		rs->client_has = false;
	}
	if (j != NULL && more != NULL)
		json_object_update(j, more);
	json_decref(more);
	respond_json(rs, 200, j);
	store_run_clear(&run);
}

void
runs_get(struct request *rq, struct response *rs)
{
	answer_run(rq, rs, NULL);
}

/* Answers with the present state of run ${number}; ${more} as in answer_run. */
static void
respond_run(struct request *rq, struct response *rs, int64_t number,
    int status, json_t *more)
{
	char id[24];

	snprintf(id, sizeof(id), "%" PRId64, number);
	rq->param[0] = id;
	rq->if_none_match = NULL;
	answer_run(rq, rs, more);
	if (rs->status != 200)
		return;
	rs->status = status;
	rs->live = true;	/* responses to changes must not be cached */
	if (status == 201)
		respond_header(rs, "Location", "/api/v1/runs/%" PRId64,
		    number);
}

/* Reads label and pinned from the body. 0; -1 with ${rs} answered. */
static int
patch_members(struct request *rq, struct response *rs, const char **label,
    int *pinned)
{
	json_t *j;

	*label = NULL;
	*pinned = -1;
	if (api_body_known(rq, rs, "label pinned") < 0)
		return -1;
	j = json_object_get(rq->body, "label");
	if (j != NULL && !json_is_null(j)) {
		*label = json_string_value(j);
		if (*label == NULL || json_string_length(j) > LABEL_MAX ||
		    strlen(*label) != json_string_length(j)) {
			respond_problem(rs, PROBLEM_BAD_BODY, "/label", "label "
			    "must be text of at most %d bytes, or null",
			    LABEL_MAX);
			return -1;
		}
	} else if (j != NULL) {
		*label = "";
	}
	j = json_object_get(rq->body, "pinned");
	if (j != NULL && !json_is_boolean(j)) {
		respond_problem(rs, PROBLEM_BAD_BODY, "/pinned",
		    "pinned must be true or false");
		return -1;
	}
	if (j != NULL)
		*pinned = json_is_true(j);
	if (*label == NULL && *pinned < 0) {
		respond_problem(rs, PROBLEM_BAD_BODY, "",
		    "give label, pinned or both");
		return -1;
	}
	return 0;
}

/* Whether If-Match allows changing ${run}. False with ${rs} answered. */
static bool
match_holds(struct request *rq, struct response *rs,
    const struct store_run *run)
{
	char tag[80];

	if (rq->if_match == NULL || strcmp(rq->if_match, "*") == 0)
		return true;
	snprintf(tag, sizeof(tag), "\"%s-%" PRId64 "\"", run->uuid,
	    run->revision);
	if (strcmp(rq->if_match, tag) == 0)
		return true;
	respond_problem(rs, PROBLEM_CHANGED, NULL,
	    "the run's ETag is %s now", tag);
	return false;
}

void
runs_patch(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	struct store_run run;
	enum store_status status;
	const char *label;
	int pinned;

	if (api_run(rq, rs, &run) < 0)
		return;
	if (match_holds(rq, rs, &run) &&
	    patch_members(rq, rs, &label, &pinned) == 0) {
		status = service_patch(rq->service, run.number, label, pinned,
		    &e);
		if (status != STORE_OK)
			api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
		else
			respond_run(rq, rs, run.number, 200, NULL);
	}
	store_run_clear(&run);
}

static void
conflict(struct response *rs, const char *what)
{
	respond_problem(rs, PROBLEM_CONFLICT, NULL, "the run is still live: "
	    "it cannot be %s before its program has ended", what);
}

void
runs_delete(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	struct store_run run;
	enum store_status status;

	if (api_run(rq, rs, &run) < 0)
		return;
	if (!match_holds(rq, rs, &run))
		goto out;
	if (strcmp(run.state, "live") == 0) {
		conflict(rs, "deleted");
		goto out;
	}
	status = service_delete(rq->service, run.number, &e);
	if (status != STORE_OK)
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
	else
		rs->status = 204;
	rs->live = true;
out:
	store_run_clear(&run);
}

void
runs_reanalyze(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	struct store_run run;
	enum store_status status;

	if (api_body_known(rq, rs, "") < 0 || api_run(rq, rs, &run) < 0)
		return;
	if (strcmp(run.state, "live") == 0) {
		conflict(rs, "analysed again");
		goto out;
	}
	status = service_reanalyze(rq->service, run.number, &e);
	if (status != STORE_OK)
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
	else
		respond_run(rq, rs, run.number, 200, NULL);
out:
	store_run_clear(&run);
}

/* The problem to answer for a failed import. */
static enum problem
import_problem(const struct error *e)
{

	switch (e->code) {
	case ERROR_NO_SPACE:
		return PROBLEM_NO_SPACE;
	case ERROR_MEMORY:
	case ERROR_BUSY:
		return PROBLEM_BUSY;
	default:
		return stop_asked() ? PROBLEM_BUSY : PROBLEM_NOT_CAPTURE;
	}
}

void
runs_import(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	struct capture_stats stats;
	int64_t number;

	if (service_import(rq->service, rq->upload_fd, &e, &number,
	    &stats) == 0)
		respond_run(rq, rs, number, 201, json_pack("{s:{s:b, s:I}}",
		    "uploaded", "truncated", stats.truncated,
		    "damaged", (json_int_t)stats.damaged));
	else
		respond_problem(rs, import_problem(&e), NULL, "%s%s%s",
		    e.text, e.remedy[0] != '\0' ? ": " : "", e.remedy);
}
