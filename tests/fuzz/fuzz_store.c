/*
 * fuzz_store.c: the database. The input is a list of operations on a few runs;
 * what was stored must be returned.
 */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "report/analyse.h"
#include "capture/capture.h"
#include "store/store.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RUNS 4
#define DOCS_MAX 12

static const char *const nouns[] = { "kernel", "finding", "run", "" };
static struct store *writer, *reader;
static int64_t number[RUNS];	/* 0: not stored */

static void
open_both(void)
{
	struct error e = ERROR_INIT;
	char path[PATH_MAX];

	if (writer != NULL)
		return;
	snprintf(path, sizeof(path), "%s/store.db", parts_directory());
	WANT((writer = store_open(path, &e)) != NULL);
	WANT((reader = store_open_reader(path, &e)) != NULL);
}

static void
uuid_of(unsigned run, char uuid[33])
{
	snprintf(uuid, 33, "%08x%024u", 0xabcdef00u + run, run);
}

static void
add(unsigned run, struct input *in)
{
	struct error e = ERROR_INIT;
	int64_t before = number[run];
	char uuid[33], label[40];

	uuid_of(run, uuid);
	input_text(in, label, sizeof(label), input_u8(in) % 40u);
	WANT(store_run_add(writer, uuid, label, (int64_t)input_u64(in),
	    &number[run], &e) == STORE_OK);
	WANT(number[run] > 0 && (before == 0 || before == number[run]));
}

/* Looks up any text as an id: found or not, but never a failure. */
static void
find(struct input *in)
{
	struct error e = ERROR_INIT;
	struct store_run row;
	enum store_status st;
	char id[48];

	input_text(in, id, sizeof(id), input_u8(in) % 40u);
	st = store_run_find(reader, id, &row, &e);
	WANT(st == STORE_OK || st == STORE_NONE || st == STORE_AMBIGUOUS);
	if (st == STORE_OK)
		store_run_clear(&row);
}

static void
put(unsigned run, struct input *in)
{
	struct document doc[DOCS_MAX];
	struct documents docs = { .item = doc, .state = "finished" };
	struct capture_frame frame[3];
	struct capture_index x = { .frame = frame };
	struct error e = ERROR_INIT;
	size_t i;

	if (number[run] == 0)
		return;
	uuid_of(run, docs.uuid);
	docs.items = input_u8(in) % DOCS_MAX;
	for (i = 0; i < docs.items; i++) {
		memset(&doc[i], 0, sizeof(doc[i]));
		doc[i].noun = i == 0 ? "run" : nouns[i % 2];
		snprintf(doc[i].id, sizeof(doc[i].id), "%zu", i);
		doc[i].json = strdup("{}");
		doc[i].time_ns = (int64_t)input_u64(in);
		doc[i].launches = input_u8(in);
		doc[i].name = i % 3 == 0 ? NULL : strndup("abcdef",
		    input_u8(in) % 6u);
	}
	x.frames = input_u8(in) % 3;
	memset(frame, 0, sizeof(frame));
	for (i = 0; i < x.frames; i++)
		frame[i].offset = input_u64(in);
	WANT(store_put(writer, number[run], &docs, x.frames > 0 ? &x : NULL, 9,
	    &e) == STORE_OK);
	for (i = 0; i < docs.items; i++) {
		free(doc[i].json);
		free(doc[i].name);
	}
}

/* Reads all pages of a list: each document comes once. */
static void
pages(unsigned run, struct input *in)
{
	char cursor[STORE_CURSOR_SIZE] = "", next[STORE_CURSOR_SIZE];
	enum store_sort sort = input_u8(in) % SORT_COUNT;
	struct error e = ERROR_INIT;
	struct store_doc *doc;
	const char *noun = nouns[input_u8(in) % 2];
	unsigned seen = 0, bit;
	bool reverse = input_u8(in) & 1;
	size_t n, i, limit = 1 + input_u8(in) % 4u;

	do {
		WANT(store_docs(reader, number[run], noun, sort,
		    reverse, cursor, limit, &doc, &n, next, &e) == STORE_OK);
		WANT(n <= limit);
		for (i = 0; i < n; i++) {
			bit = 2u << atoi(doc[i].id);
			WANT((seen & bit) == 0);
			seen |= bit;
		}
		store_docs_free(doc, n);
		memcpy(cursor, next, sizeof(cursor));
	} while (cursor[0] != '\0');
}

static void
wrong_cursor(unsigned run, struct input *in)
{
	char cursor[STORE_CURSOR_SIZE], next[STORE_CURSOR_SIZE];
	struct error e = ERROR_INIT;
	struct store_doc *doc = NULL;
	enum store_status st;
	size_t n = 0;

	input_text(in, cursor, sizeof(cursor), input_u8(in));
	st = store_docs(reader, number[run], "kernel", input_u8(in) %
	    SORT_COUNT, false, cursor, 3, &doc, &n, next, &e);
	WANT(st == STORE_OK || st == STORE_NONE);
	if (st == STORE_OK)
		store_docs_free(doc, n);
}

static void
patch(unsigned run, struct input *in)
{
	struct error e = ERROR_INIT;
	enum store_status st;
	char label[40];

	input_text(in, label, sizeof(label), input_u8(in) % 40u);
	st = store_run_patch(writer, number[run], label, input_u8(in) % 2,
	    &e);
	WANT(st == (number[run] != 0 ? STORE_OK : STORE_NONE));
}

static void
read_index(unsigned run)
{
	struct error e = ERROR_INIT;
	struct capture_index x;
	enum store_status st = store_index(reader, number[run], &x, &e);

	WANT(st == STORE_OK || st == STORE_NONE);
	if (st == STORE_OK)
		capture_index_clear(&x);
}

static void
delete(unsigned run)
{
	struct error e = ERROR_INIT;

	if (number[run] != 0)
		WANT(store_run_delete(writer, number[run], &e) == STORE_OK);
	number[run] = 0;
}

static void
list(struct input *in)
{
	struct error e = ERROR_INIT;
	struct store_run *run;
	int64_t after = input_u8(in);
	bool oldest = input_u8(in) & 1;
	size_t n, i;

	WANT(store_runs(reader, after, 3, oldest, &run, &n, &e) == STORE_OK);
	for (i = 1; i < n; i++)
		WANT(oldest == (run[i].number > run[i - 1].number));
	store_runs_free(run, n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned run;
	int steps;

	open_both();
	for (steps = 0; in.len > 0 && steps < 24; steps++) {
		run = input_u8(&in) % RUNS;
		switch (input_u8(&in) % 9) {
		case 0: add(run, &in); break;
		case 1: put(run, &in); break;
		case 2: pages(run, &in); break;
		case 3: wrong_cursor(run, &in); break;
		case 4: find(&in); break;
		case 5: patch(run, &in); break;
		case 6: read_index(run); break;
		case 7: list(&in); break;
		case 8: delete(run); break;
		}
	}
	for (run = 0; run < RUNS; run++)
		delete(run);
	return 0;
}
