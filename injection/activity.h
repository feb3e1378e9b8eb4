/*
 * activity.h: CUPTI's activity buffers: hands them out, takes them back, and
 * turns their records into wire records.
 */
#ifndef CADV_ACTIVITY_H
#define CADV_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

/* activity_wakes(wake): what to call when there are buffers to decode: in any thread,
 * at any time. Before activity_start. */
void activity_wakes(void (*wake)(void));

/* activity_start(): register the buffer callbacks and enable the kinds of the
 * trace tier. Refusals are reported; -1 if kernels cannot be traced. */
int activity_start(void);

/*
 * activity_flush(force): ask CUPTI for what it has. Only from the sender thread.
 * ${force} returns unfinished kernels as well: at the very end.
 *
 * In some 350 recordings a few flushes that were not forced took 20 ms to 1.2 s. They
 * began while a call of the program was already waiting in the driver (a copy to
 * pageable memory, a launch into a full queue, the first launch of a function), and
 * ended with it; behind as long a queue they took 0.1 ms where the program waited in
 * cudaStreamSynchronize, or did not wait. So they wait for that call, not the call for
 * them.
 */
void activity_flush(int force);

/*
 * activity_pause(): no flush from here on until activity_resume: a launch that
 * makes CUPTI patch code or set up sampling, and a flush in another thread, can
 * deadlock. False if a flush is still running 20 ms after it began.
 */
bool activity_pause(void);
void activity_resume(void);

/* activity_drain(): decode some of the returned buffers, oldest first, no more
 * than the queue of frames can take. Sender thread only. Returns the number of
 * buffers; 0: none are left. */
unsigned activity_drain(void);

/* activity_waits(): are there returned buffers that are not decoded yet? */
bool activity_waits(void);

/* activity_full(): the number of buffers that came back full, not by a flush,
 * since the last call. Sender thread only. */
unsigned activity_full(void);

/*
 * activity_managed(): true if events of managed memory came, or began to be
 * collected, within the last second. Flushes have to be frequent then: the
 * driver queues a bounded number of them between two flushes and drops the rest
 * without reporting it. Sender thread only.
 */
bool activity_managed(void);

/* activity_want_managed(): managed memory is in use: collect its events from
 * the next drain on. Any thread. */
void activity_want_managed(void);

#endif
