/*
 * gate.h: who launches what, and when the GPU is idle. A profiler is turned on or
 * off, and a launch measured, where nothing else runs: other threads' launches wait
 * at the gate for that long, or tell the window that it was polluted. Never a wait
 * without a bound.
 */
#ifndef CADV_GATE_H
#define CADV_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

#define GATE_ALL UINT32_MAX		/* devices */

/*
 * gate_launch_begin(device): a call is about to give the GPU something that may not
 * end by itself, a launch above all: wait while the gate is closed, but not for long
 * once the window's kernel runs, which may wait for this very call. In the API-enter
 * callback; gate_launch_end() in its API-exit.
 */
void gate_launch_begin(uint32_t device);
void gate_launch_end(void);

/*
 * gate_close(device, ours): launches on ${device} (GATE_ALL: on any) wait from here
 * on. ${ours} of those under way are held by us already. False if others that are
 * under way do not come back in time, or a stream is captured: open it then. By
 * whoever holds the window.
 */
bool gate_close(uint32_t device, uint32_t ours);
void gate_open(void);

/* gate_widen(ours): the gate that is closed for one device holds launches on all of
 * them from here on; false as gate_close. */
bool gate_widen(uint32_t ours);

/* gate_recheck(ours): the gate that was given up holds launches again; false as
 * gate_close. */
bool gate_recheck(uint32_t ours);

/* gate_ours(): launches that this thread is in the callback of. */
uint32_t gate_ours(void);

/* gate_setup(on): what is waited for at the gate is the set-up of a context. */
void gate_setup(bool on);

/* gate_running(on): the kernel of the window runs from here on, or has ended:
 * in between it may wait for a launch that waits at the gate. */
void gate_running(bool on);

/* gate_traced(on): launches leave records, or do not: one that does not wait
 * long enough is lost then. */
void gate_traced(bool on);

/* gate_give_up(): the kernel of the window goes on without us: nobody waits any
 * more, and what comes pollutes. */
void gate_give_up(void);

/* gate_polluted(): did another launch get into the window? */
bool gate_polluted(void);

/*
 * gate_drain(context, device, patience): wait until nothing is left to do in
 * ${context} and on the streams that launched on its ${device}, ${patience}
 * nanoseconds at most; other devices may work on. A queue that is longer is worked
 * off while one launch after another is held; where all that was in vain the next
 * calls only look for a while. False at once while a stream is captured. By whoever
 * holds the window, the gate closed.
 */
bool gate_drain(CUcontext context, uint32_t device, uint64_t patience);

/* gate_looks_idle(context, device, patience): wait until nothing is left on the
 * streams that launched on ${device}, ${patience} nanoseconds at most; the default
 * stream is that of ${context}. Says nothing of copies, host functions and streams
 * of libraries. */
bool gate_looks_idle(CUcontext context, uint32_t device, uint64_t patience);

/* gate_synchronize(context): the same without a bound: only in a thread of ours,
 * and with the gate open unless nothing endless can be under way. */
bool gate_synchronize(CUcontext context);

/* gate_stream(stream, device): this stream launches, on ${device}. */
void gate_stream(CUstream stream, uint32_t device);

/*
 * gate_capture(stream, on): a stream capture begins or ends; ${stream} may be any
 * value that tells it from others, gate_key's for one. Where it begins it waits for
 * what is being turned on or off, and from then on nothing is, until it ends.
 * gate_key(stream, per_thread): what tells a capture of ${stream} as the call has it
 * (NULL and the driver's special handles included) from others; ${per_thread}: NULL
 * is the calling thread's own default stream.
 */
void gate_capture(uintptr_t stream, bool on);
uintptr_t gate_key(CUstream stream, bool per_thread);
bool gate_capturing(void);

/* gate_stream_gone(stream), gate_context_gone(): streams are destroyed. */
void gate_stream_gone(CUstream stream);
void gate_context_gone(void);

/* gate_shared(): from now on a kernel may wait for what is done after its
 * launch: the host, another stream or another GPU can reach it. gate_is_shared():
 * so it was said, or two streams launch. Any thread. */
void gate_shared(void);
bool gate_is_shared(void);

/* gate_stream_made(blocking): the program made a stream: not one that waits for
 * the default stream anyhow, or more than one, make kernels run side by side. */
void gate_stream_made(bool blocking);

/* gate_busy(stream): is work left on it? Not once it was destroyed: its handle is
 * nothing that the driver may be asked about. */
bool gate_busy(CUstream stream);

/* gate_wait_stream(stream, patience): wait until it is idle; false after
 * ${patience} nanoseconds, or when a capture begins. In a callback of a launch on
 * it. */
bool gate_wait_stream(CUstream stream, uint64_t patience);

#endif
