/* service/conn.h: one peer of the ingest socket. Internal to service/. */
#ifndef CADV_CONN_H
#define CADV_CONN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/proc.h"
#include "wire/frame.h"

struct error;
struct service;
struct session;
struct stream;

#define ACK_FRAME_SIZE (FRAME_HEADER_SIZE + 16)

struct conn {
	struct conn *prev, *next;
	int fd, epoll;
	struct proc proc;		/* that connected */
	struct session *session;	/* NULL until its first frame */
	struct stream *stream;
	uint8_t *buf;			/* at most one frame and a bit */
	size_t len, cap;
	uint64_t heard_ns;		/* monotonic: last bytes */
	unsigned unacked;		/* frames since the last ACK */
	uint64_t acks;			/* sequence number of our own stream */
	uint8_t out[ACK_FRAME_SIZE];	/* an ACK that is not sent whole yet */
	size_t out_at, out_len;
	bool writing;			/* EPOLLOUT is asked for */
};

enum conn_state { CONN_OPEN, CONN_ENDED, CONN_BROKEN };

/* conn_new(s, fd, pid): watch ${fd}, which is the connection's on success. */
struct conn *conn_new(struct service *s, int fd, pid_t pid);
void conn_free(struct conn *c);

/* conn_serve(s, c, events, e): read what is there, a bounded amount, and answer.
 * CONN_BROKEN with ${e} set: the peer broke the protocol, or its run cannot be
 * kept. */
enum conn_state conn_serve(struct service *s, struct conn *c, uint32_t events,
    struct error *e);

/* conn_stalled(c, now): it began a frame, or connected, and never went on. */
bool conn_stalled(const struct conn *c, uint64_t now);

#endif
