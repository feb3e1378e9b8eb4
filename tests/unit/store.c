#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sqlite3.h>

#include "base/error.h"
#include "report/analyse.h"
#include "capture/capture.h"
#include "store/store.h"
#include "unit/fixtures.h"
#include "unit/test.h"
#include "wire/le.h"

static char *top;
static char path[256];
static struct store *db;

static int
set_up(void **state)
{
	struct error e = ERROR_INIT;

	(void)state;
	top = fixture_mkdir();
	snprintf(path, sizeof(path), "%s/t.db", top);
	db = store_open(path, &e);
	return db != NULL ? 0 : -1;
}

static int
tear_down(void **state)
{

	(void)state;
	store_close(db);
	db = NULL;
	fixture_rmdir(top);
	return 0;
}

static int64_t
add(const char *uuid)
{
	struct error e = ERROR_INIT;
	int64_t number = 0;

	assert_int_equal(store_run_add(db, uuid, "l", 5, &number, &e),
	    STORE_OK);
	return number;
}

TEST_WITH(runs_have_numbers, set_up, tear_down)
{
	char uuid[33] = "00000000000000000000000000000000";
	struct error e = ERROR_INIT;
	struct store_run r, *list;
	size_t n;
	int i;

	for (i = 0; i < 25; i++) {
		snprintf(uuid, sizeof(uuid), "%08x%024d", 0xabcdef00u + i, 0);
		assert_int_equal(add(uuid), i + 1);
	}
	for (i = 0; i < 3; i++)		/* again: the number stays, … */
		assert_int_equal(add(uuid), 25);
	assert_int_equal(store_run_find(db, "7", &r, &e), STORE_OK);
	assert_int_equal(r.number, 7);
	assert_string_equal(r.state, "live");
	assert_null(r.json);
	store_run_clear(&r);
	assert_int_equal(store_run_find(db, uuid, &r, &e), STORE_OK);
	assert_int_equal(r.number, 25);
	store_run_clear(&r);
	assert_int_equal(store_run_find(db, "abcdef03", &r, &e), STORE_OK);
	assert_int_equal(r.number, 4);
	store_run_clear(&r);
	assert_int_equal(store_run_find(db, "abcdef", &r, &e),
	    STORE_AMBIGUOUS);
	assert_int_equal(store_run_find(db, "abcde", &r, &e), STORE_NONE);
	assert_int_equal(store_run_find(db, "99", &r, &e), STORE_NONE);
	assert_int_equal(store_run_find(db, "", &r, &e), STORE_NONE);
	assert_int_equal(store_run_find(db, "1' OR '1'='1", &r, &e),
	    STORE_NONE);
	assert_int_equal(store_runs(db, 0, 10, false, &list, &n, &e),
	    STORE_OK);
	assert_int_equal(n, 10);
	assert_int_equal(list[0].number, 25);
	assert_int_equal(list[9].number, 16);
	store_runs_free(list, n);
	assert_int_equal(store_runs(db, 16, 100, false, &list, &n, &e),
	    STORE_OK);
	assert_int_equal(n, 15);
	assert_int_equal(list[14].number, 1);
	store_runs_free(list, n);
	assert_int_equal(store_runs(db, 20, 100, true, &list, &n, &e),
	    STORE_OK);
	assert_int_equal(n, 5);
	assert_int_equal(list[0].number, 21);
	store_runs_free(list, n);
	/* … and no new one is used. */
	assert_int_equal(add("99999999999999999999999999999999"), 26);
}

TEST_WITH(numbers_are_never_reused, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	int64_t a = add("11111111111111111111111111111111"), b;

	assert_int_equal(store_run_delete(db, a, &e), STORE_OK);
	assert_int_equal(store_run_delete(db, a, &e), STORE_NONE);
	b = add("22222222222222222222222222222222");
	assert_true(b > a);
}

