/*
 * http/route.h: the table of routes. The answers 404 and 405 (with Allow) and the check
 * of query parameters are derived from it, and a test compares it with
 * config/openapi.json.
 *
 * To add a resource: a row in http/routes.c, its handler, a path in
 * config/openapi.json, a case in tests/api. Documents of a run have their rows in
 * report/document.def, and need no handler of their own.
 */
#ifndef CADV_HTTP_ROUTE_H
#define CADV_HTTP_ROUTE_H

#include "http/message.h"

enum route_access {
	ACCESS_PUBLIC,		/* the page's files: no token */
	ACCESS_API,		/* token over TCP */
	ACCESS_LOCAL,		/* the unix socket only */
};

enum route_flag {
	ROUTE_BODY = 1,		/* requires a JSON object */
	ROUTE_MAY_BODY = 8,	/* with ROUTE_BODY: no body means {} */
	ROUTE_UPLOAD = 2,	/* requires a capture */
	ROUTE_SLOW = 4,		/* may take seconds: runs in a thread of its own */
};

struct route {
	enum http_method method;
	const char *path;	/* "/api/v1/runs/{id}": {…} matches one
				 * segment */
	void (*handler)(struct request *, struct response *);
	enum route_access access;
	unsigned flags;
	const char *arg;	/* for the handler: a noun */
	const char *query;	/* known parameters: "limit cursor sort"; NULL: none */
	const char *operation;	/* operationId in the OpenAPI document; NULL: not
				 * part of the API */
	const char *summary;
};

enum route_status { ROUTE_FOUND, ROUTE_NO_PATH, ROUTE_NO_METHOD };

/*
 * route_find(table, rows, method, t, param, found): find the row for ${method} and the
 * path of ${t}; ${param} gets the segments that match {…}. The first matching row
 * counts, so rows with fixed segments come first. *${found} is NULL unless the result
 * is ROUTE_FOUND.
 */
enum route_status route_find(const struct route *table, size_t rows,
    enum http_method method, const struct target *t, const char *param[2],
    const struct route **found);

/* route_allow(table, rows, t, out, size): the methods of that path as text: "GET, HEAD,
 * POST". */
void route_allow(const struct route *table, size_t rows,
    const struct target *t, char *out, size_t size);

/* route_bad_query(r, t): the first query parameter that ${r} does not know, or NULL. */
const char *route_bad_query(const struct route *r, const struct target *t);

/* The routes of this daemon, http/routes.c. */
extern const struct route api_routes[];
extern const size_t api_route_count;

#endif
