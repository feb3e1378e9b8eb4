/*
 * cli/daemon.h: finding the daemon, and starting it on first use.
 */
#ifndef CADV_CLI_DAEMON_H
#define CADV_CLI_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

struct client;
struct error;

/* daemon_answers(e): does a daemon answer on the API socket? False with ${e}
 * set (may be NULL). */
bool daemon_answers(struct error *e);

/* daemon_ensure(e): 0 if a daemon answers, after starting the cudadvised next
 * to this executable if none did. While another one has the lock (it may be
 * about to end, or to answer), retries for some seconds. -1 with ${e} set. */
int daemon_ensure(struct error *e);

/* daemon_connect(e): daemon_ensure, then a client, to be released by
 * client_free; NULL with ${e} set. */
struct client *daemon_connect(struct error *e);

/* daemon_client(e): a client, without starting a daemon; NULL with ${e} set. */
struct client *daemon_client(struct error *e);

/*
 * daemon_is_ours(c, e): is the daemon behind ${c} of the same build as the
 * cudadvised next to this executable, which would be started? False with ${e}
 * and a remedy set if it is another build; true if that is not known.
 */
bool daemon_is_ours(struct client *c, struct error *e);

/* daemon_pid(): the daemon's process id, from the file that it keeps locked; 0:
 * unknown. After a crash it is that of the dead process. */
pid_t daemon_pid(void);

/* daemon_failed(e, what, reason): set ${e} to ${what} and, unless empty,
 * ${reason}, with the log's path as the remedy. Returns -1. */
int daemon_failed(struct error *e, const char *what, const char *reason);

/* daemon_sibling(out, name, e): the path of ${name} in the directory of this
 * executable (PATH_MAX bytes). -1 with ${e} set. */
int daemon_sibling(char *out, const char *name, struct error *e);

#endif
