/*
 * worker.h: what may take long is done aside, by a thread of our own, so that who
 * wants it done waits no longer than he may. CUPTI and the driver know waits that
 * nothing ends but the program (cuCtxSynchronize behind a host function, a profiler
 * behind a kernel): such a call made by a thread of the program could hang it.
 */
#ifndef CADV_WORKER_H
#define CADV_WORKER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * worker_do(action, argument, patience): have ${action} done and wait for it, but
 * not longer than ${patience} nanoseconds (0: not at all). True once it is done.
 * False: it is still going on, or an earlier one is, and this was not begun
 * (*${begun} tells which, where it is not NULL). ${argument} has to outlive it.
 */
bool worker_do(void (*action)(void *), void *argument, uint64_t patience,
    bool *begun);

/* worker_wait(patience): wait for what goes on; true if nothing does. */
bool worker_wait(uint64_t patience);

/* worker_fork_child(): the thread stayed with the parent. */
void worker_fork_child(void);

#endif
