/*
 * callback.h: CUPTI's callbacks in the program's threads: launches (their host time,
 * and whether to measure them), API calls that rules need, errors, stream captures,
 * contexts created and destroyed.
 */
#ifndef CADV_CALLBACK_H
#define CADV_CALLBACK_H

/*
 * callback_subscribe(): make this library the process's CUPTI subscriber and enable the
 * callbacks. Returns 0, or -1 with the reason reported: another tool has subscribed, or
 * CUPTI does not start.
 */
int callback_subscribe(void);

/* callback_send_overhead(): emit the cost of all callbacks, extrapolated from one in
 * 64. Sender thread, at the end. */
void callback_send_overhead(void);

#endif
