/* Small frames are merged into large ones, without loss. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/capture_merge.h"
#include "model/model.h"
#include "unit/fixtures.h"
#include "unit/test.h"
#include "wire/frame.h"

#define LAUNCHES 20000
#define AGE (31ull * 1000000000)

static char *top;
static char path[300], tail[320];
static struct fixture a, b;	/* two processes, one launch a frame */

static int
set_up(void **state)
{

	(void)state;
	top = fixture_mkdir();
	snprintf(path, sizeof(path), "%s/capture.cadv", top);
	snprintf(tail, sizeof(tail), "%s.tail", path);
	fixture_init(&a, 5);
	fixture_init(&b, 6);
	fixture_process(&a, FIXTURE_RUN, 1, LAUNCHES, 1);
	fixture_process(&b, FIXTURE_RUN, 2, LAUNCHES, 1);
	return 0;
}

static int
tear_down(void **state)
{

	(void)state;
	fixture_free(&a);
	fixture_free(&b);
	fixture_rmdir(top);
	return 0;
}

/* The frame at *${at} of ${f}; false at the end. */
static bool
put_next(struct capture_merger *m, const struct fixture *f, size_t *at,
    bool spans)
{
	struct capture_frame span = { .stream = f->stream };
	struct error e = ERROR_INIT;
	struct frame_header h;
	const uint8_t *p = f->file + *at;

	if (*at >= f->len)
		return false;
	assert_int_equal(frame_check(p, f->len - *at, &h), FRAME_OK);
	span.sequence = h.sequence;
	span.records = h.records;
	span.t_min = h.sequence + 1;
	span.t_max = h.sequence + 2;
	assert_int_equal(capture_merger_put(m, p, &h, p + FRAME_HEADER_SIZE,
	    h.stored, spans ? &span : NULL, &e), 0);
	*at += FRAME_HEADER_SIZE + h.stored;
	return true;
}

/* Both processes, alternating. */
static void
put_all(struct capture_merger *m, bool spans)
{
	size_t i = 0, j = 0;
	bool more = true;

	while (more) {
		more = put_next(m, &a, &i, spans);
		more = put_next(m, &b, &j, spans) || more;
	}
}

static struct capture_merger *
merger(bool journal, capture_merged *fn, void *arg)
{
	struct error e = ERROR_INIT;
	struct capture_merger *m = capture_merger_open(path, journal, fn, arg,
	    &e);

	assert_non_null(m);
	return m;
}

/* The capture must have both processes, each record once; returns its number of
 * frames. */
static uint64_t
check_capture(void)
{
	struct capture_stats st;
	struct error e = ERROR_INIT;
	struct model *m = model_new();

	assert_int_equal(capture_load(path, m, &st, &e), 0);
	assert_int_equal(st.records, a.sequence + b.sequence);
	assert_int_equal(st.missing, 0);
	assert_int_equal(st.damaged, 0);
	assert_int_equal(model_settle(m, true)->launches, 2 * LAUNCHES);
	model_free(m);
	return st.frames;
}

struct rows {
	uint64_t rows, records, t_min, t_max;
};

static void
count_row(void *arg, const struct capture_frame *row)
{
	struct rows *r = arg;

	r->rows++;
	r->records += row->records;
	if (row->t_min < r->t_min)
		r->t_min = row->t_min;
	if (row->t_max > r->t_max)
		r->t_max = row->t_max;
}

TEST_WITH(small_frames_become_large, set_up, tear_down)
{
	struct rows rows = { .t_min = UINT64_MAX };
	struct capture_merger *m = merger(false, count_row, &rows);
	uint64_t frames;

	put_all(m, true);
	capture_merger_close(m);
	frames = check_capture();
	/* 20,000 records of 80 bytes are 1.6 MB a process: 7 frames of 256 KiB. */
	assert_in_range(frames, 2, 20);
	assert_int_equal(rows.rows, frames);
	assert_int_equal(rows.records, a.sequence + b.sequence);
	assert_int_equal(rows.t_min, 1);
	assert_int_equal(rows.t_max, a.sequence + 1);
}

static void
copy_file(const char *from, const char *to)
{
	char command[700];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_int_equal(system(command), 0);
}

