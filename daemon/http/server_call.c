#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"

#include "http/listen.h"
#include "http/problem.h"
#include "http/route.h"
#include "http/server_internal.h"

#define SLOW_MAX 4		/* handlers that run in a thread of their own */

static enum MHD_Result
collect_header(void *arg, enum MHD_ValueKind kind, const char *name,
    const char *value)
{
	static const char *const single[] = { "Host", "Origin",
		"Authorization", "Content-Length", "Sec-Fetch-Site" };
	struct collected {
		unsigned seen[5];
		bool repeated;
	} *c = arg;
	size_t i;

	(void)kind;
	(void)value;
	for (i = 0; i < 5; i++)
		if (strcasecmp(name, single[i]) == 0 && c->seen[i]++ > 0)
			c->repeated = true;
	return MHD_YES;
}

static const char *
header(struct call *c, const char *name)
{
	return MHD_lookup_connection_value(c->connection, MHD_HEADER_KIND,
	    name);
}

static const char *
keep_header(struct call *c, const char *name, char *out, size_t size)
{
	const char *value = header(c, name);

	if (value == NULL)
		return NULL;
	snprintf(out, size, "%s", value);
	return out;
}

/* -1 if the library does not tell. */
static int
connection_fd(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info != NULL ? info->connect_fd : -1;
}

static void
begin(struct call *c, const char *method)
{
	struct { unsigned seen[5]; bool repeated; } seen = { { 0 }, false };
	struct http *h = c->http;
	struct exchange_head head = {
		.routes = h->options.routes,
		.route_count = h->options.route_count,
		.tcp = c->listener->tcp,
		.port = h->port,
		.token = h->token,
		.method = method,
		.raw = c->raw,
		.raw_length = c->raw_length,
		.guard = {
			.host = header(c, "Host"),
			.origin = header(c, "Origin"),
			.fetch_site = header(c, "Sec-Fetch-Site"),
			.authorization = header(c, "Authorization"),
		},
		.content_type = header(c, "Content-Type"),
		.content_length = header(c, "Content-Length"),
		.chunked = header(c, "Transfer-Encoding") != NULL,
		.max_upload = h->options.max_upload_bytes,
	};

	MHD_get_connection_values(c->connection, MHD_HEADER_KIND,
	    collect_header, &seen);
	head.repeated = seen.repeated;
	c->begun = true;
	c->rq.service = h->service;
	c->rq.http = h;
	c->rq.upload_fd = -1;
	c->rq.peer_fd = c->listener->tcp ? connection_fd(c->connection) : -1;
	c->rq.if_match = keep_header(c, "If-Match", c->if_match,
	    sizeof(c->if_match));
	c->rq.if_none_match = keep_header(c, "If-None-Match",
	    c->if_none_match, sizeof(c->if_none_match));
	c->rq.last_event_id = keep_header(c, "Last-Event-ID",
	    c->last_event_id, sizeof(c->last_event_id));
	c->failed = exchange_begin(&head, &c->rq, &c->rs, &c->max_body) < 0;
	if (!c->failed && c->guest != NULL &&
	    c->rq.route->access != ACCESS_PUBLIC)
		door_known(c->guest);
}

static void
fail(struct call *c)
{
	c->failed = true;
	if (c->rs.status == 0)
		respond_problem(&c->rs, PROBLEM_INTERNAL, NULL,
		    "out of memory");
}

static void
take_upload(struct call *c, const char *data, size_t size)
{
	struct error e = ERROR_INIT;
	char state[PATH_MAX];
	ssize_t n;

	if (c->rq.upload_fd < 0)
		c->rq.upload_fd = paths_unnamed(state, &e);
	if (c->rq.upload_fd < 0) {
		respond_problem(&c->rs, PROBLEM_INTERNAL, NULL, "%s", e.text);
		fail(c);
		return;
	}
	while (size > 0) {
		n = write(c->rq.upload_fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			respond_problem(&c->rs, errno == ENOSPC ||
			    errno == EDQUOT || errno == EFBIG ?
			    PROBLEM_NO_SPACE : PROBLEM_INTERNAL, NULL,
			    "the upload cannot be kept: %s", strerror(errno));
			fail(c);
			return;
		}
		data += n;
		size -= (size_t)n;
	}
}

static void
take_body(struct call *c, const char *data, size_t size)
{
	if (c->failed)
		return;		/* read to the end: only then does the client read
				 * the answer */
	c->got += size;
	if (c->got > c->max_body) {
		respond_problem(&c->rs, PROBLEM_TOO_LARGE, NULL,
		    "the limit here is %llu bytes",
		    (unsigned long long)c->max_body);
		fail(c);
		return;
	}
	if (c->rq.route->flags & ROUTE_UPLOAD) {
		take_upload(c, data, size);
		return;
	}
	if (c->body == NULL)
		c->body = malloc(REQUEST_MAX_BODY);
	if (c->body == NULL)
		fail(c);
	else
		memcpy(c->body + c->got - size, data, size);
}

