/*
 * seeds.c: writes the seed inputs of the fuzzers.
 *
 *   fuzz-seeds DIRECTORY [CAPTURE…]
 *
 * writes DIRECTORY/<harness>/…: every record of record.def alone, a short run
 * with everything that the model reads, and the captures, cut to a size that a
 * fuzzer can handle.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zstd.h>

#include "wire/frame.h"
#include "wire/record.h"

#include "fuzz/parts.h"

#define CAPTURE_MAX (256u << 10)	/* bytes read of a capture */
#define WHOLE_MAX (12u << 10)	/* bytes kept of it, unchanged */
#define CHUNK_MAX (3u << 10)	/* bytes kept of a frame's records */
#define SMALL (6u << 10)
#define CHUNKS_MAX (12u << 10)	/* bytes kept of all frames' records */

struct buffer {
	uint8_t *p;
	size_t len, cap;
};

static const char *root;

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static void
save_as(const char *harness, const char *name, const uint8_t *head, size_t n,
    const uint8_t *data, size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, harness);
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		die(path);
	snprintf(path, sizeof(path), "%s/%s/%s", root, harness, name);
	if ((f = fopen(path, "wbe")) == NULL)
		die(path);
	if (fwrite(head, 1, n, f) != n || fwrite(data, 1, size, f) != size ||
	    fclose(f) != 0)
		die(path);
}

/* Saves a seed. Harnesses that read whole captures also give the small ones to
 * fuzz_whole. */
static void
save(const char *harness, const char *name, const uint8_t *head, size_t n,
    const uint8_t *data, size_t size)
{

	save_as(harness, name, head, n, data, size);
	if (strcmp(harness, "fuzz_capture") == 0 && n + size <= SMALL)
		save_as("fuzz_whole", name, head, n, data, size);
}

#define U8(n) r.n = 1;
#define U16(n) r.n = 1;
#define U32(n) r.n = 1;
#define U64(n) r.n = PARTS_T0 + ++step * 1000;
#define F64(n) r.n = 0.05;
#define STR(n) r.n = wire_str_of("0123456789abcdef0123456789abcdef");
#define BLOB(n) r.n.p = (const uint8_t *)"{}"; r.n.len = 2;
static void
each_record(struct buffer *all)
{
	uint64_t step = 0;
	uint8_t buf[1024];
	size_t n;

#define RECORD(name, number, doc, fields) do {				\
	struct record_##name r;						\
	memset(&r, 0, sizeof(r));					\
	fields								\
	n = record_put_##name(buf, sizeof(buf), &r);			\
	save("fuzz_record", #name, buf, 0, buf, n);			\
	memcpy(all->p + all->len, buf, n);				\
	all->len += n;							\
} while (0);
#include "wire/record.def"
}
#undef U8
#undef U16
#undef U32
#undef U64
#undef F64
#undef STR
#undef BLOB

/* Saves chunks, after the head that some harnesses expect. */
static void
save_parts(const char *name, const uint8_t *head, size_t n,
    const uint8_t *data, size_t size)
{
	/* A window of 1 ms, and one of the whole run; the launches of kernel 1,
	 * two a page. */
	static const uint8_t ask[] = { 38, 0, 0, 0, 0, 0, 0, 0, 0,
	    0x40, 0x42, 0x0f, 0, 0, 0, 0, 0, 100, 0,
	    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 1, 1 };
	uint8_t front[64] = { 5, (uint8_t)((n + size) & 0xff),
	    (uint8_t)((n + size) >> 8) };

	memcpy(front + 3, head, n);
	save("fuzz_session", name, front, 3 + n, data, size);
	front[0] = 3;
	snprintf((char *)front + 32, 32, "spool-%.24s", name);
	save("fuzz_session", (char *)front + 32, front, 3 + n, data, size);
	memcpy(front, ask, sizeof(ask));
	memcpy(front + sizeof(ask), head, n);
	save("fuzz_timeline", name, front, sizeof(ask) + n, data, size);
}

/* Saves one chunk in fuzz_capture's second form. */
static void
save_chunk(const char *name, const struct buffer *b)
{
	uint8_t head[5] = { 1, 0, 0, (uint8_t)(b->len & 0xff),
	    (uint8_t)(b->len >> 8) };

	save("fuzz_capture", name, head, sizeof(head), b->p, b->len);
	save("fuzz_feed", name, head + 1, sizeof(head) - 1, b->p, b->len);
	save_parts(name, head + 1, sizeof(head) - 1, b->p, b->len);
}

