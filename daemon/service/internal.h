/*
 * service/internal.h: what the parts of the service share.
 *
 * Two threads: the listener owns connections and live sessions and never waits
 * for anything but the store; the worker settles finished runs, merges spools
 * and stores documents. The HTTP server's threads come in through service.h.
 */
#ifndef CADV_INGEST_INTERNAL_H
#define CADV_INGEST_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"
#include "base/error.h"
#include "base/hash.h"
#include "report/analyse.h"
#include "capture/capture.h"
#include "capture/capture_index.h"
#include "capture/proc.h"
#include "service/service.h"
#include "wire/frame.h"

struct model;
struct symbols;

#define EVENT_RING 1024
#define MS 1000000ull		/* ns */
#define IMPORT_SPARE "import.part"	/* in runs/, while one is taken in */

/* One stream of a live run. */
struct stream {
	uint64_t id;
	uint64_t next;		/* records below are in the capture (or in the
				 * stream's spool file): what an ACK says */
	uint64_t fed;		/* records below are in the model */
	uint64_t spooled;	/* bytes of its spool file looked at */
	struct proc proc;	/* by the socket's credentials, or HELLO */
	unsigned conns;
	bool launcher;		/* began with RUN_BEGIN */
	uint64_t held_ns, held_longest_ns;	/* its last HELD */
	uint64_t held_counted_ns;	/* of it, in the service's sum */
	bool bye;		/* ended in order */
	UT_hash_handle hh;
};

/* A live run. Owned by the listener; the worker once it has finished. */
struct session {
	char uuid[33];
	char dir[PATH_MAX];	/* <state>/runs/<uuid> */
	char capture[PATH_MAX];
	int64_t number;
	struct capture_merger *merger;
	struct capture_writer *writer;	/* the merger's */
	struct model *model;	/* NULL: rebuild at the end */
	struct capture_index index;	/* as the model: of what was fed */
	struct definitions definitions;
	struct symbols *symbols;	/* addresses that want names */
	struct stream *streams;
	unsigned conns;
	bool rebuild;		/* the model lacks what the capture has */
	bool resumed;		/* an earlier daemon began it */
	bool ended;		/* RUN_END came */
	bool dirty;		/* the model changed since it was shown */
	bool disk_full;		/* said once */
	uint64_t ended_ns;	/* monotonic: when RUN_END came */
	uint64_t over_ns;	/* monotonic: since when it has been over; 0 */
	uint64_t active_ns;	/* monotonic: last record, or end of a connection */
	uint64_t shown_ns, show_every_ns;	/* live documents */
	_Atomic int showing;	/* the worker stores documents of it */
	UT_hash_handle hh;
};

enum job_kind { JOB_SHOW, JOB_FINISH, JOB_SPOOLS, JOB_RECOVER, JOB_STOP };

struct job {
	enum job_kind kind;
	struct session *session;	/* JOB_FINISH: owned */
	struct documents *docs;		/* JOB_SHOW: owned */
	int64_t number;
	uint64_t bytes;
	_Atomic int *done;		/* JOB_SHOW: cleared when stored */
	struct job *next;
};

#define TROUBLES 16		/* runs whose trouble is remembered */

/* The uuid of a run that nobody else may touch: live, finishing, deleting. */
struct claim {
	char uuid[33];
	bool live;		/* a session's */
	UT_hash_handle hh;
};

struct service {
	char state[PATH_MAX], runs[PATH_MAX], spool[PATH_MAX];
	char socket[PATH_MAX];	/* "" if it is not ours to unlink */
	const struct config *config;
	struct store *writer, *reader;

	int listen_fd, epoll, wake;	/* wake: eventfd for the listener */
	_Atomic int stopping;
	pthread_t listener, worker;
	bool listener_runs, worker_runs;
	struct session *sessions;	/* the listener's alone */
	bool deaf;		/* it is not watching listen_fd for a moment */

	pthread_mutex_t claims_lock;
	pthread_cond_t claims_free;
	struct claim *claims;

	pthread_mutex_t jobs_lock;
	pthread_cond_t jobs_come;
	struct job *jobs, **jobs_end;

	/* One analysis of a whole capture at a time: bounds memory. */
	pthread_mutex_t heavy;

	pthread_mutex_t events_lock;
	struct service_event event[EVENT_RING];
	uint64_t event_first, event_last;	/* ids in the ring */
	void (*on_event)(void *arg);
	void *on_event_arg;

