/* The source document of a kernel, with its instructions if the query asks for them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "service/service.h"
#include "report/json_source.h"

#include "http/api.h"

/* Why kernels of ${run} have no source document. */
static const struct reason *
why_none(const struct store_run *run)
{
	json_t *j = run->json != NULL ? json_loads(run->json, 0, NULL) : NULL;
	const char *level = json_string_value(json_object_get(j, "level"));
	const struct reason *why = source_missing(level, run->state);

	json_decref(j);
	return why;
}

/* The answer for a kernel without a source document. NULL with ${rs} answered if there
 * is no such kernel. */
static char *
none(struct request *rq, struct response *rs, const struct store_run *run)
{
	uint64_t id = 0;
	char *text;
	json_t *j, *kernel;

	text = api_document(rq, rs, run, "kernel", rq->param[1],
	    PROBLEM_NO_KERNEL);
	if (text == NULL)
		return NULL;
	kernel = json_loads(text, 0, NULL);
	free(text);
	text_u64(rq->param[1], 0, UINT32_MAX, &id);
	j = json_source_none((uint32_t)id, why_none(run));
	json_object_set(j, "name", json_object_get(kernel, "name"));
	json_object_set(j, "function", json_object_get(kernel, "mangled"));
	json_decref(kernel);
	text = j != NULL ? json_dumps(j, JSON_COMPACT) : NULL;
	json_decref(j);
	if (text == NULL)
		respond_problem(rs, PROBLEM_INTERNAL, NULL, "out of memory");
	return text;
}

void
documents_source(struct request *rq, struct response *rs)
{
	char *json = NULL, *instructions = NULL;
	struct store_run run;
	struct body t = { 0 };
	uint64_t sass;

	if (api_number(rq, rs, "sass", 0, 0, 1, &sass) < 0 ||
	    api_run(rq, rs, &run) < 0)
		return;
	api_tag(rq, rs, &run);
	if (api_document_maybe(rq, rs, &run, "source", rq->param[1],
	    &json) < 0 ||
	    (json == NULL && (json = none(rq, rs, &run)) == NULL))
		goto out;
	if (sass != 0 && api_document_maybe(rq, rs, &run, "instructions",
	    rq->param[1], &instructions) < 0)
		goto out;
	body_add(&t, BODY_START);
	if (sass != 0) {
		body_add(&t, ",\"instructions\":");
		body_add(&t, instructions != NULL ? instructions : "[]");
	}
	body_add_object(&t, json);
	body_finish(&t, rs);
out:
	free(instructions);
	free(json);
	store_run_clear(&run);
}
