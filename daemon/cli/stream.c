#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/paths.h"
#include "wire/frame.h"

#include "cli/stream.h"

/* Begin, end, one per calibrated GPU, one per report of a correctness tool. */
#define FRAMES_MAX 32768
#define SEND_MS 5000

struct packet {
	uint8_t *p;
	size_t len;
};

struct run_stream {
	char run[33];
	uint64_t id;
	struct packet *frame;		/* of one record each */
	size_t frames, room, sent;
	uint64_t acknowledged;
	char path[PATH_MAX];
	int fd;
	uint8_t in[FRAME_HEADER_SIZE + 4096];	/* answers are ACKs: small */
	size_t have;
};

struct run_stream *
stream_new(const char *run, struct error *e)
{
	struct run_stream *s;

	if ((s = calloc(1, sizeof(*s))) == NULL) {
		error_memory(e);
		return NULL;
	}
	s->fd = -1;
	snprintf(s->run, sizeof(s->run), "%s", run);
	do {
		if (getrandom(&s->id, sizeof(s->id), 0) != sizeof(s->id)) {
			error_set(e, "no random numbers:");
			stream_free(s);
			return NULL;
		}
	} while (s->id == 0);		/* 0 is reserved for the daemon */
	return s;
}

void
stream_free(struct run_stream *s)
{
	size_t i;

	if (s == NULL)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (i = 0; i < s->frames; i++)
		free(s->frame[i].p);
	free(s->frame);
	free(s);
}

/* A buffer for any record, with room for the frame's header. */
static uint8_t *
frame_buffer(size_t *cap)
{

	*cap = RECORD_MAX_PAYLOAD + RECORD_HEADER_SIZE + 8;
	return malloc(FRAME_HEADER_SIZE + *cap);
}

static int
frame_room(struct run_stream *s)
{
	struct packet *grown;
	size_t room = s->room == 0 ? 16 : 2 * s->room;

	if (s->frames < s->room)
		return 0;
	if ((grown = realloc(s->frame, room * sizeof(*grown))) == NULL)
		return -1;
	s->frame = grown;
	s->room = room;
	return 0;
}

static int
frame_add(struct run_stream *s, uint8_t *buf, size_t n, struct error *e)
{
	struct frame_header h = { .stored = (uint32_t)n, .raw = (uint32_t)n,
	    .stream = s->id, .sequence = s->frames, .records = 1 };
	uint8_t *fit;

	if (n == 0 || s->frames == FRAMES_MAX) {
		free(buf);
		return error_set(e, "a record of the run is too large");
	}
	if (frame_room(s) != 0) {
		free(buf);
		return error_memory(e);
	}
	frame_seal(buf, &h);
	if ((fit = realloc(buf, FRAME_HEADER_SIZE + n)) != NULL)
		buf = fit;
	s->frame[s->frames].p = buf;
	s->frame[s->frames++].len = FRAME_HEADER_SIZE + n;
	return 0;
}

#define STREAM_DEFINE(verb, NAME)					\
	int								\
	stream_##verb(struct run_stream *s, const struct record_##NAME *r,	\
	    struct error *e)						\
	{								\
		size_t cap, n;						\
		uint8_t *buf = frame_buffer(&cap);			\
									\
		if (buf == NULL)					\
			return error_memory(e);		\
		n = record_put_##NAME(buf + FRAME_HEADER_SIZE, cap, r);	\
		return frame_add(s, buf, n, e);			\
	}
STREAM_DEFINE(begin, RUN_BEGIN)
STREAM_DEFINE(calibration, CALIBRATION)
STREAM_DEFINE(check, CHECK)
STREAM_DEFINE(defect, DEFECT)
STREAM_DEFINE(end, RUN_END)
#undef STREAM_DEFINE

