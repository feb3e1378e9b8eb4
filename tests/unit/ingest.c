/* The service over its real socket, with correct and incorrect peers. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <sqlite3.h>

#include "base/log.h"
#include "capture/capture.h"
#include "unit/served.h"
#include "unit/test.h"
#include "wire/frame.h"
#include "wire/le.h"

#define RUN_B "ffeeddccbbaa99887766554433221100"

static int
set_up(void **state)
{
	(void)state;
	serve(100, 300);
	return 0;
}

/* The sequence number of the next ACK; UINT64_MAX if the daemon closed the
 * connection. */
static uint64_t
next_ack(int fd)
{
	uint8_t buf[FRAME_HEADER_SIZE + 16];
	struct frame_header h;
	struct record r;
	size_t pos = 0;

	if (recv(fd, buf, sizeof(buf), MSG_WAITALL) != sizeof(buf))
		return UINT64_MAX;
	assert_int_equal(frame_check(buf, sizeof(buf), &h), FRAME_OK);
	assert_int_equal(h.stream, 0);
	assert_int_equal(record_next(buf + FRAME_HEADER_SIZE, h.stored, &pos,
	    &r), 1);
	assert_int_equal(r.type, RECORD_ACK);
	return r.u.ACK.sequence;
}

static void
wait_ack(int fd, uint64_t sequence)
{
	uint64_t ack;

	do {
		ack = next_ack(fd);
		assert_true(ack <= sequence);
	} while (ack != sequence);
}

static bool
is_there(const char *fmt, const char *arg)
{
	char name[400];

	snprintf(name, sizeof(name), fmt, top, arg);
	return access(name, F_OK) == 0;
}

TEST_WITH(a_run_from_end_to_end, set_up, serve_end)
{
	struct fixture launcher, target;
	struct store_doc *page;
	char next[STORE_CURSOR_SIZE], *json;
	struct error e = ERROR_INIT;
	struct store_run r;
	struct stat st;
	size_t n;
	int a, b;

	assert_int_equal(stat(socket_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	fixture_init(&launcher, 1);
	fixture_begin(&launcher, FIXTURE_RUN);
	fixture_flush(&launcher);
	a = dial();
	transmit(a, launcher.file, launcher.len);
	assert_int_equal(next_ack(a), 1);
	fixture_init(&target, 2);
	fixture_process(&target, FIXTURE_RUN, (uint32_t)getpid(), 400, 50);
	b = dial();
	transmit(b, target.file, target.len);
	wait_ack(b, target.sequence);
	close(b);
	launcher.now = target.now;
	launcher.len = 0;
	fixture_end(&launcher);
	fixture_flush(&launcher);
	transmit(a, launcher.file, launcher.len);
	wait_ack(a, 2);
	close(a);
	wait_state(FIXTURE_RUN, "finished", &r);
	assert_int_equal(r.number, 1);
	assert_string_equal(r.label, "fixture");
	assert_int_equal(run_field(&r, "launches"), 400);
	store_run_clear(&r);
	assert_int_equal(store_docs(service_store(service), 1, "kernel",
	    SORT_TIME, false, "", 10, &page, &n, next, &e), STORE_OK);
	assert_int_equal(n, 2);
	assert_non_null(strstr(page[0].json, "saxpy_k"));
	store_docs_free(page, n);
	assert_int_equal(store_doc(service_store(service), 1, "findings", "",
	    &json, &e), STORE_OK);
	free(json);
	assert_true(is_there("%s/runs/%s/capture.cadv", FIXTURE_RUN));
	fixture_free(&launcher);
	fixture_free(&target);
}

/* Puts one finished run into the store. */
static void
finished_run(const char *uuid, unsigned launches)
{
	struct fixture f;
	struct store_run r;
	int fd = dial();

	fixture_init(&f, 5);
	fixture_process(&f, uuid, 1, launches, 50);
	transmit(fd, f.file, f.len);
	wait_ack(fd, f.sequence);
	close(fd);
	wait_state(uuid, NULL, &r);
	store_run_clear(&r);
	fixture_free(&f);
}

TEST_WITH(live_runs_are_seen, set_up, serve_end)
{
	struct fixture f;
	struct store_run r;
	int fd = dial();

	fixture_init(&f, 5);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_device(&f);
	fixture_signature(&f, 1, "_Z7saxpy_kPfS_f");
	fixture_kernels(&f, 1, 10, 1000000);
	fixture_flush(&f);
	transmit(fd, f.file, f.len);
	wait_ack(fd, f.sequence);
	wait_state(FIXTURE_RUN, "live", &r);
	store_run_clear(&r);
	close(fd);
	fixture_free(&f);
}

/* The daemon tells a target that reconnects where to continue; duplicates count
 * once. */
TEST_WITH(reconnect_and_duplicates, set_up, serve_end)
{
	struct frame_header h;
	struct store_run r;
	struct fixture f;
	size_t half = 0, frames = 0;
	int fd;

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 400, 20);
	while (frames < 12) {
		frame_peek(f.file + half, f.len - half, &h);
		half += FRAME_HEADER_SIZE + h.stored;
		frames++;
	}
	fd = dial();
	transmit(fd, f.file, half + 100);	/* and a part of the next one */
	wait_ack(fd, h.sequence + h.records);
	close(fd);
	fd = dial();
	frame_peek(f.file, f.len, &h);
	transmit(fd, f.file, FRAME_HEADER_SIZE + h.stored);	/* HELLO again */
	frame_peek(f.file + half, f.len - half, &h);
	assert_int_equal(next_ack(fd), h.sequence);
	transmit(fd, f.file, f.len);			/* all of it again */
	wait_ack(fd, f.sequence);
	close(fd);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 400);
	store_run_clear(&r);
	fixture_free(&f);
}

