/* Malicious input: the service must answer, report what it left out, and go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <sqlite3.h>
#include <zstd.h>

#include "unit/served.h"
#include "unit/test.h"
#include "wire/frame.h"

static const char hard[] = FIXTURE_HARD_NAME;

static int
set_up(void **state)
{
	(void)state;
	serve(20, 100);
	return 0;
}

/* Whether the service accepted it: an ACK came. */
static bool
taken(const struct fixture *f)
{
	char ack[FRAME_HEADER_SIZE + 16];
	int fd = dial();
	bool came;

	transmit(fd, f->file, f->len);
	came = recv(fd, ack, sizeof(ack), MSG_WAITALL) == sizeof(ack);
	close(fd);
	return came;
}

/* Whether ${word} is in this document of the run. */
static bool
says(int64_t number, const char *noun, const char *id, const char *word)
{
	struct error e = ERROR_INIT;
	char *json;
	bool is;

	assert_int_equal(store_doc(service_store(service), number, noun, id,
	    &json, &e), STORE_OK);
	is = strstr(json, word) != NULL;
	free(json);
	return is;
}

static void
hard_process(struct fixture *f)
{

	fixture_init(f, 5);
	fixture_hello(f, FIXTURE_RUN, 1);
	fixture_device(f);
	fixture_signature(f, 1, hard);
	fixture_signature(f, 2, "_Z7saxpy_kPfS_f");
	fixture_kernels(f, 1, 10, 1000);
	fixture_kernels(f, 2, 10, 1000);
	fixture_bye(f);
	fixture_flush(f);
}

static void
hard_name_is_served(const struct store_run *r)
{

	assert_int_equal(run_field(r, "launches"), 20);
	assert_true(says(r->number, "kernel", "1", hard));
	assert_true(says(r->number, "kernel", "2",
	    "\"saxpy_k(float*, float*, float)\""));
	assert_true(says(r->number, "diagnostics", "", "names_raw"));
}

TEST_WITH(a_hard_name_on_the_socket, set_up, serve_end)
{
	struct store_run r;
	struct fixture f;

	hard_process(&f);
	assert_true(taken(&f));
	wait_state(FIXTURE_RUN, NULL, &r);
	hard_name_is_served(&r);
	store_run_clear(&r);
	fixture_free(&f);
}

TEST_WITH(a_hard_name_in_a_spool_file, set_up, serve_end)
{
	struct error e = ERROR_INIT;
	struct store_run r;
	struct fixture f;
	char spool[400];

	service_stop(service);
	hard_process(&f);
	spool_path(spool, sizeof(spool), FIXTURE_RUN, 5);
	fixture_write(&f, spool, f.len);
	serve_again();
	wait_state(FIXTURE_RUN, NULL, &r);
	hard_name_is_served(&r);
	assert_int_equal(service_reanalyze(service, r.number, &e), STORE_OK);
	assert_int_equal(service_delete(service, r.number, &e), STORE_OK);
	store_run_clear(&r);
	fixture_free(&f);
}

TEST_WITH(a_hard_name_imported, set_up, serve_end)
{
	struct store_run r;
	struct error e;
	struct fixture f;
	int64_t number;

	hard_process(&f);
	assert_int_equal(import_fixture(&f, f.len, &number, &e), 0);
	wait_state(FIXTURE_RUN, NULL, &r);
	hard_name_is_served(&r);
	store_run_clear(&r);
	fixture_free(&f);
}

/* The late data arrives in a spool file. */
TEST_WITH(a_finished_run_stays_so, set_up, serve_end)
{
	struct store_run r;
	struct fixture f;
	char spool[400];
	int i;

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 40, 20);
	assert_true(taken(&f));
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_string_equal(r.state, "finished");
	store_run_clear(&r);
	fixture_free(&f);
	fixture_init(&f, 6);
	fixture_process(&f, FIXTURE_RUN, 1, 60, 20);
	assert_false(taken(&f));
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_string_equal(r.state, "finished");
	assert_int_equal(run_field(&r, "launches"), 40);
	store_run_clear(&r);
	spool_path(spool, sizeof(spool), FIXTURE_RUN, 6);
	fixture_write(&f, spool, f.len);
	service_stop(service);		/* the next one looks at once */
	serve_again();
	for (i = 0; i < 6000; i++) {
		wait_state(FIXTURE_RUN, NULL, &r);
		if (run_field(&r, "launches") == 100)
			break;
		store_run_clear(&r);
		usleep(5000);
	}
	assert_int_equal(run_field(&r, "launches"), 100);
	store_run_clear(&r);
	fixture_free(&f);
}

