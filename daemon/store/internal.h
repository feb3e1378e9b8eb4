/* store/internal.h: declarations private to store/. */
#ifndef CADV_STORE_INTERNAL_H
#define CADV_STORE_INTERNAL_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "store/store.h"

struct error;

struct store {
	sqlite3 *db;
	pthread_mutex_t lock;
};

/* schema_check: the schema version of the database; -1 with ${e} set if it cannot be
 * read or is newer than this program. schema_migrate: upgrade the database to this
 * program's version; 0, or -1 with ${e} set. */
int schema_check(sqlite3 *db, const char *path, struct error *e);
int schema_migrate(sqlite3 *db, const char *path, struct error *e);

/* store_query: prepare a statement and bind its parameters. ${types} has a letter for
 * each: 'i' int64_t, 's' const char * (borrowed; NULL binds NULL). The caller finalizes
 * it. NULL with ${e} set. */
sqlite3_stmt *store_query(struct store *s, struct error *e, const char *sql,
    const char *types, ...);

/* store_fail(s, e, what): sets ${e} to "cannot ${what}: " and SQLite's last error;
 * returns STORE_FULL or STORE_FAILED. */
enum store_status store_fail(struct store *s, struct error *e,
    const char *what);

/* store_execute(s, e, sql, types, …): run a statement that returns no rows; parameters
 * as in store_query. */
enum store_status store_execute(struct store *s, struct error *e,
    const char *sql, const char *types, ...);

/* store_begin(s, e): take the store's lock and begin a transaction. store_end must
 * follow even if it fails. store_end(s, st, e): commit if ${st} is STORE_OK, else roll
 * back; release the lock. */
enum store_status store_begin(struct store *s, struct error *e);
enum store_status store_end(struct store *s, enum store_status st,
    struct error *e);

/* store_touch(s, run, e): increment the run's revision. STORE_NONE: no such run. */
enum store_status store_touch(struct store *s, int64_t run, struct error *e);

/* store_change(s, run, e): store_begin, then store_touch of that run. */
enum store_status store_change(struct store *s, int64_t run, struct error *e);

/* store_put_index(s, number, x, e): replace the index of run ${number}, with its
 * frames. Inside a transaction. */
enum store_status store_put_index(struct store *s, int64_t number,
    const struct capture_index *x, struct error *e);

/* store_put_frames(s, number, x, e): replace the frames of run ${number}. Inside a
 * transaction. */
enum store_status store_put_frames(struct store *s, int64_t number,
    const struct capture_index *x, struct error *e);

/* A malloced copy of a text column; NULL for NULL. */
char *store_text(sqlite3_stmt *q, int column);

/* store_sum(text): the checksum of a document. It is stored in the document's row,
 * because SQLite does not detect damage on disk. */
int64_t store_sum(const char *text);

/* store_json(q, column, out, e): read a document from ${column} and its checksum from
 * the next column. *${out} is malloced; NULL for NULL. STORE_FAILED if the checksum
 * does not match. */
enum store_status store_json(sqlite3_stmt *q, int column, char **out,
    struct error *e);

#endif
