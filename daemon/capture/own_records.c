#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/capture_index.h"
#include "capture/own_records.h"
#include "model/model.h"
#include "wire/frame.h"

/* A frame is written when it has FULL bytes; ROOM has space for any record after
 * that. */
#define FULL (256u << 10)
#define ROOM (FULL + RECORD_HEADER_SIZE + RECORD_MAX_PAYLOAD)

static uint64_t
make_stream(void)
{
	struct timespec ts;
	uint64_t v = 0;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) != sizeof(v)) {
		clock_gettime(CLOCK_REALTIME, &ts);
		v = (uint64_t)ts.tv_sec << 30 ^ (uint64_t)ts.tv_nsec ^
		    (uint64_t)getpid() << 48;
	}
	return v != 0 ? v : 1;
}

int
own_records_open(struct own_records *n, struct model *m,
    struct capture_writer *w, struct capture_index *x, struct error *e)
{

	*n = (struct own_records){ .model = m, .writer = w, .index = x,
	    .stream = make_stream() };
	if ((n->buf = malloc(FRAME_HEADER_SIZE + ROOM)) == NULL) {
		n->failed = 1;
		return error_memory(e);
	}
	return 0;
}

uint8_t *
own_records_at(const struct own_records *n)
{

	return n->buf + FRAME_HEADER_SIZE + n->used;
}

size_t
own_records_left(const struct own_records *n)
{

	return ROOM - n->used;
}

int
own_records_put(struct own_records *n, size_t len)
{

	if (len > 0) {
		n->used += len;
		n->records++;
		n->written++;
	}
	return 0;
}

/* Feeds the records of the frame to the model, as a reader of the capture would do. */
static int
feed(struct own_records *n, struct capture_frame *span)
{
	const uint8_t *p = n->buf + FRAME_HEADER_SIZE;
	struct record r;
	size_t pos = 0;
	uint32_t i;

	for (i = 0; i < n->records; i++) {
		if (record_next(p, n->used, &pos, &r) <= 0)
			return 0;
		frame_note(span, n->sequence + i, &r);
		if (n->model != NULL && model_feed(n->model, n->stream,
		    n->sequence + i, &r) != 0)
			return -1;
	}
	return 0;
}

static int
flush(struct own_records *n, struct error *e)
{
	struct frame_header h = { .stored = (uint32_t)n->used,
	    .raw = (uint32_t)n->used, .stream = n->stream,
	    .sequence = n->sequence, .records = n->records };
	struct capture_frame span;
	size_t cap;

	if (n->records == 0)
		return 0;
	frame_open(&span, n->stream);
	if (feed(n, &span) != 0) {
		n->failed = 1;
		return error_memory(e);
	}
	if (n->writer != NULL) {
		span.offset = capture_writer_bytes(n->writer);
		frame_seal(n->buf, &h);
		if (capture_writer_put(n->writer, n->buf, FRAME_HEADER_SIZE +
		    n->used, e) != 0) {
			n->failed = 1;
			return -1;
		}
		span.stored = (uint32_t)(capture_writer_bytes(n->writer) -
		    span.offset - FRAME_HEADER_SIZE);
	}
	if (n->writer != NULL && n->index != NULL) {
		cap = n->index->frames;
		if (capture_index_add(n->index, &cap, &span) != 0) {
			n->failed = 1;
			return error_memory(e);
		}
	}
	n->sequence += n->records;
	n->used = 0;
	n->records = 0;
	return 0;
}

int
own_records_room(struct own_records *n, struct error *e)
{

	if (n->failed)
		return -1;
	return n->used >= FULL ? flush(n, e) : 0;
}

int
own_records_close(struct own_records *n, struct error *e)
{
	int rc = n->failed ? -1 : flush(n, e);

	free(n->buf);
	n->buf = NULL;
	n->failed = 1;
	return rc;
}
