/*
 * instance.h: the daemon as a process: only one per user, in the background, started by
 * systemd or by hand.
 */
#ifndef CADV_INSTANCE_H
#define CADV_INSTANCE_H

struct error;

/* --- one instance ---------------------------------------------------------- */

struct instance {
	int pid_fd, state_fd;	/* locked files + 1; 0: none */
	char pid_path[4096];
};

/* instance_lock(i, runtime, state, e): lock both directories against other daemons; the
 * locks end with the process, however it ends. -1 with ${e}, which has the pid of
 * another daemon that holds one. instance_unlock also after a failure. */
int instance_lock(struct instance *i, const char *runtime, const char *state,
    struct error *e);
void instance_unlock(struct instance *i);

/* --- systemd ----------------------------------------------------------------- */

/* instance_sockets(ingest, api): the sockets that systemd opened for us (LISTEN_FDS),
 * recognised by their paths; -1: none. */
void instance_sockets(int *ingest, int *api);
/* instance_notify(text): send a state such as "READY=1" to the service manager, if
 * there is one (NOTIFY_SOCKET). */
void instance_notify(const char *text);

/* --- in the background ------------------------------------------------------- */

struct background {
	int pipe;		/* readiness: read end in the caller, write end in
				 * the daemon; -1: in the foreground */
	int log;
};
#define BACKGROUND_NONE { -1, -1 }

/* background_enter(b, log, e): fork twice. Returns 0 in the daemon, 1 in the calling
 * process, which then calls background_wait; -1 with ${e}. ${log}: the file for the
 * daemon's output. */
int background_enter(struct background *b, const char *log, struct error *e);
/* background_wait(b): wait until the daemon is ready or failed, and return the exit
 * code: 0; 1, or EX_TEMPFAIL if another daemon has a lock, with the error printed on
 * standard error. */
int background_wait(struct background *b);
/* background_ready(b), background_failed(b, e): end background_wait of the caller; in
 * the foreground background_failed prints ${e}. */
void background_ready(struct background *b);
void background_failed(struct background *b, const struct error *e);

#endif