TEST_WITH(patch_and_revisions, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	int64_t a = add("11111111111111111111111111111111"), before;
	struct store_run r;

	assert_int_equal(store_run_find(db, "1", &r, &e), STORE_OK);
	before = r.revision;
	store_run_clear(&r);
	assert_int_equal(store_run_patch(db, a, "new 'label'", 1, &e),
	    STORE_OK);
	assert_int_equal(store_run_find(db, "1", &r, &e), STORE_OK);
	assert_string_equal(r.label, "new 'label'");
	assert_true(r.pinned);
	assert_int_equal(r.revision, before + 1);
	store_run_clear(&r);
	assert_int_equal(store_run_patch(db, a, "", -1, &e), STORE_OK);
	assert_int_equal(store_run_find(db, "1", &r, &e), STORE_OK);
	assert_null(r.label);
	assert_true(r.pinned);
	assert_int_equal(r.revision, before + 2);
	store_run_clear(&r);
	assert_int_equal(store_run_patch(db, 99, "x", -1, &e), STORE_NONE);
}

static struct documents *
documents(size_t kernels)
{
	struct documents *d = calloc(1, sizeof(*d));
	struct document *doc;
	char text[64];
	size_t i;

	d->item = calloc(kernels + 2, sizeof(*d->item));
	d->items = d->cap = kernels + 2;
	snprintf(d->state, sizeof(d->state), "finished");
	d->started_ns = 1234;
	d->item[0] = (struct document){ .noun = "run",
	    .json = strdup("{\"a\":1}") };
	d->item[1] = (struct document){ .noun = "copies",
	    .json = strdup("[]") };
	for (i = 0; i < kernels; i++) {
		doc = &d->item[i + 2];
		doc->noun = "kernel";
		snprintf(doc->id, sizeof(doc->id), "%zu", i + 1);
		snprintf(text, sizeof(text), "{\"id\":%zu}", i + 1);
		doc->json = strdup(text);
		snprintf(text, sizeof(text), "k%02zu", (i * 7) % kernels);
		doc->name = strdup(text);
		doc->time_ns = (int64_t)((i * 5) % 10);	/* with ties */
		doc->launches = (int64_t)i;
	}
	return d;
}

/* In every order, reading page by page gives each document once. */
TEST_WITH(pages_hold_each_once, set_up, tear_down)
{
	struct documents *d = documents(37);
	char next[STORE_CURSOR_SIZE], cursor[STORE_CURSOR_SIZE];
	int64_t a = add("11111111111111111111111111111111");
	struct error e = ERROR_INIT;
	struct store_doc *page;
	bool seen[38];
	size_t n, i, total;
	int sort, reverse, last, id, time;

	assert_int_equal(store_put(db, a, d, NULL, 77, &e), STORE_OK);
	for (sort = 0; sort < SORT_COUNT; sort++)
		for (reverse = 0; reverse < 2; reverse++) {
			memset(seen, 0, sizeof(seen));
			cursor[0] = '\0';
			total = 0;
			last = -1;
			do {
				assert_int_equal(store_docs(db, a, "kernel",
				    sort, reverse, cursor, 5, &page, &n, next,
				    &e), STORE_OK);
				for (i = 0; i < n; i++) {
					id = atoi(page[i].id);
					assert_in_range(id, 1, 37);
					assert_false(seen[id]);
					seen[id] = true;
					time = (id - 1) * 5 % 10;
					if (sort == SORT_TIME && last >= 0)
						assert_true(reverse ?
						    time >= last :
						    time <= last);
					last = time;
				}
				total += n;
				store_docs_free(page, n);
				memcpy(cursor, next, sizeof(cursor));
			} while (next[0] != '\0');
			assert_int_equal(total, 37);
		}
	assert_int_equal(store_docs(db, a, "kernel", SORT_TIME, false, "x",
	    5, &page, &n, next, &e), STORE_NONE);
	documents_free(d);
}