/* A frame after a gap is stored, but not acknowledged. */
TEST_WITH(gaps_are_not_acknowledged, set_up, serve_end)
{
	struct frame_header h;
	struct store_run r;
	struct fixture f;
	size_t at[40], n = 0, pos;
	int fd;

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 400, 20);
	for (pos = 0; pos < f.len; pos += FRAME_HEADER_SIZE + h.stored) {
		frame_peek(f.file + pos, f.len - pos, &h);
		at[n++] = pos;
	}
	fd = dial();
	transmit(fd, f.file, at[5]);
	frame_peek(f.file + at[5], f.len, &h);
	wait_ack(fd, h.sequence);
	transmit(fd, f.file + at[8], at[9] - at[8]);
	assert_int_equal(next_ack(fd), h.sequence);
	transmit(fd, f.file + at[5], f.len - at[5]);
	wait_ack(fd, f.sequence);
	close(fd);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 400);
	store_run_clear(&r);
	fixture_free(&f);
}

/* Each of these is disconnected; another peer is served meanwhile. */
TEST_WITH(hostile_peers, set_up, serve_end)
{
	uint8_t junk[4096], frame[FRAME_HEADER_SIZE + 64];
	struct frame_header h = { .stream = 9, .records = 1 };
	struct service_counters c;
	struct fixture good, bad;
	int held, fd, fine, i;
	uint64_t done = 0;

	/* Half a frame that claims 4 MiB; this connection stays open. */
	fixture_init(&bad, 9);
	fixture_hello(&bad, RUN_B, 1);
	fixture_flush(&bad);
	le32_put(bad.file + 8, FRAME_MAX_PAYLOAD);
	le32_put(bad.file + 12, FRAME_MAX_PAYLOAD);
	held = dial();
	transmit(held, bad.file, FRAME_HEADER_SIZE + 10);

	fixture_init(&good, 5);
	fixture_process(&good, FIXTURE_RUN, 1, 100, 50);
	fine = dial();
	transmit(fine, good.file, good.len / 2);
	assert_true(next_ack(fine) < good.sequence);

	memset(junk, 0xa5, sizeof(junk));
	for (i = 0; i < 6; i++) {
		fd = dial();
		memset(frame, 0, sizeof(frame));
		h.stored = h.raw = 64;
		switch (i) {
		case 0:			/* garbage */
			transmit(fd, junk, sizeof(junk));
			break;
		case 1:			/* a huge length */
			frame_seal(frame, &h);
			le32_put(frame + 8, UINT32_MAX);
			transmit(fd, frame, sizeof(frame));
			break;
		case 2:			/* no HELLO */
			frame_seal(frame, &h);
			transmit(fd, frame, sizeof(frame));
			break;
		case 3:			/* a wrong checksum */
			frame_seal(frame, &h);
			frame[50] ^= 1;
			transmit(fd, frame, sizeof(frame));
			break;
		case 4:			/* a newer version */
			frame_seal(frame, &h);
			le16_put(frame + 4, 7);
			transmit(fd, frame, sizeof(frame));
			break;
		case 5:			/* no run id */
			bad.len = 0;
			bad.sequence = 0;
			fixture_hello(&bad, "../../../../../../../etc/passwd0",
			    1);
			fixture_flush(&bad);
			transmit(fd, bad.file, bad.len);
			break;
		}
		assert_true(next_ack(fd) == UINT64_MAX);
		close(fd);
		service_counters(service, &c);
		assert_int_equal(c.dropped_peers, ++done);
	}
	transmit(fine, good.file + good.len / 2, good.len - good.len / 2);
	wait_ack(fine, good.sequence);
	close(fine);
	close(held);
	fixture_free(&good);
	fixture_free(&bad);
}

