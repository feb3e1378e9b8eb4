/*
 * bench_records.c: how many records a second the daemon processes in what it
 * does with each frame: check, decode, model, capture file. As a baseline in
 * the same run: copying the same bytes.
 *
 *   bench-records [LAUNCHES] [REPETITIONS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/capture.h"
#include "model/model.h"
#include "wire/frame.h"
#include "wire/record.h"

#include "stream.h"

#define RUN "00112233445566778899aabbccddeeff"

struct bytes {
	uint8_t *p;
	size_t len, cap;
	uint64_t records;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
make(struct bytes *b, uint64_t launches)
{
	struct bench_stream *s = malloc(sizeof(*s));

	if (s == NULL)
		abort();
	stream_init(s, RUN, 1, launches);
	while (stream_next(s)) {
		if (b->cap - b->len < s->len) {
			b->cap = 2 * b->cap + s->len;
			if ((b->p = realloc(b->p, b->cap)) == NULL)
				abort();
		}
		memcpy(b->p + b->len, s->frame, s->len);
		b->len += s->len;
		b->records += s->records;
	}
	free(s);
}

static double
time_copy(const struct bytes *b, uint8_t *to)
{
	double t = now();

	memcpy(to, b->p, b->len);
	__asm__ volatile("" : : "r"(to) : "memory");
	return now() - t;
}

static double
time_ingest(const struct bytes *b, const char *path)
{
	struct error e = ERROR_INIT;
	struct capture_writer *w = capture_writer_open(path, &e);
	struct model *m = model_new();
	struct frame_header h;
	struct record r;
	size_t at, pos;
	uint64_t sequence;
	double t = now();

	if (w == NULL || m == NULL)
		abort();
	for (at = 0; at < b->len; at += FRAME_HEADER_SIZE + h.stored) {
		if (frame_check(b->p + at, b->len - at, &h) != FRAME_OK ||
		    capture_writer_put(w, b->p + at, FRAME_HEADER_SIZE +
		    h.stored, &e) != 0)
			abort();
		sequence = h.sequence;
		for (pos = 0; record_next(b->p + at + FRAME_HEADER_SIZE,
		    h.stored, &pos, &r) == 1; sequence++)
			if (model_feed(m, h.stream, sequence, &r) != 0)
				abort();
	}
	if (model_settle(m, true)->launches == 0)
		abort();
	t = now() - t;
	capture_writer_close(w);
	model_free(m);
	unlink(path);
	return t;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	uint64_t launches = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	int i, n = argc > 2 ? atoi(argv[2]) : 5;
	struct bytes b = { NULL, 0, 0, 0 };
	double copy[64], ingest[64];
	char path[] = "/tmp/cudadvise-bench-XXXXXX";
	uint8_t *to;
	int fd;

	if (n < 1 || n > 64 || launches == 0 || (fd = mkstemp(path)) < 0)
		return 2;
	close(fd);
	unlink(path);
	make(&b, launches);
	if ((to = malloc(b.len)) == NULL)
		return 1;
	memset(to, 1, b.len);
	for (i = 0; i < n; i++) {
		copy[i] = time_copy(&b, to);
		ingest[i] = time_ingest(&b, path);
	}
	qsort(copy, (size_t)n, sizeof(*copy), compare);
	qsort(ingest, (size_t)n, sizeof(*ingest), compare);
	printf("ingest\trecords_per_s\t%.0f\t1000000\tat least\n",
	    (double)b.records / ingest[n / 2]);
	printf("ingest\tbytes_per_s\t%.0f\t\t\n",
	    (double)b.len / ingest[n / 2]);
	printf("ingest\ttimes_memcpy\t%.1f\t\tthe same bytes copied: %.3g s\n",
	    ingest[n / 2] / copy[n / 2], copy[n / 2]);
	free(to);
	free(b.p);
	return 0;
}
