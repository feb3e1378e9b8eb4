/*
 * sender.h: the sender thread. It flushes CUPTI, decodes the buffers that come
 * back, and sends frames to the daemon or into the spool file.
 */
#ifndef CADV_SENDER_H
#define CADV_SENDER_H

#include "wire/record.h"

/*
 * sender_start(): start the thread (thread.h). 0 or an error number.
 */
int sender_start(void);

/*
 * sender_finish(reason, wait_ms): last flush, BYE, send everything; returns
 * when that is done or after ${wait_ms}. It waits with sem_clockwait only: it
 * may be called from a fatal signal handler of the program's.
 */
void sender_finish(enum wire_bye reason, int wait_ms);

/* sender_fork_child(): drop the parent's state. */
void sender_fork_child(void);

#endif
