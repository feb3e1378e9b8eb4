/*
 * silence.h: kernels are launched and no record of one comes: another profiler in
 * the program has taken CUPTI's buffers over. That is said; nothing is taken
 * back, because what it records is the program's. Sender thread only, but for the
 * first three.
 */
#ifndef CADV_SILENCE_H
#define CADV_SILENCE_H

#include <stdint.h>

/* silence_watch(): kernels are traced from now on. silence_excuse(): there is
 * another reason for records that are missing. */
void silence_watch(void);
void silence_excuse(void);

/* silence_synced(ns): what was launched before has ended. */
void silence_synced(uint64_t ns);

/* silence_seen(launch_ns): there is a record of a kernel launched then. */
void silence_seen(uint64_t launch_ns);

/* silence_look(now): once in a while, with all records read: is it silent? */
void silence_look(uint64_t now);

/* silence_end(): after the last flush: what has no record now has none. */
void silence_end(void);

#endif
