/*
 * silence.h: detects that kernels are launched but no activity record arrives:
 * another profiler in the program has replaced CUPTI's buffer callbacks. This
 * is reported; the callbacks are not taken back, because the other profiler's
 * records are the program's. Sender thread only, except the first three
 * functions.
 */
#ifndef CADV_SILENCE_H
#define CADV_SILENCE_H

#include <stdint.h>

/* silence_watch(): kernels are traced from now on. silence_excuse(): records
 * are missing for another, known reason. */
void silence_watch(void);
void silence_excuse(void);

/* silence_synced(ns): the kernels launched before ${ns} have ended. */
void silence_synced(uint64_t ns);

/* silence_seen(launch_ns): an activity record of a kernel launched then has
 * arrived. */
void silence_seen(uint64_t launch_ns);

/* silence_look(now): check; periodically, when all records are decoded. */
void silence_look(uint64_t now);

/* silence_end(): after the last flush: counts the kernels without a record as
 * lost. */
void silence_end(void);

#endif
