/*
 * The adapter to libmicrohttpd. A request is a struct call: the raw target
 * first (MHD_OPTION_URI_LOG_CALLBACK), then the header, the body in pieces, and
 * the response. Three things suspend a connection: nothing, an event stream
 * that has nothing to say, and a slow handler, which has a thread of its own
 * meanwhile. MHD_stop_daemon aborts the process while one is suspended, so
 * http_stop ends streams and waits for handlers first.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/paths.h"
#include "ingest/service.h"

#include "http/events.h"
#include "http/exchange.h"
#include "http/listen.h"
#include "http/problem.h"
#include "http/route.h"
#include "http/server.h"
#include "http/stats.h"
#include "http/token.h"

#define CONNECTIONS_MAX 128	/* a socket */
#define STREAMS_MAX 48		/* so that the others are not starved */
#define SLOW_MAX 4		/* handlers with a thread of their own */
#define TIMEOUT_S 30		/* of an idle connection */
#define MEMORY_LIMIT (32u << 10)	/* header of one request, bytes */
#define STOP_WAIT_S 5		/* for streams to end */
#define UPLOAD_DEFAULT (4ull << 30)

enum { SOCKET_UNIX, SOCKET_IPV4, SOCKET_IPV6, SOCKETS };

struct stream {			/* an open event stream */
	struct http *http;
	struct MHD_Connection *connection;
	struct event_stream *events;
	bool suspended;
	struct stream *next, **prev;
};

struct http {
	struct http_options options;
	struct service *service;
	char unix_path[PATH_MAX], token_path[PATH_MAX];
	bool bound;			/* unix_path is ours to remove */
	char token[TOKEN_TEXT + 1];
	struct listener {
		struct http *http;
		bool tcp;
		struct MHD_Daemon *daemon;
	} listener[SOCKETS];
	pthread_mutex_t tcp_lock;	/* opening TCP, port */
	atomic_int port;

	pthread_mutex_t lock;		/* what follows */
	pthread_cond_t changed;
	struct stream *streams;
	size_t open_streams, slow;
	bool quit;			/* nothing suspends any more */
	bool poke;			/* events came: wake the streams */
	pthread_t waker;

	atomic_uint_fast64_t requests, errors, refused;
};

struct call {
	char raw[TARGET_MAX + 1];
	size_t raw_length;
	struct http *http;
	struct listener *listener;
	struct MHD_Connection *connection;
	bool begun, failed, counted;
	bool handled;			/* the response is filled */
	uint64_t max_body, got;
	char *body;			/* JSON so far */
	struct request rq;
	struct response rs;
	char if_match[128], if_none_match[512], last_event_id[32];
};

static int64_t
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* --- event streams ------------------------------------------------------- */

/* With the lock held: let every suspended stream look for something to send. */
static void
wake_streams(struct http *h)
{
	struct stream *st;

	for (st = h->streams; st != NULL; st = st->next)
		if (st->suspended) {
			st->suspended = false;
			MHD_resume_connection(st->connection);
		}
}

