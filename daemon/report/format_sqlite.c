/*
 * A database for sqlite3, pandas and the like. SQLite writes only to files, so
 * it is made in a scratch file and then copied. Times are nanoseconds since the
 * run's start; unknown values are NULL.
 */
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build.h"
#include "report/json.h"
#include "report/text_util.h"

#include "report/format.h"

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "PRAGMA user_version = 1;"
    "BEGIN;"
    "CREATE TABLE run (key TEXT PRIMARY KEY, value);"
    "CREATE TABLE process (id TEXT PRIMARY KEY, pid INTEGER, ppid INTEGER,"
    " exe TEXT, command TEXT, host TEXT);"
    "CREATE TABLE device (id INTEGER PRIMARY KEY, name TEXT, uuid TEXT);"
    "CREATE TABLE kernel (id INTEGER PRIMARY KEY, name TEXT, mangled TEXT,"
    " device TEXT, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,"
    " block_x INTEGER, block_y INTEGER, block_z INTEGER, registers INTEGER,"
    " shared_static_bytes INTEGER, shared_dynamic_bytes INTEGER,"
    " launches INTEGER, total_ns INTEGER, mean_ns REAL, min_ns INTEGER,"
    " p50_ns REAL, p95_ns REAL, max_ns INTEGER, share_ratio REAL,"
    " bound TEXT);"
    "CREATE TABLE finding (id TEXT, rule TEXT, title TEXT, severity TEXT,"
    " worth_it INTEGER, kernel_id INTEGER, place TEXT, file TEXT,"
    " line INTEGER, saves_s REAL, saves_low_s REAL, saves_high_s REAL,"
    " summary TEXT, advice TEXT);"
    "CREATE TABLE line (kernel_id INTEGER, id INTEGER, file TEXT,"
    " line INTEGER, function TEXT, inlined_at INTEGER,"
    " instructions INTEGER, samples INTEGER, PRIMARY KEY (kernel_id, id));"
    "CREATE TABLE stall (kernel_id INTEGER, line_id INTEGER, name TEXT,"
    " samples INTEGER);"
    "CREATE TABLE count (kernel_id INTEGER, line_id INTEGER, name TEXT,"
    " value REAL);"
    "CREATE TABLE operation (kind TEXT, process TEXT, thread INTEGER,"
    " device INTEGER, stream INTEGER, kernel_id INTEGER, name TEXT,"
    " start_ns INTEGER, duration_ns INTEGER, launched_ns INTEGER,"
    " bytes INTEGER, domain TEXT);"
    "CREATE VIEW launch AS SELECT operation.kernel_id, kernel.name,"
    " start_ns, duration_ns, launched_ns, process, thread,"
    " operation.device, stream FROM operation LEFT JOIN kernel"
    " ON kernel.id = kernel_id WHERE kind = 'kernel';";

struct writing {
	sqlite3 *db;
	const struct report *report;
	sqlite3_stmt *operation;
};

/* --- rows -------------------------------------------------------------------- */

/* "INSERT INTO ${table} VALUES (?, …)" with ${n} values; NULL if it failed. */
static sqlite3_stmt *
into(struct writing *w, const char *table, int n)
{
	char sql[256];
	sqlite3_stmt *q = NULL;
	size_t at;

	at = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?",
	    table);
	for (; n > 1 && at + 4 < sizeof(sql); n--)
		at += (size_t)snprintf(sql + at, sizeof(sql) - at, ",?");
	snprintf(sql + at, sizeof(sql) - at, ")");
	return sqlite3_prepare_v2(w->db, sql, -1, &q, NULL) == SQLITE_OK ? q :
	    NULL;
}

static void
bind_text(sqlite3_stmt *q, int i, const char *s)
{

	sqlite3_bind_text(q, i, s, -1, SQLITE_TRANSIENT);
}

/* A value of a document; an object or array as JSON. */
static void
bind_json(sqlite3_stmt *q, int i, const json_t *v)
{
	char *text;

	switch (v != NULL ? json_typeof(v) : JSON_NULL) {
	case JSON_STRING:
		bind_text(q, i, json_string_value(v));
		break;
	case JSON_INTEGER:
		sqlite3_bind_int64(q, i, json_integer_value(v));
		break;
	case JSON_REAL:
		sqlite3_bind_double(q, i, json_real_value(v));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		sqlite3_bind_int(q, i, json_is_true(v));
		break;
	case JSON_OBJECT:
	case JSON_ARRAY:
		text = json_dumps(v, JSON_COMPACT);
		bind_text(q, i, text);
		free(text);
		break;
	default:
		sqlite3_bind_null(q, i);
	}
}

/* Binds members of ${o}, named as in "a b.c d", from parameter ${i} on; returns
 * the next one. */
