/*
 * http/route.h: which function answers which request. 404, 405 with its Allow
 * header and the check of query parameters all come from the table; so does
 * the test that holds it against config/openapi.json.
 *
 * To add a resource: a row in http/api.c, its handler, a path in
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
	ROUTE_BODY = 1,		/* takes a JSON object */
	ROUTE_MAY_BODY = 8,	/* … or no body at all, which is {} */
	ROUTE_UPLOAD = 2,	/* takes a capture */
	ROUTE_SLOW = 4,		/* may work for seconds: has a thread of its
				 * own while it does */
};

struct route {
	enum http_method method;
	const char *path;	/* "/api/v1/runs/{id}": {…} is one segment */
	void (*handler)(struct request *, struct response *);
	enum route_access access;
	unsigned flags;
	const char *arg;	/* for the handler: which noun */
	const char *query;	/* "limit cursor sort", NULL: takes none */
	const char *operation;	/* operationId in the OpenAPI document; NULL:
				 * no part of the API */
	const char *summary;
};

enum route_status { ROUTE_FOUND, ROUTE_NO_PATH, ROUTE_NO_METHOD };

/*
 * route_find(table, rows, method, t, param, found): the row for ${method} and
 * the path of ${t}; ${param} gets what the {…} matched. A row with fixed
 * segments is preferred by standing earlier in the table. *${found} is NULL
 * unless ROUTE_FOUND.
 */
enum route_status route_find(const struct route *table, size_t rows,
    enum http_method method, const struct target *t, const char *param[2],
    const struct route **found);

/* route_allow(table, rows, t, out, size): "GET, POST": methods of that path. */
void route_allow(const struct route *table, size_t rows,
    const struct target *t, char *out, size_t size);

/* route_bad_query(r, t): the first query parameter that ${r} does not take, or
 * NULL. */
const char *route_bad_query(const struct route *r, const struct target *t);

/* The table of this daemon, http/api.c. */
extern const struct route api_routes[];
extern const size_t api_route_count;

#endif
