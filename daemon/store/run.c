#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "store/internal.h"

#define COLUMNS "number, uuid, label, pinned, state, started_ns, revision, " \
    "bytes, json, sum"

void
store_run_clear(struct store_run *r)
{

	free(r->label);
	free(r->json);
	memset(r, 0, sizeof(*r));
}

void
store_runs_free(struct store_run *r, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		store_run_clear(&r[i]);
	free(r);
}

static void
read_run(sqlite3_stmt *q, struct store_run *r)
{
	const char *text;

	memset(r, 0, sizeof(*r));
	r->number = sqlite3_column_int64(q, 0);
	text = (const char *)sqlite3_column_text(q, 1);
	text_copy(r->uuid, sizeof(r->uuid), text != NULL ? text : "");
	r->label = store_text(q, 2);
	r->pinned = sqlite3_column_int(q, 3) != 0;
	text = (const char *)sqlite3_column_text(q, 4);
	text_copy(r->state, sizeof(r->state), text != NULL ? text : "");
	r->started_ns = sqlite3_column_int64(q, 5);
	r->revision = sqlite3_column_int64(q, 6);
	r->bytes = sqlite3_column_int64(q, 7);
	/* A damaged document counts as missing, so that the list of runs stays
	 * readable. */
	store_json(q, 8, &r->json, NULL);
}

/* The single row of ${q}: STORE_NONE without one, STORE_AMBIGUOUS if there are more.
 * Finalizes ${q}, which may be NULL. */
static enum store_status
read_one(struct store *s, sqlite3_stmt *q, struct store_run *out,
    struct error *e)
{
	enum store_status st = STORE_OK;
	int rc;

	if (q == NULL)
		return STORE_FAILED;
	rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		read_run(q, out);
		if (sqlite3_step(q) == SQLITE_ROW) {
			store_run_clear(out);
			st = STORE_AMBIGUOUS;
		}
	} else
		st = rc == SQLITE_DONE ? STORE_NONE :
		    store_fail(s, e, "read the database");
	sqlite3_finalize(q);
	return st;
}

enum store_status
store_run_find(struct store *s, const char *id, struct store_run *out,
    struct error *e)
{
	size_t n = strlen(id);
	enum store_status st = STORE_NONE;
	char end[40];
	uint64_t number;

	memset(out, 0, sizeof(*out));
	if (n == 0 || n > 32)
		return STORE_NONE;
	pthread_mutex_lock(&s->lock);
	if (text_u64(id, 1, INT64_MAX, &number) == 0)
		st = read_one(s, store_query(s, e, "SELECT " COLUMNS
		    " FROM run WHERE number = ?", "i", (int64_t)number), out,
		    e);
	if (st == STORE_NONE && n >= 6 && text_is_hex(id, n)) {
		/* "g" is greater than every hex digit: the prefix becomes a range of
		 * the index. */
		snprintf(end, sizeof(end), "%sg", id);
		st = read_one(s, store_query(s, e, "SELECT " COLUMNS
		    " FROM run WHERE uuid >= ? AND uuid < ? LIMIT 2", "ss",
		    id, end), out, e);
	}
	pthread_mutex_unlock(&s->lock);
	return st;
}

enum store_status
store_runs(struct store *s, int64_t after, size_t limit, bool oldest_first,
    struct store_run **out, size_t *n, struct error *e)
{
	enum store_status st = STORE_OK;
	sqlite3_stmt *q;
	int rc;

	*n = 0;
	if (limit == 0 || limit > 1000)
		limit = 1000;
	if (after <= 0)
		after = oldest_first ? 0 : INT64_MAX;
	if ((*out = calloc(limit, sizeof(**out))) == NULL) {
		error_memory(e);
		return STORE_FAILED;
	}
	pthread_mutex_lock(&s->lock);
	q = store_query(s, e, oldest_first ?
	    "SELECT " COLUMNS " FROM run WHERE number > ? "
	    "ORDER BY number LIMIT ?" :
	    "SELECT " COLUMNS " FROM run WHERE number < ? "
	    "ORDER BY number DESC LIMIT ?", "ii", after, (int64_t)limit);
	if (q == NULL)
		st = STORE_FAILED;
	else {
		while ((rc = sqlite3_step(q)) == SQLITE_ROW && *n < limit)
			read_run(q, &(*out)[(*n)++]);
		if (rc != SQLITE_DONE && rc != SQLITE_ROW)
			st = store_fail(s, e, "read the database");
		sqlite3_finalize(q);
	}
	pthread_mutex_unlock(&s->lock);
	if (st != STORE_OK) {
		store_runs_free(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return st;
}

enum store_status
store_run_add(struct store *s, const char *uuid, const char *label,
    int64_t started_ns, int64_t *number, struct error *e)
{
	enum store_status st = store_begin(s, e);
	sqlite3_stmt *q;

	if (st == STORE_OK)
		st = store_execute(s, e, "UPDATE run SET state = 'live' "
		    "WHERE uuid = ?", "s", uuid);
	/* INSERT OR IGNORE would use up a run number. */
	if (st == STORE_OK)
		st = store_execute(s, e,
		    "INSERT INTO run (uuid, label, state, started_ns) "
		    "SELECT ?1, nullif(?2, ''), 'live', ?3 WHERE NOT EXISTS "
		    "(SELECT 1 FROM run WHERE uuid = ?1)", "ssi", uuid, label,
		    started_ns);
	if (st == STORE_OK) {
		q = store_query(s, e, "SELECT number FROM run WHERE uuid = ?",
		    "s", uuid);
		if (q != NULL && sqlite3_step(q) == SQLITE_ROW)
			*number = sqlite3_column_int64(q, 0);
		else
			st = STORE_FAILED;
		sqlite3_finalize(q);
	}
	if (st == STORE_OK)
		st = store_touch(s, *number, e);
	return store_end(s, st, e);
}

enum store_status
store_run_patch(struct store *s, int64_t number, const char *label,
    int pinned, struct error *e)
{
	enum store_status st = store_change(s, number, e);

	if (st == STORE_OK && label != NULL)
		st = store_execute(s, e, "UPDATE run SET label = "
		    "nullif(?, '') WHERE number = ?", "si", label, number);
	if (st == STORE_OK && pinned >= 0)
		st = store_execute(s, e, "UPDATE run SET pinned = ? "
		    "WHERE number = ?", "ii", (int64_t)(pinned != 0), number);
	return store_end(s, st, e);
}

enum store_status
store_run_state(struct store *s, int64_t number, const char *state,
    struct error *e)
{
	enum store_status st = store_change(s, number, e);

	if (st == STORE_OK)
		st = store_execute(s, e, "UPDATE run SET state = ? "
		    "WHERE number = ?", "si", state, number);
	return store_end(s, st, e);
}

enum store_status
store_run_delete(struct store *s, int64_t number, struct error *e)
{
	enum store_status st = store_change(s, number, e);

	if (st == STORE_OK)
		st = store_execute(s, e, "DELETE FROM run WHERE number = ?",
		    "i", number);
	return store_end(s, st, e);
}
