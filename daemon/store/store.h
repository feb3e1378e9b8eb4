/*
 * store/store.h: finished and live runs as JSON documents in one SQLite file.
 * The only interface to SQLite. The contents can be rebuilt from captures. A
 * struct store is one connection with its own lock: any thread may use it.
 * There is one writer (the service's); all others read through
 * store_open_reader.
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

/* store_open(path, e): the writer: creates and migrates. NULL with ${e} if the
 * file is not a cudadvise database, or one from a newer version. */
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
	int64_t revision;	/* of the analysis: grows with every change */
	int64_t bytes;		/* of the capture */
	char *json;		/* report/json.h's run; NULL: not analysed yet */
};
void store_run_clear(struct store_run *r);
void store_runs_free(struct store_run *r, size_t n);

/* store_run_find(s, id, out, e): by number, uuid, or unique uuid prefix of at
 * least 6 digits (a string of 1 to 5 digits is always a number). */
enum store_status store_run_find(struct store *s, const char *id,
    struct store_run *out, struct error *e);

/* store_runs(s, after, limit, oldest_first, out, n, e): up to ${limit} runs by
 * number, newest first unless ${oldest_first}, after the number ${after} (0:
 * from the start). *${out} is malloced: store_runs_free. The next page's cursor
 * is the last row's number. */
enum store_status store_runs(struct store *s, int64_t after, size_t limit,
    bool oldest_first, struct store_run **out, size_t *n, struct error *e);

/* store_run_add(s, uuid, label, started_ns, number, e): add a live run; an
 * existing uuid keeps its number and becomes live again. */
enum store_status store_run_add(struct store *s, const char *uuid,
    const char *label, int64_t started_ns, int64_t *number, struct error *e);

/* store_run_patch(s, number, label, pinned, e): ${label} NULL, and ${pinned}
 * -1, change nothing; a label of "" removes it. Increments the revision. */
enum store_status store_run_patch(struct store *s, int64_t number,
    const char *label, int pinned, struct error *e);

/* store_run_delete(s, number, e): deletes the rows; the service deletes the
 * directory. */
enum store_status store_run_delete(struct store *s, int64_t number,
    struct error *e);

/* store_run_state(s, number, state, e): set the state, without new
 * documents. */
enum store_status store_run_state(struct store *s, int64_t number,
    const char *state, struct error *e);

/* --- documents: those of report/document.def, by noun and id -------------- */

enum store_sort {
	SORT_RANK,		/* order of insertion */
	SORT_TIME,		/* most first: kernels by total_ns */
	SORT_LAUNCHES,		/* most first */
	SORT_NAME,		/* a first */
	SORT_COUNT
};

struct store_doc {
	char id[48];
	char *json;
};
void store_docs_free(struct store_doc *d, size_t n);

/* store_doc(s, run, noun, id, json, e): *${json} is malloced. */
enum store_status store_doc(struct store *s, int64_t run, const char *noun,
    const char *id, char **json, struct error *e);

#define STORE_CURSOR_SIZE 128

/*
 * store_docs(s, run, noun, sort, reverse, cursor, limit, out, n, next, e): a
 * page of documents. ${cursor} is "" at first, then the previous call's ${next}
 * (STORE_CURSOR_SIZE bytes; "" after the last page). STORE_NONE if the cursor
 * is invalid.
 */
enum store_status store_docs(struct store *s, int64_t run, const char *noun,
    enum store_sort sort, bool reverse, const char *cursor, size_t limit,
    struct store_doc **out, size_t *n, char *next, struct error *e);
/* The same of those whose name has ${match}, in capital or small letters (of
 * ASCII); "" of all. */
enum store_status store_docs_match(struct store *s, int64_t run,
    const char *noun, const char *match, enum store_sort sort, bool reverse,
    const char *cursor, size_t limit, struct store_doc **out, size_t *n,
    char *next, struct error *e);

/* store_put(s, number, docs, x, bytes, e): replace all documents (and, unless
 * ${x} is NULL, the frame index) of a run in one transaction; state, start and
 * revision of the run follow. */
enum store_status store_put(struct store *s, int64_t number,
    const struct documents *docs, const struct capture_index *x,
    uint64_t bytes, struct error *e);

/* store_index(s, number, x, e): read the index, without its frames. STORE_NONE:
 * the run has none yet. */
enum store_status store_index(struct store *s, int64_t number,
    struct capture_index *x, struct error *e);

/* A selection of frames, in order: those whose times overlap [from, to) ns of
 * CLOCK_REALTIME (${from} 0: also those without times); with ${after} only from the
 * frame with record ${sequence} of ${stream} on; up to the frame with which they
 * exceed ${records} records. */
struct store_frames {
	uint64_t from, to;
	uint64_t records;
	bool after;
	uint64_t stream, sequence;
};

/* store_frames(s, number, want, x, e): set x->frame, which is empty. STORE_NONE
 * if no frame has the record to begin after. */
enum store_status store_frames(struct store *s, int64_t number,
    const struct store_frames *want, struct capture_index *x,
    struct error *e);

#endif