static void
save_frame(const char *name, const struct buffer *b, uint32_t records)
{
	uint8_t *f = calloc(1, FRAME_HEADER_SIZE + b->len);
	struct frame_header h = { .stream = 1, .records = records };
	uint8_t zero = 0;

	if (f == NULL)
		die("calloc");
	h.stored = h.raw = (uint32_t)b->len;
	memcpy(f + FRAME_HEADER_SIZE, b->p, b->len);
	frame_seal(f, &h);
	save("fuzz_frame", name, f, 0, f, FRAME_HEADER_SIZE + b->len);
	save("fuzz_capture", name, &zero, 1, f, FRAME_HEADER_SIZE + b->len);
	free(f);
}

/* The length of the whole records of ${p} that fit into ${max} bytes. */
static size_t
cut_records(const uint8_t *p, size_t len, size_t max)
{
	struct record r;
	size_t pos = 0, end = 0;

	while (record_next(p, len, &pos, &r) == 1 && pos <= max)
		end = pos;
	return end;
}

/*
 * Saves a capture in fuzz_capture's second form: the records of its first
 * frames. Bare records are better seeds than frames, because no mutation finds
 * the frames' checksums.
 */
static void
save_chunks(const char *name, const uint8_t *p, size_t len)
{
	static uint8_t raw[FRAME_MAX_PAYLOAD], out[1 + CHUNKS_MAX];
	uint64_t streams[8] = { 0 };
	struct frame_header h;
	size_t pos = 0, n, got, at = 1, i;

	out[0] = 1;
	while (frame_check(p + pos, len - pos, &h) == FRAME_OK) {
		const uint8_t *payload = p + pos + FRAME_HEADER_SIZE;

		pos += FRAME_HEADER_SIZE + h.stored;
		got = h.stored;
		if (h.flags & FRAME_ZSTD) {
			got = ZSTD_decompress(raw, sizeof(raw), payload,
			    h.stored);
			if (ZSTD_isError(got))
				break;
			payload = raw;
		}
		for (i = 0; i < 7 && streams[i] != 0 &&
		    streams[i] != h.stream; i++)
			;
		streams[i] = h.stream;
		if (sizeof(out) - at < 4 + CHUNK_MAX)
			break;
		n = cut_records(payload, got, CHUNK_MAX);
		out[at] = (uint8_t)i;
		out[at + 1] = 0;
		out[at + 2] = (uint8_t)(n & 0xff);
		out[at + 3] = (uint8_t)(n >> 8);
		memcpy(out + at + 4, payload, n);
		at += 4 + n;
	}
	save("fuzz_capture", name, out, 0, out, at);
	save("fuzz_feed", name, out + 1, 0, out + 1, at - 1);
	save_parts(name, out + 1, 0, out + 1, at - 1);
}

static void
from_capture(const char *path, int index)
{
	uint8_t *p = malloc(CAPTURE_MAX), zero = 0;
	char name[64];
	FILE *f = fopen(path, "rbe");
	size_t n;

	if (p == NULL || f == NULL)
		die(path);
	n = fread(p, 1, CAPTURE_MAX, f);
	fclose(f);
	snprintf(name, sizeof(name), "chunks-%d", index);
	save_chunks(name, p, n);
	snprintf(name, sizeof(name), "capture-%d", index);
	n = n < WHOLE_MAX ? n : WHOLE_MAX;
	save("fuzz_capture", name, &zero, 1, p, n);
	save("fuzz_frame", name, p, 0, p, n);
	free(p);
}

int
main(int argc, char **argv)
{
	struct buffer b = { calloc(1, 65536), 0, 65536 };
	struct record r;
	uint32_t records = 0;
	size_t pos = 0;
	int i;

	if (argc < 2 || b.p == NULL) {
		fprintf(stderr, "usage: fuzz-seeds DIRECTORY [CAPTURE…]\n");
		return 2;
	}
	root = argv[1];
	each_record(&b);
	save_chunk("each", &b);
	b.len = parts_short_run(b.p, b.cap);
	while (record_next(b.p, b.len, &pos, &r) == 1)
		records++;
	save("fuzz_record", "run", b.p, 0, b.p, b.len);
	save_chunk("run", &b);
	save_frame("run-framed", &b, records);
	for (i = 2; i < argc; i++)
		from_capture(argv[i], i);
	free(b.p);
	return 0;
}
