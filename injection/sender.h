/*
 * sender.h: the sender thread. It flushes CUPTI, decodes the buffers that CUPTI
 * returns, and sends frames to the daemon or writes them into the spool file.
 */
#ifndef CADV_SENDER_H
#define CADV_SENDER_H

#include "wire/record.h"

/*
 * sender_start(): start the thread (thread.h). 0, or an error number.
 */
int sender_start(void);

/*
 * sender_finish(reason, wait_ms): have the thread flush for the last time, send
 * everything and then BYE; returns when that is done, or after ${wait_ms}. It waits
 * with sem_clockwait only, because it may be called from a handler of the program for a
 * fatal signal.
 */
void sender_finish(enum wire_bye reason, int wait_ms);

/* sender_fork_child(): in a forked child: forget the parent's state. */
void sender_fork_child(void);

#endif
