/*
 * sender.h: the library's one thread. It flushes CUPTI, decodes what comes
 * back, and carries frames to the daemon or into the spool file.
 */
#ifndef CADV_SENDER_H
#define CADV_SENDER_H

#include "wire/record.h"

/* sender_start(): start the thread with all signals blocked. -1 on failure. */
int sender_start(void);

/* sender_wake(): there is something to decode. Any thread, any time. */
void sender_wake(void);

/*
 * sender_finish(reason, wait_ms): last flush, BYE, everything out; returns when
 * that is done or after ${wait_ms}. sem_clockwait is its only wait: it may be
 * called from a handler of a fatal signal.
 */
void sender_finish(enum wire_bye reason, int wait_ms);

/* sender_fork_child(): drop what belongs to the parent. */
void sender_fork_child(void);

#endif