TEST_WITH(documents_are_replaced, set_up, tear_down)
{
	struct documents *many = documents(37), *few = documents(3);
	int64_t a = add("11111111111111111111111111111111");
	struct error e = ERROR_INIT;
	struct store *reader = store_open_reader(path, &e);
	struct capture_frame frame = { 1, 2, 3, 4, 5, 6, UINT64_MAX };
	struct capture_signature signature = { 8, 9, 10, 11, 0 };
	struct capture_device device = { 12, 13, 14, 0 };
	struct capture_index x = { .frame = &frame, .frames = 1,
	    .signature = &signature, .signatures = 1, .device = &device,
	    .devices = 1 }, y;
	const struct store_frames all = { 0, UINT64_MAX, UINT64_MAX,
	    false, 0, 0 };
	struct store_run r;
	char *json;

	assert_non_null(reader);
	assert_int_equal(store_put(db, a, many, NULL, 77, &e), STORE_OK);
	assert_int_equal(store_index(reader, a, &y, &e), STORE_NONE);
	assert_int_equal(store_put(db, a, few, &x, 78, &e), STORE_OK);
	assert_int_equal(store_doc(reader, a, "kernel", "3", &json, &e),
	    STORE_OK);
	assert_string_equal(json, "{\"id\":3}");
	free(json);
	assert_int_equal(store_doc(reader, a, "kernel", "4", &json, &e),
	    STORE_NONE);
	assert_int_equal(store_run_find(reader, "1", &r, &e), STORE_OK);
	assert_string_equal(r.state, "finished");
	assert_string_equal(r.json, "{\"a\":1}");
	assert_string_equal(r.label, "l");
	assert_int_equal(r.bytes, 78);
	store_run_clear(&r);
	assert_int_equal(store_index(reader, a, &y, &e), STORE_OK);
	assert_int_equal(y.frames, 0);
	assert_int_equal(store_frames(reader, a, &all, &y, &e), STORE_OK);
	assert_int_equal(y.frames, 1);
	assert_memory_equal(y.frame, &frame, sizeof(frame));
	assert_int_equal(y.signature[0].kernel, 10);
	assert_int_equal(y.signature[0].ordinal, 11);
	assert_int_equal(y.device[0].device, 14);
	capture_index_clear(&y);
	assert_int_equal(store_put(db, 99, few, NULL, 0, &e), STORE_NONE);
	assert_int_equal(store_run_delete(db, a, &e), STORE_OK);
	assert_int_equal(store_doc(reader, a, "kernel", "3", &json, &e),
	    STORE_NONE);
	/* A reader cannot write. */
	assert_int_equal(store_run_delete(reader, a, &e), STORE_FAILED);
	store_close(reader);
	documents_free(many);
	documents_free(few);
}

#define MANY 10000

/* Frame i of MANY: of streams 1 and 2 alternately, 10 records, 100 ns long;
 * every tenth has no times. */
static struct capture_frame
frame_at(uint64_t i)
{
	struct capture_frame f = { .offset = 1000 * i, .stream = 1 + i % 2,
	    .sequence = i / 2 * 10, .stored = 900, .records = 10 };

	if (i % 10 != 0) {
		f.t_min = 100 * i;
		f.t_max = 100 * i + 99;
	}
	return f;
}

/* Looks up ${want} in the run ${a}: returns the first frame and the number of
 * frames. */
static enum store_status
find(int64_t a, struct store_frames want, uint64_t *offset, size_t *n)
{
	struct capture_index x = { 0 };
	struct error e = ERROR_INIT;
	enum store_status st = store_frames(db, a, &want, &x, &e);
	size_t i;

	*n = x.frames;
	*offset = x.frames > 0 ? x.frame[0].offset : 0;
	for (i = 1; i < x.frames; i++)
		assert_true(x.frame[i].offset > x.frame[i - 1].offset);
	capture_index_clear(&x);
	return st;
}

