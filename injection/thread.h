/*
 * thread.h: the library's own threads, isolated from the program's threads: neither
 * side's signals, priority and affinity affect the other.
 */
#ifndef CADV_THREAD_H
#define CADV_THREAD_H

/*
 * thread_start(name, run): start a detached thread that runs ${run}(NULL), with all
 * signals blocked, SCHED_OTHER, and all processors that the process may use,
 * independent of the calling thread. 0, or an error number.
 */
int thread_start(const char *name, void *(*run)(void *));

#endif
