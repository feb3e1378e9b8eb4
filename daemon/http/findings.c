/*
 * The findings of all runs, newest run first. Reading one page looks at a bounded part
 * of the store: a page may therefore have fewer items than asked for, or none, although
 * a next page follows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text.h"
#include "report/json_util.h"
#include "report/text_util.h"
#include "rules/engine/finding.h"
#include "service/service.h"

#include "http/api.h"

#define RUNS_AT_ONCE 50
#define FINDINGS_AT_ONCE 50
/* Limits of what is looked at for one page: findings of about 10 kB each take some
 * tenths of a second. */
#define RUNS_MOST 1000
#define FINDINGS_MOST 2000
#define SINCE_MAX 40		/* bytes of ?since= */

/* The request, and how far the search got. */
struct search {
	const char *rule, *program;	/* NULL: any */
	int least;			/* enum severity */
	int64_t since_ns;		/* CLOCK_REALTIME; 0: ever */
	bool worth_it;			/* only findings with "worth_it" */
	char only[24];			/* the number of the only run; "": every run */
	uint64_t limit;
	/* Position of the search: */
	int64_t run;			/* the current run; 0: none yet */
	char after[STORE_CURSOR_SIZE];	/* cursor in that run; "": that run is done */
	/* The page: */
	struct body *body;
	size_t items, runs, findings;	/* items written; runs and findings looked at */
	bool full, end;
};

static int
read_severity(struct request *rq, struct response *rs, struct search *s)
{
	const char *name = query_get(rq, "severity");

	s->least = name != NULL ? severity_called(name) : SEV_INFO;
	if (s->least >= 0)
		return 0;
	respond_problem(rs, PROBLEM_BAD_PARAMETER, "severity",
	    "severity is one of info, low, medium, high: the least");
	return -1;
}

static int
read_worth(struct request *rq, struct response *rs, struct search *s)
{
	const char *worth = query_get(rq, "worth_it");

	s->worth_it = worth != NULL && strcmp(worth, "true") == 0;
	if (worth == NULL || s->worth_it || strcmp(worth, "false") == 0)
		return 0;
	respond_problem(rs, PROBLEM_BAD_PARAMETER, "worth_it",
	    "worth_it is true (only those) or false (all)");
	return -1;
}

/* Reads "12" (continue after run 12) or "12.3" (after the third finding of run 12). */
static int
read_cursor(struct request *rq, struct response *rs, struct search *s)
{
	const char *cursor = query_get(rq, "cursor"), *dot;
	char run[24];
	uint64_t number, rank;

	if (cursor == NULL)
		return 0;
	dot = strchr(cursor, '.');
	snprintf(run, sizeof(run), "%.*s", (int)(dot != NULL ? dot - cursor :
	    23), cursor);
	if (text_u64(run, 1, INT64_MAX, &number) == 0 && (dot == NULL ||
	    text_u64(dot + 1, 1, INT32_MAX, &rank) == 0)) {
		s->run = (int64_t)number;
		text_copy(s->after, sizeof(s->after), dot != NULL ? dot + 1 :
		    "");
		return 0;
	}
	respond_problem(rs, PROBLEM_BAD_PARAMETER, "cursor",
	    "not a cursor of this list");
	return -1;
}

/* Reads the query. 0; -1 with ${rs} answered. */
static int
read_search(struct request *rq, struct response *rs, struct search *s)
{
	const char *since = query_get(rq, "since"), *run = query_get(rq, "run");
	struct store_run found;
	bool elsewhere;

	if (api_number(rq, rs, "limit", LIST_LIMIT_DEFAULT, 1, LIST_LIMIT_MAX,
	    &s->limit) < 0 || read_severity(rq, rs, s) < 0 ||
	    read_worth(rq, rs, s) < 0 || read_cursor(rq, rs, s) < 0)
		return -1;
	s->rule = query_get(rq, "rule");
	if (s->rule != NULL && rule_find(s->rule) == NULL) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "rule",
		    "there is no practice '%.64s': /api/v1/rules lists them",
		    s->rule);
		return -1;
	}
	s->program = query_get(rq, "program");
	if (s->program != NULL && strlen(s->program) > QUERY_MATCH_MAX) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "program",
		    "program has at most %d bytes", QUERY_MATCH_MAX);
		return -1;
	}
	if (since != NULL && (strlen(since) > SINCE_MAX ||
	    text_instant(since, &s->since_ns) < 0)) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "since", "since is "
		    "a date or an instant in UTC: 2026-11-20, "
		    "2026-11-20T13:26:15Z");
		return -1;
	}
	if (run == NULL)
		return 0;
	if (api_run_called(rq, rs, run, &found) < 0)
		return -1;
	snprintf(s->only, sizeof(s->only), "%" PRId64, found.number);
	elsewhere = s->run != 0 && s->run != found.number;
	store_run_clear(&found);
	if (!elsewhere)
		return 0;
	respond_problem(rs, PROBLEM_BAD_PARAMETER, "cursor",
	    "the cursor is of another run than ?run=");
	return -1;
}

/* Whether the run matches the query. Then *${of} describes it in the items; NULL
 * without memory. */
static bool
run_wanted(const struct search *s, const struct store_run *run, json_t **of)
{
	json_t *doc = NULL;
	const char *command;
	bool wanted;

	*of = NULL;
	if (run->json == NULL || (s->since_ns > 0 && run->started_ns <
	    s->since_ns))
		return false;
	doc = json_loads(run->json, 0, NULL);
	command = field_text(doc, "command");
	wanted = s->program == NULL || (command != NULL &&
	    strcasestr(command, s->program) != NULL);
	if (wanted)
		*of = json_pack("{s:I, s:s, s:O?, s:s?, s:O?}",
		    "number", (json_int_t)run->number,
		    "id", run->uuid,
		    "command", json_object_get(doc, "command"),
		    "label", run->label,
		    "started_at", json_object_get(doc, "started_at"));
	json_decref(doc);
	return wanted;
}

