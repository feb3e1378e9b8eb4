#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "capture/capture.h"
#include "capture/capture_merge.h"
#include "capture/frame_file.h"
#include "wire/frame.h"
#include "wire/record.h"

#define SMALL (32u << 10)	/* payload bytes; larger frames are not merged */
#define LARGE (256u << 10)	/* payload bytes of a merged frame: 0.3 ms to
				 * compress, and again to decompress for a lookup */
#define WAITING (16u << 20)	/* memory of all waiting records, with overhead: 50
				 * ms to compress */
#define AGE_NS (30ull * 1000000000)	/* records of a live run wait no longer: two
					 * frames a minute are 20,000 a week */

/* The waiting records of one stream, in sequence. */
struct batch {
	uint64_t stream;
	struct capture_frame span;
	bool spans;		/* ${span} is known, and reported to ${fn} */
	uint32_t records;
	uint64_t sequence;	/* of the first record */
	uint8_t *frame;		/* room for the header, then the payload */
	size_t used, cap;	/* bytes of ${frame}, with the header */
	UT_hash_handle hh;
};

struct capture_merger {
	struct capture_writer *writer, *journal;	/* NULL: none */
	char tail[PATH_MAX];
	struct batch *batches;
	size_t waiting;		/* bytes of memory in batches */
	uint64_t since_ns;	/* when the first record began to wait, CLOCK_MONOTONIC */
	capture_merged *fn;
	void *arg;
};

/* Writes the frame at ${frame} unchanged, and reports its place to m->fn. */
static int
write_frame(struct capture_merger *m, const uint8_t *frame, size_t len,
    const struct capture_frame *span, struct error *e)
{
	struct capture_frame row;
	uint64_t offset = capture_writer_bytes(m->writer);

	if (capture_writer_put(m->writer, frame, len, e) != 0)
		return -1;
	if (span == NULL || m->fn == NULL || span->records == 0)
		return 0;
	row = *span;
	row.offset = offset;
	row.stored = (uint32_t)(capture_writer_bytes(m->writer) - offset -
	    FRAME_HEADER_SIZE);
	m->fn(m->arg, &row);
	return 0;
}

static int
batch_write(struct capture_merger *m, struct batch *b, struct error *e)
{
	struct frame_header h = { .stream = b->stream,
	    .sequence = b->sequence, .records = b->records };

	if (b->records == 0)
		return 0;
	h.stored = h.raw = (uint32_t)(b->used - FRAME_HEADER_SIZE);
	frame_seal(b->frame, &h);
	if (write_frame(m, b->frame, b->used, b->spans ? &b->span : NULL,
	    e) != 0)
		return -1;
	b->records = 0;
	b->used = FRAME_HEADER_SIZE;
	return 0;
}

static void
batch_free(struct capture_merger *m, struct batch *b)
{

	HASH_DEL(m->batches, b);
	m->waiting -= sizeof(*b) + b->cap;
	free(b->frame);
	free(b);
}

int
capture_merger_flush(struct capture_merger *m, struct error *e)
{
	struct batch *b, *tmp;

	HASH_ITER(hh, m->batches, b, tmp) {
		if (batch_write(m, b, e) != 0)
			return -1;
		batch_free(m, b);
	}
	return m->journal != NULL ? capture_writer_empty(m->journal, e) : 0;
}

void
capture_merger_tick(struct capture_merger *m, uint64_t now)
{
	struct error e = ERROR_INIT;

	/* On failure the records stay in the journal, and the next put reports
	 * the error. */
	if (m->batches != NULL && now > m->since_ns &&
	    now - m->since_ns >= AGE_NS && capture_merger_flush(m, &e) != 0)
		m->since_ns = now;
}

static struct batch *
batch_of(struct capture_merger *m, uint64_t stream)
{
	struct batch *b;

	HASH_FIND(hh, m->batches, &stream, sizeof(stream), b);
	if (b != NULL || (b = calloc(1, sizeof(*b))) == NULL)
		return b;
	if (m->batches == NULL)
		m->since_ns = clock_mono();
	b->stream = stream;
	b->used = FRAME_HEADER_SIZE;
	HASH_ADD(hh, m->batches, stream, sizeof(stream), b);
	if (b->hh.tbl == NULL) {
		free(b);
		return NULL;
	}
	m->waiting += sizeof(*b);
	return b;
}

static int
batch_room(struct capture_merger *m, struct batch *b, size_t len)
{
	size_t need = b->used + len, cap = need > 2 * b->cap ? need :
	    2 * b->cap;
	uint8_t *grown;

	if (need <= b->cap)
		return 0;
	if ((grown = realloc(b->frame, cap)) == NULL)
		return -1;
	m->waiting += cap - b->cap;
	b->frame = grown;
	b->cap = cap;
	return 0;
}

/* Whether the payload is exactly ${records} whole records. Only then can other records
 * be appended and still be found. */
static bool
is_whole(const uint8_t *payload, size_t len, uint32_t records)
{
	struct record r;
	size_t pos = 0;

	while (records > 0 && record_next(payload, len, &pos, &r) > 0)
		records--;
	return records == 0 && pos == len;
}

/* Whether the frame's records may be merged with others at all. */
static bool
mergeable(const struct frame_header *h, const uint8_t *payload, size_t len,
    const struct capture_frame *span)
{

	return len <= SMALL && h->records > 0 && (span == NULL ||
	    (span->sequence == h->sequence && span->records == h->records)) &&
	    is_whole(payload, len, h->records);
}

