/* The database schema, as steps from one version to the next. */
#include <sqlite3.h>

#include "base/error.h"
#include "store/internal.h"

/* Step i brings user_version i to i + 1. A released step is never edited: a change of
 * the schema is a new step. */
static const char *const step[] = {
	"CREATE TABLE run ("
	"  number INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  uuid TEXT NOT NULL UNIQUE,"
	"  label TEXT,"
	"  pinned INTEGER NOT NULL DEFAULT 0,"
	"  state TEXT NOT NULL,"
	"  started_ns INTEGER NOT NULL DEFAULT 0,"
	"  revision INTEGER NOT NULL DEFAULT 0,"
	"  bytes INTEGER NOT NULL DEFAULT 0,"
	"  json TEXT"
	") STRICT;"
	"CREATE TABLE doc ("
	"  run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
	"  noun TEXT NOT NULL,"
	"  id TEXT NOT NULL,"
	"  rank INTEGER NOT NULL,"
	"  time_ns INTEGER NOT NULL,"
	"  launches INTEGER NOT NULL,"
	"  name TEXT NOT NULL,"
	"  json TEXT NOT NULL,"
	"  PRIMARY KEY (run, noun, id)"
	") STRICT;"
	"CREATE UNIQUE INDEX doc_rank ON doc (run, noun, rank);"
	"CREATE TABLE frames ("
	"  run INTEGER PRIMARY KEY REFERENCES run(number) ON DELETE CASCADE,"
	"  frame BLOB NOT NULL,"
	"  signature BLOB NOT NULL,"
	"  device BLOB NOT NULL"
	") STRICT;"
	"CREATE TABLE counter (revision INTEGER NOT NULL) STRICT;"
	"INSERT INTO counter VALUES (0);",

	/* Frames in chunks of 4096 rows of 48 bytes. The time span of existing
	 * rows is unknown. */
	"CREATE TABLE frame_chunk ("
	"  run INTEGER NOT NULL REFERENCES run(number) ON DELETE CASCADE,"
	"  chunk INTEGER NOT NULL,"
	"  first_ns INTEGER NOT NULL,"
	"  last_ns INTEGER NOT NULL,"
	"  frame BLOB NOT NULL,"
	"  PRIMARY KEY (run, chunk)"
	") STRICT;"
	"WITH RECURSIVE piece (run, chunk) AS ("
	"  SELECT run, 0 FROM frames UNION ALL"
	"  SELECT f.run, p.chunk + 1 FROM piece p JOIN frames f"
	"    ON f.run = p.run WHERE (p.chunk + 1) * 196608 < length(f.frame))"
	"INSERT INTO frame_chunk SELECT p.run, p.chunk, 0,"
	"  9223372036854775807, substr(f.frame, p.chunk * 196608 + 1, 196608)"
	"  FROM piece p JOIN frames f ON f.run = p.run;"
	"ALTER TABLE frames DROP COLUMN frame;",

	/* Checksums of documents; NULL in rows written by an earlier version. */
	"ALTER TABLE doc ADD COLUMN sum INTEGER;"
	"ALTER TABLE run ADD COLUMN sum INTEGER;",

	"DROP TABLE IF EXISTS counter;",
};
#define VERSION ((int)(sizeof(step) / sizeof(step[0])))

static int
user_version(sqlite3 *db)
{
	sqlite3_stmt *q = NULL;
	int v = -1;

	if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &q, NULL) ==
	    SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
		v = sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	return v;
}

int
schema_check(sqlite3 *db, const char *path, struct error *e)
{
	int v = user_version(db);

	if (v < 0) {
		error_set(e, "cannot read the database '%s': %s", path,
		    sqlite3_errmsg(db));
		return error_remedy(e, "move the file away and run "
		    "`cudadvise reanalyze --all`: captures hold everything");
	}
	if (v <= VERSION)
		return v;
	error_code(e, ERROR_TOO_NEW, "the database '%s' was written by a newer "
	    "version of cudadvise (schema %d, this one knows %d)", path, v, VERSION);
	return error_remedy(e, "use that version, or move the file away: "
	    "runs are rebuilt from their captures");
}

int
schema_migrate(sqlite3 *db, const char *path, struct error *e)
{
	int v = schema_check(db, path, e);
	char sql[64];

	if (v < 0)
		return -1;
	for (; v < VERSION; v++) {
		sqlite3_snprintf(sizeof(sql), sql, "PRAGMA user_version = %d",
		    v + 1);
		if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) ||
		    sqlite3_exec(db, step[v], NULL, NULL, NULL) ||
		    sqlite3_exec(db, sql, NULL, NULL, NULL) ||
		    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL)) {
			error_set(e, "cannot bring the database '%s' to schema "
			    "%d: %s", path, v + 1, sqlite3_errmsg(db));
			sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
			return -1;
		}
	}
	return 0;
}
