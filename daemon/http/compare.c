#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "service/service.h"
#include "report/compare.h"

#include "http/api.h"

#define PAGE 256		/* kernels read at once */

/* The documents of one run. */
struct side {
	struct store_run row;
	json_t *run, *findings, *kernels;
};

static void
side_release(struct side *s)
{
	json_decref(s->run);
	json_decref(s->findings);
	json_decref(s->kernels);
	store_run_clear(&s->row);
}

/* Every kernel of ${run} as one array; NULL with ${status} set. */
static json_t *
all_kernels(struct store *store, int64_t run, enum store_status *status,
    struct error *e)
{
	char cursor[STORE_CURSOR_SIZE] = "", next[STORE_CURSOR_SIZE];
	json_t *list = json_array();
	struct store_doc *doc;
	size_t i, n;

	*status = STORE_FAILED;
	while (list != NULL) {
		doc = NULL;
		n = 0;
		*status = store_docs(store, run, "kernel", SORT_RANK, false,
		    cursor, PAGE, &doc, &n, next, e);
		for (i = 0; *status == STORE_OK && i < n; i++)
			json_array_append_new(list, json_loads(doc[i].json, 0,
			    NULL));
		store_docs_free(doc, n);
		if (*status != STORE_OK) {
			json_decref(list);
			return NULL;
		}
		if (next[0] == '\0')
			break;
		memcpy(cursor, next, sizeof(cursor));
	}
	return list;
}

/* -1 with ${rs} answered. */
static int
side_load(struct side *s, struct request *rq, struct response *rs,
    const char *name)
{
	const char *id = query_get(rq, name);
	struct error e = ERROR_INIT;
	enum store_status status;
	char *text;

	if (id == NULL) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, name, "%s is the "
		    "number or id of a run", name);
		return -1;
	}
	if (api_run_called(rq, rs, id, &s->row) < 0)
		return -1;
	if (s->row.json == NULL) {
		respond_problem(rs, PROBLEM_NO_DOCUMENT, NULL, "run '%.64s' is "
		    "not analysed yet", id);
		return -1;
	}
	text = api_document(rq, rs, &s->row, "findings", "",
	    PROBLEM_NO_DOCUMENT);
	if (text == NULL)
		return -1;
	s->findings = json_loads(text, 0, NULL);
	free(text);
	s->run = service_run_json(&s->row);
	s->kernels = all_kernels(service_store(rq->service), s->row.number,
	    &status, &e);
	if (s->kernels == NULL) {
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
		return -1;
	}
	return 0;
}

void
compare_get(struct request *rq, struct response *rs)
{
	struct side side[2] = { { .run = NULL }, { .run = NULL } };
	json_t *compare;

	if (side_load(&side[0], rq, rs, "base") == 0 &&
	    side_load(&side[1], rq, rs, "target") == 0) {
		struct compare_side base = { side[0].run, side[0].findings,
		    side[0].kernels };
		struct compare_side target = { side[1].run, side[1].findings,
		    side[1].kernels };

		compare = compare_runs(&base, &target);
		if (compare != NULL)
			json_object_set_new(compare, "schema_version",
			    json_integer(1));
		respond_json(rs, 200, compare);
	}
	side_release(&side[0]);
	side_release(&side[1]);
}
