/*
 * values.h: sends what was measured: counters, counts by instruction, launches that
 * were measured with kernel tracing off, and the reason where values are missing.
 * Sender thread only.
 */
#ifndef CADV_VALUES_H
#define CADV_VALUES_H

#include <stdbool.h>

/* values_finish(): wait, 1.5 s at most, for a window that is open, so that the last
 * flush does not overlap it. */
void values_finish(void);

/* values_send(final): send the values that are new; with ${final} also what stayed
 * incomplete and why. Skipped, until the next call, while the window is held. */
void values_send(bool final);

#endif
