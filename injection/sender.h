/*
 * sender.h: the library's one thread. It flushes CUPTI, decodes what comes
 * back, and carries frames to the daemon or into the spool file.
 */
#ifndef CADV_SENDER_H
#define CADV_SENDER_H

#include "wire/record.h"

/*
 * sender_start(): start the thread: all signals blocked, an ordinary priority and
 * whatever processors the process may have, however the calling thread runs. 0
 * or an error number.
 */
int sender_start(void);

/* sender_wake(): there is something to decode. Any thread, any time. */
void sender_wake(void);

/*
 * sender_finish(reason, wait_ms): last flush, BYE, everything out; returns when
 * that is done or after ${wait_ms}. sem_clockwait is its only wait: it may be
 * called from a signal handler of the program's that ends it.
 */
void sender_finish(enum wire_bye reason, int wait_ms);

/* sender_fork_child(): drop what belongs to the parent. */
void sender_fork_child(void);

#endif
