#include <stdlib.h>

#include "service/service.h"
#include "report/compare.h"

#include "http/api.h"

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

/* -1 with ${rs} answered. */
static int
side_load(struct side *s, struct request *rq, struct response *rs,
    const char *name)
{
	const char *id = query_get(rq, name);
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
	s->kernels = api_kernels(rq, rs, &s->row);
	return s->kernels != NULL ? 0 : -1;
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
