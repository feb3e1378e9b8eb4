/*
 * aside.h: a thread with a table of descriptors of its own. What it opens has no
 * number in the program, which can neither close it nor be written to in its
 * place, and children inherit none of it. It holds nothing of the program's.
 */
#ifndef CADV_ASIDE_H
#define CADV_ASIDE_H

/* aside_init(), aside_main(): before the thread is started, and what it runs. */
void aside_init(void);
void *aside_main(void *cookie);

/* aside_ready(): wait until the thread, which was started, has its table. */
void aside_ready(void);

/*
 * aside_do(work, cookie): let it do ${work} and wait until that is done; where
 * there is no such thread, or the kernel gives it no table, the calling thread
 * does it. One thread at a time.
 */
void aside_do(void (*work)(void *), void *cookie);

/* aside_fork_child(): the thread is not in a forked child. */
void aside_fork_child(void);

#endif
