/*
 * gate.h: the gate holds launches back while the GPU has to be idle: when a profiler is
 * turned on or off, or a launch is measured. Launches of other threads wait at the
 * gate; those that cannot wait longer go on and mark the window as polluted. Every wait
 * has a bound.
 */
#ifndef CADV_GATE_H
#define CADV_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

#define GATE_ALL UINT32_MAX		/* all devices */

/*
 * gate_launch_begin(device): in the API-enter callback of a call that submits work that
 * may not end by itself, above all a launch. Waits while the gate is closed, but only
 * briefly once the window's kernel runs, because that kernel may wait for this very
 * call. Returns whether a capture is under way, of which the launch may be a part.
 * gate_launch_end(): in the API-exit callback of the same call.
 */
bool gate_launch_begin(uint32_t device);
void gate_launch_end(void);

/*
 * gate_close(device, ours): hold launches on ${device} (GATE_ALL: on all devices) from
 * now on. ${ours} of the calls under way are the caller's own. False if the other calls
 * under way do not return in time, or a stream capture or a load of code is under way:
 * then call gate_open. Only the holder of the window may call this.
 */
bool gate_close(uint32_t device, uint32_t ours);
void gate_open(void);

/* gate_widen(ours): extend a gate that is closed for one device to all devices; false
 * as for gate_close. */
bool gate_widen(uint32_t ours);

/* gate_recheck(ours): after gate_give_up, hold launches again; false as for
 * gate_close. */
bool gate_recheck(uint32_t ours);

/* gate_ours(): the number of calls of this thread that are between gate_launch_begin
 * and gate_launch_end. */
uint32_t gate_ours(void);

/*
 * gate_load_begin(), gate_load_end(): in the API-enter and the API-exit callback of a
 * call that loads or unloads code. The driver may hold a lock during it, wait for the
 * kernels that run, and call CUPTI. So it waits at the gate like a launch, the gate
 * cannot be closed until it has returned, and meanwhile the driver is not asked about
 * streams: the answer would wait for the lock, and the kernel for which the lock is held
 * may wait for the thread that asks.
 *
 * gate_loading(): whether such a call is under way: then streams count as busy.
 *
 * gate_loads_stop(): from now on such calls wait, as if the gate were closed for them
 * alone; false if one is under way. In both cases call gate_loads_go afterwards.
 */
void gate_load_begin(void);
void gate_load_end(void);
bool gate_loading(void);
bool gate_loads_stop(void);
void gate_loads_go(void);

/* gate_loads_until(ns): such calls that come before the time ${ns} (inject_now) wait
 * until then, so that a time without one comes. 0: they wait no longer. */
void gate_loads_until(uint64_t ns);

/* gate_setup(on): while on, waits at the gate are charged to the set-up of a
 * context. */
void gate_setup(bool on);

/* gate_running(on): the window's kernel begins to run, or has ended. While it runs it
 * may wait for a launch that waits at the gate. */
void gate_running(bool on);

/* gate_traced(on): kernel tracing is on or off. While it is off, a launch that passes
 * the gate during a capture is counted as lost; of others silence.h knows. */
void gate_traced(bool on);

/* gate_give_up(): the window's kernel did not end in time: from now on launches do not
 * wait, and each marks the window as polluted. */
void gate_give_up(void);

/* gate_polluted(): whether another launch ran inside the window. */
bool gate_polluted(void);

/*
 * gate_drain(context, device, patience): wait until ${context} and the streams that
 * launched on its ${device} are idle, for ${patience} nanoseconds at most; other
 * devices may be busy. True if they are idle. A longer queue drains while one launch
 * after another is held; if that does not help either, calls only poll for a while.
 * False at once during a stream capture. Only the holder of the window may call this,
 * with the gate closed.
 */
bool gate_drain(CUcontext context, uint32_t device, uint64_t patience);

/* gate_looks_idle(context, device, patience): the same for the streams that launched on
 * ${device}, with the default stream of ${context}. Does not see copies, host functions
 * and streams of libraries. */
bool gate_looks_idle(CUcontext context, uint32_t device, uint64_t patience);

/* gate_synchronize(context): cuCtxSynchronize, without a bound; true if it succeeded.
 * Only in a thread of the library, and with the gate open unless all work under way
 * ends by itself. */
bool gate_synchronize(CUcontext context);

/* gate_stream(stream, device): note that ${stream} launches on ${device}. */
void gate_stream(CUstream stream, uint32_t device);

/*
 * gate_waiter(stream, device): a kernel that is known to wait for the host is launched
 * on ${stream}. While it runs the GPU does not become idle if the host is held: until
 * then gate_drain and gate_looks_idle return false at once.
 *
 * gate_waiter_runs(device): whether such a kernel runs. Only the holder of the window
 * may call this.
 */
void gate_waiter(CUstream stream, uint32_t device);
bool gate_waiter_runs(uint32_t device);

/*
 * gate_capture(stream, on): a stream capture begins or ends; ${stream} is a value that
 * identifies the stream, as returned by gate_key. If a profiler is being turned on or
 * off, the capture waits until that is done; none is turned on or off until the capture
 * ends.
 *
 * gate_key(stream, per_thread): a value that identifies ${stream} as the call received
 * it, including NULL and the driver's special handles; with ${per_thread} NULL means
 * the calling thread's own default stream.
 *
 * gate_capturing(): whether any stream is being captured.
 */
void gate_capture(uintptr_t stream, bool on);
uintptr_t gate_key(CUstream stream, bool per_thread);
bool gate_capturing(void);

/*
 * gate_stream_ends(stream): in the API-enter callback of a call that destroys ${stream}:
 * from now on the driver is not asked about it, and a question that another thread has
 * asked is answered when this returns. gate_stream_gone(stream): the same in a resource
 * callback, where the driver may hold the lock that the answer needs: then the wait is
 * short, and may be in vain. gate_context_gone(context, patience): all streams of
 * ${context} are about to be destroyed, and cuCtxSynchronize, which another thread of
 * the library calls for it, has returned when this does, or it took longer than
 * ${patience} nanoseconds.
 */
void gate_stream_ends(CUstream stream);
void gate_stream_gone(CUstream stream);
void gate_context_gone(CUcontext context, uint64_t patience);

/* gate_shared(): from now on a kernel may wait for something that happens after its
 * launch, since the host, another stream or another GPU can reach its memory.
 * gate_is_shared(): whether gate_shared was called, also for a second stream that
 * launches. Any thread. */
void gate_shared(void);
bool gate_is_shared(void);

/* gate_stream_made(blocking): the program created a stream. From the second stream on,
 * or with a non-blocking one, kernels can run side by side. */
void gate_stream_made(bool blocking);

/* gate_wait_stream(stream, patience): wait until ${stream} is idle. False after
 * ${patience} nanoseconds, or when a capture begins. In a callback of a launch on
 * ${stream}. */
bool gate_wait_stream(CUstream stream, uint64_t patience);

#endif
