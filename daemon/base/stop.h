/*
 * base/stop.h: whether the process is to end. Long work calls stop_asked() between
 * short steps and fails if it is set. It leaves its subject as it was before, so that
 * the next process can do the work again. Any thread.
 */
#ifndef CADV_STOP_H
#define CADV_STOP_H

#include <stdbool.h>

struct error;

/* stop_ask(on): ask the process to end (tests take it back with false). */
void stop_ask(bool on);

bool stop_asked(void);

/* stop_error(e): set ${e} to "the daemon is ending". Returns -1. */
int stop_error(struct error *e);

#endif
