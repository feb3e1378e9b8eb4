/*
 * stream.h: a synthetic stream for measuring: definitions, then launches of a
 * number of kernels on four streams, with copies and synchronisations between them.
 */
#ifndef CADV_BENCH_STREAM_H
#define CADV_BENCH_STREAM_H

#include <stddef.h>
#include <stdint.h>

#define STREAM_FRAME (256u << 10)	/* bytes of payload at most */

struct bench_stream {
	uint64_t id, sequence;
	uint64_t launches, total;	/* sent so far, and to send */
	uint64_t now_ns;
	const char *run;
	int begun, ended;
	uint8_t frame[STREAM_FRAME + 64];
	size_t len;			/* of the sealed frame, bytes */
	uint32_t records;		/* in the sealed frame */
};

/* stream_init(s, run, id, launches): ${run}, 32 hex digits, is not copied. */
void stream_init(struct bench_stream *s, const char *run, uint64_t id,
    uint64_t launches);

/* stream_next(s): seal the next frame into ${s}->frame. 0 at the end. */
int stream_next(struct bench_stream *s);

#endif
