/*
 * gate.h: who launches what, and when the GPU is idle. A measuring window wants
 * the GPU for itself: other threads' launches wait a moment at the gate, or
 * tell the window that it was polluted. Never a wait without a bound.
 */
#ifndef CADV_GATE_H
#define CADV_GATE_H

#include <stdbool.h>

#include "cupti_api.h"

/* gate_launch_begin(): a launch is about to happen: wait a moment for a window
 * that is open in another thread, or else let it not count. In the API-enter
 * callback of every launch; gate_launch_end() in its API-exit. */
void gate_launch_begin(void);
void gate_launch_end(void);

/* gate_close(): others wait from here on. False if somebody who was past it
 * does not come back in time, or the GPU does not fall idle: open it then. */
bool gate_close(void);
void gate_open(void);

/* gate_running(on): the kernel of the window runs from here on, or has ended:
 * in between it may wait for a launch that waits at the gate. */
void gate_running(bool on);

/* gate_traced(on): launches leave records, or do not: one that does not wait
 * long enough is lost then. */
void gate_traced(bool on);

/* gate_give_up(): the kernel of the window does not end: nobody waits any more,
 * and what comes pollutes. */
void gate_give_up(void);

/* gate_polluted(): did another launch get into the window? */
bool gate_polluted(void);

/* gate_stream(stream): this stream launches. */
void gate_stream(CUstream stream);

/* gate_capture(stream, on): a stream capture begins or ends. */
void gate_capture(CUstream stream, bool on);
bool gate_capturing(void);

/* gate_stream_gone(stream), gate_context_gone(): streams are destroyed. */
void gate_stream_gone(CUstream stream);
void gate_context_gone(void);

/* gate_shared(): from now on a kernel may wait for what is done after its
 * launch: the host, another stream or another GPU can reach it. gate_is_shared():
 * so it was said, or two streams launch. Any thread. */
void gate_shared(void);
bool gate_is_shared(void);

/* gate_awaited(): a kernel did not end while the host was held, or the GPU did not
 * fall idle: what runs may be waiting for the very launch whose callback would wait
 * for it. From now on gate_wait_idle only looks. */
void gate_awaited(void);
bool gate_is_awaited(void);

/* gate_blocked(): a stream of the program waits for what is written later, whoever
 * does: nothing may wait for the GPU as a whole any more, CUPTI neither. */
void gate_blocked(void);

/* gate_stream_made(blocking): the program made a stream: not one that waits for
 * the default stream anyhow, or more than one, make kernels run side by side. */
void gate_stream_made(bool blocking);

/* gate_wait_idle(): wait until every stream that launched is idle; false after
 * a while: a kernel may be waiting for one that was not launched yet; and at
 * once where one did (gate_awaited) and while a stream is captured. */
bool gate_wait_idle(void);

/* gate_never_idle(): looks were in vain so often that there are to be no more, or
 * there must be none: the gate does not close any more. */
bool gate_never_idle(void);

/* gate_busy(stream): is work left on it? Not once it was destroyed: its handle is
 * nothing that the driver may be asked about. */
bool gate_busy(CUstream stream);

/* gate_wait_stream(stream): wait until it is idle; false after the same while.
 * In a callback of a launch on it. */
bool gate_wait_stream(CUstream stream);

/* gate_wait_trial(stream): the same, where it is to be found out whether a kernel
 * ends; not for so long once one did not. */
bool gate_wait_trial(CUstream stream);

#endif
