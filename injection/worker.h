/*
 * worker.h: runs calls that may not return on a thread of the library, so that the
 * caller's wait has a bound. Some waits inside CUPTI and the driver end only if the
 * program lets them (cuCtxSynchronize behind a host function, turning a profiler off
 * behind a kernel); on a thread of the program they could hang the program.
 */
#ifndef CADV_WORKER_H
#define CADV_WORKER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * worker_do(action, argument, patience, begun): run ${action}(${argument}) on the
 * worker thread and wait for it, ${patience} nanoseconds at most (0: do not wait). True
 * when it is done. False: it is still running, or an earlier action is and this one was
 * not started (*${begun}, unless NULL, tells whether it was). ${argument} has to
 * outlive the action.
 */
bool worker_do(void (*action)(void *), void *argument, uint64_t patience,
    bool *begun);

/* worker_begins(begin): set the function that the worker thread calls first. Call this
 * before the first worker_do. */
void worker_begins(void (*begin)(void));

/* worker_wait(patience): wait until the worker is idle; true if it is. */
bool worker_wait(uint64_t patience);

/* worker_fork_child(): in a forked child, which does not have the thread. */
void worker_fork_child(void);

#endif
