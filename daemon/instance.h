/*
 * instance.h: what makes a process a daemon: the only one of its user, in the
 * background, and on good terms with systemd.
 */
#ifndef CADV_INSTANCE_H
#define CADV_INSTANCE_H

struct error;

/* --- one instance ---------------------------------------------------------- */

struct instance {
	int pid_fd, state_fd;	/* locked files + 1; 0: none */
	char pid_path[4096];
};

/* instance_lock(i, runtime, state, e): be the only daemon of both directories;
 * the locks end with the process, however it ends. -1 with ${e} naming the pid
 * of the other one. */
int instance_lock(struct instance *i, const char *runtime, const char *state,
    struct error *e);
void instance_unlock(struct instance *i);

/* --- systemd ----------------------------------------------------------------- */

/* instance_sockets(ingest, api): the sockets that systemd opened for us, told
 * apart by their paths; -1: none. */
void instance_sockets(int *ingest, int *api);
/* instance_notify(text): "READY=1" to the service manager, if there is one. */
void instance_notify(const char *text);

/* --- in the background ------------------------------------------------------- */

struct background {
	int pipe;		/* readiness: read end in the caller, write end in
				 * the daemon; -1: in the foreground */
	int log;
};
#define BACKGROUND_NONE { -1, -1 }

/* background_enter(b, log, e): fork twice. Returns 0 in the daemon, 1 in the
 * process that was called, which goes to background_wait. */
int background_enter(struct background *b, const char *log, struct error *e);
/* background_wait(b): until the daemon is ready (exit code 0) or not (1, or
 * EX_TEMPFAIL if another one has a lock; its error on standard error). */
int background_wait(struct background *b);
/* background_ready(b), background_failed(b, e): tell whoever waits. */
void background_ready(struct background *b);
void background_failed(struct background *b, const struct error *e);

#endif
