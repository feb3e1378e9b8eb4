/*
 * silence.h: counts kernels of which no activity record arrives. Where there are none at all,
 * another profiler in the program has replaced CUPTI's buffer callbacks. This is
 * reported. The callbacks are not taken back: the program wants the other profiler's
 * records. Of single ones, launches pass while a launch is counted and nothing is traced;
 * and CUPTI has been seen to stop recording all that one of several threads submits (13.0,
 * in one of some 30 programs): they are counted as lost. Sender thread only, except the first
 * three functions.
 */
#ifndef CADV_SILENCE_H
#define CADV_SILENCE_H

#include <stdint.h>

/* silence_watch(): kernels are traced from now on. silence_excuse(n): ${n} records are
 * missing for another reason, which is known, and are counted already. */
void silence_watch(void);
void silence_excuse(uint64_t n);

/* silence_synced(ns): the kernels launched before ${ns} have ended. */
void silence_synced(uint64_t ns);

/* silence_seen(launch_ns): an activity record of a kernel has arrived; the kernel was
 * launched at ${launch_ns}. */
void silence_seen(uint64_t launch_ns);

/* silence_look(now): check, and report. Called periodically, when all records are
 * decoded. */
void silence_look(uint64_t now);

/* silence_end(): after the last flush: count the kernels left without a record as lost. */
void silence_end(void);

#endif
