#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/capture.h"
#include "model/model.h"
#include "unit/fixtures.h"
#include "unit/test.h"
#include "wire/frame.h"
#include "wire/le.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static char *top;
static char path[256], other[256];

static int
load(struct capture_stats *st, const struct run **run, struct model **m,
    struct error *e)
{
	int rc;

	*e = (struct error)ERROR_INIT;
	*m = model_new();
	assert_non_null(*m);
	rc = capture_load(path, *m, st, e);
	if (rc == 0 && run != NULL)
		*run = model_settle(*m, true);
	return rc;
}

TEST(whole_file)
{
	struct capture_stats st;
	const struct run *run;
	struct fixture f;
	struct model *m;
	struct error e;

	fixture_init(&f, 1);
	fixture_process(&f, FIXTURE_RUN, 12, 40, 7);
	fixture_write(&f, path, f.len);
	assert_int_equal(load(&st, &run, &m, &e), 0);
	assert_true(st.records == f.sequence);
	assert_int_equal(st.damaged, 0);
	assert_int_equal(st.missing, 0);
	assert_int_equal(st.streams, 1);
	assert_false(st.truncated);
	assert_string_equal(run->uuid, FIXTURE_RUN);
	assert_int_equal(run->launches, 40);
	assert_int_equal(run->kernels, 2);
	model_free(m);
	fixture_free(&f);
}

/* Frames of one stream, in any order and some twice, give the same run. */
TEST(order_and_duplicates)
{
	struct capture_stats st;
	const struct run *run;
	struct frame_header h;
	size_t at[64], n = 0, pos, i;
	struct fixture f;
	struct model *m;
	struct error e;
	FILE *out;

	fixture_init(&f, 9);
	fixture_process(&f, FIXTURE_RUN, 12, 40, 3);
	for (pos = 0; pos < f.len; pos += FRAME_HEADER_SIZE + h.stored) {
		assert_int_equal(frame_check(f.file + pos, f.len - pos, &h),
		    FRAME_OK);
		at[n++] = pos;
	}
	out = fopen(path, "wb");
	for (i = 0; i < 2 * n; i++) {
		pos = at[(i * 7 + i / n) % n];
		frame_peek(f.file + pos, f.len - pos, &h);
		fwrite(f.file + pos, 1, FRAME_HEADER_SIZE + h.stored, out);
	}
	for (i = n; i-- > 0;) {
		frame_peek(f.file + at[i], f.len - at[i], &h);
		fwrite(f.file + at[i], 1, FRAME_HEADER_SIZE + h.stored, out);
	}
	fclose(out);
	assert_int_equal(load(&st, &run, &m, &e), 0);
	assert_true(st.records == f.sequence);
	assert_true(st.duplicate >= f.sequence);
	assert_int_equal(st.missing, 0);
	assert_int_equal(run->launches, 40);
	model_free(m);
	fixture_free(&f);
}

TEST(missing_frame_is_counted)
{
	struct capture_stats st;
	const struct run *run;
	struct frame_header h;
	struct fixture f;
	struct model *m;
	struct error e;
	size_t pos = 0, cut;
	int i;

	fixture_init(&f, 9);
	fixture_process(&f, FIXTURE_RUN, 12, 40, 4);
	for (i = 0; i < 4; i++) {
		frame_peek(f.file + pos, f.len - pos, &h);
		pos += FRAME_HEADER_SIZE + h.stored;
	}
	frame_peek(f.file + pos, f.len - pos, &h);
	cut = FRAME_HEADER_SIZE + h.stored;
	memmove(f.file + pos, f.file + pos + cut, f.len - pos - cut);
	f.len -= cut;
	fixture_write(&f, path, f.len);
	assert_int_equal(load(&st, &run, &m, &e), 0);
	assert_int_equal(st.missing, 4);
	assert_int_equal(run->launches, 36);
	assert_int_equal(run->process[0].missing, 4);
	model_free(m);
	fixture_free(&f);
}

