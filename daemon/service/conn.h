/* service/conn.h: a connection on the ingest socket; its peer is a measured process or
 * a launcher. Internal to service/. */
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
struct live_stream;

#define ACK_FRAME_SIZE (FRAME_HEADER_SIZE + 16)

struct conn {
	struct conn *prev, *next;
	int fd, epoll;
	struct proc proc;		/* of the peer */
	struct session *session;	/* NULL until the peer's first frame */
	struct live_stream *stream;
	uint8_t *buf;			/* received bytes: at most the frame that is
					 * coming in, and the begin of the next */
	size_t len, cap;
	uint64_t heard_ns;		/* monotonic: time of the last bytes */
	unsigned unacked;		/* frames since the last ACK */
	uint64_t acks;			/* sequence number of the next ACK */
	uint8_t out[ACK_FRAME_SIZE];	/* an ACK that is not completely sent */
	size_t out_at, out_len;
	bool writing;			/* epoll watches for EPOLLOUT */
};

enum conn_state { CONN_OPEN, CONN_ENDED, CONN_BROKEN };

/* conn_new(s, fd, pid): a connection to process ${pid}, watched by the service's epoll.
 * It owns ${fd}. NULL, with ${fd} left to the caller, if there is no memory or epoll
 * fails. */
struct conn *conn_new(struct service *s, int fd, pid_t pid);
/* conn_free(c): close the connection; its session and stream stay. */
void conn_free(struct conn *c);

/* conn_serve(s, c, events, e): read a bounded amount, process and answer it.
 * CONN_BROKEN with ${e}: the peer broke the protocol, or its run cannot be
 * stored. */
enum conn_state conn_serve(struct service *s, struct conn *c, uint32_t events,
    struct error *e);

/* conn_stalled(c, now): whether the peer has sent nothing for STALL_NS although its
 * first frame, or the rest of a frame, is due. */
bool conn_stalled(const struct conn *c, uint64_t now);

#endif
