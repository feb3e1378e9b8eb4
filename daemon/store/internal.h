/* store/internal.h: shared by the files of store/ only. */
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

/* schema_check: the database's version, or -1 with ${e} if it is not a
 * cudadvise database, or newer. schema_migrate: upgrade it to this version. */
int schema_check(sqlite3 *db, const char *path, struct error *e);
int schema_migrate(sqlite3 *db, const char *path, struct error *e);

/* A prepared statement with its parameters: types 'i' (int64_t), 's' (const
 * char *, NULL is NULL; borrowed). NULL with ${e} set. */
sqlite3_stmt *store_query(struct store *s, struct error *e, const char *sql,
    const char *types, ...);

/* store_fail(s, e, what): the status of the last error, described in ${e}. */
enum store_status store_fail(struct store *s, struct error *e,
    const char *what);

/* store_execute(s, e, sql, types, …): a statement without rows. */
enum store_status store_execute(struct store *s, struct error *e,
    const char *sql, const char *types, ...);

/* store_begin(s, e): a transaction, with the store's lock. Whatever it returns,
 * store_end(s, st, e) ends both: it commits if ${st} is STORE_OK, else rolls back. */
enum store_status store_begin(struct store *s, struct error *e);
enum store_status store_end(struct store *s, enum store_status st,
    struct error *e);

/* store_touch(s, run, e): increment the run's revision and the global one. */
enum store_status store_touch(struct store *s, int64_t run, struct error *e);

/* store_change(s, run, e): store_begin, and store_touch of that run. */
enum store_status store_change(struct store *s, int64_t run, struct error *e);

/* store_put_index(s, number, x, e): inside a transaction. */
enum store_status store_put_index(struct store *s, int64_t number,
    const struct capture_index *x, struct error *e);

/* store_put_frames(s, number, x, e): its frames, inside a transaction. */
enum store_status store_put_frames(struct store *s, int64_t number,
    const struct capture_index *x, struct error *e);

/* A malloced copy of a text column; NULL for NULL. */
char *store_text(sqlite3_stmt *q, int column);

/* store_sum(text): the checksum of a document, stored in its row: SQLite does
 * not detect damage on disk. */
int64_t store_sum(const char *text);

/* store_json(q, column, out, e): a document, with its checksum in the next
 * column; *${out} is malloced, NULL for NULL. STORE_FAILED if the checksum does
 * not match. */
enum store_status store_json(sqlite3_stmt *q, int column, char **out,
    struct error *e);

#endif
