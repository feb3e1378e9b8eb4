/*
 * aside.h: a thread with a table of file descriptors of its own. What it opens
 * has no number in the program: the program cannot close it or write into it by
 * mistake, and its children do not inherit it. The thread holds no descriptor
 * of the program's.
 */
#ifndef CADV_ASIDE_H
#define CADV_ASIDE_H

/* aside_init(): before the thread is started. aside_main(): what the thread
 * runs. */
void aside_init(void);
void *aside_main(void *cookie);

/* aside_ready(): wait until the thread, once started, has its table. */
void aside_ready(void);

/*
 * aside_do(work, cookie): run ${work} on that thread and wait until it returns;
 * the calling thread runs it where there is no such thread, or the kernel
 * refuses the table. One caller at a time.
 */
void aside_do(void (*work)(void *), void *cookie);

/* aside_fork_child(): a forked child does not have the thread. */
void aside_fork_child(void);

#endif