static void
sql(const char *text)
{
	char name[200];
	sqlite3 *raw;

	snprintf(name, sizeof(name), "%s/cudadvise.db", top);
	assert_int_equal(sqlite3_open(name, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_exec(raw, text, NULL, NULL, NULL),
	    SQLITE_OK);
	sqlite3_close(raw);
}

/* Records ${n} attempts at analysing the run, as daemons that crashed in it leave. */
static void
attempts(unsigned n)
{
	char name[200];
	FILE *f;

	snprintf(name, sizeof(name), "%s/runs/%s/attempts", top, FIXTURE_RUN);
	f = fopen(name, "w");
	assert_non_null(f);
	while (n-- > 0)
		fputc('x', f);
	fclose(f);
}

/* Waits until the file is gone: the daemon removes it after it has stored the run. */
static void
wait_gone(const char *name)
{
	int i;

	for (i = 0; i < 6000 && access(name, F_OK) == 0; i++)
		usleep(5000);
	assert_int_not_equal(access(name, F_OK), 0);
}

/* Such a run is not analysed again, its name tells why, and everything else goes on. */
TEST_WITH(a_run_that_ends_the_daemon, set_up, serve_end)
{
	struct service_trouble trouble;
	struct error e = ERROR_INIT;
	struct store_run r;
	struct fixture f;
	int64_t number;
	char name[200];

	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 40, 20);
	assert_int_equal(import_fixture(&f, f.len, &number, &e), 0);
	service_stop(service);
	sql("UPDATE run SET state = 'live'");
	attempts(4);
	serve_again();
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_int_equal(run_field(&r, "launches"), 40);
	assert_false(service_trouble(service, FIXTURE_RUN, &trouble));
	store_run_clear(&r);
	snprintf(name, sizeof(name), "%s/runs/%s/attempts", top, FIXTURE_RUN);
	wait_gone(name);
	service_stop(service);
	sql("UPDATE run SET state = 'live'");
	attempts(5);
	serve_again();
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_string_equal(r.state, "truncated");
	store_run_clear(&r);
	assert_true(service_trouble(service, FIXTURE_RUN, &trouble));
	assert_non_null(strstr(trouble.text, "set aside"));
	assert_int_equal(service_reanalyze(service, number, &e), STORE_OK);
	assert_int_not_equal(access(name, F_OK), 0);
	attempts(9);
	assert_int_equal(service_delete(service, number, &e), STORE_OK);
	snprintf(name, sizeof(name), "%s/runs/%s", top, FIXTURE_RUN);
	assert_int_not_equal(access(name, F_OK), 0);
	fixture_free(&f);
}

/* 4 MiB of empty records in 400 compressed bytes, 2,000 times. */
TEST_WITH(what_unfolds_without_end, set_up, serve_end)
{
	uint8_t *raw = calloc(1, FRAME_MAX_PAYLOAD), packed[4096];
	uint8_t *frame = calloc(1, FRAME_HEADER_SIZE + sizeof(packed));
	struct frame_header h = { .flags = FRAME_ZSTD, .stream = 5,
	    .raw = FRAME_MAX_PAYLOAD, .records = FRAME_MAX_PAYLOAD / 8 };
	struct error e = ERROR_INIT;
	FILE *file = tmpfile();
	int64_t number;
	struct fixture f;
	unsigned i;

	fixture_init(&f, 5);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_flush(&f);
	assert_int_equal(fwrite(f.file, 1, f.len, file), f.len);
	h.stored = (uint32_t)ZSTD_compress(packed, sizeof(packed), raw,
	    FRAME_MAX_PAYLOAD, 19);
	assert_false(ZSTD_isError(h.stored));
	memcpy(frame + FRAME_HEADER_SIZE, packed, h.stored);
	for (i = 0; i < 2000; i++) {
		h.sequence = 1 + (uint64_t)i * h.records;
		frame_seal(frame, &h);
		assert_int_equal(fwrite(frame, 1, FRAME_HEADER_SIZE + h.stored,
		    file), FRAME_HEADER_SIZE + h.stored);
	}
	fflush(file);
	assert_int_equal(service_import(service, fileno(file), &e, &number,
	    NULL), -1);
	assert_non_null(strstr(e.text, "decompresses to more than"));
	fclose(file);
	fixture_free(&f);
	free(frame);
	free(raw);
}

/* A frame without records would make a run that cannot be read again. */
TEST_WITH(a_capture_of_nothing_is_refused, set_up, serve_end)
{
	struct error e = ERROR_INIT;
	struct fixture f;
	struct frame_header h = { .stream = 1 };
	int64_t number = 0;

	fixture_init(&f, 1);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_flush(&f);
	frame_seal(f.file, &h);
	f.len = FRAME_HEADER_SIZE;
	assert_int_equal(import_fixture(&f, f.len, &number, &e), -1);
	assert_non_null(strstr(e.text, "no record"));
	assert_int_equal(number, 0);
	fixture_free(&f);
}