/* After a correct beginning: nonsense with a correct checksum, another stream. */
TEST_WITH(hostile_later, set_up, serve_end)
{
	uint8_t frame[FRAME_HEADER_SIZE + 64];
	struct frame_header h = { .stream = 5, .records = 2, .stored = 64,
	    .raw = 64 };
	struct fixture f, launcher;
	struct store_run r;
	int fd, i;

	fixture_init(&f, 5);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_flush(&f);
	for (i = 0; i < 3; i++) {
		fd = dial();
		transmit(fd, f.file, f.len);
		assert_int_equal(next_ack(fd), 1);
		h.sequence = 1;
		h.stream = i == 0 ? 6 : 5;
		h.flags = i == 1 ? FRAME_ZSTD : 0;
		memset(frame, 0xff, sizeof(frame));
		frame_seal(frame, &h);
		transmit(fd, frame, sizeof(frame));
		assert_true(next_ack(fd) == UINT64_MAX);
		close(fd);
	}
	/* The correct part of the run is stored once the launcher ends it. (Our
	 * process lives on, and so would not end it.) */
	fixture_init(&launcher, 1);
	fixture_begin(&launcher, FIXTURE_RUN);
	fixture_end(&launcher);
	fixture_flush(&launcher);
	fd = dial();
	transmit(fd, launcher.file, launcher.len);
	wait_ack(fd, 2);
	close(fd);
	fixture_free(&launcher);
	wait_state(FIXTURE_RUN, "finished", &r);
	store_run_clear(&r);
	fixture_free(&f);
}

TEST_WITH(too_many_peers, set_up, serve_end)
{
	struct service_counters c;
	int fd[4], i;

	config.max_connections = 3;
	for (i = 0; i < 4; i++)
		fd[i] = dial();
	assert_true(next_ack(fd[3]) == UINT64_MAX);
	service_counters(service, &c);
	assert_int_equal(c.refused_peers, 1);
	assert_int_equal(c.connections_open, 3);
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

/* One part in a spool file, another on the socket: one run. */
TEST_WITH(spool_is_merged, set_up, serve_end)
{
	struct frame_header h;
	struct fixture f, part;
	struct store_run r;
	char spool[400];
	size_t at[40], n = 0, pos;
	int fd;

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 400, 20);
	for (pos = 0; pos < f.len; pos += FRAME_HEADER_SIZE + h.stored) {
		frame_peek(f.file + pos, f.len - pos, &h);
		at[n++] = pos;
	}
	/* Frames 5 to 7 were spooled, with the HELLO. */
	part = f;
	part.file = malloc(f.len);
	memcpy(part.file, f.file, at[1]);
	memcpy(part.file + at[1], f.file + at[5], at[8] - at[5]);
	part.len = at[1] + at[8] - at[5];
	spool_path(spool, sizeof(spool), FIXTURE_RUN, 5);
	fd = dial();
	transmit(fd, f.file, at[5]);
	frame_peek(f.file + at[5], f.len, &h);
	wait_ack(fd, h.sequence);
	fixture_write(&part, spool, part.len);
	/* The spool covers the gap: acknowledged to the end. */
	transmit(fd, f.file + at[8], f.len - at[8]);
	wait_ack(fd, f.sequence);
	assert_int_equal(access(spool, F_OK), 0);
	close(fd);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 400);
	assert_int_equal(access(spool, F_OK), -1);
	store_run_clear(&r);
	free(part.file);
	fixture_free(&f);
}

