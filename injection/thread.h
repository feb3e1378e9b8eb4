/*
 * thread.h: the library's own threads, which are not the program's: what it asks
 * of its threads must not reach them, and they must not reach its.
 */
#ifndef CADV_THREAD_H
#define CADV_THREAD_H

/*
 * thread_start(name, run): start a detached thread that runs ${run}(NULL): all
 * signals blocked, an ordinary priority and whatever processors the process may
 * have, however the calling thread runs. 0 or an error number.
 */
int thread_start(const char *name, void *(*run)(void *));

#endif
