/*
 * worker.h: runs calls that may not return on a thread of the library, so that
 * the caller's wait has a bound. Some waits inside CUPTI and the driver end
 * only when the program lets them (cuCtxSynchronize behind a host function, a
 * profiler behind a kernel): made on a thread of the program they could hang
 * it.
 */
#ifndef CADV_WORKER_H
#define CADV_WORKER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * worker_do(action, argument, patience, begun): run ${action}(${argument}) on
 * the worker thread and wait for it, ${patience} nanoseconds at most (0: do not
 * wait). True once it is done. False: it is still running, or an earlier one
 * is, and this one was not started (*${begun} tells which, unless NULL).
 * ${argument} has to outlive it.
 */
bool worker_do(void (*action)(void *), void *argument, uint64_t patience,
    bool *begun);

/* worker_begins(begin): what the thread calls first. Before the first worker_do. */
void worker_begins(void (*begin)(void));

/* worker_wait(patience): wait until the worker is idle; true if it is. */
bool worker_wait(uint64_t patience);

/* worker_fork_child(): a forked child does not have the thread. */
void worker_fork_child(void);

#endif
