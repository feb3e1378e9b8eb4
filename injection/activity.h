/*
 * activity.h: CUPTI's activity buffers: gives buffers to CUPTI, takes them back, and
 * turns the activity records in them into wire records.
 */
#ifndef CADV_ACTIVITY_H
#define CADV_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

/* activity_wakes(wake): the function to call when there are buffers to decode; it is
 * called in any thread, at any time. Call this before activity_start. */
void activity_wakes(void (*wake)(void));

/* activity_start(): register the buffer callbacks and enable the activity kinds of the
 * trace tier, without copies beside XLA (graphs_by_xla). Kinds that CUPTI refuses are
 * reported; -1 if kernels cannot be traced. */
int activity_start(void);

/*
 * activity_flush(force): make CUPTI return its buffers. Only from the sender thread.
 * ${force} returns records of unfinished kernels as well: at the very end only.
 *
 * In some 350 recordings a few flushes without ${force} took 20 ms to 1.2 s. They began
 * while a call of the program was already waiting in the driver (a copy to pageable
 * memory, a launch into a full queue, the first launch of a function), and ended with
 * that call. Behind an equally long queue they took 0.1 ms if the program waited in
 * cudaStreamSynchronize, or did not wait. So the flush waits for the call, not the call
 * for the flush.
 */
void activity_flush(int force);

/*
 * activity_pause(): prevent flushes until activity_resume. A launch in which CUPTI
 * patches code or sets up sampling can deadlock with a flush in another thread. False
 * if a flush is running and does not end within 20 ms of its begin.
 */
bool activity_pause(void);
void activity_resume(void);

/* activity_drain(): decode some of the returned buffers, oldest first, no more than the
 * queue of frames can take. Sender thread only. Returns the number of buffers; 0: none
 * are left. */
unsigned activity_drain(void);

/* activity_waits(): whether there are returned buffers that are not decoded yet. */
bool activity_waits(void);

/* activity_full(): the number of buffers since the last call that came back because
 * they were full, not by a flush. Sender thread only. */
unsigned activity_full(void);

/*
 * activity_managed(): whether events of managed memory came, or began to be collected,
 * within the last second. Then flushes have to be frequent: between two flushes the
 * driver queues a bounded number of events, and drops the rest without reporting it.
 * Sender thread only.
 */
bool activity_managed(void);

/* activity_want_managed(): the program uses managed memory: collect its events from the
 * next activity_drain on. Any thread. */
void activity_want_managed(void);

#endif