static int
bind_all(sqlite3_stmt *q, int i, const json_t *o, const char *names)
{
	char name[64];
	const char *dot;
	const json_t *v;
	size_t n;

	for (; *names != '\0'; names += n + strspn(names + n, " "), i++) {
		n = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		v = o;
		if ((dot = strchr(name, '.')) != NULL) {
			name[dot - name] = '\0';
			v = json_object_get(v, name);
		}
		bind_json(q, i, json_object_get(v, dot != NULL ? dot + 1 :
		    name));
	}
	return i;
}

static int
step(sqlite3_stmt *q)
{
	int rc = sqlite3_step(q);

	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return rc == SQLITE_DONE ? 0 : -1;
}

/* --- tables -------------------------------------------------------------------- */

static int
run_rows(struct writing *w, sqlite3_stmt *q)
{
	const char *key;
	json_t *value;
	int rc;

	bind_text(q, 1, "exporter");
	bind_text(q, 2, "cudadvise " CUDADVISE_VERSION);
	rc = step(q);
	json_object_foreach((json_t *)w->report->run, key, value) {
		bind_text(q, 1, key);
		bind_json(q, 2, value);
		rc |= step(q);
	}
	return rc;
}

static int
process_rows(struct writing *w, sqlite3_stmt *q)
{
	const struct reader *r = w->report->reader;
	json_t *list = r->document(r->arg, DOCUMENT_processes), *x;
	size_t i;
	int rc = 0;

	json_array_foreach(list, i, x) {
		bind_all(q, 1, x, "stream pid ppid exe command host");
		rc |= step(q);
	}
	json_decref(list);
	return rc;
}

static int
device_rows(struct writing *w, sqlite3_stmt *q)
{
	const struct reader *r = w->report->reader;
	json_t *list = r->document(r->arg, DOCUMENT_devices), *x;
	size_t i;
	int rc = 0;

	json_array_foreach(list, i, x) {
		sqlite3_bind_int64(q, 1, (sqlite3_int64)i);
		bind_all(q, 2, x, "name uuid");
		rc |= step(q);
	}
	json_decref(list);
	return rc;
}

static int
kernel_rows(struct writing *w, sqlite3_stmt *q)
{
	json_t *k, *extent;
	size_t i, j;
	int rc = 0, at;

	json_array_foreach((json_t *)w->report->kernels, i, k) {
		at = bind_all(q, 1, k, "id name mangled device");
		for (j = 0; j < 6; j++) {
			extent = json_object_get(k, j < 3 ? "grid" : "block");
			bind_json(q, at++, json_array_get(extent, j % 3));
		}
		bind_all(q, at, k, "registers shared_static_bytes "
		    "shared_dynamic_bytes launches time.total_ns time.mean_ns "
		    "time.min_ns time.p50_ns time.p95_ns time.max_ns "
		    "share_ratio bound");
		rc |= step(q);
	}
	return rc;
}

static int
finding_rows(struct writing *w, sqlite3_stmt *q)
{
	struct place p;
	json_t *x;
	size_t i;
	int rc = 0, at;

	json_array_foreach(json_object_get(w->report->findings, "items"), i,
	    x) {
		p = format_place(w->report->run, x);
		at = bind_all(q, 1, x, "id rule title severity worth_it "
		    "kernel_id where");
		bind_text(q, at++, p.file);
		if (p.line > 0)
			sqlite3_bind_int64(q, at, (sqlite3_int64)p.line);
		bind_all(q, at + 1, x, "saves.s saves.low_s saves.high_s "
		    "summary advice");
		rc |= step(q);
	}
	return rc;
}

/* The members of ${o} as rows: kernel, line, key, value. */
static int
member_rows(sqlite3_stmt *q, json_int_t kernel, size_t line, json_t *o)
{
	const char *key;
	json_t *value;
	int rc = 0;

	json_object_foreach(o, key, value) {
		sqlite3_bind_int64(q, 1, kernel);
		sqlite3_bind_int64(q, 2, (sqlite3_int64)line);
		bind_text(q, 3, key);
		bind_json(q, 4, value);
		rc |= step(q);
	}
	return rc;
}

static const json_t *
file_of(const json_t *source, const json_t *index)
{
	const json_t *file;
	size_t i;

	json_array_foreach(json_object_get(source, "files"), i, file)
		if (json_equal(json_object_get(file, "index"), index))
			return json_object_get(file, "path");
	return NULL;
}

struct line_tables {
	sqlite3_stmt *line, *stall, *count;
};

static int
lines_of(struct line_tables *t, json_int_t kernel, const json_t *source)
{
	json_t *l, *samples;
	size_t i;
	int rc = 0;

	json_array_foreach(json_object_get(source, "lines"), i, l) {
		samples = json_object_get(l, "samples");
		sqlite3_bind_int64(t->line, 1, kernel);
		sqlite3_bind_int64(t->line, 2, (sqlite3_int64)i);
		bind_json(t->line, 3, file_of(source, json_object_get(l,
		    "file")));
		bind_all(t->line, 4, l, "line function inlined_at "
		    "instructions samples.all");
		rc |= step(t->line);
		rc |= member_rows(t->stall, kernel, i, json_object_get(samples,
		    "stalls"));
		rc |= member_rows(t->count, kernel, i, json_object_get(l,
		    "values"));
	}
	return rc;
}

