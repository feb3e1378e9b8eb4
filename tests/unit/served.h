/*
 * unit/served.h: runs the daemon's service in this process, in a directory of
 * its own, and acts as a target or a user. A failure ends the test.
 */
#ifndef CADV_SERVED_H
#define CADV_SERVED_H

#include "base/error.h"
#include "config/config.h"
#include "service/service.h"
#include "unit/fixtures.h"

/* Of the running service; tests may set ${config} and start it again. */
extern char *top;
extern char socket_path[100];	/* where targets connect */
extern struct config config;
extern struct service *service;

/* Starts a service in a new directory, which checks live runs every ${live_ms}
 * and waits ${grace_ms} for the run of a spool file. */
void serve(unsigned live_ms, unsigned grace_ms);
void serve_again(void);		/* after service_stop */
int serve_end(void **state);	/* a test's teardown */

void pause_ms(long ms);

/* dial: a new connection to the service; dial_with: connects the socket ${fd}. */
int dial(void);
void dial_with(int fd);
void transmit(int fd, const void *p, size_t len);

/* Imports the first ${len} bytes of ${f} as a user would import a file; like
 * service_import. */
int import_fixture(const struct fixture *f, size_t len, int64_t *number,
    struct error *e);

/* Waits until the run has this state; NULL: any but live. The caller clears ${r}. */
void wait_state(const char *uuid, const char *wanted, struct store_run *r);

/* The path of the spool file of a run's stream. */
void spool_path(char *name, size_t size, const char *uuid, uint64_t stream);

/* A number of the run's document. */
long run_field(const struct store_run *r, const char *name);

#endif
