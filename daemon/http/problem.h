/*
 * http/problem.h: all errors of the API, as application/problem+json (RFC
 * 9457). A row: the slug, which is also the page /problems/<slug>, the status,
 * a title, and the remedy.
 */
#ifndef CADV_HTTP_PROBLEM_H
#define CADV_HTTP_PROBLEM_H

#include "http/message.h"

#define PROBLEMS(X)							\
	X(BAD_REQUEST, "bad-request", 400, "Malformed request",		\
	    "No part of the path may be empty or hold a slash, and all is " \
	    "percent-encoded UTF-8.")	\
	X(BAD_PARAMETER, "bad-parameter", 400, "Bad query parameter",	\
	    "The parameter is unknown here, given twice, or its value is " \
	    "not valid. The OpenAPI document lists what each path takes.") \
	X(BAD_BODY, "bad-body", 400, "Bad request body",		\
	    "The body is not the JSON object that this path takes; " \
	    "\"errors\" points at what is wrong.")			\
	X(NO_HOST, "no-host", 400, "Missing Host header",		\
	    "A request over TCP must say which host it is for.")	\
	X(UNAUTHORIZED, "unauthorized", 401, "Token missing or wrong",	\
	    "Send Authorization: Bearer TOKEN. `cudadvise dashboard` prints " \
	    "an address that carries the token.")			\
	X(WRONG_HOST, "wrong-host", 403, "Host name not allowed",	\
	    "Only 127.0.0.1, localhost and [::1] with this port are "  \
	    "answered, so that no other name can be made to reach this daemon.") \
	X(CROSS_SITE, "cross-site", 403, "Request from another site",	\
	    "The browser says that a page of another origin sent this.")	\
	X(LOCAL_ONLY, "local-only", 403, "Only over the unix socket",	\
	    "Use the unix socket; the cudadvise command does.")		\
	X(NO_PATH, "no-such-path", 404, "No such path",			\
	    "The OpenAPI document at /api/v1/openapi.json lists the paths.") \
	X(NO_RUN, "no-such-run", 404, "No such run",			\
	    "Use a run's number, its id, or at least 6 digits of the id " \
	    "that no other run shares; /api/v1/runs lists them.")	\
	X(NO_KERNEL, "no-such-kernel", 404, "No such kernel in this run", \
	    "/api/v1/runs/{id}/kernels lists them.")			\
	X(NO_FILE, "no-such-source-file", 404,				\
	    "No such source file in this run",				\
	    "/api/v1/runs/{id}/source-files lists them, by index.")	\
	X(NO_FINDING, "no-such-finding", 404, "No such finding in this run", \
	    "/api/v1/runs/{id}/findings lists them.")			\
	X(NO_DOCUMENT, "no-such-document", 404,				\
	    "This run has none yet",					\
	    "It is not analysed yet, or was analysed by an older version: " \
	    "`cudadvise reanalyze RUN` adds what is new.")		\
	X(NO_RULE, "no-such-rule", 404, "No such rule",			\
	    "/api/v1/rules lists them.")				\
	X(NO_METHOD, "no-such-method", 405, "Method not allowed here",	\
	    "The Allow header lists the methods of this path.")		\
	X(CONFLICT, "conflict", 409, "Not possible in this state",	\
	    "\"detail\" has the reason.")			\
	X(CHANGED, "changed", 412, "Changed since you read it",		\
	    "The ETag in If-Match is no longer the run's. Read it again.") \
	X(TOO_LARGE, "too-large", 413, "Body too large",		\
	    "The limit is in \"detail\".")				\
	X(TOO_LONG, "too-long", 414, "Path or query too long",		\
	    "At most 2047 bytes, 8 segments and 12 parameters.")	\
	X(MEDIA_TYPE, "media-type", 415, "Wrong content type",		\
	    "JSON bodies need application/json, captures "		\
	    "application/octet-stream.")				\
	X(NOT_CAPTURE, "not-a-capture", 422, "Not a usable capture",	\
	    "The file is no capture, is damaged from its first frame on, or " \
	    "was written by a newer version.")				\
	X(INTERNAL, "internal", 500, "Internal error",			\
	    "The daemon's log says more.")				\
	X(BUSY, "busy", 503, "Too busy",				\
	    "Too much is under way; try again in a moment.")		\
	X(NO_SPACE, "no-space", 507, "No space left",			\
	    "The state directory's file system is full. `cudadvise rm` " \
	    "deletes runs.")

enum problem {
#define X(name, slug, status, title, help) PROBLEM_##name,
	PROBLEMS(X)
#undef X
	PROBLEM_COUNT
};

/*
 * respond_problem(rs, p, pointer, fmt, …): replace the contents of ${rs} by problem
 * ${p}. The formatted text is "detail". ${pointer}, if not NULL, is named in "errors":
 * a JSON pointer if it begins with '/' or is "", else a query parameter.
 */
void respond_problem(struct response *rs, enum problem p, const char *pointer,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* problem_page(slug): the text of the page /problems/<slug> (malloced). NULL if there
 * is no such problem. */
char *problem_page(const char *slug);

#endif