/* Through the writer: compressed, with the same contents. */
TEST(written_and_compressed)
{
	struct capture_writer *w;
	struct capture_stats st;
	struct error e = ERROR_INIT;
	const struct run *run;
	struct frame_header h;
	struct fixture f;
	struct model *m;
	size_t pos;

	fixture_init(&f, 1);
	fixture_process(&f, FIXTURE_RUN, 12, 4000, 500);
	unlink(path);
	w = capture_writer_open(path, &e);
	assert_non_null(w);
	for (pos = 0; pos < f.len; pos += FRAME_HEADER_SIZE + h.stored) {
		frame_peek(f.file + pos, f.len - pos, &h);
		assert_int_equal(capture_writer_put(w, f.file + pos,
		    FRAME_HEADER_SIZE + h.stored, &e), 0);
	}
	assert_true(capture_writer_bytes(w) < f.len / 2);
	assert_int_equal(capture_writer_put(w, f.file, 20, &e), -1);
	capture_writer_close(w);
	assert_int_equal(load(&st, &run, &m, &e), 0);
	assert_true(st.records == f.sequence);
	assert_true(st.raw_bytes + st.frames * FRAME_HEADER_SIZE == f.len);
	assert_int_equal(run->launches, 4000);
	model_free(m);
	fixture_free(&f);
}

TEST(concat_is_a_union)
{
	const char *part[3] = { other, "/nonexistent", path };
	char out[300];
	struct capture_stats st;
	struct error e = ERROR_INIT;
	struct fixture a, b;
	struct model *m = model_new();

	fixture_init(&a, 1);
	fixture_process(&a, FIXTURE_RUN, 12, 40, 7);
	fixture_write(&a, path, a.len);
	fixture_init(&b, 2);
	fixture_process(&b, FIXTURE_RUN, 13, 20, 7);
	fixture_write(&b, other, b.len);
	snprintf(out, sizeof(out), "%s/union", top);
	unlink(out);
	assert_int_equal(capture_concat(part, 3, out, &e), 0);
	assert_int_equal(capture_load(out, m, &st, &e), 0);
	assert_int_equal(st.streams, 2);
	assert_int_equal(model_settle(m, true)->launches, 60);
	model_free(m);
	fixture_free(&a);
	fixture_free(&b);
}

/* A file truncated at any byte loses only the last frame. */
TEST(truncated_anywhere)
{
	struct capture_stats st;
	struct frame_header h;
	struct fixture f;
	struct model *m;
	struct error e;
	uint64_t whole = 0;
	size_t len, next = 0;
	int rc;

	fixture_init(&f, 1);
	fixture_process(&f, FIXTURE_RUN, 12, 10, 3);
	for (len = 0; len < f.len; len++) {
		if (frame_peek(f.file + next, f.len - next, &h) == FRAME_OK &&
		    len >= next + FRAME_HEADER_SIZE + h.stored) {
			next += FRAME_HEADER_SIZE + h.stored;
			whole += h.records;
		}
		fixture_write(&f, path, len);
		rc = load(&st, NULL, &m, &e);
		if (whole == 0) {
			assert_int_equal(rc, -1);
			assert_non_null(strstr(e.text, len == 0 ? "empty" :
			    len < 4 ? "not a cudadvise capture" :
			    "truncated"));
		} else {
			assert_int_equal(rc, 0);
			assert_true(st.records == whole);
			assert_int_equal(st.truncated, len != next);
			assert_int_equal(st.damaged, 0);
		}
		model_free(m);
	}
	fixture_free(&f);
}

/* One wrong byte loses only one frame, which is counted. */
TEST(corrupt_anywhere)
{
	static const uint8_t flip[] = { 0x01, 0x80, 0xff };
	struct capture_stats st;
	struct fixture f;
	struct model *m;
	struct error e;
	size_t i, k;

	fixture_init(&f, 1);
	fixture_process(&f, FIXTURE_RUN, 12, 10, 3);
	/* With a sanitizer each load takes ten times as long: then only one
	 * value for each byte, in turn. */
	for (i = 0; i < f.len; i++)
		for (k = 0; k < sizeof(flip); k++) {
			if (SANITIZED && k != i % sizeof(flip))
				continue;
			f.file[i] ^= flip[k];
			fixture_write(&f, path, f.len);
			assert_int_equal(load(&st, NULL, &m, &e), 0);
			assert_true(st.damaged == 1 || st.truncated);
			assert_true(st.records + 10 >= f.sequence);
			assert_true(st.records < f.sequence);
			model_settle(m, true);
			model_free(m);
			f.file[i] ^= flip[k];
		}
	fixture_free(&f);
}

