#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/analyse.h"
#include "store/internal.h"

void
store_docs_free(struct store_doc *d, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(d[i].json);
	free(d);
}

enum store_status
store_doc(struct store *s, int64_t run, const char *noun, const char *id,
    char **json, struct error *e)
{
	enum store_status st = STORE_NONE;
	sqlite3_stmt *q;
	int rc;

	*json = NULL;
	pthread_mutex_lock(&s->lock);
	q = store_query(s, e, "SELECT json, sum FROM doc WHERE run = ? AND "
	    "noun = ? AND id = ?", "iss", run, noun, id);
	if (q == NULL)
		st = STORE_FAILED;
	else if ((rc = sqlite3_step(q)) == SQLITE_ROW)
		st = store_json(q, 0, json, e) == STORE_OK && *json != NULL ?
		    STORE_OK : STORE_FAILED;
	else if (rc != SQLITE_DONE)
		st = store_fail(s, e, "read the database");
	sqlite3_finalize(q);
	pthread_mutex_unlock(&s->lock);
	return st;
}

/*
 * A page is the rows that follow a row in the chosen order. The cursor is the rank of
 * that row, which is unique; the query looks up its sort key again. So cursors are
 * plain numbers, and names need no escaping.
 */
static const struct order {
	const char *first, *next;
} order_table[SORT_COUNT][2] = {
#define SELECT "SELECT id, rank, json, sum FROM doc WHERE run = ?1 AND noun = ?2 " \
	"AND (?4 = '' OR instr(lower(name), lower(?4)) > 0) "
#define AFTER(key, op, tie)						\
	"AND (" key ", rank * " tie ") " op " ((SELECT " key " FROM doc "	\
	"WHERE run = ?1 AND noun = ?2 AND rank = ?5), ?5 * " tie ") "
#define ORDER(key, op, dir, tie)					\
	{ SELECT "ORDER BY " key " " dir ", rank * " tie " " dir " LIMIT ?3",	\
	  SELECT AFTER(key, op, tie) "ORDER BY " key " " dir ", rank * " tie	\
	  " " dir " LIMIT ?3" }
	[SORT_RANK] = {
	    { SELECT "ORDER BY rank LIMIT ?3",
	      SELECT "AND rank > ?5 ORDER BY rank LIMIT ?3" },
	    { SELECT "ORDER BY rank DESC LIMIT ?3",
	      SELECT "AND rank < ?5 ORDER BY rank DESC LIMIT ?3" },
	},
	[SORT_TIME] = { ORDER("time_ns", "<", "DESC", "-1"),
	    ORDER("time_ns", ">", "ASC", "1") },
	[SORT_LAUNCHES] = { ORDER("launches", "<", "DESC", "-1"),
	    ORDER("launches", ">", "ASC", "1") },
	[SORT_NAME] = { ORDER("name", ">", "ASC", "1"),
	    ORDER("name", "<", "DESC", "-1") },
#undef ORDER
#undef AFTER
#undef SELECT
};

static enum store_status
read_page(struct store *s, sqlite3_stmt *q, size_t limit,
    struct store_doc *out, size_t *n, char *next, struct error *e)
{
	int64_t last = 0;
	const char *id;
	int rc;

	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		if (*n == limit) {
			snprintf(next, STORE_CURSOR_SIZE, "%" PRId64, last);
			return STORE_OK;
		}
		id = (const char *)sqlite3_column_text(q, 0);
		text_copy(out[*n].id, sizeof(out[*n].id),
		    id != NULL ? id : "");
		last = sqlite3_column_int64(q, 1);
		if (store_json(q, 2, &out[*n].json, e) != STORE_OK ||
		    out[*n].json == NULL)
			return STORE_FAILED;
		++*n;
	}
	return rc == SQLITE_DONE ? STORE_OK :
	    store_fail(s, e, "read the database");
}

enum store_status
store_docs(struct store *s, int64_t run, const char *noun,
    enum store_sort sort, bool reverse, const char *cursor, size_t limit,
    struct store_doc **out, size_t *n, char *next, struct error *e)
{

	return store_docs_match(s, run, noun, "", sort, reverse, cursor, limit,
	    out, n, next, e);
}

