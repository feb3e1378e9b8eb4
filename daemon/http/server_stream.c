#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "http/events.h"
#include "http/server_internal.h"

#define ORPHAN_INTERVAL_S 1

static int64_t
now_s(void)
{
	return (int64_t)(clock_mono() / 1000000000);
}

/* With the lock held: resumes every suspended stream, to look for data to send. */
void
server_wake(struct http *h)
{
	struct watcher *st;

	for (st = h->watchers; st != NULL; st = st->next)
		if (st->suspended) {
			st->suspended = false;
			MHD_resume_connection(st->connection);
		}
}

void
server_on_event(void *arg)
{
	struct http *h = arg;

	pthread_mutex_lock(&h->lock);
	h->poke = true;
	h->events++;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

/*
 * Whether the client is gone. The library does not poll a suspended connection: without
 * this a closed one would keep its place until a write fails.
 */
static bool
hung_up(const struct watcher *st)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    st->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	char c;

	return info != NULL && recv(info->connect_fd, &c, 1,
	    MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* With the lock held: resumes streams whose client is gone. */
static void
wake_orphans(struct http *h)
{
	struct watcher *st;

	for (st = h->watchers; st != NULL; st = st->next)
		if (st->suspended && hung_up(st)) {
			st->suspended = false;
			MHD_resume_connection(st->connection);
		}
}

/* The thread that wakes streams for events and heartbeats. */
void *
server_waker(void *arg)
{
	struct http *h = arg;
	struct timespec until;
	int64_t beat = now_s();

	pthread_mutex_lock(&h->lock);
	while (!h->quit) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += ORPHAN_INTERVAL_S;
		while (!h->quit && !h->poke)
			if (pthread_cond_timedwait(&h->changed, &h->lock,
			    &until) == ETIMEDOUT)
				break;
		if (h->poke || now_s() - beat >= EVENTS_HEARTBEAT_S / 3) {
			if (!h->poke)
				beat = now_s();
			h->poke = false;
			server_wake(h);
		} else {
			wake_orphans(h);
		}
		door_sweep(h);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/*
 * Suspends ${st} unless there was an event since ${seen}. The event list cannot be
 * looked at here: the service calls server_on_event with its own lock held, so it must
 * not be called with our lock held. The counter h->events is compared instead.
 */
static bool
suspend(struct watcher *st, uint64_t seen)
{
	struct http *h = st->http;
	bool done = false;

	pthread_mutex_lock(&h->lock);
	if (!h->quit && h->events == seen) {
		st->suspended = done = true;
		MHD_suspend_connection(st->connection);
	}
	pthread_mutex_unlock(&h->lock);
	return done;
}

static ssize_t
stream_read(void *arg, uint64_t position, char *out, size_t size)
{
	struct watcher *st = arg;
	struct http *h = st->http;
	uint64_t seen;
	size_t n;
	bool quit;

	(void)position;
	for (;;) {
		pthread_mutex_lock(&h->lock);
		seen = h->events;
		quit = h->quit;
		pthread_mutex_unlock(&h->lock);
		if (quit || hung_up(st))
			return MHD_CONTENT_READER_END_OF_STREAM;
		n = event_stream_read(st->events, now_s(), out, size);
		if (n > 0 || suspend(st, seen))
			return (ssize_t)n;
	}
}

static void
stream_done(void *arg)
{
	struct watcher *st = arg;
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

struct MHD_Response *
server_stream_response(struct call *c)
{
	struct http *h = c->http;
	struct watcher *st = calloc(1, sizeof(*st));
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
	st->next = h->watchers;
	st->prev = &h->watchers;
	if (st->next != NULL)
		st->next->prev = &st->next;
	h->watchers = st;
	pthread_mutex_unlock(&h->lock);
	st->events = c->rs.stream;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096,
	    stream_read, st, stream_done);
	c->rs.stream = NULL;
	if (r == NULL)
		stream_done(st);
	return r;
}
