/*
 * service/internal.h: declarations private to service/. Two threads: the listener owns
 * connections and live sessions and blocks only on the store; the worker finishes runs,
 * merges spool files and stores documents. The HTTP server's threads call the functions
 * of service.h.
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
#define IMPORT_SPARE "import.part"	/* in runs/; exists during an import */

/* One stream of a live run. */
struct live_stream {
	uint64_t id;
	uint64_t next;		/* records below are in the capture (or in the
				 * stream's spool file): the number in an ACK */
	uint64_t fed;		/* records below are in the model */
	uint64_t spooled;	/* bytes of its spool file that were read */
	struct proc proc;	/* the process: from the socket's credentials, or
				 * from HELLO */
	unsigned conns;
	bool launcher;		/* the stream began with RUN_BEGIN */
	uint64_t held_ns, held_longest_ns;	/* from its last HELD */
	uint64_t held_counted_ns;	/* of held_ns, already in the service's sum */
	bool bye;		/* the stream ended with BYE or RUN_END */
	UT_hash_handle hh;
};

/* A live run. Owned by the listener; once it is over, by the worker. */
struct session {
	char uuid[33];
	char dir[PATH_MAX];	/* <state>/runs/<uuid> */
	char capture[PATH_MAX];
	int64_t number;
	struct capture_merger *merger;
	struct capture_writer *writer;	/* owned by the merger */
	struct model *model;	/* NULL: analyse the capture at the end */
	struct capture_index index;	/* of the records in the model */
	struct definitions definitions;
	struct symbols *symbols;	/* addresses to symbolize */
	struct live_stream *streams;
	unsigned conns;
	bool rebuild;		/* the model lacks records that the capture has */
	bool resumed;		/* the run began under an earlier daemon */
	bool ended;		/* RUN_END was received */
	bool dirty;		/* the model has records that are not in the stored
				 * documents */
	bool disk_full;		/* a full disk was logged */
	uint64_t ended_ns;	/* monotonic: time of RUN_END */
	uint64_t over_ns;	/* monotonic: since when session_over is true; 0: it
				 * is not */
	uint64_t active_ns;	/* monotonic: last record, or end of a connection */
	uint64_t shown_ns, show_every_ns;	/* documents of the live run: when
						 * last made, and how often */
	_Atomic int showing;	/* the worker is storing these documents */
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

#define TROUBLES 16		/* runs whose storage errors are kept */

/* The uuid of a run that is in exclusive use: live, being finished, or deleted. */
struct run_claim {
	char uuid[33];
	bool live;		/* used by a session; else by a job */
	UT_hash_handle hh;
};

struct service {
	char state[PATH_MAX], runs[PATH_MAX], spool[PATH_MAX];
	char socket[PATH_MAX];	/* "": not to be unlinked */
	const struct config *config;
	struct store *writer, *reader;

	int listen_fd, epoll, wake;	/* ${wake}: an eventfd that wakes the listener */
	_Atomic int stopping;
	pthread_t listener, worker;
	bool listener_runs, worker_runs;
	struct session *sessions;	/* used by the listener only */
	bool deaf;		/* listen_fd is not watched until the next tick */

	pthread_mutex_t claims_lock;
	pthread_cond_t claims_free;
	struct run_claim *claims;

	pthread_mutex_t jobs_lock;
	pthread_cond_t jobs_come;
	struct job *jobs, **jobs_end;

	/* Held while a whole capture is analysed: one at a time bounds the memory. */
	pthread_mutex_t heavy;

	pthread_mutex_t events_lock;
	struct service_event event[EVENT_RING];
	uint64_t event_first, event_last;	/* ids in the ring */
	void (*on_event)(void *arg);
	void *on_event_arg;

	pthread_mutex_t trouble_lock;
	struct service_trouble trouble[TROUBLES];
	const struct service_trouble *troubled;	/* the current storage error; NULL:
						 * none */
	unsigned next_trouble;

