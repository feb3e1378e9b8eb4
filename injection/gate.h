/*
 * gate.h: holds launches back while the GPU has to be idle: while a profiler is
 * turned on or off, or a launch is measured. Launches of other threads wait at
 * the gate, or mark the window as polluted. Every wait has a bound.
 */
#ifndef CADV_GATE_H
#define CADV_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

#define GATE_ALL UINT32_MAX		/* devices */

/*
 * gate_launch_begin(device): in the API-enter callback of a call that submits
 * work that may not end by itself, above all a launch: wait while the gate is
 * closed; only briefly once the window's kernel runs, which may wait for this
 * very call. gate_launch_end(): in its API-exit callback.
 */
void gate_launch_begin(uint32_t device);
void gate_launch_end(void);

/*
 * gate_close(device, ours): hold launches on ${device} (GATE_ALL: on any) from
 * here on. ${ours} of the calls under way are the caller's own. False if the
 * other calls under way do not return in time, or a stream is being captured:
 * call gate_open then. By the holder of the window.
 */
bool gate_close(uint32_t device, uint32_t ours);
void gate_open(void);

/* gate_widen(ours): extend the gate that is closed for one device to all
 * devices; false as gate_close. */
bool gate_widen(uint32_t ours);

/* gate_recheck(ours): a gate that was given up holds launches again; false as
 * gate_close. */
bool gate_recheck(uint32_t ours);

/* gate_ours(): calls of this thread between gate_launch_begin and
 * gate_launch_end. */
uint32_t gate_ours(void);

/* gate_setup(on): waits at the gate are charged to the set-up of a context. */
void gate_setup(bool on);

/* gate_running(on): the window's kernel runs from here on, or has ended: in
 * between it may wait for a launch that waits at the gate. */
void gate_running(bool on);

/* gate_traced(on): kernel tracing is on or off: while it is off, a launch that
 * passes the gate is counted as lost. */
void gate_traced(bool on);

/* gate_give_up(): the window's kernel did not end in time: launches no longer
 * wait, and each marks the window as polluted. */
void gate_give_up(void);

/* gate_polluted(): did another launch run inside the window? */
bool gate_polluted(void);

/*
 * gate_drain(context, device, patience): wait until ${context} and the streams
 * that launched on its ${device} are idle, ${patience} nanoseconds at most;
 * other devices may be busy. A longer queue drains while one launch after
 * another is held; where that does not help either, the following calls only
 * poll, for a while. False at once while a stream is captured. By the holder of
 * the window, with the gate closed.
 */
bool gate_drain(CUcontext context, uint32_t device, uint64_t patience);

/* gate_looks_idle(context, device, patience): wait until the streams that
 * launched on ${device} are idle, ${patience} nanoseconds at most; the default
 * stream is that of ${context}. Does not see copies, host functions and streams
 * of libraries. */
bool gate_looks_idle(CUcontext context, uint32_t device, uint64_t patience);

/* gate_synchronize(context): cuCtxSynchronize, without a bound: only in a
 * thread of the library, and with the gate open unless all work under way ends
 * by itself. */
bool gate_synchronize(CUcontext context);

/* gate_stream(stream, device): ${stream} launches on ${device}. */
void gate_stream(CUstream stream, uint32_t device);

/*
 * gate_capture(stream, on): a stream capture begins or ends; ${stream} is any
 * value that identifies the stream, such as gate_key's. A capture that begins
 * waits until a profiler that is being turned on or off is done; none is turned
 * on or off until the capture ends.
 *
 * gate_key(stream, per_thread): identifies ${stream} as passed to the call
 * (NULL and the driver's special handles included); ${per_thread}: NULL means
 * the calling thread's own default stream.
 */
void gate_capture(uintptr_t stream, bool on);
uintptr_t gate_key(CUstream stream, bool per_thread);
bool gate_capturing(void);

/* gate_stream_gone(stream), gate_context_gone(): streams are being
 * destroyed. */
void gate_stream_gone(CUstream stream);
void gate_context_gone(void);

/* gate_shared(): from now on a kernel may wait for something that happens after
 * its launch: the host, another stream or another GPU can reach its memory.
 * gate_is_shared(): was gate_shared called, or do two streams launch? Any
 * thread. */
void gate_shared(void);
bool gate_is_shared(void);

/* gate_stream_made(blocking): the program created a stream. Kernels can run
 * side by side from the second one on, or from a non-blocking one. */
void gate_stream_made(bool blocking);

/* gate_busy(stream): has it unfinished work? False once it was destroyed: the
 * driver must not be called with its handle. */
bool gate_busy(CUstream stream);

/* gate_wait_stream(stream, patience): wait until it is idle; false after
 * ${patience} nanoseconds, or when a capture begins. In a callback of a launch
 * on it. */
bool gate_wait_stream(CUstream stream, uint64_t patience);

#endif