static void *
slow_main(void *arg)
{
	struct call *c = arg;
	struct http *h = c->http;

	c->rq.route->handler(&c->rq, &c->rs);
	pthread_mutex_lock(&h->lock);
	c->handled = true;
	MHD_resume_connection(c->connection);
	h->slow--;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* Runs the handler in a thread of its own. 0: the connection is suspended meanwhile;
 * -1: it could not be started. */
static int
start_slow(struct call *c)
{
	struct http *h = c->http;
	pthread_attr_t attr;
	pthread_t thread;
	int started = -1;

	if (pthread_attr_init(&attr) != 0)
		return -1;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_mutex_lock(&h->lock);
	if (!h->quit && h->slow < SLOW_MAX) {
		/* Suspend first: the thread resumes it. */
		MHD_suspend_connection(c->connection);
		if (pthread_create(&thread, &attr, slow_main, c) == 0) {
			h->slow++;
			started = 0;
		} else {
			MHD_resume_connection(c->connection);
		}
	}
	pthread_mutex_unlock(&h->lock);
	pthread_attr_destroy(&attr);
	return started;
}

/* The request is complete. */
static enum MHD_Result
finish(struct call *c)
{
	if (c->failed || c->handled)
		return server_send(c);
	if (c->rq.route->flags & ROUTE_UPLOAD && c->rq.upload_fd < 0)
		take_upload(c, "", 0);
	if (!c->failed && exchange_body(&c->rq, &c->rs, c->body != NULL ?
	    c->body : "", c->got) < 0)
		fail(c);
	if (c->failed)
		return server_send(c);
	if (c->rq.route->flags & ROUTE_SLOW) {
		if (start_slow(c) == 0)
			return MHD_YES;
		respond_problem(&c->rs, PROBLEM_BUSY, NULL,
		    "%d long requests are under way", SLOW_MAX);
		respond_header(&c->rs, "Retry-After", "1");
	} else {
		c->rq.route->handler(&c->rq, &c->rs);
	}
	c->handled = true;
	return server_send(c);
}

void *
server_on_target(void *arg, const char *uri, struct MHD_Connection *connection)
{
	struct listener *l = arg;
	struct call *c = calloc(1, sizeof(*c));
	size_t n = strlen(uri);

	if (c == NULL)
		return NULL;
	c->listener = l;
	c->http = l->http;
	c->connection = connection;
	/* A target longer than TARGET_MAX is cut, but still too long for
	 * target_parse. */
	c->raw_length = n > TARGET_MAX ? TARGET_MAX : n;
	memcpy(c->raw, uri, c->raw_length);
	return c;
}

enum MHD_Result
server_on_request(void *arg, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *data, size_t *size,
    void **context)
{
	struct call *c = *context;
	const union MHD_ConnectionInfo *info;

	(void)arg;
	(void)url;
	(void)version;
	if (c == NULL)
		return MHD_NO;
	if (!c->begun) {
		info = MHD_get_connection_info(connection,
		    MHD_CONNECTION_INFO_SOCKET_CONTEXT);
		if (info == NULL || info->socket_context == NULL) {
			atomic_fetch_add(&c->http->refused, 1);
			return MHD_NO;	/* another user */
		}
		if (c->listener->tcp)
			c->guest = info->socket_context;
		begin(c, method);
		/* Do not read the body of a rejected request. */
		if (c->failed && (header(c, "Content-Length") != NULL ||
		    header(c, "Transfer-Encoding") != NULL))
			return server_send(c);
		return MHD_YES;
	}
	if (*size > 0) {
		take_body(c, data, *size);
		*size = 0;
		return MHD_YES;
	}
	return finish(c);
}

void
server_on_completed(void *arg, struct MHD_Connection *connection, void **context,
    enum MHD_RequestTerminationCode code)
{
	struct call *c = *context;
	struct http *h;

	(void)arg;
	(void)connection;
	(void)code;
	if (c == NULL)
		return;
	*context = NULL;
	h = c->http;
	if (c->rs.shutdown) {
		if (h->options.shutdown != NULL)
			h->options.shutdown(h->options.shutdown_arg);
		else
			kill(getpid(), SIGTERM);
	}
	if (c->rq.upload_fd > 0)
		close(c->rq.upload_fd);
	json_decref(c->rq.body);
	response_release(&c->rs);
	free(c->body);
	free(c);
}

/* A connection begins or ends. Its socket_context is set if the client is accepted. */
void
server_on_connection(void *arg, struct MHD_Connection *connection,
    void **socket_context, enum MHD_ConnectionNotificationCode code)
{
	struct listener *l = arg;
	int fd = connection_fd(connection);

	if (code != MHD_CONNECTION_NOTIFY_STARTED) {
		if (l->tcp && *socket_context != NULL)
			door_leave(*socket_context);
		*socket_context = NULL;
	} else if (l->tcp) {
		*socket_context = fd >= 0 ? door_enter(l->http, fd) : NULL;
	} else {
		*socket_context = fd >= 0 && listen_peer_is_us(fd) ? l : NULL;
	}
}