/* No daemon ran during the program: everything is in spool files. */
TEST_WITH(spool_alone_is_a_run, set_up, serve_end)
{
	struct store_run r;
	struct fixture f;
	char spool[400];

	service_stop(service);
	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 40, 20);
	spool_path(spool, sizeof(spool), FIXTURE_RUN, 5);
	fixture_write(&f, spool, f.len);
	serve_again();
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 40);
	assert_int_equal(access(spool, F_OK), -1);
	store_run_clear(&r);
	fixture_free(&f);
}

/* The daemon ends during a run; the next one continues it. */
TEST_WITH(daemon_restarts, set_up, serve_end)
{
	struct frame_header h;
	struct store_run r;
	struct fixture f;
	size_t half;
	int fd = dial();

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 400, 20);
	frame_peek(f.file, f.len, &h);
	half = FRAME_HEADER_SIZE + h.stored;
	frame_peek(f.file + half, f.len, &h);
	half += FRAME_HEADER_SIZE + h.stored;
	transmit(fd, f.file, half);
	wait_ack(fd, h.sequence + h.records);
	service_stop(service);
	assert_true(next_ack(fd) == UINT64_MAX);
	close(fd);
	serve_again();
	fd = dial();
	frame_peek(f.file, f.len, &h);
	transmit(fd, f.file, FRAME_HEADER_SIZE + h.stored);
	frame_peek(f.file + half, f.len, &h);
	assert_int_equal(next_ack(fd), h.sequence);
	transmit(fd, f.file + half, f.len - half);
	wait_ack(fd, f.sequence);
	close(fd);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(r.number, 1);
	assert_int_equal(run_field(&r, "launches"), 400);
	store_run_clear(&r);
	fixture_free(&f);
}

/* The database is missing: runs are restored from captures. */
TEST_WITH(database_is_rebuilt, set_up, serve_end)
{
	struct store_run r;
	char name[300];

	finished_run(FIXTURE_RUN, 40);
	service_stop(service);
	snprintf(name, sizeof(name), "%s/cudadvise.db", top);
	assert_int_equal(unlink(name), 0);
	serve_again();
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 40);
	store_run_clear(&r);
}

/* The capture cannot grow: unsaved records are not acknowledged, and are stored
 * when there is room again. */
TEST_WITH(disk_full, set_up, serve_end)
{
	struct service_counters c;
	struct service_trouble t;
	struct rlimit old, tight;
	struct store_run r;
	struct fixture f;
	int fd = dial();

	log_setup(LOG_LEVEL_ERROR - 1, false);
	signal(SIGXFSZ, SIG_IGN);
	fixture_init(&f, 5);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_flush(&f);
	transmit(fd, f.file, f.len);
	wait_ack(fd, 1);
	getrlimit(RLIMIT_FSIZE, &old);
	tight = old;
	tight.rlim_cur = 1;
	setrlimit(RLIMIT_FSIZE, &tight);
	fixture_device(&f);
	fixture_signature(&f, 1, "_Z7saxpy_kPfS_f");
	fixture_kernels(&f, 1, 100, 1000);
	fixture_bye(&f);
	fixture_flush(&f);
	transmit(fd, f.file, f.len);
	assert_true(next_ack(fd) == UINT64_MAX);
	close(fd);
	setrlimit(RLIMIT_FSIZE, &old);
	service_counters(service, &c);
	assert_int_equal(c.capture_errors, 1);
	assert_true(service_trouble(service, NULL, &t));
	assert_string_equal(t.run, FIXTURE_RUN);
	assert_non_null(strstr(t.text, "cannot append to the capture"));
	assert_non_null(strstr(t.remedy, "cudadvise rm"));
	assert_true(service_trouble(service, FIXTURE_RUN, &t));
	assert_false(service_trouble(service, "", &t));
	fd = dial();
	transmit(fd, f.file, f.len);
	wait_ack(fd, f.sequence);
	close(fd);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 100);
	store_run_clear(&r);
	/* Now everything is stored, and no trouble is reported. */
	while (service_trouble(service, NULL, &t))
		usleep(1000);
	assert_false(service_trouble(service, FIXTURE_RUN, &t));
	fixture_free(&f);
	log_setup(LOG_LEVEL_ERROR, false);
}

