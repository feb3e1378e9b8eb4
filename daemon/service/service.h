/*
 * service/service.h: the daemon without its HTTP server: live runs, the store, imports.
 * Any thread may call these functions.
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

/* service_start(o, e): open the store, recover the state of an earlier daemon, listen.
 * Strings are copied. NULL with ${e} set. */
struct service *service_start(const struct service_options *o,
    struct error *e);

/* service_stop(s): close the listener, flush captures, leave live runs to the next
 * daemon, which resumes them, and close the store. NULL is allowed. */
void service_stop(struct service *s);

/* A read-only connection, owned by the service. */
struct store *service_store(struct service *s);

/* service_run_json(r): a stored run in the API's form: the object of json_run, with
 * "id", "number", "label", "pinned", "state", "analysis" and "capture_bytes" from the
 * row. A new reference; NULL without memory. */
json_t *service_run_json(const struct store_run *r);

/* service_import(s, fd, e, number, stats): import an uploaded capture. ${fd} is read
 * from offset 0 and stays the caller's. If the run is known already, it gains the
 * records that it lacks and keeps its number. ${stats} (may be NULL): how much of the
 * file was readable. 0; -1 with ${e} set, for example if it is not a capture. */
int service_import(struct service *s, int fd, struct error *e,
    int64_t *number, struct capture_stats *stats);

/* service_reanalyze(s, run, e): rebuild the run's documents from its capture.
 * Fails for a live run. */
enum store_status service_reanalyze(struct service *s, int64_t run,
    struct error *e);

/* service_analysing(s, uuid): whether the run, which is stored as live, has all its
 * records and is being analysed. */
bool service_analysing(struct service *s, const char *uuid);

/* service_delete(s, run, e): delete the run and its directory; STORE_FAILED
 * while it is live. */
enum store_status service_delete(struct service *s, int64_t run,
    struct error *e);
/* service_patch(s, run, label, pinned, e): as store_run_patch. */
enum store_status service_patch(struct service *s, int64_t run,
    const char *label, int pinned, struct error *e);

/*
 * service_capture(s, run, e): a file descriptor of the run's capture for reading, which
 * the caller closes; -1 with ${e} set.
 */
int service_capture(struct service *s, int64_t run, struct error *e);

/*
 * service_timeline(s, run, from, to, px, out, e): the timeline object of json.h for
 * [from, to) ns since the run's start (${to} 0: to the run's end), in at most ${px}
 * bins. They are merged from the stored bins or, if these are too wide, computed from
 * the capture ("detail": true). *${out} is a new reference.
 */
enum store_status service_timeline(struct service *s, int64_t run,
    uint64_t from_ns, uint64_t to_ns, unsigned px, json_t **out,
    struct error *e);

/*
 * service_window(s, run, from, to, limit, out, e): what ran in [from, to) ns since the
 * run's start: { from_ns, to_ns, reason|null, operations, sums: [{ row, device,
 * kernel_id, name, call, count, busy_ns, bytes }], sums_left_out, items, complete }.
 * Sums come longest first; at most ${limit} items, in the order of the capture. If
 * "reason" is set there are neither: the window has too many operations, or the run is
 * live. *${out} is a new reference.
 */
enum store_status service_window(struct service *s, int64_t run,
    uint64_t from_ns, uint64_t to_ns, size_t limit, json_t **out,
    struct error *e);

/*
 * service_launches(s, run, kernel, from_ns, to_ns, cursor, limit, out, next, e): an
 * array of { start_ns, duration_ns, stream, launch_delay_ns|null, graph, process,
 * profiled } of the launches that began in [from_ns, to_ns) since the run's start
 * (${to_ns} 0: to the run's end), in the order of the capture. ${cursor} and ${next} as
 * in store_docs. *${out} is a new reference.
 */
enum store_status service_launches(struct service *s, int64_t run,
    uint32_t kernel, uint64_t from_ns, uint64_t to_ns, const char *cursor,
    size_t limit, json_t **out, char *next, struct error *e);

/*
 * service_operations(s, run, visit, arg, rc, e): call ${visit} for every operation of
 * the run (capture_operations); *${rc} is what the last visit returned. STORE_NONE:
 * there is no such run, or it was never analysed completely. May take many seconds.
 */
enum store_status service_operations(struct service *s, int64_t run,
    operation_visit *visit, void *arg, int *rc, struct error *e);

/* --- events -------------------------------------------------------------- */

struct service_event {
	uint64_t id;
	const char *kind;	/* "run" (new or changed), "deleted" */
	int64_t run;
	char uuid[33];
	char state[16];
	int64_t revision;
};

/* service_events_since(s, id, out, cap, reset): copy up to ${cap} events after ${id}
 * into ${out}, oldest first; returns their number. *${reset} is set if ${id} is too
 * old, or from another daemon: then ${out} is empty, and the caller continues from
 * service_events_last. */
size_t service_events_since(struct service *s, uint64_t id,
    struct service_event *out, size_t cap, bool *reset);
uint64_t service_events_last(struct service *s);

/* service_on_event(s, fn, arg): call ${fn} after each new event, in any thread and with
 * the lock of the events held; it must return quickly and must not call this module.
 * NULL: none. There is one subscriber (the HTTP server). */
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
	uint64_t held_ns;	/* time that programs were held, as they reported it */
	uint64_t held_longest_ns;	/* the longest single hold */
	uint64_t started_ns;		/* CLOCK_REALTIME */
};
void service_counters(struct service *s, struct service_counters *out);

/* Why data of a run could not be stored, and what to do about it. */
struct service_trouble {
	char run[33];			/* uuid; "": free */
	char text[512], remedy[256];
};

/* service_trouble(s, uuid, out): the storage error of run ${uuid}, if it is one of the
 * last 16 runs with one; with ${uuid} NULL the latest error, unless a run was stored
 * since. False if there is none. */
bool service_trouble(struct service *s, const char *uuid,
    struct service_trouble *out);

#endif