int
stream_connect(struct run_stream *s, const char *path, struct error *e)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const struct timeval limit = { SEND_MS / 1000, 0 };

	snprintf(s->path, sizeof(s->path), "%s", path);
	if (strlen(path) >= sizeof(sun.sun_path))
		return error_set(e, "the socket path '%.100s' is too long",
		    path);
	memcpy(sun.sun_path, path, strlen(path) + 1);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return error_set(e, "cannot make a socket:");
	setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(s->fd, (struct sockaddr *)&sun, sizeof(sun)) != 0) {
		error_set(e, "cannot connect to '%s':", path);
		close(s->fd);
		s->fd = -1;
		return -1;
	}
	/* The daemon drops repeated frames by their sequence number. */
	s->sent = 0;
	s->have = 0;
	return 0;
}

static int
send_all(int fd, const uint8_t *p, size_t len)
{
	ssize_t n;

	while (len > 0) {
		n = send(fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int
send_pending(struct run_stream *s)
{

	if (s->fd < 0)
		return -1;
	for (; s->sent < s->frames; s->sent++)
		if (send_all(s->fd, s->frame[s->sent].p,
		    s->frame[s->sent].len) != 0)
			return -1;
	return 0;
}

/* Processes the frames in s->in; -1 if the daemon violates the protocol. */
static int
take_acks(struct run_stream *s)
{
	struct frame_header h;
	struct record r;
	enum frame_status status;
	size_t pos, used;

	for (;;) {
		status = frame_check(s->in, s->have, &h);
		if (status == FRAME_SHORT)
			return s->have < sizeof(s->in) ? 0 : -1;
		if (status != FRAME_OK)
			return -1;
		pos = 0;
		while (record_next(s->in + FRAME_HEADER_SIZE, h.stored, &pos,
		    &r) == 1)
			if (r.type == RECORD_ACK &&
			    r.u.ACK.sequence > s->acknowledged)
				s->acknowledged = r.u.ACK.sequence;
		used = FRAME_HEADER_SIZE + h.stored;
		memmove(s->in, s->in + used, s->have - used);
		s->have -= used;
	}
}

static int64_t
now_ms(void)
{
	return (int64_t)(clock_mono() / 1000000);
}

/* Waits until everything is acknowledged, or ${ms} have passed: 0, or -1. */
static int
wait_acks(struct run_stream *s, int ms)
{
	int64_t end = now_ms() + ms, left;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	ssize_t n;

	while (s->acknowledged < s->frames) {
		if ((left = end - now_ms()) <= 0)
			return -1;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = recv(s->fd, s->in + s->have, sizeof(s->in) - s->have, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		s->have += (size_t)n;
		if (take_acks(s) != 0)
			return -1;
	}
	return 0;
}

int
stream_send(struct run_stream *s, int ms, struct error *e)
{

	if (send_pending(s) == 0 && wait_acks(s, ms) == 0)
		return 0;
	/* The daemon may have been restarted meanwhile. */
	if (s->path[0] != '\0' && stream_connect(s, s->path, e) == 0 &&
	    send_pending(s) == 0 && wait_acks(s, ms) == 0)
		return 0;
	return error_set(e, "the daemon did not take the run's data");
}

int
stream_spool(struct run_stream *s, const char *directory, struct error *e)
{
	char path[PATH_MAX];
	size_t i;
	FILE *f;
	int bad = 0, n;

	n = snprintf(path, sizeof(path), "%s/%s.%016" PRIx64 ".spool",
	    directory, s->run, s->id);
	if (n < 0 || (size_t)n >= sizeof(path))
		return error_set(e, "the path '%.100s' is too long",
		    directory);
	if ((f = fopen(path, "we")) == NULL)
		return error_set(e, "cannot write '%s':", path);
	for (i = 0; i < s->frames; i++)
		bad |= fwrite(s->frame[i].p, 1, s->frame[i].len, f) !=
		    s->frame[i].len;
	bad |= fclose(f) != 0;
	return bad ? error_set(e, "cannot write '%s':", path) : 0;
}