	_Atomic uint64_t records, frames, bytes, connections,
	    connections_open, dropped_peers, refused_peers, capture_bytes,
	    capture_errors, runs_live, runs_finished, spools_merged,
	    held_ns, held_longest_ns;
	uint64_t started_ns;
};

/* --- events.c. events_init: empty the ring, with ids above those of earlier daemons.
 * events_add: add an event and call the subscriber. Any thread. */
void events_init(struct service *s);
void events_add(struct service *s, const char *kind, int64_t run,
    const char *uuid, const char *state);

/* trouble.c. trouble_note: data of the run ${uuid} could not be stored: keep ${e} for
 * service_trouble. trouble_over: data could be stored again; with ${whole} none of the
 * run is missing. */
void trouble_note(struct service *s, const char *uuid, const struct error *e);
void trouble_over(struct service *s, const char *uuid, bool whole);

/* claim.c. claim_take: take a run for exclusive use; 0, or -1 if it is taken.
 * claim_wait: wait for it, but return -1 at once if a live session has it. claim_drop:
 * give it back. claim_over: a live session hands its claim to a job. claim_is_live,
 * claim_is_over: whether a session, or a job, has the run. */
int claim_take(struct service *s, const char *uuid, bool live);
int claim_wait(struct service *s, const char *uuid);
void claim_drop(struct service *s, const char *uuid);
bool claim_is_live(struct service *s, const char *uuid);
bool claim_is_over(struct service *s, const char *uuid);
void claim_over(struct service *s, const char *uuid);

/* attempt.c: brackets work on the run in ${dir} that may crash the daemon.
 * attempt_begin counts an attempt; -1 with ${e} set after too many. attempt_end
 * uncounts this attempt; attempt_forget all of them, after a success or on request. */
int attempt_begin(const char *dir, struct error *e);
void attempt_end(const char *dir);
void attempt_forget(const char *dir);

/* session.c. Only the listener calls these. session_get: the live run ${uuid}, begun or
 * resumed if necessary; NULL with ${e} set. session_stream: its stream ${id}, new if
 * necessary; NULL without memory, or if there are too many. */
struct session *session_get(struct service *s, const char *uuid,
    const char *label, uint64_t started_ns, struct error *e);
struct live_stream *session_stream(struct session *se, uint64_t id);
/* session_frame: process one checked frame of ${st}. -1 with ${e} set if it breaks the
 * protocol or cannot be stored. */
int session_frame(struct service *s, struct session *se, struct live_stream *st,
    const uint8_t *frame, const struct frame_header *h, struct error *e);
/* session_keep(se, e): write all received records into the capture file. */
int session_keep(struct session *se, struct error *e);
/* session_over(s, se, now): whether all processes of the run have ended, and no more of
 * them can be expected to connect. */
bool session_over(const struct service *s, const struct session *se,
    uint64_t now);
/* session_free(se): write what waits to be merged, and free; NULL is allowed. */
void session_free(struct session *se);
/* session_show: store documents of a live run if they are due. How often they are due
 * depends on what analysing costs. */
void session_show(struct service *s, struct session *se, uint64_t now);

/* --- jobs.c */
/* Queue the job; takes ownership of its pointers. */
void job_post(struct service *s, struct job job);
/* Wait for a job and take it from the queue. The caller frees it. */
struct job *job_next(struct service *s);

/* --- worker.c: the worker thread, which takes jobs until JOB_STOP. */
void *worker_main(void *service);

/* --- rebuild.c */
/* Load the capture of a claimed run, analyse it, store its documents. */
enum store_status run_rebuild(struct service *s, const char *uuid,
    int64_t number, struct error *e);
/* Store the documents of a run and add an event. */
enum store_status run_put(struct service *s, int64_t number,
    const struct documents *docs, const struct capture_index *x,
    uint64_t bytes, struct error *e);
/* run_ranges(docs, capture, x): add the run's NVTX ranges to its documents. Reads
 * ${capture}, whose index is ${x} with its kernels set. */
void run_ranges(struct documents *docs, const char *capture,
    const struct capture_index *x);
/* Add disassembly to the run. After an error the run is as before, without it. */
void run_disassemble(struct model *m, struct capture_writer *w,
    struct capture_index *x);

/* --- spool.c */
/* Append the run's spool files of ended processes to ${capture} and delete them.
 * Returns their number; -1 with ${e} set. ${se} (may be NULL): the session that has
 * just ended. */
int spool_merge(struct service *s, const char *uuid, const char *capture,
    const struct session *se, struct error *e);
/* Merge the spool files of ended processes into their runs, unless these are live. */
void spool_sweep(struct service *s);
/* The inode of this process's pid namespace, as in HELLO; 0: unknown. */
uint64_t spool_pid_namespace(void);
/* If the spool file of ${st} holds its records from st->next up to ${sequence}, advance
 * st->next to ${sequence}. */
void spool_covers(struct service *s, const char *uuid, struct live_stream *st,
    uint64_t sequence);

/* --- listener.c. listener_open: take ${fd} as the listening socket or, if it is
 * negative, bind one to ${path}; 0, or -1 with ${e} set. listener_main: the listener
 * thread, until s->stopping is set. */
int listener_open(struct service *s, const char *path, int fd,
    struct error *e);
void *listener_main(void *service);

/* --- retention.c. retention_apply: delete the runs that are over the limits of
 * [retention]. */
void retention_apply(struct service *s);
/* Remove the run's rows and directory. The caller has claimed the run. */
enum store_status retention_remove(struct service *s, int64_t number,
    const char *uuid, struct error *e);

/* --- files.c */
/* The paths of a run's directory (made if missing) and of its capture; both PATH_MAX
 * bytes. */
int run_directory(const struct service *s, const char *uuid, char *dir,
    char *capture, struct error *e);
/* run_directory_remove(dir, e): remove a run's directory with all its files. */
int run_directory_remove(const char *dir, struct error *e);
/* Make a directory that only its owner can read. 0, also if it exists. */
int run_make_private(const char *path, struct error *e);
/* Size of a capture; 0: there is none. */
uint64_t run_bytes(const char *capture);

#endif
