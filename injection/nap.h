/*
 * nap.h: the sleep of loops that poll for something that another thread or the GPU
 * changes. Every such loop has a bound: that of nap_within, or one of its own beside
 * nap().
 */
#ifndef CADV_NAP_H
#define CADV_NAP_H

#include <stdbool.h>
#include <stdint.h>

/* nap(ns): sleep for ${ns} nanoseconds, less than a second; 0: do not sleep. A signal
 * ends the sleep early. Cancelling the thread does not, because the thread may be
 * inside the driver. */
void nap(uint32_t ns);

/*
 * nap_within(begin, patience, ns): nap(${ns}) and return true, or return false at
 * once if ${patience} nanoseconds have passed since ${begin} (inject_now):
 *
 *	while (!done() && nap_within(begin, PATIENCE_NS, 100000))
 *		continue;
 */
bool nap_within(uint64_t begin, uint64_t patience, uint32_t ns);

#endif