/* The same for a compressed file with a correct checksum over damaged contents. */
TEST(sealed_nonsense)
{
	struct capture_writer *w;
	struct error e = ERROR_INIT;
	struct frame_header h;
	struct fixture f;
	struct model *m;
	uint8_t *buf, keep;
	size_t pos, len, i;
	FILE *in;

	fixture_init(&f, 1);
	fixture_process(&f, FIXTURE_RUN, 12, 300, 300);
	unlink(path);
	w = capture_writer_open(path, &e);
	for (pos = 0; pos < f.len; pos += FRAME_HEADER_SIZE + h.stored) {
		frame_peek(f.file + pos, f.len - pos, &h);
		capture_writer_put(w, f.file + pos, FRAME_HEADER_SIZE +
		    h.stored, &e);
	}
	len = capture_writer_bytes(w);
	capture_writer_close(w);
	buf = malloc(len);
	in = fopen(path, "rb");
	assert_int_equal(fread(buf, 1, len, in), len);
	fclose(in);
	free(f.file);
	f.file = buf;
	f.len = f.cap = len;
	for (pos = 0; pos < len; pos += FRAME_HEADER_SIZE + h.stored) {
		frame_peek(buf + pos, len - pos, &h);
		for (i = 0; i < h.stored; i++) {
			keep = buf[pos + FRAME_HEADER_SIZE + i];
			buf[pos + FRAME_HEADER_SIZE + i] ^= 0x55;
			frame_seal(buf + pos, &h);
			fixture_write(&f, path, len);
			assert_int_equal(load(NULL, NULL, &m, &e), 0);
			model_settle(m, true);
			model_free(m);
			buf[pos + FRAME_HEADER_SIZE + i] = keep;
		}
		frame_seal(buf + pos, &h);
	}
	fixture_free(&f);
}

TEST(other_files_are_refused)
{
	struct fixture f;
	struct model *m;
	struct error e;
	FILE *out;
	int i;

	out = fopen(path, "wb");
	for (i = 0; i < 100000; i++)
		fputs("this is no capture\n", out);
	fclose(out);
	assert_int_equal(load(NULL, NULL, &m, &e), -1);
	assert_non_null(strstr(e.text, "is not a cudadvise capture"));
	model_free(m);

	fixture_init(&f, 1);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_flush(&f);
	le16_put(f.file + 4, 9);
	fixture_write(&f, path, f.len);
	assert_int_equal(load(NULL, NULL, &m, &e), -1);
	assert_non_null(strstr(e.text, "newer version"));
	model_free(m);
	fixture_free(&f);

	m = model_new();
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_load("/nonexistent", m, NULL, &e), -1);
	assert_non_null(strstr(e.text, "No such file"));
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_load("/tmp", m, NULL, &e), -1);
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_load("/dev/null", m, NULL, &e), -1);
	assert_non_null(strstr(e.text, "regular file"));
	model_free(m);
}