static bool
follows(const struct batch *b, const struct frame_header *h, size_t len,
    const struct capture_frame *span)
{

	return b->records == 0 || (b->spans == (span != NULL) &&
	    b->sequence + b->records == h->sequence &&
	    b->used + len <= FRAME_HEADER_SIZE + LARGE);
}

static void
batch_add(struct batch *b, const struct frame_header *h,
    const uint8_t *payload, size_t len, const struct capture_frame *span)
{

	if (b->records == 0) {
		b->sequence = h->sequence;
		b->spans = span != NULL;
		if (b->spans)
			b->span = *span;
	} else if (span != NULL) {
		b->span.records += span->records;
		if (span->t_min != 0 && (b->span.t_min == 0 ||
		    span->t_min < b->span.t_min))
			b->span.t_min = span->t_min;
		if (span->t_max > b->span.t_max)
			b->span.t_max = span->t_max;
	}
	memcpy(b->frame + b->used, payload, len);
	b->used += len;
	b->records += h->records;
}

/* The journal grows until a flush, so its size counts against the limit, too. */
static bool
full(const struct capture_merger *m)
{

	return m->waiting >= WAITING || (m->journal != NULL &&
	    capture_writer_bytes(m->journal) >= WAITING);
}

int
capture_merger_put(struct capture_merger *m, const uint8_t *frame,
    const struct frame_header *h, const uint8_t *payload, size_t len,
    const struct capture_frame *span, struct error *e)
{
	size_t whole = FRAME_HEADER_SIZE + (size_t)h->stored;
	struct batch *b;

	if (full(m) && capture_merger_flush(m, e) != 0)
		return -1;
	HASH_FIND(hh, m->batches, &h->stream, sizeof(h->stream), b);
	if (!mergeable(h, payload, len, span)) {
		if (b != NULL && batch_write(m, b, e) != 0)
			return -1;
		return write_frame(m, frame, whole, span, e);
	}
	if (b != NULL && !follows(b, h, len, span) && batch_write(m, b, e))
		return -1;
	if ((b = batch_of(m, h->stream)) == NULL || batch_room(m, b, len) != 0)
		return error_memory(e);
	if (m->journal != NULL &&
	    capture_writer_plain(m->journal, frame, whole, e) != 0)
		return -1;
	batch_add(b, h, payload, len, span);
	return 0;
}

struct capture_writer *
capture_merger_writer(struct capture_merger *m)
{

	return m->writer;
}

/* Merges the records that an earlier writer left in the journal. */
static int
absorb(struct capture_merger *m, struct error *e)
{
	struct frame_header h;
	struct frame_file s;
	const uint8_t *p;
	uint64_t offset;
	size_t len;
	int rc;

	if (frame_file_open_path(&s, m->tail, e) != 0)
		return -1;
	while ((rc = frame_file_next(&s, &h, &offset)) > 0)
		if ((p = frame_file_decode(&s, &h, UINT32_MAX, &len)) != NULL &&
		    capture_merger_put(m, s.frame, &h, p, len, NULL, e) != 0)
			break;
	if (rc < 0)
		error_set(e, "cannot read '%s':", m->tail);
	frame_file_close(&s);
	return rc == 0 ? capture_merger_flush(m, e) : -1;
}

static int
journal_open(struct capture_merger *m, const char *path, struct error *e)
{
	struct stat st;

	if (snprintf(m->tail, sizeof(m->tail), "%s.tail", path) >=
	    (int)sizeof(m->tail))
		return error_set(e, "the name '%.200s' is too long", path);
	if (stat(m->tail, &st) == 0 && st.st_size > 0 && absorb(m, e) != 0)
		return -1;
	if ((m->journal = capture_writer_open(m->tail, e)) == NULL)
		return -1;
	return capture_writer_empty(m->journal, e);
}

struct capture_merger *
capture_merger_open(const char *path, bool journal, capture_merged *fn,
    void *arg, struct error *e)
{
	struct capture_merger *m = calloc(1, sizeof(*m));

	if (m == NULL) {
		error_memory(e);
		return NULL;
	}
	if ((m->writer = capture_writer_open(path, e)) == NULL ||
	    (journal && journal_open(m, path, e) != 0)) {
		capture_merger_close(m);
		return NULL;
	}
	m->fn = fn;
	m->arg = arg;
	return m;
}

void
capture_merger_close(struct capture_merger *m)
{
	struct error e = ERROR_INIT;
	struct batch *b, *tmp;

	if (m == NULL)
		return;
	if (m->writer != NULL && capture_merger_flush(m, &e) == 0 &&
	    m->journal != NULL)
		unlink(m->tail);
	HASH_ITER(hh, m->batches, b, tmp)
		batch_free(m, b);
	capture_writer_close(m->journal);
	capture_writer_close(m->writer);
	free(m);
}

int
capture_settle(const char *path, struct error *e)
{
	struct capture_merger *m;
	char tail[PATH_MAX + sizeof(".tail")];

	snprintf(tail, sizeof(tail), "%s.tail", path);
	if (access(tail, F_OK) != 0 && errno == ENOENT)
		return 0;
	if ((m = capture_merger_open(path, true, NULL, NULL, e)) == NULL)
		return -1;
	capture_merger_close(m);
	return 0;
}
