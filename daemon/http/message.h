/*
 * http/message.h: what a handler sees: the request, parsed and checked, and the
 * response to fill. Independent of libmicrohttpd.
 */
#ifndef CADV_HTTP_MESSAGE_H
#define CADV_HTTP_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/target.h"

enum http_method { HTTP_GET, HTTP_POST, HTTP_PATCH, HTTP_DELETE, HTTP_METHODS };
extern const char *const http_method_name[HTTP_METHODS];

struct service;
struct http;
struct route;
struct event_stream;

#define REQUEST_MAX_BODY (64u << 10)	/* JSON bodies; the largest one is a
					 * label */

struct request {
	enum http_method method;
	bool tcp;			/* not the unix socket */
	const struct route *route;
	struct target target;		/* decoded path and query */
	const char *param[2];		/* matches of {…} in the route's path */
	const char *if_match, *if_none_match, *last_event_id;	/* or NULL */
	json_t *body;			/* routes that take JSON: an object */
	int upload_fd;			/* routes that take a file: the file, closed
					 * after the handler returns; else -1 */
	int peer_fd;			/* the TCP connection; -1: there is
					 * none */
	struct service *service;
	struct http *http;
};

#define RESPONSE_HEADERS 6

struct response {
	int status;			/* 0: not filled */
	const char *type;		/* static text */
	char *body;			/* malloc'd unless ${fixed} */
	const char *fixed;		/* instead of body: static storage */
	size_t length;
	struct {
		const char *name;	/* static text */
		char value[1024];
	} header[RESPONSE_HEADERS];
	size_t headers;
	int fd;				/* > 0: the body is this file of ${length}
					 * bytes; the server closes it */
	bool live;			/* send no-store; else the ETag decides */
	bool client_has;		/* the client has this revision */
	struct event_stream *stream;	/* the body is this event stream,
					 * http/events.h */
	bool shutdown;			/* stop the daemon when the response is sent */
};

/* query_get(rq, name): the decoded value of a query parameter, or NULL. */
const char *query_get(const struct request *rq, const char *name);

/* respond_json(rs, status, j): takes the reference ${j}; NULL answers 500. */
void respond_json(struct response *rs, int status, json_t *j);

/* respond_text(rs, status, type, body, length): takes ${body} (malloc'd). */
void respond_text(struct response *rs, int status, const char *type,
    char *body, size_t length);

/* respond_header(rs, name, fmt, …): add a header; silently dropped if there are
 * too many or it is too long, so only for optional headers. */
void respond_header(struct response *rs, const char *name, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* response_release(rs): free its contents; the struct can be used again. */
void response_release(struct response *rs);

#endif