/* Headers that each claim 4 MiB, none of them valid: bounded work. */
TEST(many_false_headers)
{
	struct frame_header h = { .stored = FRAME_MAX_PAYLOAD,
	    .raw = FRAME_MAX_PAYLOAD, .stream = 1, .records = 1 };
	static uint8_t head[FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	struct fixture f;
	struct model *m;
	struct error e;
	FILE *out;
	int i;

	frame_seal(head, &h);
	head[47] ^= 1;
	out = fopen(path, "wb");
	for (i = 0; i < 200000; i++)
		fwrite(head, 1, FRAME_HEADER_SIZE, out);
	fclose(out);
	assert_int_equal(load(NULL, NULL, &m, &e), -1);
	assert_non_null(strstr(e.text, "damaged"));
	model_free(m);
	fixture_init(&f, 1);
	fixture_free(&f);
}

/* The same for invalid frame beginnings: the search for the next frame reads
 * ahead at each. */
TEST(many_false_beginnings)
{
	uint8_t word[8] = { 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };
	struct timespec from, to;
	struct model *m;
	struct error e;
	FILE *out;
	int i;

	le32_put(word, FRAME_MAGIC);
	out = fopen(path, "wb");
	for (i = 0; i < 2000000; i++)
		fwrite(word, 1, sizeof(word), out);
	fclose(out);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	assert_int_equal(load(NULL, NULL, &m, &e), -1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_non_null(strstr(e.text, "newer version"));
	/* Handled one by one they would take half a minute. */
	assert_true(to.tv_sec - from.tv_sec < 5);
	model_free(m);
}

struct seen {
	uint64_t kernels, last;
};

static int
see(void *arg, uint64_t stream, uint64_t sequence, const struct record *r)
{
	struct seen *s = arg;

	assert_int_equal(stream, 1);
	assert_true(s->last == 0 || sequence > s->last);
	s->last = sequence;
	s->kernels += r->type == RECORD_KERNEL;
	return 0;
}

TEST(window_decodes_little)
{
	struct error e = ERROR_INIT;
	struct capture_index x;
	struct seen s = { 0, 0 };
	struct fixture f;
	struct model *m = model_new();
	const struct run *run;
	int more;

	fixture_init(&f, 1);
	fixture_process(&f, FIXTURE_RUN, 12, 1000, 10);
	fixture_write(&f, path, f.len);
	assert_int_equal(capture_load_file(path, m, NULL, &x, &e), 0);
	run = model_settle(m, true);
	capture_index_kernels(&x, run);
	assert_int_equal(x.signatures, 2);
	assert_int_equal(capture_index_signature(&x, 1, 1)->kernel, 1);
	assert_int_equal(capture_index_signature(&x, 1, 2)->kernel, 2);
	assert_null(capture_index_signature(&x, 1, 3));
	assert_int_equal(capture_index_device(&x, 1, 0), 0);
	/* Launches 500 to 509 fill one frame. */
	assert_int_equal(capture_window(path, &x, FIXTURE_T0 + 500 * 20000,
	    FIXTURE_T0 + 510 * 20000 - 5000, 1000, see, &s, &more, &e), 10);
	assert_int_equal(s.kernels, 10);
	assert_int_equal(more, 0);
	s = (struct seen){ 0, 0 };
	assert_int_equal(capture_window(path, &x, 0, UINT64_MAX, UINT64_MAX,
	    see, &s, &more, &e), f.sequence);
	assert_int_equal(s.kernels, 1000);
	s = (struct seen){ 0, 0 };
	assert_int_equal(capture_window(path, &x, 0, UINT64_MAX, 17, see, &s,
	    &more, &e), 17);
	assert_int_equal(more, 1);
	capture_index_clear(&x);
	model_free(m);
	fixture_free(&f);
}

TEST(origin_of_a_spool)
{
	struct error e = ERROR_INIT;
	struct capture_origin o;
	struct fixture f;

	fixture_init(&f, 77);
	fixture_process(&f, FIXTURE_RUN, 4242, 10, 5);
	fixture_write(&f, path, f.len);
	assert_int_equal(capture_peek(path, &o, &e), 0);
	assert_string_equal(o.run, FIXTURE_RUN);
	assert_int_equal(o.pid, 4242);
	assert_int_equal(o.stream, 77);
	assert_true(o.ended);
	fixture_write(&f, path, f.len - 1);
	assert_int_equal(capture_peek(path, &o, &e), 0);
	assert_false(o.ended);
	fixture_write(&f, path, 10);
	assert_int_equal(capture_peek(path, &o, &e), -1);
	fixture_free(&f);
}

static int
set_up(void **state)
{
	(void)state;
	top = fixture_mkdir();
	snprintf(path, sizeof(path), "%s/capture.cadv", top);
	snprintf(other, sizeof(other), "%s/other.cadv", top);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	fixture_rmdir(top);
	return 0;
}

TEST_GROUP(set_up, tear_down)