TEST_WITH(import_is_idempotent, set_up, serve_end)
{
	int64_t first = 0, second = 0;
	struct store_run r;
	struct error e;
	struct fixture f;
	int64_t bytes;

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 400, 20);
	/* First half of it, then all, then all again. */
	assert_int_equal(import_fixture(&f, f.len / 2, &first, &e), 0);
	assert_int_equal(import_fixture(&f, f.len, &second, &e), 0);
	assert_int_equal(first, second);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 400);
	bytes = r.bytes;
	store_run_clear(&r);
	assert_int_equal(import_fixture(&f, f.len, &second, &e), 0);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(r.bytes, bytes);
	assert_int_equal(run_field(&r, "launches"), 400);
	store_run_clear(&r);
	memset(f.file, 'x', f.len);
	assert_int_equal(import_fixture(&f, f.len, &second, &e), -1);
	assert_non_null(strstr(e.text, "uploaded file"));
	assert_non_null(strstr(e.text, "not a cudadvise capture"));
	fixture_free(&f);
}

TEST_WITH(reanalyze_and_delete, set_up, serve_end)
{
	struct error e = ERROR_INIT;
	struct store_run r;
	int64_t before;

	finished_run(FIXTURE_RUN, 40);
	wait_state(FIXTURE_RUN, NULL, &r);
	before = r.revision;
	store_run_clear(&r);
	assert_int_equal(service_patch(service, 1, "mine", 1, &e), STORE_OK);
	assert_int_equal(service_reanalyze(service, 1, &e), STORE_OK);
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_true(r.revision > before);
	assert_string_equal(r.label, "mine");
	assert_true(r.pinned);
	assert_int_equal(run_field(&r, "launches"), 40);
	store_run_clear(&r);
	assert_int_equal(service_reanalyze(service, 9, &e), STORE_NONE);
	assert_int_equal(service_delete(service, 1, &e), STORE_OK);
	assert_false(is_there("%s/runs/%s", FIXTURE_RUN));
	assert_int_equal(service_delete(service, 1, &e), STORE_NONE);
	assert_int_equal(store_run_find(service_store(service), "1", &r, &e),
	    STORE_NONE);
}

TEST_WITH(live_runs_are_not_deleted, set_up, serve_end)
{
	struct error e = ERROR_INIT;
	struct fixture f;
	int fd = dial();

	fixture_init(&f, 5);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_flush(&f);
	transmit(fd, f.file, f.len);
	wait_ack(fd, 1);
	assert_int_equal(service_delete(service, 1, &e), STORE_FAILED);
	assert_non_null(strstr(e.text, "live"));
	e = (struct error)ERROR_INIT;
	assert_int_equal(service_reanalyze(service, 1, &e), STORE_FAILED);
	close(fd);
	fixture_free(&f);
}

/* A client that waits for a report is told that the analysis is running: it
 * cannot end while the database is locked. */