static int
line_rows(struct writing *w)
{
	const struct reader *r = w->report->reader;
	struct line_tables t = { into(w, "line", 8), into(w, "stall", 4),
	    into(w, "count", 4) };
	json_int_t id;
	json_t *k, *source;
	size_t i;
	int rc = t.line == NULL || t.stall == NULL || t.count == NULL ? -1 : 0;

	json_array_foreach((json_t *)w->report->kernels, i, k) {
		if (rc != 0)
			break;
		id = json_integer_value(json_object_get(k, "id"));
		source = r->source(r->arg, (uint32_t)id);
		rc = lines_of(&t, id, source);
		json_decref(source);
	}
	sqlite3_finalize(t.line);
	sqlite3_finalize(t.stall);
	sqlite3_finalize(t.count);
	return rc;
}

static void
bind_known(sqlite3_stmt *q, int i, uint64_t v, bool known)
{

	if (known)
		sqlite3_bind_int64(q, i, (sqlite3_int64)v);
}

static int
operation_row_of(void *arg, const struct operation *op)
{
	struct writing *w = arg;
	sqlite3_stmt *q = w->operation;
	uint64_t origin = w->report->reader->origin_ns;
	char process[20], *name = NULL, *domain = NULL;
	int rc;

	if ((op->range != NULL && (name = format_clean(op->range)) == NULL) ||
	    (op->domain != NULL &&
	    (domain = format_clean(op->domain)) == NULL)) {
		free(name);
		return -1;
	}
	snprintf(process, sizeof(process), "%016llx",
	    (unsigned long long)op->process);
	bind_text(q, 1, op->row < ROW_COUNT ? timeline_row_name[op->row] :
	    "range");
	bind_text(q, 2, process);
	bind_known(q, 3, op->thread, op->thread != 0);
	bind_known(q, 4, op->device, !op->host && op->device != UINT32_MAX);
	bind_known(q, 5, op->stream, !op->host);
	bind_known(q, 6, op->kernel, op->kernel != 0);
	bind_text(q, 7, name != NULL ? name : op->call);
	bind_known(q, 8, op->from - origin, op->from >= origin);
	bind_known(q, 9, op->to - op->from, true);
	bind_known(q, 10, op->launched - origin, op->launched >= origin);
	bind_known(q, 11, op->bytes, op->row >= ROW_H2D &&
	    op->row <= ROW_MEMSET);
	bind_text(q, 12, domain);
	rc = step(q);
	free(name);
	free(domain);
	return rc;
}

static int
operation_rows(struct writing *w)
{
	const struct reader *r = w->report->reader;
	int rc = -1;

	if ((w->operation = into(w, "operation", 12)) != NULL)
		rc = r->operations(r->arg, operation_row_of, w);
	sqlite3_finalize(w->operation);
	return rc;
}

/* --- the whole ---------------------------------------------------------------- */

static int
fill(struct writing *w)
{
	static const struct {
		const char *name;
		int columns;
		int (*rows)(struct writing *, sqlite3_stmt *);
	} table[] = {
		{ "run", 2, run_rows }, { "process", 6, process_rows },
		{ "device", 3, device_rows }, { "kernel", 22, kernel_rows },
		{ "finding", 14, finding_rows },
	};
	sqlite3_stmt *q;
	size_t i;
	int rc = 0;

	if (sqlite3_exec(w->db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	for (i = 0; i < sizeof(table) / sizeof(table[0]) && rc == 0; i++) {
		q = into(w, table[i].name, table[i].columns);
		rc = q != NULL ? table[i].rows(w, q) : -1;
		sqlite3_finalize(q);
	}
	if (rc != 0 || line_rows(w) != 0 || operation_rows(w) != 0)
		return -1;
	return sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ?
	    0 : -1;
}

static int
copy(FILE *to, const char *path)
{
	FILE *from = fopen(path, "re");
	char buf[65536];
	size_t n;
	int bad;

	if (from == NULL)
		return -1;
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0)
		fwrite(buf, 1, n, to);
	bad = ferror(from);
	fclose(from);
	return bad ? -1 : 0;
}

int
format_sqlite(FILE *f, const struct report *r)
{
	struct writing w = { .report = r };
	char path[PATH_MAX];
	int fd, rc = -1;

	if (snprintf(path, sizeof(path), "%s/cudadvise-XXXXXX",
	    r->reader->scratch) >= PATH_MAX || (fd = mkstemp(path)) < 0)
		return -1;
	close(fd);
	if (sqlite3_open(path, &w.db) == SQLITE_OK)
		rc = fill(&w);
	if (sqlite3_close(w.db) != SQLITE_OK)
		rc = -1;
	if (rc == 0)
		rc = copy(f, path);
	unlink(path);
	return rc;
}
