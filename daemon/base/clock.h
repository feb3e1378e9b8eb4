/*
 * base/clock.h: the system's clocks, in nanoseconds.
 */
#ifndef CADV_CLOCK_H
#define CADV_CLOCK_H

#include <stdint.h>
#include <time.h>

/* clock_at(clock): the time of any system clock, in nanoseconds. */
uint64_t clock_at(clockid_t clock);
uint64_t clock_mono(void);	/* CLOCK_MONOTONIC */
uint64_t clock_real(void);	/* CLOCK_REALTIME */

#endif