TEST_WITH(analysing_is_said, set_up, serve_end)
{
	struct fixture f;
	struct store_run r;
	sqlite3 *db;
	char name[200];
	int fd = dial(), i;

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 40, 40);
	transmit(fd, f.file, FRAME_HEADER_SIZE);
	assert_false(service_analysing(service, FIXTURE_RUN));
	transmit(fd, f.file + FRAME_HEADER_SIZE, f.len - FRAME_HEADER_SIZE);
	wait_ack(fd, f.sequence);
	snprintf(name, sizeof(name), "%s/cudadvise.db", top);
	assert_int_equal(sqlite3_open(name, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 1000);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL),
	    SQLITE_OK);
	close(fd);
	for (i = 0; i < 1000 && !service_analysing(service, FIXTURE_RUN); i++)
		pause_ms(5);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_true(i < 1000);
	wait_state(FIXTURE_RUN, NULL, &r);
	store_run_clear(&r);
	for (i = 0; i < 1000 && service_analysing(service, FIXTURE_RUN); i++)
		pause_ms(5);
	assert_true(i < 1000);
	fixture_free(&f);
}

TEST_WITH(events_tell_of_runs, set_up, serve_end)
{
	struct service_event ev[64];
	uint64_t since = service_events_last(service);
	struct error e = ERROR_INIT;
	bool reset;
	size_t n;

	finished_run(FIXTURE_RUN, 40);
	service_delete(service, 1, &e);
	n = service_events_since(service, since, ev, 64, &reset);
	assert_false(reset);
	assert_in_range(n, 3, 64);
	assert_string_equal(ev[0].kind, "run");
	assert_string_equal(ev[0].state, "live");
	assert_int_equal(ev[0].id, since + 1);
	assert_string_not_equal(ev[n - 2].state, "live");
	assert_string_equal(ev[n - 1].kind, "deleted");
	assert_string_equal(ev[n - 1].uuid, FIXTURE_RUN);
	service_events_since(service, UINT64_MAX, ev, 64, &reset);
	assert_true(reset);
	service_events_since(service, 0, ev, 64, &reset);
	assert_true(reset);
	n = service_events_since(service, service_events_last(service), ev, 64,
	    &reset);
	assert_int_equal(n, 0);
	assert_false(reset);
}

static double
busy_sum(const json_t *timeline, double *count)
{
	const json_t *rows = json_object_get(json_array_get(json_object_get(
	    timeline, "devices"), 0), "rows"), *row, *v;
	double sum = 0, bin = (double)json_integer_value(json_object_get(
	    timeline, "bin_ns"));
	size_t i;

	*count = 0;
	row = json_array_get(rows, 0);
	assert_string_equal(json_string_value(json_object_get(row, "row")),
	    "kernel");
	json_array_foreach(json_object_get(row, "busy_ratio"), i, v)
		sum += json_number_value(v) * bin;
	json_array_foreach(json_object_get(row, "count"), i, v)
		*count += json_number_value(v);
	return sum;
}

TEST_WITH(timeline_and_launches, set_up, serve_end)
{
	char next[STORE_CURSOR_SIZE], cursor[STORE_CURSOR_SIZE] = "";
	struct error e = ERROR_INIT;
	json_t *j, *one;
	int64_t last = -1, start_ns;
	size_t i, total = 0;
	double count, sum;

	finished_run(FIXTURE_RUN, 2000);	/* 40 ms: 10 µs busy, 10 µs idle */
	assert_int_equal(service_timeline(service, 1, 0, 0, 100, &j, &e),
	    STORE_OK);
	sum = busy_sum(j, &count);
	assert_int_equal((int)count, 2000);
	assert_true(sum > 19.9e6 && sum < 20.1e6);
	json_decref(j);
	/* Finer than the stored bins: 10 launches in 200 µs. */
	assert_int_equal(service_timeline(service, 1, 1000000, 1200000, 200,
	    &j, &e), STORE_OK);
	assert_true(json_is_true(json_object_get(j, "detail")));
	assert_int_equal(json_integer_value(json_object_get(j, "from_ns")),
	    1000000);
	sum = busy_sum(j, &count);
	assert_in_range((int)count, 9, 11);
	assert_true(sum > 0.09e6 && sum < 0.11e6);
	json_decref(j);
	/* Every third of four launches is kernel 1. */
	do {
		assert_int_equal(service_launches(service, 1, 1, 0, 0, cursor, 77,
		    &j, next, &e), STORE_OK);
		json_array_foreach(j, i, one) {
			start_ns = json_integer_value(json_object_get(one,
			    "start_ns"));
			assert_true(start_ns > last);
			last = start_ns;
			assert_int_equal(json_integer_value(json_object_get(
			    one, "duration_ns")), 10000);
		}
		total += json_array_size(j);
		json_decref(j);
		memcpy(cursor, next, sizeof(cursor));
	} while (next[0] != '\0');
	assert_int_equal(total, 1500);
	assert_int_equal(service_launches(service, 1, 1, 0, 0, "nonsense", 5, &j,
	    next, &e), STORE_NONE);
	assert_int_equal(service_timeline(service, 5, 0, 0, 10, &j, &e),
	    STORE_NONE);
}

