#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "activity.h"
#include "call_site.h"
#include "callback.h"
#include "callers.h"
#include "calls.h"
#include "counters.h"
#include "device.h"
#include "diag.h"
#include "emit.h"
#include "failure.h"
#include "gate.h"
#include "graphs.h"
#include "inject.h"
#include "launch.h"
#include "memory.h"
#include "module.h"
#include "recopy.h"
#include "signature.h"
#include "silence.h"
#include "window.h"
#include "worker.h"

#define CONTEXT_IDS 1024	/* context ids whose device is cached */
#define SAMPLE 64		/* one callback in this many is timed */

/* How the parameters of stream captures, of cuStreamSynchronize and of cuStreamDestroy
 * begin. */
struct stream_params {
	CUstream stream;
};

/* How the parameters of copies begin that name both memories by address. */
struct copy_params {
	uint64_t dst, src, bytes;
};
#define LIKE_COPY(call, a, b)						\
	_Static_assert(offsetof(call##_params, a) ==			\
	    offsetof(struct copy_params, dst) && offsetof(call##_params, b) == \
	    offsetof(struct copy_params, src) &&			\
	    offsetof(call##_params, ByteCount) ==			\
	    offsetof(struct copy_params, bytes), #call)
LIKE_COPY(cuMemcpy, dst, src);
LIKE_COPY(cuMemcpyAsync, dst, src);
LIKE_COPY(cuMemcpyHtoD_v2, dstDevice, srcHost);
LIKE_COPY(cuMemcpyHtoDAsync_v2, dstDevice, srcHost);
LIKE_COPY(cuMemcpyDtoH_v2, dstHost, srcDevice);
LIKE_COPY(cuMemcpyDtoHAsync_v2, dstHost, srcDevice);

static struct {
	_Atomic int device[CONTEXT_IDS];	/* by context id: device + 1; 0:
						 * unknown */
	_Atomic uint64_t calls, timed, timed_ns;
} cb;

static _Thread_local struct own {
	bool inside;			/* in a callback: our own API calls cause
					 * callbacks, too */
	bool muted;			/* this is a thread of the library */
	bool nested;			/* inside a runtime call that is recorded */
	uint16_t around;		/* call of the runtime call (CALLS_AROUND) that
					 * this is inside, until the driver's is recorded */
	bool kept;			/* cancellation is disabled */
	int cancel;			/* the cancel state before that */
	struct signature *window;	/* signature whose launch is measured in this
					 * thread */
	unsigned count;			/* of callbacks, to time one in SAMPLE */
	uint32_t tid;			/* 0 before the first launch */
} self;

/* The address of a thread-local variable takes a call, which the compiler would repeat
 * instead of keeping the result. */
static INJECT_HOT __attribute__((noinline)) struct own *
own_of(void)
{

	return &self;
}

/* Disables cancellation: a thread that is cancelled while it holds the window, or
 * between the enter and exit callbacks of a measured launch, would leave the window
 * open for good. (Waits elsewhere use nap(), which is no cancellation point.) */
static void
keep_alive(struct own *own)
{

	if (inject.profiles && !own->kept) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &own->cancel);
		own->kept = true;
	}
}

static void
let_go(struct own *own)
{

	if (own->kept && own->window == NULL) {
		own->kept = false;
		pthread_setcancelstate(own->cancel, NULL);
	}
}

static uint32_t
device_of(const CUpti_CallbackData *d)
{
	uint32_t device = 0;
	int known;

	if (d->contextUid < CONTEXT_IDS && (known = atomic_load_explicit(
	    &cb.device[d->contextUid], memory_order_relaxed)) != 0)
		return (uint32_t)known - 1;
	if (inject.api.cuptiGetDeviceId != NULL && d->context != NULL &&
	    inject.api.cuptiGetDeviceId(d->context, &device) == CUPTI_SUCCESS &&
	    d->contextUid < CONTEXT_IDS)
		atomic_store(&cb.device[d->contextUid], (int)device + 1);
	return device;
}

/* Whether the call is compiled for the per-thread default stream: its stream NULL is
 * the calling thread's own. */
static bool
is_per_thread(CUpti_CallbackId cbid)
{

	switch (cbid) {
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz:
	case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz:
		return true;
	default:
		return false;
	}
}

/* The stream of a launch, as a handle that cuStreamQuery accepts. */
static CUstream
stream_of(const struct call_row *row, CUstream stream)
{

	return stream == NULL && is_per_thread(row->cbid) ?
	    CU_STREAM_PER_THREAD : stream;
}

/* The launch's function (returned; NULL: unknown), shape and stream, from its
 * parameters. Does not set the device of ${shape}. */
static const void *
launch_shape(const struct call_row *row, const CUpti_CallbackData *d,
    struct signature_shape *shape, CUstream *stream)
{

	if (row->kind == CALLS_LAUNCH_EX) {
		const cuLaunchKernelEx_params *p = d->functionParams;
		const CUlaunchConfig *c = p->config;

		if (c == NULL)
			return NULL;
		shape->grid[0] = c->gridDimX;
		shape->grid[1] = c->gridDimY;
		shape->grid[2] = c->gridDimZ;
		shape->block[0] = c->blockDimX;
		shape->block[1] = c->blockDimY;
		shape->block[2] = c->blockDimZ;
		shape->dynamic = c->sharedMemBytes;
		*stream = stream_of(row, c->hStream);
		return p->f;
	} else {
		/* cuLaunchCooperativeKernel begins with the same fields. */
		const cuLaunchKernel_params *p = d->functionParams;

		shape->grid[0] = p->gridDimX;
		shape->grid[1] = p->gridDimY;
		shape->grid[2] = p->gridDimZ;
		shape->block[0] = p->blockDimX;
		shape->block[1] = p->blockDimY;
		shape->block[2] = p->blockDimZ;
		shape->dynamic = p->sharedMemBytes;
		*stream = stream_of(row, p->hStream);
		return p->f;
	}
}

static bool
is_cooperative(const struct call_row *row, const CUpti_CallbackData *d)
{
	const cuLaunchKernelEx_params *p = d->functionParams;
	unsigned i;

	if (row->kind == CALLS_COOPERATIVE)
		return true;
	if (row->kind != CALLS_LAUNCH_EX || p->config == NULL)
		return false;
	for (i = 0; i < p->config->numAttrs; i++)
		if (p->config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
		    p->config->attrs[i].value.cooperative != 0)
			return true;
	return false;
}

static struct signature *
graph_enter(const struct call_row *row, const CUpti_CallbackData *d)
{
	const cuGraphLaunch_params *p = d->functionParams;
	struct counters_launch l = { .data = d };

	if (p == NULL)
		return NULL;
	l.stream = stream_of(row, p->hStream);
	return counters_graph(device_of(d), &l);
}

static void
on_launch_enter(struct own *own, const struct call_row *row,
    const CUpti_CallbackData *d)
{
	struct signature_shape shape;
	struct signature *s = NULL, *owed = NULL;
	CUstream stream = NULL;
	bool capturing;
	const void *key;
	uint64_t now;

	*d->correlationData = 0;
	if (inject.profiles) {
		if (window_is_deferred()) {
			keep_alive(own);
			counters_await();
		}
		shape.device = device_of(d);
		capturing = gate_launch_begin(shape.device);
	} else {
		capturing = gate_capturing();
	}
	if (inject.profiles && row->kind != CALLS_GRAPH &&
	    (key = launch_shape(row, d, &shape, &stream)) != NULL &&
	    (s = signature_of(key, d->symbolName, &shape)) != NULL) {
		bool asked = signature_launched(s);

		call_site_launch(s);
		if (signature_may_await(s))
			gate_waiter(stream, shape.device);
		if (s->skip == SKIP_NONE && is_cooperative(row, d))
			s->skip = SKIP_COOPERATIVE;
		if (counters_wanted(s, asked)) {
			struct counters_launch l = { .data = d,
			    .stream = stream, .function = key,
			    .asked = asked };

			keep_alive(own);
			if (counters_enter(s, &l))
				owed = s;
		} else if (s->skip != SKIP_NONE) {
			/* not measured, but it may run for ever */
			gate_stream(stream, shape.device);
		}
	}
	if (row->kind == CALLS_GRAPH) {
		keep_alive(own);
		call_site_other(row->call);
		owed = graph_enter(row, d);
	}
	if (owed != NULL) {
		own->window = owed;
		*d->correlationData = (uintptr_t)owed;
	}
	own->tid = inject_tid();
	now = inject_now();
	if (inject.profiles && call_site_back(row->kind == CALLS_GRAPH ? row->call :
	    CALL_LAUNCH, s, now))
		now = inject_now();
	launch_put(d->correlationId, now, own->tid |
	    (row->kind == CALLS_GRAPH || capturing ? 0 : LAUNCH_KERNEL));
}

static CUresult
result_of(const CUpti_CallbackData *d)
{

	return d->functionReturnValue != NULL ?
	    *(CUresult *)d->functionReturnValue : CUDA_SUCCESS;
}

static __attribute__((cold, noinline)) void
on_launch_failed(const struct call_row *row, const CUpti_CallbackData *d,
    CUresult result)
{
	struct failure_launch failed = { .name = d->symbolName };
	CUstream stream;

	launch_done(d->correlationId);
	if (row->kind == CALLS_GRAPH) {
		failure_tell(row->call, d, (uint32_t)result, NULL);
	} else {
		failed.shape.device = device_of(d);
		failed.function = launch_shape(row, d, &failed.shape, &stream);
		failed.cooperative = is_cooperative(row, d);
		failure_tell(row->call, d, (uint32_t)result, &failed);
	}
}

static void
on_launch_exit(struct own *own, const struct call_row *row,
    const CUpti_CallbackData *d)
{
	CUresult result = result_of(d);

	/* correlationData is undefined if the launch began before the callbacks were
	 * enabled. */
	if (own->window != NULL &&
	    *d->correlationData == (uintptr_t)own->window) {
		counters_exit(own->window, result == CUDA_SUCCESS);
		own->window = NULL;
	}
	gate_launch_end();
	if (result != CUDA_SUCCESS)
		on_launch_failed(row, d, result);
}

/* A SYNC record for a call in which the host waited, from its API record. */
static void
emit_sync(const struct record_API *a, const CUpti_CallbackData *d)
{
	const struct stream_params *p = d->functionParams;
	struct record_SYNC r = { .context = d->contextUid,
	    .stream = UINT32_MAX, .event = UINT32_MAX,
	    .correlation = a->correlation, .tid = a->tid,
	    .start_ns = a->start_ns, .end_ns = a->end_ns };

	switch (a->call) {
	case CALL_DEVICE_SYNC:
		silence_synced(a->start_ns);
		r.kind = SYNC_CONTEXT;
		break;
	case CALL_EVENT_SYNC:
		r.kind = SYNC_EVENT;
		break;
	case CALL_STREAM_SYNC:
		r.kind = SYNC_STREAM;
		if (p != NULL && inject.api.cuptiGetStreamIdEx != NULL)
			inject.api.cuptiGetStreamIdEx(d->context, p->stream, 0,
			    &r.stream);
		break;
	default:
		return;
	}
	EMIT(SYNC, &r);
}

/* Records the addresses of a copy; does not dereference them. */
static void
note_copy(const CUpti_CallbackData *d)
{
	const struct copy_params *p = d->functionParams;
	struct launch_copy c;

	if (p == NULL)
		return;
	c = (struct launch_copy){ .dst = p->dst, .src = p->src };
	launch_put_copy(d->correlationId, &c);
}

/* Compares the bytes of a copy that is made again, before its call counts as begun. */
static void
compare_copy(const struct call_row *row, const CUpti_CallbackData *d)
{
	const struct copy_params *p = d->functionParams;
	struct recopy c;

	if (p == NULL)
		return;
	c = (struct recopy){ .src = p->src, .dst = p->dst, .bytes = p->bytes };
	recopy_enter(d->correlationId, row->call, &c);
}

/* Fills in and sends the API record of a call, at its end. */
static void
emit_api(struct record_API *r, const CUpti_CallbackData *d)
{

	r->result = d->functionReturnValue != NULL ?
	    (uint32_t)*(CUresult *)d->functionReturnValue : 0;
	r->tid = inject_tid();
	r->correlation = d->correlationId;
	r->start_ns = *d->correlationData;
	r->end_ns = inject_now();
	call_site_mark(r->end_ns);
	EMIT(API, r);
}

static void
on_call(const struct call_row *row, const CUpti_CallbackData *d)
{
	struct record_API r = { .call = row->call };

	if (d->callbackSite == CUPTI_API_ENTER) {
		if (row->kind == CALLS_COPY_UP)
			compare_copy(row, d);
		*d->correlationData = inject_now();
		launch_put(d->correlationId, *d->correlationData, inject_tid());
		call_site_other(row->call);
		if (inject.profiles)
			call_site_back(row->call, NULL, *d->correlationData);
		if (memory_call(row))
			memory_enter(row, d, *d->correlationData);
		if (row->kind == CALLS_MANAGED)
			activity_want_managed();
		else if (row->kind == CALLS_PINNED)
			gate_shared();
		else if (row->kind == CALLS_COPY || row->kind == CALLS_COPY_UP)
			note_copy(d);
		return;
	}
	/* An exit callback without its enter: the call began before the callbacks were
	 * enabled. */
	if (*d->correlationData == 0)
		return;
	emit_api(&r, d);
	emit_sync(&r, d);
	if (memory_call(row))
		memory_exit(row, d, device_of(d), r.end_ns);
	counters_settle(true);	/* the GPU may be idle now */
	if (r.result != CUDA_SUCCESS)
		failure_tell(row->call, d, r.result, NULL);
}

/* A call of the runtime, whose driver call is recorded if it has callbacks. Then the
 * enter callback of that one is between these two. */
static void
on_around(struct own *own, const struct call_row *row, const CUpti_CallbackData *d)
{
	struct record_API r = { .call = row->call };

	if (d->callbackSite == CUPTI_API_ENTER) {
		*d->correlationData = inject_now();
		own->around = row->call;
		return;
	}
	if (own->around != row->call || *d->correlationData == 0)
		return;
	own->around = 0;
	call_site_other(row->call);
	emit_api(&r, d);
	if (r.result != 0)
		failure_tell(row->call, d, r.result, NULL);
}

/* The program enabled peer access. */
static void
on_peer(const struct call_row *row, const CUpti_CallbackData *d)
{
	const cuCtxEnablePeerAccess_params *p = d->functionParams;
	const cudaDeviceEnablePeerAccess_v4000_params *q = d->functionParams;
	uint32_t peer;
	int result = d->functionReturnValue != NULL ?
	    *(int *)d->functionReturnValue : 0;

	/* cudaErrorPeerAccessAlreadyEnabled and CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
	 * are the same number. */
	if (d->callbackSite != CUPTI_API_EXIT || p == NULL ||
	    (result != 0 && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED))
		return;
	if (row->kind == CALLS_PEER_DEVICE)
		peer = (uint32_t)q->peerDevice;
	else if (inject.api.cuptiGetDeviceId == NULL ||
	    inject.api.cuptiGetDeviceId(p->peerContext, &peer) !=
	    CUPTI_SUCCESS)
		return;
	device_peer_enabled(device_of(d), peer);
	device_used(device_of(d));
	device_used(peer);
	gate_shared();
}

static void
on_stream(const CUpti_CallbackData *d)
{
	const cuStreamCreate_params *p = d->functionParams;

	/* cuStreamCreateWithPriority's parameters begin with the same two. */
	if (d->callbackSite == CUPTI_API_ENTER && p != NULL)
		gate_stream_made((p->Flags & CU_STREAM_NON_BLOCKING) == 0);
}

static void
on_stream_end(const CUpti_CallbackData *d)
{
	const struct stream_params *p = d->functionParams;

	if (d->callbackSite == CUPTI_API_ENTER && p != NULL)
		gate_stream_ends(p->stream);
}

static void
on_capture(const struct call_row *row, const CUpti_CallbackData *d)
{
	const struct stream_params *p = d->functionParams;
	bool failed = d->callbackSite == CUPTI_API_EXIT &&
	    d->functionReturnValue != NULL &&
	    *(CUresult *)d->functionReturnValue != CUDA_SUCCESS;

	uintptr_t key;

	if (p == NULL)
		return;
	key = gate_key(p->stream, is_per_thread(row->cbid));
	if (row->kind == CALLS_CAPTURE_BEGIN &&
	    d->callbackSite == CUPTI_API_ENTER)
		gate_capture(key, true);
	else if (d->callbackSite == CUPTI_API_EXIT &&
	    (row->kind == CALLS_CAPTURE_END || failed))
		gate_capture(key, false);
}

/* A call that may block a stream for as long as the program likes (a host function, a
 * wait for a value). It waits at the gate while a profiler is turned on or off, since
 * that waits for an idle GPU. */
static void
on_wait(const CUpti_CallbackData *d)
{

	if (!inject.profiles)
		return;
	if (d->callbackSite == CUPTI_API_ENTER)
		gate_launch_begin(device_of(d));
	else
		gate_launch_end();
}

/* A call that loads or unloads code. */
static void
on_load(const CUpti_CallbackData *d)
{

	if (!inject.profiles)
		return;
	if (d->callbackSite == CUPTI_API_ENTER)
		gate_load_begin();
	else
		gate_load_end();
}

static void
on_driver_call(struct own *own, CUpti_CallbackId cbid,
    const CUpti_CallbackData *d)
{
	const struct call_row *row = calls_find(CUPTI_CB_DOMAIN_DRIVER_API,
	    cbid);

	if (row == NULL || own->nested)
		return;
	switch (row->kind) {
	case CALLS_LAUNCH:
	case CALLS_LAUNCH_EX:
	case CALLS_COOPERATIVE:
	case CALLS_GRAPH:
		if (row->kind == CALLS_GRAPH)
			graphs_seen();
		if (d->callbackSite == CUPTI_API_ENTER)
			on_launch_enter(own, row, d);
		else
			on_launch_exit(own, row, d);
		break;
	case CALLS_CAPTURE_BEGIN:
	case CALLS_CAPTURE_END:
		graphs_seen();
		on_capture(row, d);
		break;
	case CALLS_LOAD:
		on_load(d);
		on_call(row, d);
		break;
	case CALLS_CODE:
		on_load(d);
		break;
	case CALLS_STREAM:
		on_stream(d);
		break;
	case CALLS_STREAM_END:
		on_stream_end(d);
		break;
	case CALLS_WAIT:
		on_wait(d);
		break;
	case CALLS_PEER:
		on_peer(row, d);
		break;
	default:
		if (row->call == CALL_GRAPH_INSTANTIATE)
			graphs_seen();
		else if (row->call == own->around)
			own->around = 0;
		on_call(row, d);
		break;
	}
}

static void
on_runtime_call(struct own *own, CUpti_CallbackId cbid,
    const CUpti_CallbackData *d)
{
	const struct call_row *row = calls_find(CUPTI_CB_DOMAIN_RUNTIME_API,
	    cbid);

	if (row == NULL) {
		failure_read(d);
		return;
	}
	if (row->kind == CALLS_AROUND) {
		on_around(own, row, d);
		return;
	}
	own->nested = d->callbackSite == CUPTI_API_ENTER;
	if (row->kind == CALLS_PEER_DEVICE)
		on_peer(row, d);
	else
		on_call(row, d);
}

static void
on_resource(CUpti_CallbackId cbid, const CUpti_ResourceData *d)
{
	struct record_CONTEXT r = { .destroyed = 1, .now_ns = inject_now() };
	uint32_t id = 0;

	switch (cbid) {
	case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
		if (inject.api.cuptiGetContextId == NULL ||
		    inject.api.cuptiGetContextId(d->context, &id) !=
		    CUPTI_SUCCESS)
			break;
		counters_context_gone(d->context, id);
		memory_context_gone(id);
		r.id = id;
		EMIT(CONTEXT, &r);
		break;
	case CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING:
		gate_stream_gone(d->resourceHandle.stream);
		break;
	case CUPTI_CBID_RESOURCE_MODULE_LOADED:
		if (inject.api.cuptiGetDeviceId != NULL && d->context != NULL)
			inject.api.cuptiGetDeviceId(d->context, &id);
		device_used(id);
		module_loaded(d->resourceDescriptor, id);
		/* No API call allocates a __managed__ variable. */
		if (memory_module(d->resourceDescriptor, id))
			activity_want_managed();
		break;
	case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
		signature_forget_keys();
		break;
	default:
		break;
	}
}

static void
on_state(CUpti_CallbackId cbid, const CUpti_StateData *d)
{

	if (cbid != CUPTI_CBID_STATE_FATAL_ERROR)
		return;
	diag_report(DIAG_FATAL, SEVERITY_ERROR,
	    d != NULL ? (uint32_t)d->notification.result : 0, "CUPTI",
	    d != NULL && d->notification.message != NULL ?
	    d->notification.message : "CUPTI stopped after a fatal error: "
	    "nothing is measured from here on");
}

/* Launches are frequent: these disable cancellation only where they need it. */
static bool
is_launch(CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{

	return domain == CUPTI_CB_DOMAIN_DRIVER_API &&
	    (cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel ||
	    cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
}

/*
 * The fast path of most launches. At level trace only the caller and the time of a
 * launch are recorded; at other levels, the exit callback of a launch that is not
 * measured only ends it for the gate. False if the launch needs the full path, for
 * example because it is timed or failed. The fast path does not set errno and does not
 * wait.
 */
static inline bool
on_plain_launch(const CUpti_CallbackData *d)
{
	struct own *own;

	if (d->callbackSite == CUPTI_API_EXIT) {
		if (result_of(d) != CUDA_SUCCESS || !inject.profiles)
			return result_of(d) == CUDA_SUCCESS;
		own = own_of();
		if (own->inside || own->nested || own->kept ||
		    own->window != NULL)
			return false;
		gate_launch_end();
		return true;
	}
	if (inject.profiles)
		return false;
	own = own_of();
	if (own->inside || own->nested || own->tid == 0 ||
	    own->count % SAMPLE == 0)
		return false;
	own->count++;
	launch_put(d->correlationId, inject_now(), own->tid |
	    (gate_capturing() ? 0 : LAUNCH_KERNEL));
	return true;
}

static INJECT_HOT void CUPTIAPI
on_event(void *cookie, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
    const void *data)
{
	struct own *own;
	struct timespec a, b;
	uint64_t site = 0;
	int saved;
	bool timed;

	(void)cookie;
	if (is_launch(domain, cbid) && inject_active() &&
	    on_plain_launch(data))
		return;
	own = own_of();
	saved = errno;
	/* A window that is open is closed even if the library is finishing. */
	if (!inject_active() && own->window == NULL)
		return;
	if (own->inside) {
		/* Our own call may make the driver load code: at the latest it does so
		 * when we ask for a function's attributes. */
		if (!own->muted && domain == CUPTI_CB_DOMAIN_RESOURCE &&
		    cbid == CUPTI_CBID_RESOURCE_MODULE_LOADED)
			on_resource(cbid, data);
		return;
	}
	own->inside = true;
	if (own->count == 0)
		callers_add(inject_tid());
	if (!is_launch(domain, cbid))
		keep_alive(own);
	timed = own->count++ % SAMPLE == 0;
	if (timed) {
		site = call_site_spent() + recopy_spent();
		clock_gettime(CLOCK_MONOTONIC, &a);
	}
	switch (domain) {
	case CUPTI_CB_DOMAIN_DRIVER_API:
		on_driver_call(own, cbid, data);
		break;
	case CUPTI_CB_DOMAIN_RUNTIME_API:
		on_runtime_call(own, cbid, data);
		break;
	case CUPTI_CB_DOMAIN_RESOURCE:
		on_resource(cbid, data);
		break;
	case CUPTI_CB_DOMAIN_STATE:
		on_state(cbid, data);
		break;
	default:
		break;
	}
	if (timed) {
		uint64_t ns;

		clock_gettime(CLOCK_MONOTONIC, &b);
		ns = (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000ull +
		    (uint64_t)(b.tv_nsec - a.tv_nsec);
		/* Windows, call stacks and comparisons are charged separately. */
		ns -= call_site_spent() + recopy_spent() - site;
		if (ns < 100000) {
			atomic_fetch_add(&cb.timed, 1);
			atomic_fetch_add(&cb.timed_ns, ns);
		}
		atomic_fetch_add(&cb.calls, SAMPLE);
	}
	own->inside = false;
	errno = saved;
	let_go(own);
}

/* Runs on the worker thread: its API calls are not the program's. */
static void
mute(void)
{

	self.inside = self.muted = true;
}

static const struct {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId cbid;
} resources[] = {
	{ CUPTI_CB_DOMAIN_RESOURCE,
	    CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING },
	{ CUPTI_CB_DOMAIN_RESOURCE,
	    CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING },
	{ CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED },
	{ CUPTI_CB_DOMAIN_RESOURCE,
	    CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING },
	{ CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR },
};

int
callback_subscribe(void)
{
	char other[128] = "", text[320];
	const struct call_row *rows;
	CUptiResult r;
	unsigned i, n;

	r = cupti_api_subscribe(&inject.api, &inject.subscriber, on_event,
	    other, sizeof(other));
	if (r == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
	    other[0] != '\0') {
		snprintf(text, sizeof(text), "%s is active in this process, "
		    "which can have only one profiler: run without it", other);
		diag_report(DIAG_SUBSCRIBER, SEVERITY_ERROR, (uint32_t)r,
		    "cuptiSubscribe", text);
		return -1;
	}
	if (r != CUPTI_SUCCESS) {
		diag_cupti("cuptiSubscribe", r);
		return -1;
	}
	worker_begins(mute);
	calls_init();
	rows = calls_table(&n);
	for (i = 0; i < n; i++) {
		r = inject.api.cuptiEnableCallback(1, inject.subscriber,
		    rows[i].domain, rows[i].cbid);
		if (r != CUPTI_SUCCESS)
			diag_cupti("cuptiEnableCallback", r);
	}
	for (i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
		r = inject.api.cuptiEnableCallback(1, inject.subscriber,
		    resources[i].domain, resources[i].cbid);
		if (r != CUPTI_SUCCESS)
			diag_cupti("cuptiEnableCallback", r);
	}
	return 0;
}

void
callback_send_overhead(void)
{
	uint64_t timed = atomic_load(&cb.timed), now = inject_now();
	struct record_OVERHEAD r = { .kind = OVERHEAD_CALLBACK };

	if (timed == 0)
		return;
	/* A sum, not an interval: put it after all other records. */
	r.start_ns = now;
	r.end_ns = now + call_site_cost() + (uint64_t)((double)atomic_load(
	    &cb.timed_ns) / (double)timed * (double)atomic_load(&cb.calls));
	EMIT(OVERHEAD, &r);
}