static bool
finding_wanted(const struct search *s, const json_t *f)
{

	return (!s->worth_it || field_true(f, "worth_it")) &&
	    (s->rule == NULL || strcmp(or_unknown(field_text(f, "rule")),
	    s->rule) == 0) &&
	    severity_called(field_text(f, "severity")) >= s->least;
}

/* Adds the finding in ${text}, if it matches, with the members that a list shows. 0; -1
 * without memory. */
static int
add_finding(struct search *s, json_t *of, const char *text)
{
	static const char *const keys[] = { "id", "rank", "rule", "title",
		"category", "severity", "confidence", "worth_it", "where",
		"location", "saves", "summary", "change" };
	json_t *f = json_loads(text, 0, NULL), *item;
	size_t i;

	if (f == NULL)
		return -1;
	if (!finding_wanted(s, f)) {
		json_decref(f);
		return 0;
	}
	item = json_pack("{s:O}", "run", of);
	for (i = 0; item != NULL && i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set(item, keys[i], json_object_get(f, keys[i]));
	json_decref(f);
	if (s->items++ > 0)
		body_add(s->body, ",");
	body_add_json(s->body, item);
	s->full = s->items >= s->limit;
	return s->body->failed ? -1 : 0;
}

/* Adds the findings of run s->run from s->after on. s->after becomes "" when all of
 * them were looked at. */
static enum store_status
search_run(struct store *store, struct search *s, json_t *of, struct error *e)
{
	char next[STORE_CURSOR_SIZE];
	struct store_doc *doc;
	enum store_status st;
	size_t n, i, many;

	do {
		/* Read no more than fit on the page: the cursor stands behind all that
		 * were read. */
		many = s->limit - s->items < FINDINGS_AT_ONCE ?
		    (size_t)(s->limit - s->items) : FINDINGS_AT_ONCE;
		st = store_docs(store, s->run, "finding", SORT_RANK, false,
		    s->after, many, &doc, &n, next, e);
		if (st != STORE_OK)
			return st;
		for (i = 0; i < n && st == STORE_OK; i++)
			if (add_finding(s, of, doc[i].json) != 0)
				st = STORE_FAILED;
		s->findings += n;
		store_docs_free(doc, n);
		text_copy(s->after, sizeof(s->after), next);
		if (s->findings >= FINDINGS_MOST)
			s->full = true;
	} while (st == STORE_OK && s->after[0] != '\0' && !s->full);
	return st;
}

/* Searches ${run}, until it is done or the page is full. */
static enum store_status
search_one(struct store *store, struct search *s, const struct store_run *run,
    struct error *e)
{
	enum store_status st = STORE_OK;
	json_t *of;

	if (run->number != s->run)
		s->after[0] = '\0';
	s->run = run->number;
	if (!run_wanted(s, run, &of))
		s->after[0] = '\0';
	else
		st = of != NULL ? search_run(store, s, of, e) : STORE_FAILED;
	json_decref(of);
	if (++s->runs >= RUNS_MOST)
		s->full = true;
	return st;
}

/* Searches the run in which the last page ended, or the one that the query names; then,
 * unless it names one, the older runs. */
static enum store_status
search_runs(struct store *store, struct search *s, struct error *e)
{
	struct store_run one, *run = NULL;
	enum store_status st = STORE_OK;
	bool begun = s->after[0] != '\0';
	size_t n, i;
	char id[24];

	snprintf(id, sizeof(id), "%" PRId64, s->run);
	if (begun || (s->only[0] != '\0' && s->run == 0)) {
		st = store_run_find(store, begun ? id : s->only, &one, e);
		if (st == STORE_OK) {
			st = search_one(store, s, &one, e);
			store_run_clear(&one);
		} else if (st == STORE_NONE) {	/* deleted meanwhile */
			s->after[0] = '\0';
			st = STORE_OK;
		}
	}
	s->end = s->only[0] != '\0' && s->after[0] == '\0';
	while (st == STORE_OK && !s->full && !s->end) {
		st = store_runs(store, s->run, RUNS_AT_ONCE, false, &run, &n,
		    e);
		for (i = 0; i < n && st == STORE_OK && !s->full; i++)
			st = search_one(store, s, &run[i], e);
		s->end = st == STORE_OK && n < RUNS_AT_ONCE && i == n &&
		    s->after[0] == '\0';
		if (st == STORE_OK)
			store_runs_free(run, n);
	}
	return st;
}

void
findings_list(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	struct body body = { 0 };
	struct search s = { .body = &body };
	enum store_status st;
	char next[STORE_CURSOR_SIZE + 24];

	if (read_search(rq, rs, &s) < 0)
		return;
	body_add(&body, BODY_START ",\"items\":[");
	st = search_runs(service_store(rq->service), &s, &e);
	if (st != STORE_OK) {
		free(body.p);
		api_store_failed(rs, st, &e, PROBLEM_NO_RUN);
		return;
	}
	body_add(&body, "],\"next_cursor\":");
	if (s.end) {
		body_add(&body, "null}");
	} else {
		snprintf(next, sizeof(next), "%" PRId64 "%s%s", s.run,
		    s.after[0] != '\0' ? "." : "", s.after);
		body_add_json(&body, json_string(next));
		body_add(&body, "}");
		api_next(rq, rs, next);
	}
	rs->live = true;	/* runs are added and deleted */
	body_finish(&body, rs);
}
