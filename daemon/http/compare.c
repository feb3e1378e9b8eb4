#include <stdlib.h>

#include "compare/conditions.h"
#include "compare/trial.h"
#include "service/service.h"

#include "http/api.h"

/* The documents of one run. */
struct side {
	struct store_run row;
	json_t *run, *findings, *kernels, *conditions;
};

static void
side_release(struct side *s)
{
	json_decref(s->run);
	json_decref(s->findings);
	json_decref(s->kernels);
	json_decref(s->conditions);
	store_run_clear(&s->row);
}

/* A document of the run; JSON null if the run lacks it. NULL with ${rs} answered. */
static json_t *
maybe(const struct side *s, struct request *rq, struct response *rs,
    const char *noun)
{
	char *text;
	json_t *j;

	if (api_document_maybe(rq, rs, &s->row, noun, "", &text) != 0)
		return NULL;
	j = text != NULL ? json_loads(text, 0, NULL) : json_null();
	free(text);
	return j != NULL ? j : json_null();
}

/* 0; -1 with ${rs} answered. */
static int
conditions_load(struct side *s, struct request *rq, struct response *rs)
{
	json_t *processes = maybe(s, rq, rs, "processes");
	json_t *devices = processes != NULL ? maybe(s, rq, rs, "devices") :
	    NULL;

	if (devices != NULL)
		s->conditions = conditions_of(s->run, processes, devices);
	json_decref(processes);
	json_decref(devices);
	return devices != NULL ? 0 : -1;
}

/* 0; -1 with ${rs} answered. */
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
	return s->kernels != NULL ? conditions_load(s, rq, rs) : -1;
}

void
compare_get(struct request *rq, struct response *rs)
{
	struct side side[SIDES] = { { .run = NULL }, { .run = NULL } };
	struct trial_run run[SIDES];
	uint32_t allowed;
	json_t *compare;
	int i;

	if (conditions_parse(query_get(rq, "allow"), &allowed) != 0) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, "allow", "allow "
		    "takes the codes of reasons, with commas between");
		return;
	}
	if (side_load(&side[BASE], rq, rs, "base") == 0 &&
	    side_load(&side[TARGET], rq, rs, "target") == 0) {
		for (i = 0; i < SIDES; i++)
			run[i] = (struct trial_run){ side[i].run,
				side[i].findings, side[i].kernels,
				side[i].conditions };
		compare = trial_compare(&run[BASE], &run[TARGET], allowed);
		if (compare != NULL)
			json_object_set_new(compare, "schema_version",
			    json_integer(1));
		respond_json(rs, 200, compare);
	}
	side_release(&side[BASE]);
	side_release(&side[TARGET]);
}
