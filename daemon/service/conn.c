#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "service/conn.h"
#include "service/internal.h"
#include "wire/record.h"

#define FIRST_CAP (64u << 10)
#define TURN_BYTES (1u << 20)	/* read from one peer before the others get their turn */
#define ACK_FRAMES 64
#define STALL_NS (30000 * MS)

struct conn *
conn_new(struct service *s, int fd, pid_t pid)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct conn *c = calloc(1, sizeof(*c));

	if (c == NULL || (c->buf = malloc(FIRST_CAP)) == NULL) {
		free(c);
		return NULL;
	}
	c->cap = FIRST_CAP;
	c->epoll = s->epoll;
	c->proc = proc_of(pid);
	c->heard_ns = clock_mono();
	ev.data.ptr = c;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) != 0) {
		free(c->buf);
		free(c);
		return NULL;
	}
	c->fd = fd;
	return c;
}

void
conn_free(struct conn *c)
{

	close(c->fd);
	if (c->session != NULL) {
		c->session->conns--;
		c->stream->conns--;
		c->session->active_ns = clock_mono();
	}
	free(c->buf);
	free(c);
}

bool
conn_stalled(const struct conn *c, uint64_t now)
{

	return (c->len > 0 || c->session == NULL) && now > c->heard_ns &&
	    now - c->heard_ns >= STALL_NS;
}

static void
want_write(struct conn *c, bool on)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

	if (on == c->writing)
		return;
	if (on)
		ev.events |= EPOLLOUT;
	if (epoll_ctl(c->epoll, EPOLL_CTL_MOD, c->fd, &ev) == 0)
		c->writing = on;
}

/* Send the rest of an ACK; -1 if the peer is gone. */
static int
flush_ack(struct conn *c)
{
	ssize_t n;

	while (c->out_at < c->out_len) {
		n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			want_write(c, true);
			return 0;
		}
		if (n <= 0)
			return -1;
		c->out_at += (size_t)n;
	}
	want_write(c, false);
	return 0;
}

static int
send_ack(struct conn *c)
{
	struct record_ACK ack = { c->stream->next };
	struct frame_header h = { 0 };

	if (c->out_at < c->out_len)
		return flush_ack(c);	/* another ACK follows when this one is sent */
	h.stored = h.raw = (uint32_t)record_put_ACK(c->out +
	    FRAME_HEADER_SIZE, sizeof(c->out) - FRAME_HEADER_SIZE, &ack);
	h.records = 1;
	h.sequence = c->acks++;
	frame_seal(c->out, &h);
	c->out_at = 0;
	c->out_len = FRAME_HEADER_SIZE + h.stored;
	c->unacked = 0;
	return flush_ack(c);
}

/* Identifies the peer by the first record of its first frame. */
static int
greet(struct service *s, struct conn *c, const struct frame_header *h,
    struct error *e)
{
	struct wire_str run, label;
	char uuid[33], *text;
	struct record r;
	uint64_t start;
	size_t pos = 0;

