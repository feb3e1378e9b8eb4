#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "store/internal.h"

#define BUSY_MS 10000

static struct store *
open_at(const char *path, int flags, struct error *e)
{
	struct store *s = calloc(1, sizeof(*s));
	mode_t mask;
	int rc;

	if (s == NULL) {
		error_memory(e);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	mask = umask(077);
	rc = sqlite3_open_v2(path, &s->db, flags | SQLITE_OPEN_FULLMUTEX, NULL);
	umask(mask);
	if (rc == SQLITE_OK) {
		sqlite3_busy_timeout(s->db, BUSY_MS);
		return s;
	}
	error_set(e, "cannot open the database '%s': %s", path,
	    s->db != NULL ? sqlite3_errmsg(s->db) : "out of memory");
	store_close(s);
	return NULL;
}

struct store *
store_open(const char *path, struct error *e)
{
	/* Only this connection writes and checkpoints: before SQLite 3.51.3, two
	 * connections that do so at the same moment can corrupt the WAL. */
	static const char setup[] =
	    "PRAGMA journal_mode = WAL;"
	    "PRAGMA synchronous = NORMAL;"
	    "PRAGMA foreign_keys = ON;"
	    "PRAGMA journal_size_limit = 67108864;";
	struct store *s;

	s = open_at(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);
	if (s == NULL)
		return NULL;
	if (schema_check(s->db, path, e) < 0)
		goto fail;
	if (sqlite3_exec(s->db, setup, NULL, NULL, NULL) != SQLITE_OK) {
		error_set(e, "cannot use the database '%s': %s", path,
		    sqlite3_errmsg(s->db));
		goto fail;
	}
	if (schema_migrate(s->db, path, e) != 0)
		goto fail;
	return s;
fail:
	store_close(s);
	return NULL;
}

struct store *
store_open_reader(const char *path, struct error *e)
{
	struct store *s = open_at(path, SQLITE_OPEN_READONLY, e);

	if (s != NULL && schema_check(s->db, path, e) < 0) {
		store_close(s);
		return NULL;
	}
	return s;
}

void
store_close(struct store *s)
{

	if (s == NULL)
		return;
	sqlite3_close(s->db);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

enum store_status
store_fail(struct store *s, struct error *e, const char *what)
{
	int code = sqlite3_extended_errcode(s->db);

	error_set(e, "cannot %s: %s", what, sqlite3_errmsg(s->db));
	/* A full disk is SQLITE_FULL; an exceeded quota or file size limit is
	 * SQLITE_IOERR_WRITE. */
	if ((code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_WRITE ||
	    code == SQLITE_IOERR_SHMSIZE) {
		error_remedy(e, "make room on the disk (or in the "
		    "quota), or delete runs with "
		    "`cudadvise rm`");
		return STORE_FULL;
	}
	return STORE_FAILED;
}

static sqlite3_stmt *
query_list(struct store *s, struct error *e, const char *sql,
    const char *types, va_list ap)
{
	sqlite3_stmt *q = NULL;
	int i, rc;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) {
		store_fail(s, e, "query the database");
		return NULL;
	}
	for (i = 0; types[i] != '\0'; i++) {
		if (types[i] == 'i')
			rc = sqlite3_bind_int64(q, i + 1, va_arg(ap, int64_t));
		else
			rc = sqlite3_bind_text(q, i + 1,
			    va_arg(ap, const char *), -1, SQLITE_STATIC);
		if (rc != SQLITE_OK) {
			store_fail(s, e, "query the database");
			sqlite3_finalize(q);
			return NULL;
		}
	}
	return q;
}

sqlite3_stmt *
store_query(struct store *s, struct error *e, const char *sql,
    const char *types, ...)
{
	sqlite3_stmt *q;
	va_list ap;

	va_start(ap, types);
	q = query_list(s, e, sql, types, ap);
	va_end(ap);
	return q;
}

enum store_status
store_execute(struct store *s, struct error *e, const char *sql,
    const char *types, ...)
{
	enum store_status st = STORE_FAILED;
	sqlite3_stmt *q;
	va_list ap;
	int rc;

	va_start(ap, types);
	q = query_list(s, e, sql, types, ap);
	va_end(ap);
	if (q == NULL)
		return st;
	rc = sqlite3_step(q);
	st = rc == SQLITE_DONE || rc == SQLITE_ROW ? STORE_OK :
	    store_fail(s, e, "write to the database");
	sqlite3_finalize(q);
	return st;
}

enum store_status
store_begin(struct store *s, struct error *e)
{

	pthread_mutex_lock(&s->lock);
	return store_execute(s, e, "BEGIN IMMEDIATE", "");
}

enum store_status
store_end(struct store *s, enum store_status st, struct error *e)
{

	if (st == STORE_OK)
		st = store_execute(s, e, "COMMIT", "");
	if (st != STORE_OK)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	pthread_mutex_unlock(&s->lock);
	return st;
}

enum store_status
store_touch(struct store *s, int64_t run, struct error *e)
{
	enum store_status st;

	st = store_execute(s, e, "UPDATE run SET revision = revision + 1 "
	    "WHERE number = ?", "i", run);
	return st == STORE_OK && sqlite3_changes(s->db) == 0 ? STORE_NONE : st;
}

enum store_status
store_change(struct store *s, int64_t run, struct error *e)
{
	enum store_status st = store_begin(s, e);

	return st == STORE_OK ? store_touch(s, run, e) : st;
}

char *
store_text(sqlite3_stmt *q, int column)
{
	const unsigned char *text = sqlite3_column_text(q, column);

	return text != NULL ? strdup((const char *)text) : NULL;
}

int64_t
store_sum(const char *text)
{

	return (int64_t)XXH64(text, strlen(text), 0);
}

enum store_status
store_json(sqlite3_stmt *q, int column, char **out, struct error *e)
{

	*out = NULL;
	if (sqlite3_column_type(q, column) == SQLITE_NULL)
		return STORE_OK;
	if ((*out = store_text(q, column)) == NULL) {
		error_memory(e);
		return STORE_FAILED;
	}
	/* Rows of an earlier version have no checksum. */
	if (sqlite3_column_type(q, column + 1) == SQLITE_NULL ||
	    sqlite3_column_int64(q, column + 1) == store_sum(*out))
		return STORE_OK;
	free(*out);
	*out = NULL;
	error_set(e, "the database is damaged: a document is not what was "
	    "stored");
	error_remedy(e, "`cudadvise reanalyze` makes the run's anew from its "
	    "capture");
	return STORE_FAILED;
}
