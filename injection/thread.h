/*
 * thread.h: the library's own threads, isolated from the program's: signals,
 * priority and affinity of either side do not affect the other.
 */
#ifndef CADV_THREAD_H
#define CADV_THREAD_H

/*
 * thread_start(name, run): start a detached thread that runs ${run}(NULL), with
 * all signals blocked, SCHED_OTHER, and all processors that the process may
 * use, whatever the calling thread has. 0 or an error number.
 */
int thread_start(const char *name, void *(*run)(void *));

#endif
