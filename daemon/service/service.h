/*
 * service/service.h: the daemon without its HTTP server: live runs, the store,
 * imports. All functions may be called by any thread.
 */
#ifndef CADV_SERVICE_H
#define CADV_SERVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/reader.h"
#include "store/store.h"

struct capture_stats;
struct config;
struct error;
struct service;

struct service_options {
	const char *socket;	/* <runtime>/ingest.sock; NULL: no listener */
	int listen_fd;		/* a listening socket; -1: bind ${socket} */
	const char *state;	/* directory: runs/, spool/, database */
	const struct config *config;	/* outlives the service */
};

/* service_start(o, e): open the store, recover the state of an earlier daemon,
 * listen. Strings are copied. NULL with ${e}. */
struct service *service_start(const struct service_options *o,
    struct error *e);

/* service_stop(s): close the listener, flush captures, leave live runs as they
 * are (the next daemon resumes them), close the store. */
void service_stop(struct service *s);

/* A read-only connection, owned by the service. */
struct store *service_store(struct service *s);

/* service_run_json(r): a stored run in the API's form: json_run's object with
 * "number", "label", "pinned", "state", "analysis" and "capture_bytes" of the
 * row; a new reference, NULL without memory. */
json_t *service_run_json(const struct store_run *r);

/* service_import(s, fd, e, number, stats): import an uploaded capture (read
 * from offset 0; the caller keeps ${fd}). A known run gains the records it
 * lacks and keeps its number. ${stats} (may be NULL): how much of the file was
 * readable. -1 with ${e}: not a capture, … */
int service_import(struct service *s, int fd, struct error *e,
    int64_t *number, struct capture_stats *stats);

/* service_reanalyze(s, run, e): rebuild the run's documents from its capture.
 * Fails for a live run. */
enum store_status service_reanalyze(struct service *s, int64_t run,
    struct error *e);

/* service_analysing(s, uuid): for a run stored as live: are its records
 * complete, and is it being analysed? */
bool service_analysing(struct service *s, const char *uuid);

/* service_delete(s, run, e): delete the run and its directory; STORE_FAILED
 * while it is live. */
enum store_status service_delete(struct service *s, int64_t run,
    struct error *e);
/* service_patch(s, run, label, pinned, e): as store_run_patch. */
enum store_status service_patch(struct service *s, int64_t run,
    const char *label, int pinned, struct error *e);

/*
 * service_capture(s, run, e): open the run's capture for reading (export);
 * -1 with ${e} set.
 */
int service_capture(struct service *s, int64_t run, struct error *e);

/*
 * service_timeline(s, run, from, to, px, out, e): json.h's timeline object of
 * [from, to) ns since the run's start (to 0: its end), at most ${px} bins:
 * merged from the stored bins or, where these are too wide, computed from the
 * capture ("detail": true).
 */
enum store_status service_timeline(struct service *s, int64_t run,
    uint64_t from_ns, uint64_t to_ns, unsigned px, json_t **out,
    struct error *e);

/*
 * service_window(s, run, from, to, limit, out, e): what ran in [from, to) ns since
 * the run's start: { from_ns, to_ns, reason|null, operations, sums: [{ row, device,
 * kernel_id, name, call, count, busy_ns, bytes }], sums_left_out, items, complete }; the
 * sums that took longest first, at most ${limit} items, in the order of the
 * capture. With a reason neither is known: the window has too many, or the run is
 * live.
 */
enum store_status service_window(struct service *s, int64_t run,
    uint64_t from_ns, uint64_t to_ns, size_t limit, json_t **out,
    struct error *e);

/*
 * service_launches(s, run, kernel, from_ns, to_ns, cursor, limit, out, next, e):
 * array of { start_ns, duration_ns, stream, launch_delay_ns|null, graph, process }
 * of the launches that began in [from_ns, to_ns) since the run's start (${to_ns} 0:
 * to its end), in the order of the capture; ${next} as in store_docs.
 */
enum store_status service_launches(struct service *s, int64_t run,
    uint32_t kernel, uint64_t from_ns, uint64_t to_ns, const char *cursor,
    size_t limit, json_t **out, char *next, struct error *e);

/*
 * service_operations(s, run, visit, arg, rc, e): every operation of the run
 * (capture_operations); *${rc} is what the last visit returned. STORE_NONE: there is
 * no such run, or it was never analysed whole. May take many seconds.
 */
enum store_status service_operations(struct service *s, int64_t run,
    operation_visit *visit, void *arg, int *rc, struct error *e);

/* --- events -------------------------------------------------------------- */

struct service_event {
	uint64_t id;
	const char *kind;	/* "run" (new, changed), "deleted" */
	int64_t run;
	char uuid[33];
	char state[16];
	int64_t revision;
};

/* service_events_since(s, id, out, cap, reset): copy the events after ${id}
 * into ${out}, oldest first; returns how many. *${reset} is set if ${id} is too
 * old, or not from this daemon: then ${out} is empty, and the caller continues
 * from service_events_last. */
size_t service_events_since(struct service *s, uint64_t id,
    struct service_event *out, size_t cap, bool *reset);
uint64_t service_events_last(struct service *s);

/* service_on_event(s, fn, arg): call ${fn} after each new event, from any
 * thread; it must return quickly; NULL: none. One subscriber (the HTTP
 * server). */
void service_on_event(struct service *s, void (*fn)(void *arg), void *arg);

/* --- about itself -------------------------------------------------------- */

struct service_counters {
	uint64_t records, frames, bytes;	/* received on the socket */
	uint64_t connections, connections_open;
	uint64_t dropped_peers;		/* disconnected for protocol errors */
	uint64_t refused_peers;		/* another user, or too many */
	uint64_t capture_bytes;		/* written */
	uint64_t capture_errors;	/* failed writes, such as on a full
					 * disk */
	uint64_t runs_live, runs_finished;
	uint64_t spools_merged;
	uint64_t held_ns;		/* holds of programs on the socket */
	uint64_t held_longest_ns;	/* and the longest hold */
	uint64_t started_ns;		/* CLOCK_REALTIME */
};
void service_counters(struct service *s, struct service_counters *out);

/* Why data of a run could not be stored, and what to do about it. */
struct service_trouble {
	char run[33];			/* uuid; "": free */
	char text[512], remedy[256];
};

/* service_trouble(s, uuid, out): the storage error of a run, if it is one of
 * the last that had any; for NULL the last one, unless a run was stored
 * since. */
bool service_trouble(struct service *s, const char *uuid,
    struct service_trouble *out);

#endif
