/*
 * fuzz_session.c: what targets send on the ingest socket, and the spool files
 * that they leave. The input is a list of
 *   { u8 what, u16 length, bytes }
 * where ${what} is one of: bytes for the connection, unchanged; chunks (parts.h)
 * that get valid checksums; a new connection; a spool file; ingest the spool files.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/capture.h"
#include "service/conn.h"
#include "service/internal.h"
#include "wire/frame.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEPS 12
#define LONG_AGO 3600		/* s: the writer of a spool file this old is gone */

static uint8_t frames[1 << 17];

struct peer {
	struct service *service;
	struct conn *conn;	/* NULL: the daemon closed it */
	int fd;			/* the target's end */
};

static void
hang_up(struct peer *p)
{
	if (p->conn != NULL)
		conn_free(p->conn);
	p->conn = NULL;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static void
dial(struct peer *p)
{
	int pair[2];

	hang_up(p);
	WANT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
	    pair) == 0);
	p->fd = pair[0];
	/* No process has this number. */
	p->conn = conn_new(p->service, pair[1], (1 << 22) + 1);
	WANT(p->conn != NULL);
}

static void
say(struct peer *p, const uint8_t *bytes, size_t len)
{
	struct error e = ERROR_INIT;

	if (p->conn == NULL)
		dial(p);
	if (len > 0 && send(p->fd, bytes, len, MSG_NOSIGNAL) <= 0)
		return;
	if (conn_serve(p->service, p->conn, EPOLLIN, &e) != CONN_OPEN)
		hang_up(p);
	else		/* reads its ACKs, to make room for more */
		recv(p->fd, frames, sizeof(frames), 0);
}

static void
leave_spool(struct service *s, const uint8_t *bytes, size_t len, uint8_t who)
{
	struct timespec old[2] = { { .tv_sec = time(NULL) - LONG_AGO },
	    { .tv_sec = time(NULL) - LONG_AGO } };
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s.%016x.spool", s->spool, PARTS_RUN,
	    who % 4 + 1);
	parts_file(path, bytes, len);
	utimensat(AT_FDCWD, path, old, 0);
}

static void
take_spools(struct service *s)
{
	char dir[PATH_MAX], capture[PATH_MAX];
	struct error e = ERROR_INIT;
	struct capture_index x;

	WANT(run_directory(s, PARTS_RUN, dir, capture, &e) == 0);
	WANT(spool_merge(s, PARTS_RUN, capture, NULL, &e) >= 0);
	if (capture_load_index(capture, &x, &e) == 0)
		capture_index_clear(&x);
}

static void
step(struct peer *p, struct input *in)
{
	uint8_t what = input_u8(in);
	struct input part = input_bytes(in, input_u16(in));
	size_t n;

	switch (what % 8) {
	case 0:
		say(p, part.p, part.len);
		break;
	case 1:
		dial(p);
		break;
	case 2:
		leave_spool(p->service, part.p, part.len, what >> 3);
		break;
	case 3:
		n = input_frames(&part, frames, sizeof(frames));
		leave_spool(p->service, frames, n, what >> 3);
		break;
	case 4:
		take_spools(p->service);
		break;
	default:
		n = input_frames(&part, frames, sizeof(frames));
		say(p, frames, n);
		break;
	}
}

/* Acts as if the daemon had ended: only its files remain. */
static void
forget(struct service *s)
{
	struct session *se, *tmp;
	struct error e = ERROR_INIT;

	HASH_ITER(hh, s->sessions, se, tmp) {
		HASH_DEL(s->sessions, se);
		WANT(session_over(s, se, clock_mono()) || !se->ended);
		atomic_fetch_sub(&s->runs_live, 1);
		claim_drop(s, se->uuid);
		store_run_delete(s->writer, se->number, &e);
		parts_remove(se->dir);
		session_free(se);
	}
	parts_remove(s->spool);
	WANT(mkdir(s->spool, 0700) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct peer p = { parts_service_alone(), NULL, -1 };
	struct input in = { data, size };
	int steps;

	for (steps = 0; in.len > 0 && steps < STEPS; steps++)
		step(&p, &in);
	hang_up(&p);
	forget(p.service);
	return 0;
}
