/*
 * store/store.h: finished and live runs as JSON documents in one SQLite file, whose
 * contents can be rebuilt from captures. A struct store is one connection with its own
 * lock: any thread may use it. Only the service opens the connection that writes; all
 * others read through store_open_reader.
 */
#ifndef CADV_STORE_H
#define CADV_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_index;
struct documents;
struct error;
struct store;

enum store_status {
	STORE_OK = 0,
	STORE_NONE,		/* no such run or document */
	STORE_AMBIGUOUS,	/* the prefix matches several runs */
	STORE_FULL,		/* the disk is full */
	STORE_FAILED,		/* see ${e} */
};

/* store_open(path, e): open for writing, create the file if missing, upgrade its
 * schema. NULL with ${e} set, for example if the database is of a newer version.
 * store_open_reader(path, e): open read-only an existing file. store_close(s): NULL is
 * allowed. */
struct store *store_open(const char *path, struct error *e);
struct store *store_open_reader(const char *path, struct error *e);
void store_close(struct store *s);

/* --- runs ----------------------------------------------------------------- */

struct store_run {
	int64_t number;		/* "run 41" */
	char uuid[33];
	char *label;		/* NULL: none */
	bool pinned;
	char state[16];		/* "live", "finished", "killed", "truncated" */
	int64_t started_ns;	/* CLOCK_REALTIME; 0 unknown */
	int64_t revision;	/* of the analysis: incremented by every change */
	int64_t bytes;		/* of the capture */
	char *json;		/* the run document of report/json.h; NULL: not
				 * analysed yet */
};
void store_run_clear(struct store_run *r);
void store_runs_free(struct store_run *r, size_t n);

/* store_run_find(s, id, out, e): by number, uuid, or unique uuid prefix of at least 6
 * digits; a number comes first. The caller clears ${out}. STORE_NONE,
 * STORE_AMBIGUOUS. */
enum store_status store_run_find(struct store *s, const char *id,
    struct store_run *out, struct error *e);

/* store_runs(s, after, limit, oldest_first, out, n, e): up to ${limit} runs by number,
 * newest first unless ${oldest_first}, beginning after the run with number ${after} (0:
 * at the start). ${limit} is 1000 if it is 0 or larger than 1000. *${out} is malloced:
 * store_runs_free. The number of the last run is ${after} of the next page. */
enum store_status store_runs(struct store *s, int64_t after, size_t limit,
    bool oldest_first, struct store_run **out, size_t *n, struct error *e);

/* store_run_add(s, uuid, label, started_ns, number, e): add a live run and return its
 * *${number}. A run with this uuid keeps its number and its label and becomes live
 * again. */
enum store_status store_run_add(struct store *s, const char *uuid,
    const char *label, int64_t started_ns, int64_t *number, struct error *e);

/* store_run_patch(s, number, label, pinned, e): set label and pin. ${label} NULL or
 * ${pinned} -1 leaves it; label "" removes it. Increments the revision. */
enum store_status store_run_patch(struct store *s, int64_t number,
    const char *label, int pinned, struct error *e);

/* store_run_delete(s, number, e): delete the run's rows. The service deletes the
 * directory. */
enum store_status store_run_delete(struct store *s, int64_t number,
    struct error *e);

/* store_run_state(s, number, state, e): set the state and leave the documents. */
enum store_status store_run_state(struct store *s, int64_t number,
    const char *state, struct error *e);

/* --- documents: those of report/document.def, by noun and id -------------- */

enum store_sort {
	SORT_RANK,		/* by rank: the order of insertion */
	SORT_TIME,		/* longest first: kernels by total_ns */
	SORT_LAUNCHES,		/* most first */
	SORT_NAME,		/* ascending */
	SORT_COUNT
};

struct store_doc {
	char id[48];
	char *json;
};
void store_docs_free(struct store_doc *d, size_t n);

/* store_doc(s, run, noun, id, json, e): one document. *${json} is malloced. STORE_NONE:
 * there is none. */
enum store_status store_doc(struct store *s, int64_t run, const char *noun,
    const char *id, char **json, struct error *e);

#define STORE_CURSOR_SIZE 128

/*
 * store_docs(s, run, noun, sort, reverse, cursor, limit, out, n, next, e): a page of at
 * most ${limit} (1000) documents. ${cursor} is "" for the first page, then the previous
 * call's ${next} (STORE_CURSOR_SIZE bytes; "" after the last page). *${out} is
 * malloced: store_docs_free. STORE_NONE if the cursor is invalid.
 */
enum store_status store_docs(struct store *s, int64_t run, const char *noun,
    enum store_sort sort, bool reverse, const char *cursor, size_t limit,
    struct store_doc **out, size_t *n, char *next, struct error *e);
/* The same, of the documents whose name contains ${match}, ignoring case (of ASCII); ""
 * matches all. */
enum store_status store_docs_match(struct store *s, int64_t run,
    const char *noun, const char *match, enum store_sort sort, bool reverse,
    const char *cursor, size_t limit, struct store_doc **out, size_t *n,
    char *next, struct error *e);

/* store_put(s, number, docs, x, bytes, e): replace all documents of a run and, unless
 * ${x} is NULL, its index with the frames, in one transaction. Sets state, start, size
 * (${bytes}) and, if it has none, the label of the run, and increments its revision. */
enum store_status store_put(struct store *s, int64_t number,
    const struct documents *docs, const struct capture_index *x,
    uint64_t bytes, struct error *e);

/* store_index(s, number, x, e): read the index without its frames into ${x}
 * (capture_index_clear). STORE_NONE: the run has none yet. */
enum store_status store_index(struct store *s, int64_t number,
    struct capture_index *x, struct error *e);

/* A selection of frames, in the order of the capture: frames whose times overlap [from,
 * to) ns of CLOCK_REALTIME (if ${from} is 0 also frames without times); with ${after}
 * only from the frame that holds record ${sequence} of ${stream} on. It ends with the
 * frame that makes the sum of records exceed ${records}. */
struct store_frames {
	uint64_t from, to;
	uint64_t records;
	bool after;
	uint64_t stream, sequence;
};

/* store_frames(s, number, want, x, e): read the selected frames into x->frame, which
 * must be empty. STORE_NONE: with ${after}, no frame holds that record. */
enum store_status store_frames(struct store *s, int64_t number,
    const struct store_frames *want, struct capture_index *x,
    struct error *e);

#endif
