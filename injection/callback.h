/*
 * callback.h: CUPTI's callbacks into the program's threads: launches (when the
 * host called, and whether to measure), the few API calls that rules need,
 * errors, captures, contexts coming and going.
 */
#ifndef CADV_CALLBACK_H
#define CADV_CALLBACK_H

/*
 * callback_subscribe(): become this process's CUPTI subscriber and enable what
 * we look at. Returns 0, or -1 with the reason reported: another tool has the
 * process, or CUPTI does not start.
 */
int callback_subscribe(void);

/* callback_send_overhead(): emit what the callbacks cost, extrapolated from
 * one call in 64. Sender thread, at the end. */
void callback_send_overhead(void);

/* callback_mute(): this thread is ours: its calls are none of the program's. */
void callback_mute(void);

#endif