static void
look_for_frames(int64_t a)
{
	const uint64_t all = UINT64_MAX;
	uint64_t offset;
	size_t n;

	assert_int_equal(find(a, (struct store_frames){ 1, all, all, false,
	    0, 0 }, &offset, &n), STORE_OK);
	assert_int_equal(n, MANY - MANY / 10);
	assert_int_equal(offset, 1000);
	/* A window in the middle of the third part. */
	assert_int_equal(find(a, (struct store_frames){ 900050, 900150, all,
	    false, 0, 0 }, &offset, &n), STORE_OK);
	assert_int_equal(n, 1);		/* 9000 has no times */
	assert_int_equal(offset, 9001000);
	/* The frames after a record. */
	assert_int_equal(find(a, (struct store_frames){ 1, all, all, true,
	    2, 25004 }, &offset, &n), STORE_OK);
	assert_int_equal(offset, 5001000);
	assert_int_equal(n, 4999 - 499);
	assert_int_equal(find(a, (struct store_frames){ 1, all, all, true,
	    2, 50000 }, &offset, &n), STORE_NONE);
	assert_int_equal(find(a, (struct store_frames){ 1, all, all, true,
	    3, 4 }, &offset, &n), STORE_NONE);
	/* No more than requested, and one that shows that there are more. */
	assert_int_equal(find(a, (struct store_frames){ 1, all, 95, false,
	    0, 0 }, &offset, &n), STORE_OK);
	assert_int_equal(n, 10);
	assert_int_equal(find(a + 1, (struct store_frames){ 1, all, all,
	    false, 0, 0 }, &offset, &n), STORE_OK);
	assert_int_equal(n, 0);
}

TEST_WITH(frames_in_pieces, set_up, tear_down)
{
	struct capture_index x = { .frame = calloc(MANY, sizeof(*x.frame)) };
	int64_t a = add("11111111111111111111111111111111");
	struct documents *d = documents(1);
	struct error e = ERROR_INIT;

	for (x.frames = 0; x.frames < MANY; x.frames++)
		x.frame[x.frames] = frame_at(x.frames);
	assert_int_equal(store_put(db, a, d, &x, 1, &e), STORE_OK);
	look_for_frames(a);
	/* Stored again: replaces the old frames. */
	assert_int_equal(store_put(db, a, d, &x, 1, &e), STORE_OK);
	look_for_frames(a);
	capture_index_clear(&x);
	documents_free(d);
}