enum store_status
store_docs_match(struct store *s, int64_t run, const char *noun,
    const char *match, enum store_sort sort, bool reverse, const char *cursor,
    size_t limit, struct store_doc **out, size_t *n, char *next,
    struct error *e)
{
	const struct order *o = &order_table[sort][reverse];
	enum store_status st = STORE_FAILED;
	uint64_t after = 0;
	sqlite3_stmt *q;

	*out = NULL;
	*n = 0;
	next[0] = '\0';
	if (limit == 0 || limit > 1000)
		limit = 1000;
	if (cursor[0] != '\0' && text_u64(cursor, 1, INT32_MAX, &after) != 0)
		return STORE_NONE;
	if ((*out = calloc(limit, sizeof(**out))) == NULL) {
		error_memory(e);
		return STORE_FAILED;
	}
	pthread_mutex_lock(&s->lock);
	if (after == 0)
		q = store_query(s, e, o->first, "isis", run, noun,
		    (int64_t)limit + 1, match);
	else
		q = store_query(s, e, o->next, "isisi", run, noun,
		    (int64_t)limit + 1, match, (int64_t)after);
	if (q != NULL)
		st = read_page(s, q, limit, *out, n, next, e);
	sqlite3_finalize(q);
	pthread_mutex_unlock(&s->lock);
	if (st != STORE_OK) {
		store_docs_free(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return st;
}

static enum store_status
insert_docs(struct store *s, int64_t number, const struct documents *docs,
    struct error *e)
{
	enum store_status st = STORE_OK;
	const struct document *d;
	sqlite3_stmt *q;
	size_t i;

	q = store_query(s, e, "INSERT INTO doc (run, noun, id, rank, time_ns, "
	    "launches, name, json, sum) VALUES (?, ?, ?, coalesce((SELECT "
	    "max(rank) FROM doc WHERE run = ?1 AND noun = ?2), 0) + 1, ?4, "
	    "?5, ?6, ?7, ?8)", "");
	if (q == NULL)
		return STORE_FAILED;
	for (i = 0; i < docs->items && st == STORE_OK; i++) {
		d = &docs->item[i];
		if (strcmp(d->noun, "run") == 0)
			continue;
		sqlite3_bind_int64(q, 1, number);
		sqlite3_bind_text(q, 2, d->noun, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 3, d->id, -1, SQLITE_STATIC);
		sqlite3_bind_int64(q, 4, d->time_ns);
		sqlite3_bind_int64(q, 5, d->launches);
		sqlite3_bind_text(q, 6, d->name != NULL ? d->name : "", -1,
		    SQLITE_STATIC);
		sqlite3_bind_text(q, 7, d->json, -1, SQLITE_STATIC);
		sqlite3_bind_int64(q, 8, store_sum(d->json));
		if (sqlite3_step(q) != SQLITE_DONE)
			st = store_fail(s, e, "store the run");
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	return st;
}

static enum store_status
put_run(struct store *s, int64_t number, const struct documents *docs,
    uint64_t bytes, struct error *e)
{
	const char *json = NULL;
	enum store_status st;
	size_t i;

	for (i = 0; i < docs->items; i++)
		if (strcmp(docs->item[i].noun, "run") == 0)
			json = docs->item[i].json;
	/* A label that the user set (PATCH) is kept. */
	st = store_execute(s, e, "UPDATE run SET state = ?, "
	    "label = coalesce(label, ?), started_ns = ?, bytes = ?, json = ?, "
	    "sum = ? WHERE number = ?", "ssiisii", docs->state, docs->label,
	    docs->started_ns, (int64_t)bytes, json,
	    json != NULL ? store_sum(json) : 0, number);
	if (st == STORE_OK)
		st = store_execute(s, e, "DELETE FROM doc WHERE run = ?", "i",
		    number);
	return st;
}

enum store_status
store_put(struct store *s, int64_t number, const struct documents *docs,
    const struct capture_index *x, uint64_t bytes, struct error *e)
{
	enum store_status st = store_change(s, number, e);

	if (st == STORE_OK)
		st = put_run(s, number, docs, bytes, e);
	if (st == STORE_OK)
		st = insert_docs(s, number, docs, e);
	if (st == STORE_OK && x != NULL)
		st = store_put_index(s, number, x, e);
	return store_end(s, st, e);
}
