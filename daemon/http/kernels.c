#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "service/service.h"

#include "http/api.h"

#define PAGE 256		/* kernels read at once */

/* NULL with *${status} and ${e} set. */
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

json_t *
api_kernels(struct request *rq, struct response *rs,
    const struct store_run *run)
{
	struct error e = ERROR_INIT;
	enum store_status status;
	json_t *list = all_kernels(service_store(rq->service), run->number,
	    &status, &e);

	if (list == NULL)
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
	return list;
}
