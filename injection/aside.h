/*
 * aside.h: a thread with its own table of file descriptors. Files that it opens have no
 * descriptor in the program: the program cannot close them or write into them by
 * mistake, and its children do not inherit them. The thread keeps no descriptor of the
 * program open.
 */
#ifndef CADV_ASIDE_H
#define CADV_ASIDE_H

/* aside_init(): call this before the thread is started. aside_main(): the thread's main
 * function. */
void aside_init(void);
void *aside_main(void *cookie);

/* aside_ready(): after the thread was started: wait until it has its own table. */
void aside_ready(void);

/*
 * aside_do(work, cookie): run ${work} on that thread and wait until it returns. Without
 * such a thread, or if the kernel refuses the table, ${work} runs in the calling
 * thread. One caller at a time.
 */
void aside_do(void (*work)(void *), void *cookie);

/* aside_fork_child(): in a forked child, which does not have the thread. */
void aside_fork_child(void);

#endif