/* Killed at any moment: the next daemon finds everything that was stored. */
TEST_WITH(killed, set_up, tear_down)
{
	struct capture_merger *m = merger(true, NULL, NULL);
	char before[340], after[340];
	struct error e = ERROR_INIT;

	snprintf(before, sizeof(before), "%s/before.tail", top);
	snprintf(after, sizeof(after), "%s/after.cadv", top);
	put_all(m, true);
	/* The state that the next one finds if we are killed now, */
	copy_file(tail, before);
	copy_file(path, after);
	capture_merger_close(m);
	assert_int_equal(access(tail, F_OK), -1);
	check_capture();
	copy_file(after, path);
	copy_file(before, tail);
	assert_int_equal(capture_settle(path, &e), 0);
	assert_int_equal(access(tail, F_OK), -1);
	check_capture();
	/* or after the write to the capture, with the tail still there. */
	copy_file(before, tail);
	assert_int_equal(capture_settle(path, &e), 0);
	check_capture();
	/* Or in the middle of a frame of the tail. */
	copy_file(after, path);
	copy_file(before, tail);
	m = merger(true, NULL, NULL);
	put_all(m, true);
	capture_merger_close(m);
	check_capture();
	assert_int_equal(capture_settle(path, &e), 0);
}

/* Waiting records are written to the capture in time. */
TEST_WITH(age, set_up, tear_down)
{
	struct capture_merger *m = merger(true, NULL, NULL);
	uint64_t bytes;
	struct timespec t;
	size_t at = 0;

	put_next(m, &a, &at, true);
	bytes = capture_writer_bytes(capture_merger_writer(m));
	clock_gettime(CLOCK_MONOTONIC, &t);
	capture_merger_tick(m, (uint64_t)t.tv_sec * 1000000000u);
	assert_int_equal(capture_writer_bytes(capture_merger_writer(m)),
	    bytes);
	capture_merger_tick(m, (uint64_t)t.tv_sec * 1000000000u + 2 * AGE);
	assert_true(capture_writer_bytes(capture_merger_writer(m)) > bytes);
	capture_merger_close(m);
}

/* A frame that contradicts its header is not merged; the frames after it are found. */
TEST_WITH(nonsense_stays_alone, set_up, tear_down)
{
	struct capture_merger *m = merger(false, NULL, NULL);
	struct capture_stats st;
	struct error e = ERROR_INIT;
	struct frame_header h;
	uint8_t *frame;
	size_t at = 0, i;

	for (i = 0; i < 100; i++)
		put_next(m, &a, &at, false);
	assert_int_equal(frame_peek(a.file + at, a.len - at, &h), FRAME_OK);
	frame = malloc(FRAME_HEADER_SIZE + h.stored);
	memcpy(frame, a.file + at, FRAME_HEADER_SIZE + h.stored);
	memset(frame + FRAME_HEADER_SIZE, 0xff, h.stored);
	frame_seal(frame, &h);
	assert_int_equal(capture_merger_put(m, frame, &h,
	    frame + FRAME_HEADER_SIZE, h.stored, NULL, &e), 0);
	at += FRAME_HEADER_SIZE + h.stored;
	while (put_next(m, &a, &at, false))
		continue;
	capture_merger_close(m);
	assert_int_equal(capture_load(path, NULL, &st, &e), 0);
	assert_int_equal(st.records, a.sequence - h.records);
	assert_int_equal(st.damaged, 1);
	free(frame);
}

/* A capture with more frames than can be loaded is reordered. */
TEST_WITH(crowded, set_up, tear_down)
{
	struct capture_index x = { 0 };
	struct error e = ERROR_INIT;
	struct capture_stats st;
	struct capture_writer *w = capture_writer_open(path, &e);
	uint8_t frame[FRAME_HEADER_SIZE + 64];
	struct frame_header h = { .stream = 9 };
	uint32_t i;

	h.stored = h.raw = (uint32_t)record_put_SYNC(frame + FRAME_HEADER_SIZE,
	    64, &(struct record_SYNC){ .start_ns = FIXTURE_T0,
	    .end_ns = FIXTURE_T0 + 1 });
	h.records = 1;
	for (i = 0; i <= CAPTURE_FRAMES; i++) {
		h.sequence = i;
		frame_seal(frame, &h);
		assert_int_equal(capture_writer_plain(w, frame,
		    FRAME_HEADER_SIZE + h.stored, &e), 0);
	}
	capture_writer_close(w);
	assert_int_equal(capture_load(path, NULL, &st, &e), -1);
	assert_true(st.crowded);
	assert_non_null(strstr(e.text, "pieces"));
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_load_own(path, NULL, &st, &x, &e), 0);
	assert_int_equal(st.records, CAPTURE_FRAMES + 1);
	assert_in_range(x.frames, 2, 1000);
	capture_index_clear(&x);
}
