/*
 * silence.h: detects that kernels are launched but no activity records arrive, because
 * another profiler in the program has replaced CUPTI's buffer callbacks. This is
 * reported. The callbacks are not taken back: the program wants the other profiler's
 * records. Sender thread only, except the first three functions.
 */
#ifndef CADV_SILENCE_H
#define CADV_SILENCE_H

#include <stdint.h>

/* silence_watch(): kernels are traced from now on. silence_excuse(): records are
 * missing for another reason, which is known. */
void silence_watch(void);
void silence_excuse(void);

/* silence_synced(ns): the kernels launched before ${ns} have ended. */
void silence_synced(uint64_t ns);

/* silence_seen(launch_ns): an activity record of a kernel has arrived; the kernel was
 * launched at ${launch_ns}. */
void silence_seen(uint64_t launch_ns);

/* silence_look(now): check, and report. Called periodically, when all records are
 * decoded. */
void silence_look(uint64_t now);

/* silence_end(): after the last flush: count kernels without a record as lost. */
void silence_end(void);

#endif
