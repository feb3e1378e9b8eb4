#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "service/conn.h"
#include "service/internal.h"

#define EVENTS 64
#define IDLE_MS 250
#define SOON_MS 5
#define SOON_NS (3000 * MS)
#define LOGGED_PEERS 100	/* further ones are counted, not logged */
#define SWEEP_NS (5000 * MS)
#define TICK_NS (50 * MS)	/* between ticks while events come in */
#define LINE_NS (500 * MS)	/* after this time every waiting peer has been served */

int
listener_open(struct service *s, const char *path, int fd, struct error *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	mode_t mask;
	int rc;

	if (fd >= 0) {
		s->listen_fd = fd;
		return 0;
	}
	if (text_copy(a.sun_path, sizeof(a.sun_path), path) != 0) {
		error_set(e, "the socket path '%.200s' is too long", path);
		return error_remedy(e, "set CUDADVISE_RUNTIME_DIR to a "
		    "shorter directory");
	}
	s->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	if (s->listen_fd < 0)
		return error_set(e, "cannot make a socket:");
	/* The caller holds the daemon's lock: an existing socket is stale. */
	unlink(path);
	mask = umask(0177);
	rc = bind(s->listen_fd, (struct sockaddr *)&a, sizeof(a));
	umask(mask);
	if (rc != 0 || listen(s->listen_fd, 128) != 0)
		return error_set(e, "cannot listen at '%s':", path);
	text_copy(s->socket, sizeof(s->socket), path);
	return 0;
}

static int
watch(struct service *s, int fd, void *data)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = data };

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev);
}

/* The connection could not be accepted, for example for lack of descriptors, and would
 * wake epoll again and again: do not watch the listening socket until the next tick. */
static void
turn_deaf(struct service *s)
{

	if (epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->listen_fd, NULL) != 0)
		return;
	s->deaf = true;
}

static void
accept_peers(struct service *s, struct conn **conns)
{
	struct ucred peer;
	socklen_t len;
	struct conn *c;
	int fd;

	while ((fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC |
	    SOCK_NONBLOCK)) >= 0) {
		len = sizeof(peer);
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) ||
		    peer.uid != geteuid() ||
		    atomic_load(&s->connections_open) >=
		    s->config->max_connections ||
		    (c = conn_new(s, fd, peer.pid)) == NULL) {
			atomic_fetch_add(&s->refused_peers, 1);
			close(fd);
			continue;
		}
		c->next = *conns;
		if (*conns != NULL)
			(*conns)->prev = c;
		*conns = c;
		atomic_fetch_add(&s->connections, 1);
		atomic_fetch_add(&s->connections_open, 1);
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
	    errno == ENOMEM)
		turn_deaf(s);
}

static void
drop(struct service *s, struct conn **conns, struct conn *c)
{

	if (c->prev != NULL)
		c->prev->next = c->next;
	else
		*conns = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
	conn_free(c);
	atomic_fetch_sub(&s->connections_open, 1);
}

/* When the launcher sends RUN_END, a process of the run may have connected and ended,
 * but still be in the backlog. So wait until no peer has anything to read or, if other
 * runs never pause, for LINE_NS. */
static bool
may_close(const struct service *s, struct session *se, uint64_t now,
    bool quiet)
{

	if (!session_over(s, se, now)) {
		se->over_ns = 0;
		return false;
	}
	if (se->over_ns == 0)
		se->over_ns = now;
	return quiet || now - se->over_ns >= LINE_NS;
}

/* Passes runs that are over to the worker, and closes connections that peers left open
 * after BYE. */
static void
close_sessions(struct service *s, struct conn **conns, uint64_t now,
    bool quiet)
{
	struct session *se, *tmp;
	struct conn *c, *next;

	HASH_ITER(hh, s->sessions, se, tmp) {
		if (!may_close(s, se, now, quiet))
			continue;
		for (c = *conns; c != NULL && se->conns > 0; c = next) {
			next = c->next;
			if (c->session == se)
				drop(s, conns, c);
		}
		HASH_DEL(s->sessions, se);
		atomic_fetch_sub(&s->runs_live, 1);
		claim_over(s, se->uuid);
		job_post(s, (struct job){ .kind = JOB_FINISH,
		    .session = se });
	}
}

static void
tick(struct service *s, struct conn **conns, uint64_t now, bool quiet)
{
	struct session *se, *tmp;
	struct conn *c, *next;

	for (c = *conns; c != NULL; c = next) {
		next = c->next;
		if (conn_stalled(c, now)) {
			atomic_fetch_add(&s->dropped_peers, 1);
			drop(s, conns, c);
		}
	}
	close_sessions(s, conns, now, quiet);
	if (s->deaf && watch(s, s->listen_fd, NULL) == 0)
		s->deaf = false;
	HASH_ITER(hh, s->sessions, se, tmp)
		session_show(s, se, now);
}

/* Whether a run's program ended within the last SOON_NS: a user may wait for its
 * report, so look often. Not for longer, since a surviving child can keep a run open
 * for days. */
static bool
ending(const struct service *s, uint64_t now)
{
	struct session *se, *tmp;

	HASH_ITER(hh, s->sessions, se, tmp)
		if (se->ended && now - se->ended_ns < SOON_NS)
			return true;
	return false;
}

static void
serve(struct service *s, struct conn **conns, const struct epoll_event *ev)
{
	struct error e = ERROR_INIT;
	struct conn *c = ev->data.ptr;
	uint64_t ignored;

	if (c == NULL) {
		accept_peers(s, conns);
		return;
	}
	if (ev->data.ptr == s) {
		if (read(s->wake, &ignored, sizeof(ignored)) < 0)
			return;
		return;
	}
	switch (conn_serve(s, c, ev->events, &e)) {
	case CONN_OPEN:
		return;
	case CONN_BROKEN:
		if (atomic_fetch_add(&s->dropped_peers, 1) < LOGGED_PEERS)
			log_warn("a target (pid %d) was disconnected: %s",
			    (int)c->proc.pid, e.text);
		break;
	case CONN_ENDED:
		break;
	}
	drop(s, conns, c);
}

void *
listener_main(void *service)
{
	struct service *s = service;
	struct epoll_event ev[EVENTS];
	struct conn *conns = NULL;
	uint64_t now, ticked = 0, swept = clock_mono();
	int i, n;

	if ((s->listen_fd >= 0 && watch(s, s->listen_fd, NULL) != 0) ||
	    watch(s, s->wake, s) != 0)
		log_error("cannot watch the ingest socket: %s",
		    strerror(errno));
	while (!atomic_load(&s->stopping)) {
		n = epoll_wait(s->epoll, ev, EVENTS,
		    ending(s, clock_mono()) ? SOON_MS : IDLE_MS);
		for (i = 0; i < n; i++)
			serve(s, &conns, &ev[i]);
		now = clock_mono();
		if (n == 0 || now - ticked >= TICK_NS) {
			tick(s, &conns, now, n == 0);
			ticked = now;
		}
		if (now - swept >= SWEEP_NS) {
			swept = now;
			job_post(s, (struct job){ .kind = JOB_SPOOLS });
		}
	}
	while (conns != NULL)
		drop(s, &conns, conns);
	return NULL;
}
