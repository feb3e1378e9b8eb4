/*
 * values.h: sends the results of measuring: counters, counts by instruction, launches
 * that were measured while kernel tracing was off, and the reason for values that are
 * missing. Sender thread only.
 */
#ifndef CADV_VALUES_H
#define CADV_VALUES_H

#include <stdbool.h>

/* values_finish(): wait, 1.5 s at most, for the open window, so that the last flush
 * does not overlap it. */
void values_finish(void);

/* values_send(final): send new values; with ${final} also incomplete ones, and why they
 * are. Does nothing while the window is held, until the next call. */
void values_send(bool final);

#endif
