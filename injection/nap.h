/*
 * nap.h: the sleep of loops that poll what another thread or the GPU changes.
 * Every such loop has a bound: nap_within's, or one of its own beside nap().
 */
#ifndef CADV_NAP_H
#define CADV_NAP_H

#include <stdbool.h>
#include <stdint.h>

/* nap(ns): sleep for ${ns} nanoseconds, less than a second; a signal ends the
 * sleep early, the thread's cancellation does not: it may be inside the driver. 0: do
 * not sleep. */
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
