/*
 * The adapter to libmicrohttpd; only server*.c use it. A request is a struct call. The
 * library passes first the raw target (MHD_OPTION_URI_LOG_CALLBACK), then the header,
 * then the body in pieces; then the response is sent. A connection is suspended while
 * its event stream has nothing to send, and while a slow handler runs in a thread of
 * its own. MHD_stop_daemon aborts the process if a connection is suspended, so
 * http_stop ends streams and waits for handlers first.
 */
#ifndef CADV_HTTP_SERVER_INTERNAL_H
#define CADV_HTTP_SERVER_INTERNAL_H

#include <limits.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "http/exchange.h"
#include "http/server.h"
#include "http/token.h"

#define STREAMS_MAX 48		/* leaves connections for other requests */

enum { SOCKET_UNIX, SOCKET_IPV4, SOCKET_IPV6, SOCKETS };

struct watcher {			/* an open event stream */
	struct http *http;
	struct MHD_Connection *connection;
	struct event_stream *events;
	bool suspended;
	struct watcher *next, **prev;
};

struct guest {			/* a TCP connection */
	struct http *http;
	int fd;
	int64_t since_s;
	struct guest *next, **prev;	/* prev NULL: not listed, since it has shown
					 * the token or is being closed */
};

struct http {
	struct http_options options;
	struct service *service;
	char unix_path[PATH_MAX];
	bool bound;			/* unix_path has to be unlinked */
	char token[TOKEN_TEXT + 1];
	struct listener {
		struct http *http;
		bool tcp;
		struct MHD_Daemon *daemon;
	} listener[SOCKETS];
	pthread_mutex_t tcp_lock;	/* guards opening TCP, port and codes */
	struct codes codes;
	atomic_int port;

	pthread_mutex_t lock;		/* guards the fields below */
	pthread_cond_t changed;
	struct watcher *watchers;
	size_t open_streams, slow;
	struct guest *guests, **guests_end;	/* the oldest first */
	size_t guest_count;
	bool quit;			/* suspend no connection any more */
	bool poke;			/* new events: wake the streams */
	uint64_t events;		/* number of calls of server_on_event */
	pthread_t waker;

	atomic_uint_fast64_t requests, errors, refused;
};

struct call {
	char raw[TARGET_MAX + 1];
	size_t raw_length;
	struct http *http;
	struct listener *listener;
	struct MHD_Connection *connection;
	struct guest *guest;		/* over TCP */
	bool begun, failed;
	bool handled;			/* the response is ready */
	uint64_t max_body, got;
	char *body;			/* JSON received so far */
	struct request rq;
	struct response rs;
	char if_match[128], if_none_match[512], last_event_id[32];
};

/* server_stream.c. server_waker: the thread that wakes event streams. server_wake:
 * resume all suspended streams. server_on_event: service_on_event's callback.
 * server_stream_response: a response with the events of c->rs.stream, which it takes;
 * NULL: too many streams are open, or no memory. */
void *server_waker(void *http);
void server_wake(struct http *h);	/* with the lock held */
void server_on_event(void *http);
struct MHD_Response *server_stream_response(struct call *c);

/* server_door.c */
struct guest *door_enter(struct http *h, int fd);	/* NULL: no memory */
void door_known(struct guest *g);	/* it has shown the token */
void door_leave(struct guest *g);	/* before its descriptor is closed */
void door_sweep(struct http *h);	/* with the lock held: closes guests whose
					 * time is over */

/* server_send.c: send c->rs as the response. */
enum MHD_Result server_send(struct call *c);

/* server_call.c: libmicrohttpd's callbacks; the first argument is the struct
 * listener */
void *server_on_target(void *listener, const char *uri,
    struct MHD_Connection *connection);
enum MHD_Result server_on_request(void *listener,
    struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *data, size_t *size, void **context);
void server_on_completed(void *listener, struct MHD_Connection *connection,
    void **context, enum MHD_RequestTerminationCode code);
void server_on_connection(void *listener, struct MHD_Connection *connection,
    void **socket_context, enum MHD_ConnectionNotificationCode code);

#endif
