/*
 * seeds.c: what the fuzzers start from.
 *
 *   fuzz-seeds DIRECTORY [CAPTURE…]
 *
 * writes DIRECTORY/{fuzz_frame,fuzz_record,fuzz_capture}/…: every record of
 * record.def alone, a short run with all that the model looks at, and the
 * captures, cut to a size that a fuzzer can work with.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zstd.h>

#include "wire/frame.h"
#include "wire/record.h"

#define CAPTURE_MAX (256u << 10)	/* read of a capture */
#define WHOLE_MAX (12u << 10)	/* kept of it as it is */
#define CHUNK_MAX (3u << 10)	/* kept of a frame's records */
#define CHUNKS_MAX (12u << 10)	/* kept of all frames' records */

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
save(const char *harness, const char *name, const uint8_t *head, size_t n,
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

/* Times that make sense to the model: a launch every 10 µs. */
#define T0 1700000000000000000u

#define U8(n) r.n = 1;
#define U16(n) r.n = 1;
#define U32(n) r.n = 1;
#define U64(n) r.n = T0 + ++step * 1000;
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
#undef RECORD
}
#undef U8
#undef U16
#undef U32
#undef U64
#undef F64
#undef STR
#undef BLOB

#define PUT(name, ...) do {						\
	struct record_##name r_ = { __VA_ARGS__ };			\
	b->len += record_put_##name(b->p + b->len, b->cap - b->len, &r_);\
} while (0)

static void
short_run(struct buffer *b)
{
	struct wire_str id =
	    wire_str_of("0123456789abcdef0123456789abcdef");
	uint32_t i;
	uint64_t t;

	PUT(HELLO, .protocol = 1, .level = LEVEL_COUNTERS, .pid = 10,
	    .start_ns = T0, .now_ns = T0, .run = id,
	    .exe = wire_str_of("/bin/app"), .command = wire_str_of("app"));
	PUT(DEVICE, .id = 0, .cc_major = 9, .sms = 132,
	    .max_threads_per_sm = 2048, .max_threads_per_block = 1024,
	    .max_blocks_per_sm = 32, .max_warps_per_sm = 64, .warp_size = 32,
	    .regs_per_sm = 65536, .regs_per_block = 65536,
	    .smem_per_sm = 233472, .smem_per_block = 49152,
	    .smem_per_block_optin = 232448, .smem_reserved = 1024,
	    .core_khz = 1980000, .memory_bandwidth = 4800000000000u,
	    .name = wire_str_of("GPU"), .chip = wire_str_of("GH100"),
	    .uuid = id);
	PUT(CONTEXT, .id = 1, .null_stream = 7, .now_ns = T0);
	PUT(STRING, .id = 1, .text = wire_str_of("_Z6kernelPf"));
	PUT(SIGNATURE, .id = 1, .name = 1, .grid_x = 100, .grid_y = 1,
	    .grid_z = 1, .block_x = 100, .block_y = 1, .block_z = 1,
	    .regs = 40, .carveout = 255);
	PUT(METRIC, .id = 1, .name = wire_str_of(
	    "sm__warps_active.avg.pct_of_peak_sustained_active"));
	for (i = 0; i < 40; i++) {
		t = T0 + 1000000 + i * 10000u;
		PUT(KERNEL, .signature = 1, .context = 1, .stream = 7,
		    .correlation = i, .start_ns = t, .end_ns = t + 4000,
		    .launch_ns = t - 3000, .tid = 10);
		if (i % 4 == 0)
			PUT(COPY, .context = 1, .stream = 7,
			    .start_ns = t + 5000, .end_ns = t + 7000,
			    .bytes = 4096, .kind = COPY_H2D,
			    .src = MEMORY_PAGEABLE, .dst = MEMORY_DEVICE,
			    .tid = 10);
		if (i % 8 == 0)
			PUT(SYNC, .kind = SYNC_CONTEXT, .context = 1,
			    .tid = 10, .start_ns = t + 7000,
			    .end_ns = t + 8000);
	}
	PUT(API, .call = CALL_MALLOC, .tid = 10, .start_ns = T0 + 1100000,
	    .end_ns = T0 + 1200000);
	PUT(MEMORY, .operation = 1, .kind = MEMORY_DEVICE, .context = 1,
	    .address = 4096, .bytes = 1 << 20, .now_ns = T0 + 1150000);
	PUT(COUNTERS, .signature = 1, .mode = MODE_SPREAD, .launches = 3,
	    .complete = 1, .values = { (const uint8_t *)
	    "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x49\x40", 16 });
	PUT(BYE, .now_ns = T0 + 3000000, .reason = BYE_EXIT);
}

/* fuzz_capture's second form: one chunk. */
static void
save_chunk(const char *name, const struct buffer *b)
{
	uint8_t head[5] = { 1, 0, 0, (uint8_t)(b->len & 0xff),
	    (uint8_t)(b->len >> 8) };

	save("fuzz_capture", name, head, sizeof(head), b->p, b->len);
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

/* Whole records of ${p}, at most ${max} bytes. */
static size_t
cut_records(const uint8_t *p, size_t len, size_t max)
{
	struct record r;
	size_t pos = 0, end = 0;

	while (record_next(p, len, &pos, &r) == 1 && pos <= max)
		end = pos;
	return (end);
}

/*
 * fuzz_capture's second form of a capture: what its first frames hold. Bare
 * records are worth more than frames, whose checksums no mutation finds.
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
		return (2);
	}
	root = argv[1];
	each_record(&b);
	save_chunk("each", &b);
	b.len = 0;
	short_run(&b);
	while (record_next(b.p, b.len, &pos, &r) == 1)
		records++;
	save("fuzz_record", "run", b.p, 0, b.p, b.len);
	save_chunk("run", &b);
	save_frame("run-framed", &b, records);
	for (i = 2; i < argc; i++)
		from_capture(argv[i], i);
	free(b.p);
	return (0);
}