TEST_WITH(retention_keeps_the_pinned, set_up, serve_end)
{
	char uuid[33];
	struct error e = ERROR_INIT;
	struct store_run *run;
	size_t n;
	int i;

	config.keep_runs = 2;
	for (i = 0; i < 4; i++) {
		snprintf(uuid, sizeof(uuid), "%032d", i + 1);
		finished_run(uuid, 4);
		if (i == 0)
			service_patch(service, 1, NULL, 1, &e);
	}
	for (i = 0; i < 400; i++) {
		assert_int_equal(store_runs(service_store(service), 0, 10,
		    false, &run, &n, &e), STORE_OK);
		if (n == 3)
			break;
		store_runs_free(run, n);
		pause_ms(5);
	}
	assert_int_equal(n, 3);
	assert_int_equal(run[0].number, 4);
	assert_int_equal(run[1].number, 3);
	assert_int_equal(run[2].number, 1);
	store_runs_free(run, n);
	snprintf(uuid, sizeof(uuid), "%032d", 2);
	/* Its directory is removed after its row. */
	for (i = 0; i < 400 && is_there("%s/runs/%s", uuid); i++)
		pause_ms(5);
	assert_false(is_there("%s/runs/%s", uuid));
}

/* A program that sends all the time must not delay noticing that another one
 * has ended. */
TEST_WITH(a_busy_neighbour_is_no_delay, set_up, serve_end)
{
	struct fixture busy, f;
	struct store_run r = { .number = 0 };
	struct error e = ERROR_INIT;
	bool over = false;
	int a = dial(), b, i;

	fixture_init(&busy, 7);
	fixture_hello(&busy, RUN_B, 1);
	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 40, 50);
	b = dial();
	transmit(b, f.file, f.len);
	wait_ack(b, f.sequence);
	close(b);
	for (i = 0; i < 200 && !over; i++) {
		fixture_kernels(&busy, 1, 1, 1000);
		fixture_flush(&busy);
		transmit(a, busy.file, busy.len);
		wait_ack(a, busy.sequence);
		busy.len = 0;
		pause_ms(20);
		if (store_run_find(service_store(service), FIXTURE_RUN, &r,
		    &e) != STORE_OK)
			continue;
		over = strcmp(r.state, "live") != 0;
		store_run_clear(&r);
	}
	close(a);
	assert_true(over);
	fixture_free(&busy);
	fixture_free(&f);
}

static double
cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Without free descriptors a peer waits, and the daemon does not spin. */
TEST_WITH(no_descriptors_left, set_up, serve_end)
{
	struct rlimit old, few;
	struct fixture f;
	double before;
	int fd, next;

	fixture_init(&f, 5);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_flush(&f);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	next = dup(fd);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	dial_with(fd);
	before = cpu_s();
	pause_ms(500);
	assert_true(cpu_s() - before < 0.25);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	transmit(fd, f.file, f.len);
	wait_ack(fd, f.sequence);
	close(fd);
	fixture_free(&f);
}

TEST_WITH(socket_path_too_long, set_up, serve_end)
{
	char big[200];
	struct service_options o = { .socket = big, .listen_fd = -1,
	    .config = &config };
	char *dir = fixture_mkdir();
	struct error e = ERROR_INIT;

	o.state = dir;
	snprintf(big, sizeof(big), "/tmp/%0150d", 0);
	assert_null(service_start(&o, &e));
	assert_non_null(strstr(e.text, "too long"));
	fixture_rmdir(dir);
}
