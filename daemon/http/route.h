/*
 * http/route.h: the table of routes. 404, 405 with its Allow header and the
 * check of query parameters derive from it; so does the test that compares it
 * with config/openapi.json.
 *
 * To add a resource: a row in http/routes.c, its handler, a path in
 * config/openapi.json, a case in tests/api. Documents of a run have their rows
 * in report/document.def, and no handler of their own.
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
	ROUTE_SLOW = 4,		/* may take seconds: runs in a thread of its
				 * own */
};

struct route {
	enum http_method method;
	const char *path;	/* "/api/v1/runs/{id}": {…} matches one
				 * segment */
	void (*handler)(struct request *, struct response *);
	enum route_access access;
	unsigned flags;
	const char *arg;	/* argument of the handler: a noun */
	const char *query;	/* "limit cursor sort", NULL: takes none */
	const char *operation;	/* operationId in the OpenAPI document; NULL:
				 * not a part of the API */
	const char *summary;
};

enum route_status { ROUTE_FOUND, ROUTE_NO_PATH, ROUTE_NO_METHOD };

/*
 * route_find(table, rows, method, t, param, found): the row for ${method} and
 * the path of ${t}; ${param} gets the matches of {…}. The first row that
 * matches wins: rows with fixed segments come first. *${found} is NULL unless
 * ROUTE_FOUND.
 */
enum route_status route_find(const struct route *table, size_t rows,
    enum http_method method, const struct target *t, const char *param[2],
    const struct route **found);

/* route_allow(table, rows, t, out, size): the methods of that path, as "GET,
 * POST". */
void route_allow(const struct route *table, size_t rows,
    const struct target *t, char *out, size_t size);

/* route_bad_query(r, t): the first query parameter that is not in ${r}, or
 * NULL. */
const char *route_bad_query(const struct route *r, const struct target *t);

/* The table of this daemon, http/routes.c. */
extern const struct route api_routes[];
extern const size_t api_route_count;

#endif
