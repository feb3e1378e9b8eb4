/*
 * activity.h: CUPTI's activity buffers: handing them out, taking them back, and
 * turning their records into ours.
 */
#ifndef CADV_ACTIVITY_H
#define CADV_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

/* activity_start(): register the buffer callbacks and enable the kinds of the
 * trace tier. Refusals are reported; -1 if kernels cannot be traced. */
int activity_start(void);

/* activity_flush(force): ask CUPTI for what it has. Only from the sender
 * thread. ${force} returns unfinished kernels as well: at the very end. */
void activity_flush(int force);

/*
 * activity_pause(): no flush from here on until activity_resume: a launch that
 * makes CUPTI patch code or set up sampling and a flush in another thread can
 * wait for each other for ever. False if a flush goes on for too long.
 */
bool activity_pause(void);
void activity_resume(void);

/* activity_drain(): decode some of the returned buffers, oldest first, no more
 * than the queue of frames can take. Sender thread only. Returns how many; 0:
 * there are none left. */
unsigned activity_drain(void);

/* activity_waits(): are there any? */
bool activity_waits(void);

/* activity_full(): how many buffers came back full, not by a flush, since it was
 * last asked. Sender thread only. */
unsigned activity_full(void);

/*
 * activity_managed(): events of managed memory came within the last second, or
 * began to be collected. Then flushes have to be frequent: what the driver
 * queues of them between two is bounded, and the rest is lost without a word.
 * Sender thread only.
 */
bool activity_managed(void);

/* activity_want_managed(): managed memory is in use: collect its events from
 * the next drain on. Any thread. */
void activity_want_managed(void);

#endif