static void
on_event(void *arg)
{
	struct http *h = arg;

	pthread_mutex_lock(&h->lock);
	h->poke = true;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

/* Wakes streams for events and heartbeats. */
static void *
waker_main(void *arg)
{
	struct http *h = arg;
	struct timespec until;

	pthread_mutex_lock(&h->lock);
	while (!h->quit) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += EVENTS_HEARTBEAT_S;
		while (!h->quit && !h->poke)
			if (pthread_cond_timedwait(&h->changed, &h->lock,
			    &until) == ETIMEDOUT)
				break;
		h->poke = false;
		wake_streams(h);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static ssize_t
stream_read(void *arg, uint64_t position, char *out, size_t size)
{
	struct stream *st = arg;
	struct http *h = st->http;
	ssize_t n = MHD_CONTENT_READER_END_OF_STREAM;

	(void)position;
	pthread_mutex_lock(&h->lock);
	if (!h->quit) {
		n = (ssize_t)event_stream_read(st->events, now_s(), out, size);
		if (n == 0) {
			st->suspended = true;
			MHD_suspend_connection(st->connection);
		}
	}
	pthread_mutex_unlock(&h->lock);
	return n;
}

static void
stream_free(void *arg)
{
	struct stream *st = arg;
	struct http *h = st->http;

	pthread_mutex_lock(&h->lock);
	*st->prev = st->next;
	if (st->next != NULL)
		st->next->prev = st->prev;
	h->open_streams--;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
	event_stream_free(st->events);
	free(st);
}

static struct MHD_Response *
stream_response(struct call *c)
{
	struct http *h = c->http;
	struct stream *st = calloc(1, sizeof(*st));
	struct MHD_Response *r;

	if (st == NULL)
		return NULL;
	st->http = h;
	st->connection = c->connection;
	pthread_mutex_lock(&h->lock);
	if (h->quit || h->open_streams >= STREAMS_MAX) {
		pthread_mutex_unlock(&h->lock);
		free(st);
		return NULL;
	}
	h->open_streams++;
	st->next = h->streams;
	st->prev = &h->streams;
	if (st->next != NULL)
		st->next->prev = &st->next;
	h->streams = st;
	pthread_mutex_unlock(&h->lock);
	st->events = c->rs.stream;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096,
	    stream_read, st, stream_free);
	c->rs.stream = NULL;
	if (r == NULL)
		stream_free(st);
	return r;
}

/* --- responses ------------------------------------------------------------ */

static const struct {
	const char *name, *value;
} fixed_headers[] = {
	{ "Content-Security-Policy", "default-src 'none'; script-src 'self'; "
	    "style-src 'self'; connect-src 'self'; img-src 'self'; "
	    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
	    "require-trusted-types-for 'script'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Referrer-Policy", "no-referrer" },
};

static struct MHD_Response *
make_response(struct call *c)
{
	struct response *rs = &c->rs;
	struct MHD_Response *r;

	if (rs->stream != NULL) {
		r = stream_response(c);
		if (r != NULL)
			return r;
		respond_problem(rs, PROBLEM_BUSY, NULL,
		    "at most %d event streams are served", STREAMS_MAX);
	}
	if (rs->fd > 0) {
		r = MHD_create_response_from_fd64(rs->length, rs->fd);
		if (r != NULL)
			rs->fd = 0;
		return r;
	}
	if (rs->fixed != NULL)
		return MHD_create_response_from_buffer(rs->length,
		    (void *)(uintptr_t)rs->fixed, MHD_RESPMEM_PERSISTENT);
	if (rs->body == NULL)
		return MHD_create_response_from_buffer(0, (void *)"",
		    MHD_RESPMEM_PERSISTENT);
	r = MHD_create_response_from_buffer(rs->length, rs->body,
	    MHD_RESPMEM_MUST_FREE);
	if (r != NULL)
		rs->body = NULL;
	return r;
}

static enum MHD_Result
send_response(struct call *c)
{
	struct MHD_Response *r;
	enum MHD_Result result;
	unsigned status;
	size_t i;

	if (c->rs.status == 0)
		respond_problem(&c->rs, PROBLEM_INTERNAL, NULL,
		    "the request had no answer");
	r = make_response(c);
	if (r == NULL)
		return MHD_NO;
	status = (unsigned)c->rs.status;
	for (i = 0; i < sizeof(fixed_headers) / sizeof(fixed_headers[0]); i++)
		MHD_add_response_header(r, fixed_headers[i].name,
		    fixed_headers[i].value);
	MHD_add_response_header(r, "Cache-Control", c->rs.live ? "no-store" :
	    "private, no-cache");
	if (c->rs.type != NULL && status != 304 && status != 204)
		MHD_add_response_header(r, "Content-Type", c->rs.type);
	for (i = 0; i < c->rs.headers; i++)
		MHD_add_response_header(r, c->rs.header[i].name,
		    c->rs.header[i].value);
	result = MHD_queue_response(c->connection, status, r);
	MHD_destroy_response(r);
	atomic_fetch_add(&c->http->requests, 1);
	if (status >= 500)
		atomic_fetch_add(&c->http->errors, 1);
	if (status == 401 || status == 403)
		atomic_fetch_add(&c->http->refused, 1);
	return result;
}

/* --- requests -------------------------------------------------------------- */

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

static void
begin(struct call *c, const char *method)
{
	struct { unsigned seen[5]; bool repeated; } seen = { { 0 }, false };
	struct http *h = c->http;
	struct exchange_head head = {
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
	c->rq.if_match = keep_header(c, "If-Match", c->if_match,
	    sizeof(c->if_match));
	c->rq.if_none_match = keep_header(c, "If-None-Match",
	    c->if_none_match, sizeof(c->if_none_match));
	c->rq.last_event_id = keep_header(c, "Last-Event-ID",
	    c->last_event_id, sizeof(c->last_event_id));
	c->failed = exchange_begin(&head, &c->rq, &c->rs, &c->max_body) < 0;
}

/* A file without a name in the state directory: nothing is left behind. */
static int
upload_open(struct error *e)
{
	char path[PATH_MAX], name[PATH_MAX];
	int fd;

	if (paths_state(path, e) < 0 ||
	    paths_join(name, path, "upload.XXXXXX", e) < 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return error_set(e, "cannot write to '%s':", path);
	unlink(name);
	return fd;
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
	ssize_t n;

	if (c->rq.upload_fd < 0)
		c->rq.upload_fd = upload_open(&e);
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
		return;		/* read to the end, so that it is answered */
	c->got += size;
	if (c->got > c->max_body) {
		respond_problem(&c->rs, PROBLEM_TOO_LARGE, NULL,
		    "a body here may have %llu bytes",
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

/* Run the handler in a thread; 0 if the connection is suspended meanwhile. */
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
		/* Suspended before the thread can resume it. */
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

/* The request is whole. */
static enum MHD_Result
finish(struct call *c)
{
	if (c->failed || c->handled)
		return send_response(c);
	if (c->rq.route->flags & ROUTE_UPLOAD && c->rq.upload_fd < 0)
		take_upload(c, "", 0);
	if (!c->failed && exchange_body(&c->rq, &c->rs, c->body != NULL ?
	    c->body : "", c->got) < 0)
		fail(c);
	if (c->failed)
		return send_response(c);
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
	return send_response(c);
}

/* --- libmicrohttpd's callbacks ----------------------------------------------- */

static void *
on_target(void *arg, const char *uri, struct MHD_Connection *connection)
{
	struct listener *l = arg;
	struct call *c = calloc(1, sizeof(*c));
	size_t n = strlen(uri);

	if (c == NULL)
		return NULL;
	c->listener = l;
	c->http = l->http;
	c->connection = connection;
	/* Longer than TARGET_MAX stays too long, whatever is cut. */
	c->raw_length = n > TARGET_MAX ? TARGET_MAX : n;
	memcpy(c->raw, uri, c->raw_length);
	return c;
}

static enum MHD_Result
on_request(void *arg, struct MHD_Connection *connection, const char *url,
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
		begin(c, method);
		/* Do not take in a body that is not wanted. */
		if (c->failed && (header(c, "Content-Length") != NULL ||
		    header(c, "Transfer-Encoding") != NULL))
			return send_response(c);
		return MHD_YES;
	}
	if (*size > 0) {
		take_body(c, data, *size);
		*size = 0;
		return MHD_YES;
	}
	return finish(c);
}

static void
on_completed(void *arg, struct MHD_Connection *connection, void **context,
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

/* Who connected: socket_context is set for those who may speak. */
static void
on_connection(void *arg, struct MHD_Connection *connection,
    void **socket_context, enum MHD_ConnectionNotificationCode code)
{
	struct listener *l = arg;
	const union MHD_ConnectionInfo *info;

	*socket_context = NULL;
	if (code != MHD_CONNECTION_NOTIFY_STARTED)
		return;
	info = MHD_get_connection_info(connection,
	    MHD_CONNECTION_INFO_CONNECTION_FD);
	if (l->tcp || (info != NULL && listen_peer_is_us(info->connect_fd)))
		*socket_context = l;
}

static void
on_log(void *arg, const char *fmt, va_list ap)
{
	char line[256];

	(void)arg;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = '\0';
	log_debug("http: %s", line);
}

/* --- life ---------------------------------------------------------------------- */

/* Serve ${fd}, which becomes the server's also on failure. */
static int
serve(struct http *h, int which, int fd, struct error *e)
{
	struct listener *l = &h->listener[which];

	l->http = h;
	l->tcp = which != SOCKET_UNIX;
	l->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD |
	    MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
	    on_request, l,
	    MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
	    MHD_OPTION_LISTEN_SOCKET, fd,
	    MHD_OPTION_THREAD_POOL_SIZE, 2u,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
	    MHD_OPTION_PER_IP_CONNECTION_LIMIT,
	    l->tcp ? (unsigned)CONNECTIONS_MAX : 0u,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_LIMIT,
	    MHD_OPTION_STRICT_FOR_CLIENT, 1,
	    MHD_OPTION_URI_LOG_CALLBACK, on_target, l,
	    MHD_OPTION_NOTIFY_COMPLETED, on_completed, l,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, l,
	    MHD_OPTION_END);
	if (l->daemon != NULL)
		return 0;
	close(fd);
	return error_set(e, "cannot start the HTTP server");
}

int
http_open_tcp(struct http *h, int port, struct error *e)
{
	int fd[2], result = -1;

	pthread_mutex_lock(&h->tcp_lock);
	if (h->port != 0) {
		if (port <= 0 || port == h->port)
			result = 0;
		else
			error_set(e, "the dashboard is at port %d already",
			    h->port);
		goto out;
	}
	if (token_load(h->token_path, h->token, e) < 0)
		goto out;
	port = listen_loopback(port >= 0 ? port : h->options.dashboard_port,
	    fd, e);
	if (port < 0)
		goto out;
	h->port = port;		/* before the first request can look */
	if (serve(h, SOCKET_IPV4, fd[0], e) < 0) {
		h->port = 0;
		if (fd[1] >= 0)
			close(fd[1]);
		goto out;
	}
	if (fd[1] >= 0)
		serve(h, SOCKET_IPV6, fd[1], NULL);
	log_info("the API listens on 127.0.0.1 port %d", port);
	result = 0;
out:
	pthread_mutex_unlock(&h->tcp_lock);
	return result;
}

int
http_port(struct http *h)
{
	atomic_int port;

	pthread_mutex_lock(&h->tcp_lock);
	port = h->port;
	pthread_mutex_unlock(&h->tcp_lock);
	return port;
}

int
http_url(struct http *h, char *out, unsigned long size)
{
	int port = http_port(h), n;

	if (port == 0)
		return -1;
	n = snprintf(out, size, "http://127.0.0.1:%d/#token=%s", port,
	    h->token);
	return n > 0 && (unsigned long)n < size ? 0 : -1;
}

void
http_stats(struct http *h, struct http_stats *out)
{
	out->requests = atomic_load(&h->requests);
	out->errors = atomic_load(&h->errors);
	out->refused = atomic_load(&h->refused);
	pthread_mutex_lock(&h->lock);
	out->streams = h->open_streams;
	pthread_mutex_unlock(&h->lock);
}

static void
init_locks(struct http *h)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&h->tcp_lock, NULL);
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->changed, &attr);
	pthread_condattr_destroy(&attr);
}

struct http *
http_start(const struct http_options *o, struct service *service,
    struct error *e)
{
	struct http *h = calloc(1, sizeof(*h));
	int fd = o->listen_fd;

	if (h == NULL) {
		error_set(e, "out of memory");
		return NULL;
	}
	h->options = *o;
	h->service = service;
	if (h->options.max_upload_bytes == 0)
		h->options.max_upload_bytes = UPLOAD_DEFAULT;
	snprintf(h->token_path, sizeof(h->token_path), "%s", o->token_path);
	init_locks(h);
	if (fd < 0) {
		snprintf(h->unix_path, sizeof(h->unix_path), "%s",
		    o->unix_path);
		fd = listen_unix(h->unix_path, e);
		h->bound = fd >= 0;
	}
	if (fd < 0)
		goto err0;
	if (pthread_create(&h->waker, NULL, waker_main, h) != 0) {
		error_set(e, "cannot start a thread");
		close(fd);
		goto err0;
	}
	service_on_event(service, on_event, h);
	if (serve(h, SOCKET_UNIX, fd, e) < 0 ||
	    (o->tcp_port > 0 && http_open_tcp(h, o->tcp_port, e) < 0)) {
		http_stop(h);
		return NULL;
	}
	return h;
err0:
	if (h->bound)
		unlink(h->unix_path);
	free(h);
	return NULL;
}

void
http_stop(struct http *h)
{
	struct timespec until;
	size_t i;

	if (h == NULL)
		return;
	service_on_event(h->service, NULL, NULL);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_WAIT_S;
	pthread_mutex_lock(&h->lock);
	h->quit = true;
	wake_streams(h);
	pthread_cond_broadcast(&h->changed);
	/* A slow handler uses the service: it is waited for without limit. */
	while (h->slow > 0)
		pthread_cond_wait(&h->changed, &h->lock);
	while (h->open_streams > 0)
		if (pthread_cond_timedwait(&h->changed, &h->lock, &until) ==
		    ETIMEDOUT)
			break;
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->waker, NULL);
	for (i = 0; i < SOCKETS; i++)
		if (h->listener[i].daemon != NULL)
			MHD_stop_daemon(h->listener[i].daemon);
	if (h->bound)
		unlink(h->unix_path);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	pthread_mutex_destroy(&h->tcp_lock);
	free(h);
}
