/*
 * thread.h: the library's own threads, isolated from the program's threads: neither
 * side's signals, priority, affinity and floating-point environment affect the other.
 */
#ifndef CADV_THREAD_H
#define CADV_THREAD_H

#include <stdbool.h>

/*
 * thread_start(name, run): start a detached thread that runs ${run}(NULL), with all
 * signals blocked, SCHED_OTHER, and all processors that the process may use,
 * independent of the calling thread. 0, or an error number.
 */
int thread_start(const char *name, void *(*run)(void *));

/* thread_others(): the number of threads that are not the library's; 0: unknown.
 * thread_adopt(before): CUPTI has started, and ${before} were the others before that: if
 * only the calling one was there, those that there are more now are CUPTI's, and count as
 * the library's. */
unsigned thread_others(void);
void thread_adopt(unsigned before);

/* thread_first_ended(): whether the program's first thread has ended, by pthread_exit.
 * thread_lonely(): whether each of its threads has, if the first one has: then the
 * process goes on only because of the library's threads. Opens a folder. */
bool thread_first_ended(void);
bool thread_lonely(void);

#endif