	pthread_mutex_t trouble_lock;
	struct service_trouble trouble[TROUBLES];
	const struct service_trouble *troubled;	/* now; NULL: not */
	unsigned next_trouble;

	_Atomic uint64_t records, frames, bytes, connections,
	    connections_open, dropped_peers, refused_peers, capture_bytes,
	    capture_errors, runs_live, runs_finished, spools_merged,
	    held_ns, held_longest_ns;
	uint64_t started_ns;
};

/* --- events.c */
void events_init(struct service *s);
void events_add(struct service *s, const char *kind, int64_t run,
    const char *uuid, const char *state);

/* --- trouble.c: trouble_note: data of the run ${uuid} could not be stored; kept
 * for service_trouble. trouble_over: it was stored, so that data can be;
 * ${whole}: and nothing of it is missing. */
void trouble_note(struct service *s, const char *uuid, const struct error *e);
void trouble_over(struct service *s, const char *uuid, bool whole);

/* --- claim.c: claim_take: 0, or -1 if somebody has it. claim_wait: blocks
 * until it is had, but -1 at once if it is a live session's. claim_over: a live
 * session's run is a job's from now on, which is what claim_is_over asks. */
int claim_take(struct service *s, const char *uuid, bool live);
int claim_wait(struct service *s, const char *uuid);
void claim_drop(struct service *s, const char *uuid);
bool claim_is_live(struct service *s, const char *uuid);
bool claim_is_over(struct service *s, const char *uuid);
void claim_over(struct service *s, const char *uuid);

/* --- attempt.c: around work on the run in ${dir} that may end the daemon:
 * attempt_begin is -1 with ${e} if it has done so too often; attempt_end: not
 * this time; attempt_forget: nor before, it was done, or somebody insists. */
int attempt_begin(const char *dir, struct error *e);
void attempt_end(const char *dir);
void attempt_forget(const char *dir);

/* --- session.c: all by the listener. */
struct session *session_get(struct service *s, const char *uuid,
    const char *label, uint64_t started_ns, struct error *e);
struct stream *session_stream(struct session *se, uint64_t id);
/* Take in one checked frame of ${st}: -1 if it breaks the protocol or cannot
 * be kept (${e}). */
int session_frame(struct service *s, struct session *se, struct stream *st,
    const uint8_t *frame, const struct frame_header *h, struct error *e);
/* session_keep(se, e): all that came is in the capture file itself. */
int session_keep(struct session *se, struct error *e);
/* session_over(s, se, now): every process of the run has said all it will. */
bool session_over(const struct service *s, const struct session *se,
    uint64_t now);
void session_free(struct session *se);
/* Documents of a live run, when it is time and cheap. */
void session_show(struct service *s, struct session *se, uint64_t now);

/* --- worker.c */
void *worker_main(void *service);
/* Posts; takes over the job's pointers. */
void worker_post(struct service *s, struct job job);
/* Load the capture of a claimed run, analyse, store. ${st} is the status. */
enum store_status worker_rebuild(struct service *s, const char *uuid,
    int64_t number, struct error *e);

/* --- spool.c */
/* Append the run's spool files of ended processes to ${capture} and delete
 * them; how many there were, -1 with ${e}. ${se} (may be NULL) is the session
 * that has just ended. */
int spool_merge(struct service *s, const char *uuid, const char *capture,
    const struct session *se, struct error *e);
/* Runs that have spool files of ended processes and are not live. */
void spool_sweep(struct service *s);
/* The inode of this process's pid namespace, as HELLO carries it; 0 unknown. */
uint64_t spool_pid_namespace(void);
/* Does the spool file of ${st} hold its records from st->next up to
 * ${sequence}? Then st->next moves there. */
void spool_covers(struct service *s, const char *uuid, struct stream *st,
    uint64_t sequence);

/* --- listener.c */
int listener_open(struct service *s, const char *path, int fd,
    struct error *e);
void *listener_main(void *service);

/* --- retention.c */
void retention_apply(struct service *s);
/* Remove the run's rows and directory; the caller holds its claim. */
enum store_status retention_remove(struct service *s, int64_t number,
    const char *uuid, struct error *e);

/* run_directory_remove(dir, e): with all its files. */
int run_directory_remove(const char *dir, struct error *e);

uint64_t clock_mono(void);
uint64_t clock_real(void);
int run_directory(const struct service *s, const char *uuid, char *dir,
    char *capture, struct error *e);
/* Size of a capture; 0: there is none. */
uint64_t run_bytes(const char *capture);

#endif
