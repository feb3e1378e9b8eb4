/*
 * http/api.h: the handlers of the route table (http/routes.c), and helpers that they
 * share (api.c). A handler fills the response and does not use the connection.
 */
#ifndef CADV_HTTP_API_H
#define CADV_HTTP_API_H

#include "http/message.h"
#include "http/problem.h"
#include "store/store.h"

#define LIST_LIMIT_DEFAULT 100
#define LIST_LIMIT_MAX 1000
#define LABEL_MAX 200		/* bytes */
#define QUERY_MATCH_MAX 100	/* bytes of ?match= and ?program= */

/*
 * api_run(rq, rs, run): the run that the first parameter of the path names. 0: the
 * caller calls store_run_clear; -1: there is no such run, and ${rs} is answered.
 */
int api_run(struct request *rq, struct response *rs, struct store_run *run);
/* The same for the run with number, id or id prefix ${id}. */
int api_run_called(struct request *rq, struct response *rs, const char *id,
    struct store_run *run);

/* api_run_object(run): the run as the API shows it. New reference, or NULL
 * without memory. */
json_t *api_run_object(const struct store_run *run);

/* api_tag(rq, rs, run): set the ETag of ${run} (a live run: no-store), and
 * rs->client_has if the client has this revision already (exchange_end). */
void api_tag(struct request *rq, struct response *rs,
    const struct store_run *run);

/* api_store_failed(rs, status, e, none): answer a status other than STORE_OK;
 * ${none} is the problem for STORE_NONE. */
void api_store_failed(struct response *rs, enum store_status status,
    const struct error *e, enum problem none);

/*
 * api_document(rq, rs, run, noun, id, none): the document ${noun}/${id} of ${run},
 * malloced. NULL with ${rs} answered, as problem ${none} if there is no such document
 * (PROBLEM_NO_DOCUMENT if ${id} is "").
 */
char *api_document(struct request *rq, struct response *rs,
    const struct store_run *run, const char *noun, const char *id,
    enum problem none);

/*
 * api_document_maybe(rq, rs, run, noun, id, json): the same in *${json}, which is NULL
 * if there is none: live runs, and runs analysed by an older version, lack some
 * documents. 0; -1 with ${rs} answered.
 */
int api_document_maybe(struct request *rq, struct response *rs,
    const struct store_run *run, const char *noun, const char *id,
    char **json);

/* api_kernels(rq, rs, run): every kernel of ${run} in one array. New reference; NULL
 * with ${rs} answered. */
json_t *api_kernels(struct request *rq, struct response *rs,
    const struct store_run *run);

/* api_number(rq, rs, name, fallback, low, high, out): a decimal query parameter within
 * [low, high]; ${fallback} if it is not given. 0; -1 with ${rs} answered. */
int api_number(struct request *rq, struct response *rs, const char *name,
    uint64_t fallback, uint64_t low, uint64_t high, uint64_t *out);

/* api_next(rq, rs, cursor): add the Link header to the next page, with the parameters
 * of this one. */
void api_next(struct request *rq, struct response *rs, const char *cursor);

/* api_body_known(rq, rs, names): 0; -1 with ${rs} answered if the body has a member
 * that is not among the space-separated ${names}. */
int api_body_known(struct request *rq, struct response *rs,
    const char *names);

/*
 * A response body put together from documents, which are stored as JSON text. Parsing
 * them only to print them again would be the most expensive step of a request.
 */
struct body {
	char *p;
	size_t length, size;
	bool failed;		/* no memory */
};
void body_add(struct body *t, const char *s);
void body_add_json(struct body *t, json_t *j);	/* takes ${j}; NULL fails */
/* body_finish(t, rs): answer 200 with the body as application/json; 500 if memory was
 * lacking. */
void body_finish(struct body *t, struct response *rs);

/* How every object in a response begins. */
#define BODY_START "{\"schema_version\":1"

/* body_add_object(t, json): after BODY_START, add the members of the object ${json}
 * without its schema_version, and the closing brace. */
void body_add_object(struct body *t, const char *json);

/* --- handlers, by file ---------------------------------------------------- */

/* runs.c */
void runs_list(struct request *rq, struct response *rs);
void runs_get(struct request *rq, struct response *rs);
void runs_patch(struct request *rq, struct response *rs);
void runs_delete(struct request *rq, struct response *rs);
void runs_import(struct request *rq, struct response *rs);
void runs_reanalyze(struct request *rq, struct response *rs);

/* export.c: a run as a file. The format is the route's arg or the query's. */
void runs_export(struct request *rq, struct response *rs);

/* documents.c: parts of one run. documents_get: the document of report/document.def
 * that the route's arg names. */
void documents_get(struct request *rq, struct response *rs);
void documents_kernels(struct request *rq, struct response *rs);
void documents_launches(struct request *rq, struct response *rs);
void documents_timeline(struct request *rq, struct response *rs);
void documents_window(struct request *rq, struct response *rs);

/* findings.c: of all runs */
void findings_list(struct request *rq, struct response *rs);

/* compare.c */
void compare_get(struct request *rq, struct response *rs);

/* documents_source.c: a kernel's lines and instructions */
void documents_source(struct request *rq, struct response *rs);

/* meta.c: about the daemon itself */
void meta_version(struct request *rq, struct response *rs);
void meta_health(struct request *rq, struct response *rs);
void meta_metrics(struct request *rq, struct response *rs);
void meta_rules(struct request *rq, struct response *rs);
void meta_rule(struct request *rq, struct response *rs);
void meta_events(struct request *rq, struct response *rs);
void meta_run_events(struct request *rq, struct response *rs);
void meta_dashboard(struct request *rq, struct response *rs);
void meta_open(struct request *rq, struct response *rs);
void meta_shutdown(struct request *rq, struct response *rs);
void meta_problem(struct request *rq, struct response *rs);

/* assets.c: files that are built in */
void assets_get(struct request *rq, struct response *rs);

#endif
