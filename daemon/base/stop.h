/*
 * base/stop.h: whether the process is to end. Work that can take long asks
 * between two steps, none of which takes long, and fails; what it was about is
 * as it was before, and is done again by the next process. Any thread.
 */
#ifndef CADV_STOP_H
#define CADV_STOP_H

#include <stdbool.h>

struct error;

/* stop_ask(on): from now on it is (tests: or no more). */
void stop_ask(bool on);

bool stop_asked(void);

/* stop_error(e): says that this is why something was not done. Returns -1. */
int stop_error(struct error *e);

#endif