/* A database of the first schema, with all frames in one blob. */
TEST_WITH(frames_of_the_first_schema, set_up, tear_down)
{
	static const char old[] =
	    "DROP TABLE frame_chunk; DROP TABLE frames;"
	    "ALTER TABLE run DROP COLUMN sum; ALTER TABLE doc DROP COLUMN sum;"
	    "CREATE TABLE frames ("
	    "  run INTEGER PRIMARY KEY REFERENCES run(number) "
	    "    ON DELETE CASCADE,"
	    "  frame BLOB NOT NULL,"
	    "  signature BLOB NOT NULL,"
	    "  device BLOB NOT NULL"
	    ") STRICT; PRAGMA user_version = 1";
	int64_t a = add("11111111111111111111111111111111");
	uint8_t *blob = malloc(MANY * 48), *p = blob;
	struct error e = ERROR_INIT;
	struct capture_frame f;
	sqlite3_stmt *q;
	sqlite3 *raw;
	size_t i;

	store_close(db);
	for (i = 0; i < MANY; i++, p += 48) {
		f = frame_at(i);
		le64_put(p, f.offset);
		le64_put(p + 8, f.stream);
		le64_put(p + 16, f.sequence);
		le32_put(p + 24, f.stored);
		le32_put(p + 28, f.records);
		le64_put(p + 32, f.t_min);
		le64_put(p + 40, f.t_max);
	}
	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_exec(raw, old, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_prepare_v2(raw, "INSERT INTO frames VALUES (?, ?, x'', x'')",
	    -1, &q, NULL);
	sqlite3_bind_int64(q, 1, a);
	sqlite3_bind_blob(q, 2, blob, MANY * 48, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(q), SQLITE_DONE);
	sqlite3_finalize(q);
	sqlite3_close(raw);
	free(blob);
	db = store_open(path, &e);
	assert_non_null(db);
	look_for_frames(a);
}

/* Replaces ${from} in the database's file, like a faulty disk. */
static void
damage(const char *from, const char *to)
{
	char command[500];

	store_close(db);
	snprintf(command, sizeof(command), "sed -i 's/%s/%s/g' '%s'", from,
	    to, path);
	assert_int_equal(system(command), 0);
	db = store_open(path, &(struct error)ERROR_INIT);
	assert_non_null(db);
}

/* SQLite does not notice; the store does, and never returns part of a document. */
TEST_WITH(damaged_documents, set_up, tear_down)
{
	int64_t a = add("11111111111111111111111111111111");
	char next[STORE_CURSOR_SIZE], *json = NULL;
	struct documents *d = documents(3);
	struct error e = ERROR_INIT;
	struct store_doc *page;
	struct store_run r;
	size_t n;

	assert_int_equal(store_put(db, a, d, NULL, 1, &e), STORE_OK);
	assert_int_equal(store_doc(db, a, "kernel", "3", &json, &e), STORE_OK);
	free(json);
	damage("{\"id\":3}", "{\"id\"X3}");
	assert_int_equal(store_doc(db, a, "kernel", "3", &json, &e),
	    STORE_FAILED);
	assert_null(json);
	assert_non_null(strstr(e.text, "damaged"));
	assert_non_null(strstr(e.remedy, "reanalyze"));
	assert_int_equal(store_docs(db, a, "kernel", SORT_RANK, false, "", 5,
	    &page, &n, next, &e), STORE_FAILED);
	assert_int_equal(store_doc(db, a, "kernel", "2", &json, &e), STORE_OK);
	free(json);
	/* The run's own document is damaged: the run is listed as not analysed. */
	damage("{\"a\":1}", "{\"a\" 1}");
	assert_int_equal(store_run_find(db, "1", &r, &e), STORE_OK);
	assert_null(r.json);
	store_run_clear(&r);
	assert_int_equal(store_put(db, a, d, NULL, 1, &e), STORE_OK);
	assert_int_equal(store_doc(db, a, "kernel", "3", &json, &e), STORE_OK);
	free(json);
	documents_free(d);
}

TEST_WITH(newer_database, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	struct store *s;
	sqlite3 *raw;

	store_close(db);
	db = NULL;
	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	sqlite3_exec(raw, "PRAGMA user_version = 999", NULL, NULL, NULL);
	sqlite3_close(raw);
	s = store_open(path, &e);
	assert_null(s);
	assert_non_null(strstr(e.text, "newer version"));
	assert_non_null(strstr(e.text, path));
	assert_true(e.remedy[0] != '\0');
	e = (struct error)ERROR_INIT;
	assert_null(store_open_reader(path, &e));
}

TEST_WITH(not_a_database, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	char other[300];
	FILE *f;
	int i;

	snprintf(other, sizeof(other), "%s/junk.db", top);
	f = fopen(other, "w");
	for (i = 0; i < 1000; i++)
		fputs("junk ", f);
	fclose(f);
	assert_null(store_open(other, &e));
	assert_non_null(strstr(e.text, other));
}

/* Files may not grow: for SQLite that is like a full disk. */
TEST_WITH(disk_full, set_up, tear_down)
{
	int64_t a = add("11111111111111111111111111111111");
	struct documents *d = documents(20000);
	struct error e = ERROR_INIT;
	struct rlimit old, tight;
	enum store_status st;
	struct store_run r;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	tight = old;
	tight.rlim_cur = 200000;
	setrlimit(RLIMIT_FSIZE, &tight);
	st = store_put(db, a, d, NULL, 1, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	if (st != STORE_FULL)
		print_error("%s (%s)\n", e.text, e.remedy);
	assert_int_equal(st, STORE_FULL);
	assert_non_null(strstr(e.remedy, "room"));
	/* Nothing is stored by half, and storing works again when there is room. */
	assert_int_equal(store_run_find(db, "1", &r, &e), STORE_OK);
	assert_string_equal(r.state, "live");
	store_run_clear(&r);
	assert_int_equal(store_put(db, a, d, NULL, 1, &e), STORE_OK);
	documents_free(d);
}