	if (record_next(c->buf + FRAME_HEADER_SIZE, h->stored, &pos, &r) <= 0)
		return error_set(e, "its first frame has no record");
	if (r.type == RECORD_HELLO) {
		if (r.u.HELLO.protocol > WIRE_PROTOCOL)
			return error_set(e, "its protocol version %u is "
			    "newer than this daemon's %u", r.u.HELLO.protocol,
			    WIRE_PROTOCOL);
		run = r.u.HELLO.run;
		label = r.u.HELLO.label;
		start = r.u.HELLO.now_ns;
	} else if (r.type == RECORD_RUN_BEGIN) {
		run = r.u.RUN_BEGIN.run;
		label = r.u.RUN_BEGIN.label;
		start = r.u.RUN_BEGIN.now_ns;
	} else
		return error_set(e, "its first record is neither HELLO "
		    "nor RUN_BEGIN");
	if (run.len != 32)
		return error_set(e, "it has no valid run id");
	memcpy(uuid, run.p, 32);
	uuid[32] = '\0';
	if (!text_is_hex(uuid, 32) || h->stream == 0)
		return error_set(e, "it has no valid run id");
	if ((text = text_dup_clean(label.p, label.len)) == NULL)
		return error_memory(e);
	c->session = session_get(s, uuid, text, start & INT64_MAX, e);
	free(text);
	if (c->session == NULL)
		return -1;
	c->stream = session_stream(c->session, h->stream);
	if (c->stream == NULL) {
		c->session = NULL;
		return error_set(e, "its run has too many processes, or there "
		    "is no memory");
	}
	c->stream->proc = c->proc;
	c->stream->launcher |= r.type == RECORD_RUN_BEGIN;
	c->stream->conns++;
	c->session->conns++;
	c->unacked = ACK_FRAMES;	/* the peer waits for the ACK, which tells it
					 * where to resume */
	return 0;
}

/* Grows the buffer for a frame of ${need} bytes. */
static int
reserve(struct conn *c, size_t need, struct error *e)
{
	uint8_t *grown;

	if (need <= c->cap)
		return 0;
	if ((grown = realloc(c->buf, need)) == NULL)
		return error_memory(e);
	c->buf = grown;
	c->cap = need;
	return 0;
}

/* Processes the complete frames in the buffer. */
static int
take_frames(struct service *s, struct conn *c, struct error *e)
{
	struct frame_header h;
	enum frame_status st;
	size_t at = 0, need = 0;
	uint8_t *base = c->buf;
	int rc = 0;

	while (rc == 0 && at < c->len) {
		st = frame_check(base + at, c->len - at, &h);
		if (st == FRAME_SHORT) {
			if (c->len - at >= FRAME_HEADER_SIZE)
				need = FRAME_HEADER_SIZE + (size_t)h.stored;
			break;
		}
		if (st != FRAME_OK)
			return error_set(e, "its data %s",
			    frame_status_text(st));
		need = FRAME_HEADER_SIZE + (size_t)h.stored;
		atomic_fetch_add(&s->frames, 1);
		if (c->session == NULL) {
			if (greet(s, c, &h, e) != 0)
				return -1;
		} else if (h.stream != c->stream->id)
			return error_set(e, "a frame of another stream");
		if (session_frame(s, c->session, c->stream, base + at, &h, e))
			return -1;
		at += need;
		need = 0;
		if (++c->unacked >= ACK_FRAMES)
			rc = send_ack(c);
	}
	memmove(c->buf, c->buf + at, c->len - at);
	c->len -= at;
	if (rc != 0)
		return error_set(e, "it disconnected before its answer");
	return reserve(c, need, e);
}

static enum conn_state
read_some(struct service *s, struct conn *c, struct error *e)
{
	size_t taken = 0;
	ssize_t n;

	while (taken < TURN_BYTES) {
		n = recv(c->fd, c->buf + c->len, c->cap - c->len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return CONN_OPEN;
		if (n <= 0)
			return CONN_ENDED;
		c->heard_ns = clock_mono();
		c->len += (size_t)n;
		taken += (size_t)n;
		atomic_fetch_add(&s->bytes, (uint64_t)n);
		if (take_frames(s, c, e) != 0)
			return CONN_BROKEN;
	}
	return CONN_OPEN;
}

enum conn_state
conn_serve(struct service *s, struct conn *c, uint32_t events,
    struct error *e)
{
	enum conn_state st = CONN_OPEN;

	if ((events & EPOLLOUT) && flush_ack(c) != 0)
		return CONN_ENDED;
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		st = read_some(s, c, e);
	/* Even if the peer has closed its side for writing: it may wait for the last
	 * ACK. */
	if (st != CONN_BROKEN && c->stream != NULL && c->unacked > 0 &&
	    send_ack(c) != 0)
		return CONN_ENDED;
	return st;
}
