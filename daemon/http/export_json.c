#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/document.h"
#include "service/service.h"

#include "http/api.h"

/* Every kernel with its metrics and lines, page by page. Its instructions are
 * left out: there may be 100,000. */
static enum store_status
export_kernels(struct store *s, int64_t number, struct body *t,
    struct error *e)
{
	char cursor[STORE_CURSOR_SIZE] = "", next[STORE_CURSOR_SIZE];
	struct store_doc *doc;
	enum store_status status;
	size_t i, n;
	char *metrics, *source;
	bool first = true;

	do {
		doc = NULL;
		n = 0;
		status = store_docs(s, number, "kernel", SORT_RANK, false,
		    cursor, 256, &doc, &n, next, e);
		if (status != STORE_OK)
			return status;
		for (i = 0; i < n; i++) {
			body_add(t, first ? "{\"kernel\":" : ",{\"kernel\":");
			first = false;
			body_add(t, doc[i].json);
			body_add(t, ",\"metrics\":");
			metrics = NULL;
			if (store_doc(s, number, "metrics", doc[i].id,
			    &metrics, NULL) == STORE_OK)
				body_add(t, metrics);
			else
				body_add(t, "[]");
			free(metrics);
			body_add(t, ",\"source\":");
			source = NULL;
			if (store_doc(s, number, "source", doc[i].id,
			    &source, NULL) == STORE_OK)
				body_add(t, source);
			else
				body_add(t, "null");
			free(source);
			body_add(t, "}");
		}
		store_docs_free(doc, n);
		memcpy(cursor, next, sizeof(cursor));
	} while (next[0] != '\0');
	return STORE_OK;
}

void
export_json(struct request *rq, struct response *rs,
    const struct store_run *run)
{
	struct store *s = service_store(rq->service);
	const struct document_kind *kind;
	struct error e = ERROR_INIT;
	enum store_status status;
	struct body t = { 0 };
	char *json;
	size_t i;

	body_add(&t, BODY_START ",\"run\":");
	body_add_json(&t, api_run_object(run));
	for (i = 0; i < DOCUMENTS; i++) {
		kind = &document_kind[i];
		if (kind->of != DOCUMENT_OF_RUN || i == DOCUMENT_run)
			continue;
		body_add(&t, ",\"");
		body_add(&t, kind->key);
		body_add(&t, "\":");
		json = NULL;
		status = store_doc(s, run->number, kind->noun, "", &json, &e);
		body_add(&t, status == STORE_OK ? json : "null");
		free(json);
	}
	body_add(&t, ",\"kernels\":[");
	status = export_kernels(s, run->number, &t, &e);
	body_add(&t, "]}");
	if (status != STORE_OK) {
		free(t.p);
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
		return;
	}
	body_finish(&t, rs);
}
