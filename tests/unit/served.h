/*
 * unit/served.h: the daemon's service in this process, in a directory of its own,
 * and what a target or a user does to it. What fails ends the test.
 */
#ifndef CADV_SERVED_H
#define CADV_SERVED_H

#include "base/error.h"
#include "config/config.h"
#include "service/service.h"
#include "unit/fixtures.h"

/* Of the service that runs; the tests may set ${config} and start it again. */
extern char *top;
extern char socket_path[100];	/* where targets connect */
extern struct config config;
extern struct service *service;

/* A fresh directory, and a service that looks at live runs every ${live_ms} and
 * waits ${grace_ms} for what a spool file belongs to. */
void serve(unsigned live_ms, unsigned grace_ms);
void serve_again(void);		/* after service_stop */
int serve_end(void **state);	/* a test's teardown */

void pause_ms(long ms);

/* A connection to the service; ${fd}: made of this socket. */
int dial(void);
void dial_with(int fd);
void transmit(int fd, const void *p, size_t len);

/* The first ${len} bytes of ${f} as a file that a user imports; as service_import. */
int import_fixture(const struct fixture *f, size_t len, int64_t *number,
    struct error *e);

/* Until the run has this state; NULL: any but live. The caller clears ${r}. */
void wait_state(const char *uuid, const char *wanted, struct store_run *r);

/* Where stream ${stream} of a run is spooled. */
void spool_path(char *name, size_t size, const char *uuid, uint64_t stream);

/* A number of the run's document. */
long run_field(const struct store_run *r, const char *name);

#endif
