/* The driver: the functions that the injection library calls, and the API calls
 * of a program, each with its callbacks and records. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mock_internal.h"

static struct mock_context *contexts;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_context = 1;
static uint64_t next_address = 0x7f0000000000u;

/* --- what libcuda exports ------------------------------------------------ */

CUresult
cuDriverGetVersion(int *version)
{
	MOCK_ENTER();
	*version = (int)mock_env("MOCK_DRIVER", 13000);
	return CUDA_SUCCESS;
}

CUresult
cuDeviceGetCount(int *count)
{
	MOCK_ENTER();
	*count = MOCK_DEVICES;
	return CUDA_SUCCESS;
}

CUresult
cuDeviceGet(CUdevice *device, int ordinal)
{
	MOCK_ENTER();
	if (ordinal < 0 || ordinal >= MOCK_DEVICES)
		return CUDA_ERROR_INVALID_DEVICE;
	*device = ordinal;
	return CUDA_SUCCESS;
}

CUresult
cuDeviceGetName(char *name, int size, CUdevice device)
{
	MOCK_ENTER();
	snprintf(name, (size_t)size, "Mock GPU %d", device);
	return CUDA_SUCCESS;
}

CUresult
cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	MOCK_ENTER();
	(void)device;
	*bytes = (size_t)80 << 30;
	return CUDA_SUCCESS;
}

/* True only towards higher ordinals, so that the two directions differ. */
CUresult
cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	MOCK_ENTER();
	*can = device < peer;
	return CUDA_SUCCESS;
}

CUresult
cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	const char *name = getenv("MOCK_MACHINE");
	uint64_t machine;

	MOCK_ENTER();
	if (name == NULL)
		name = getenv("CUDADVISE_RUN");
	machine = name != NULL ? mock_hash(name) : (uint64_t)getpid();
	memset(uuid, 0x4d, sizeof(*uuid));
	memcpy(uuid->bytes, &machine, sizeof(machine));
	uuid->bytes[15] = (char)device;
	return CUDA_SUCCESS;
}

/* A Hopper GPU with round numbers. */
static const struct { CUdevice_attribute attribute; int value; } limit[] = {
	{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9 },
	{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0 },
	{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 100 },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048 },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32 },
	{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536 },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448 },
	{ CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1500000 },
	{ CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2500000 },
	{ CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120 },
	{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20 },
	{ CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3 },
};

static int
limit_of(CUdevice_attribute attribute)
{
	size_t i;

	for (i = 0; i < sizeof(limit) / sizeof(*limit); i++)
		if (limit[i].attribute == attribute)
			return limit[i].value;
	return 0;
}

CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
    CUdevice device)
{
	MOCK_ENTER();
	(void)device;
	*value = attribute == CU_DEVICE_ATTRIBUTE_MPS_ENABLED ?
	    (int)mock_env("MOCK_MPS", 0) : limit_of(attribute);
	return CUDA_SUCCESS;
}

/* The current context of this thread; NULL: any. */
static _Thread_local struct mock_context *current;

CUresult
cuCtxPushCurrent(CUcontext context)
{
	struct mock_context *c = (struct mock_context *)context;

	MOCK_ENTER();
	if (c == NULL || c->magic != MOCK_MAGIC)
		return CUDA_ERROR_INVALID_CONTEXT;
	current = c;
	return CUDA_SUCCESS;
}

CUresult
cuCtxPopCurrent(CUcontext *context)
{
	MOCK_ENTER();
	*context = (CUcontext)current;
	current = NULL;
	return CUDA_SUCCESS;
}

static uint64_t
idle_from(struct mock_context *c)
{
	uint64_t until = c->blocked_until;
	size_t i;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < MOCK_STREAMS; i++)
		if (until < c->busy_until[i])
			until = c->busy_until[i];
	pthread_mutex_unlock(&c->lock);
	return until;
}

CUresult
cuCtxSynchronize(void)
{
	struct mock_context *c;
	uint64_t until = 0, from;

	MOCK_ENTER();
	/* In relaxed mode it does not invalidate a capture, as measured on an
	 * H200. */
	if (!mock_relaxed())
		mock_captured(__func__);
	pthread_mutex_lock(&contexts_lock);
	for (c = contexts; c != NULL; c = c->next)
		if ((current == NULL || c == current) &&
		    until < (from = idle_from(c)))
			until = from;
	pthread_mutex_unlock(&contexts_lock);
	mock_wait_until(until);
	/* On a GPU it would read freed memory. */
	if (current != NULL && current->magic != MOCK_MAGIC)
		mock_say("stale", __func__);
	mock_sass_synchronized();
	return CUDA_SUCCESS;
}

static _Atomic bool destroyed[MOCK_NUMBERS];	/* by number of the stream */

CUresult
cuStreamQuery(CUstream stream)
{
	struct mock_context *c;
	uint64_t until = 0, *busy;

	MOCK_ENTER();
	mock_captured(__func__);
	mock_driver_lock(__func__);
	mock_driver_unlock();
	if ((uintptr_t)stream < MOCK_NUMBERS && destroyed[(uintptr_t)stream])
		mock_say("stale", __func__);
	/* Stream handles are numbers: this finds the streams with that number
	 * in all contexts. */
	pthread_mutex_lock(&contexts_lock);
	for (c = contexts; c != NULL; c = c->next) {
		busy = &c->busy_until[(uintptr_t)stream % MOCK_STREAMS];
		pthread_mutex_lock(&c->lock);
		if (until < *busy)
			until = *busy;
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_unlock(&contexts_lock);
	if (until > mock_now())
		return CUDA_ERROR_NOT_READY;
	mock_sass_synchronized();
	return CUDA_SUCCESS;
}

/* The context in which this thread is launching. */
static _Thread_local struct mock_context *launched;

/* The driver loads code lazily: in the launch, or when the function is queried. */
CUresult
cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f)
{
	const struct mock_function *m =
	    (const struct mock_function *)(uintptr_t)f;

	MOCK_ENTER();
	if (launched != NULL)
		mock_module_load(launched);
	*value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? (int)m->regs :
	    attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ?
	    (int)m->smem_static :
	    attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 :
	    attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ?
	    49152 :
	    attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ?
	    -1 : 0;
	return CUDA_SUCCESS;
}

CUresult
cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel k,
    CUdevice device)
{
	MOCK_ENTER();
	(void)device;
	return cuFuncGetAttribute(value, attribute,
	    (CUfunction)(uintptr_t)k);
}

CUresult
cuGetErrorName(CUresult error, const char **text)
{
	*text = error == CUDA_SUCCESS ? "CUDA_SUCCESS" :
	    error == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" :
	    "CUDA_ERROR_UNKNOWN";
	return CUDA_SUCCESS;
}

/* --- CUPTI's queries about contexts ------------------------------------------ */

CUptiResult
cuptiGetContextId(CUcontext context, uint32_t *id)
{
	MOCK_ENTER();
	*id = ((struct mock_context *)context)->id;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiGetDeviceId(CUcontext context, uint32_t *id)
{
	MOCK_ENTER();
	*id = ((struct mock_context *)context)->device;
	return CUPTI_SUCCESS;
}

/* CUPTI's stream ids: 7 is the null stream, others follow. */
static uint32_t
stream_id(uint32_t stream)
{
	return stream == 0 ? 7 : 12 + stream;
}

CUptiResult
cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread,
    uint32_t *id)
{
	(void)context;
	(void)per_thread;
	MOCK_ENTER();
	*id = stream_id((uint32_t)(uintptr_t)stream);
	return CUPTI_SUCCESS;
}

/* --- calls ---------------------------------------------------------------- */

struct call {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId cbid;
	const char *name, *symbol;
	const void *params;
	struct mock_context *context;
	uint32_t correlation;
	uint64_t start_ns;
	uint64_t data;		/* the subscriber's value, kept from enter to exit */
	int result;
};

static void
call_callback(struct call *k, CUpti_ApiCallbackSite site)
{
	CUpti_CallbackData d = { .callbackSite = site,
	    .functionName = k->name, .functionParams = k->params,
	    .functionReturnValue = &k->result, .symbolName = k->symbol,
	    .context = (CUcontext)k->context, .contextUid = k->context->id,
	    .correlationData = &k->data, .correlationId = k->correlation };

	mock_callback(k->domain, k->cbid, &d);
}

static void
call_enter(struct call *k)
{
	k->correlation = __atomic_fetch_add(&mock_correlation, 1,
	    __ATOMIC_RELAXED);
	k->start_ns = mock_now();
	call_callback(k, CUPTI_API_ENTER);
}

static void
call_exit(struct call *k)
{
	CUpti_ActivityAPI r = {
	    .kind = k->domain == CUPTI_CB_DOMAIN_DRIVER_API ?
	    CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME,
	    .cbid = k->cbid, .start = k->start_ns, .correlationId =
	    k->correlation, .returnValue = (uint32_t)k->result };

	call_callback(k, CUPTI_API_EXIT);
	if (!mock_api_on(k->domain, k->cbid))
		return;
	r.end = mock_now();
	r.processId = (uint32_t)getpid();
	r.threadId = (uint32_t)syscall(SYS_gettid);
	mock_emit(&r, sizeof(r));
}

/* Work of ${ns} on a stream: starts when the stream is idle. */
static uint64_t
occupy(struct mock_context *c, uint32_t stream, uint64_t ns)
{
	uint64_t *until = &c->busy_until[stream % MOCK_STREAMS];
	uint64_t start = mock_now() + 2000;

	pthread_mutex_lock(&c->lock);
	if (start < *until)
		start = *until;
	*until = start + ns;
	pthread_mutex_unlock(&c->lock);
	return start;
}

/* Marks this thread as inside a launch, or outside. */
static void
launching(struct mock_context *c, bool on)
{
	pthread_mutex_lock(&c->lock);
	c->launching += on ? 1 : -1u;
	pthread_mutex_unlock(&c->lock);
}

/* A kernel that waits for the host. */
struct mock_delay {
	struct mock_delay *next;
	uint32_t stream;
	CUpti_ActivityKernel10 record;
	bool traced;
};

/* A copy of ${name} that stays, as CUPTI keeps names of unloaded functions. */
static const char *
name_kept(const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char *kept[MOCK_CODES];
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < MOCK_CODES && kept[i] != NULL; i++)
		if (strcmp(kept[i], name) == 0)
			break;
	if (i == MOCK_CODES || (kept[i] == NULL &&
	    (kept[i] = strdup(name)) == NULL))
		abort();
	pthread_mutex_unlock(&lock);
	return kept[i];
}

/* Keeps the record of a kernel that waits for mock_release. */
static void
record_delay(struct mock_context *c, uint32_t stream,
    const CUpti_ActivityKernel10 *r)
{
	struct mock_delay *d = malloc(sizeof(*d));

	if (d == NULL)
		abort();
	d->stream = stream;
	d->record = *r;
	d->traced = mock_kind_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	pthread_mutex_lock(&c->lock);
	d->next = c->delays;
	c->delays = d;
	pthread_mutex_unlock(&c->lock);
}

void
mock_release(struct mock_context *c, uint32_t stream)
{
	uint64_t *until = &c->busy_until[stream % MOCK_STREAMS], now, early;
	struct mock_delay **at = &c->delays, *d;
	size_t i;

	pthread_mutex_lock(&c->lock);
	while ((d = *at) != NULL && d->stream != stream)
		at = &d->next;
	if (d != NULL)
		*at = d->next;
	now = mock_now();
	if (d != NULL && now < d->record.start)
		now = d->record.start + 1000;
	early = d != NULL && d->record.end > now ? d->record.end - now : 0;
	/* What is queued behind it begins earlier. */
	*until -= early;
	if (early > 0)
		c->kernels_until = 0;
	for (i = 0; i < MOCK_STREAMS; i++)
		if (c->kernels_until < c->busy_until[i])
			c->kernels_until = c->busy_until[i];
	pthread_mutex_unlock(&c->lock);
	if (d != NULL) {
		d->record.end -= early;
		d->record.completed = d->record.end;
		if (d->traced)
			mock_emit(&d->record, sizeof(d->record));
	}
	free(d);
}

static void
record_kernel(struct mock_context *c, const struct mock_launch *l,
    uint32_t correlation)
{
	const struct mock_function *f = l->function;
	bool profiled = mock_kernel_profiled(c, f) &&
	    mock_ranges_itself(c);
	uint64_t times = profiled ? 10 : 1;
	CUpti_ActivityKernel10 r = {
	    .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	    .registersPerThread = (uint16_t)f->regs,
	    .deviceId = c->device, .contextId = c->id,
	    .streamId = stream_id(l->stream),
	    .gridX = (int)l->grid[0], .gridY = (int)l->grid[1],
	    .gridZ = (int)l->grid[2], .blockX = (int)l->block[0],
	    .blockY = (int)l->block[1], .blockZ = (int)l->block[2],
	    .staticSharedMemory = (int)f->smem_static,
	    .dynamicSharedMemory = (int)l->smem_dynamic,
	    .sharedMemoryExecuted = 32768, .correlationId = correlation,
	    .name = f->unloads ? name_kept(f->name) : f->name };

	uint64_t ns = f->duration_ns * times + (mock_sass_on(c) ?
	    1000000 * mock_env("MOCK_PATCHED_MS", 0) : 0);

	/* The kernel takes longer if CUPTI serialises or replays it. */
	r.start = occupy(c, l->stream, ns);
	r.end = r.start + ns;
	r.completed = r.end;
	pthread_mutex_lock(&c->lock);
	if (c->kernels_until < r.end)
		c->kernels_until = r.end;
	pthread_mutex_unlock(&c->lock);
	if (profiled)
		mock_wait_until(r.end);
	if (l->delays)
		record_delay(c, l->stream, &r);
	else if (mock_kind_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
		mock_emit(&r, sizeof(r));
}

int
mock_kernel_launch(struct mock_context *c, const struct mock_launch *l)
{
	void *arguments[1] = { NULL };
	cuLaunchKernel_params p = { .f = (CUfunction)(uintptr_t)l->function,
	    .gridDimX = l->grid[0], .gridDimY = l->grid[1],
	    .gridDimZ = l->grid[2], .blockDimX = l->block[0],
	    .blockDimY = l->block[1], .blockDimZ = l->block[2],
	    .sharedMemBytes = l->smem_dynamic,
	    .hStream = (CUstream)(uintptr_t)l->stream,
	    .kernelParams = arguments };
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	    .name = "cuLaunchKernel", .symbol = l->function->name,
	    .params = &p, .context = c };

	launched = c;
	call_enter(&k);
	mock_module_load(c);
	launching(c, true);
	mock_driver_lock(NULL);
	if (l->result == 0) {
		record_kernel(c, l, k.correlation);
		mock_sass_launched(c, l);
		mock_sampling_launched(c, l);
	}
	mock_driver_unlock();
	launching(c, false);
	k.result = l->result;
	call_exit(&k);
	launched = NULL;
	return k.result;
}

void
mock_graph_launch(struct mock_context *c, const struct mock_launch *l, size_t n)
{
	cuGraphLaunch_params p = { .hStream =
	    (CUstream)(uintptr_t)(n > 0 ? l[0].stream : 0) };
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
	    .name = "cuGraphLaunch", .params = &p, .context = c };
	size_t i;

	mock_module_load(c);
	call_enter(&k);
	if (mock_env("MOCK_PEERS_BREAK", 0) > 0 &&
	    mock_kind_on(CUPTI_ACTIVITY_KIND_MEMCPY2))
		abort();
	if (mock_env("MOCK_COPIES_BREAK", 0) > 0 &&
	    (mock_kind_on(CUPTI_ACTIVITY_KIND_MEMCPY) ||
	    mock_kind_on(CUPTI_ACTIVITY_KIND_MEMSET)))
		abort();
	launching(c, true);
	for (i = 0; i < n; i++) {
		record_kernel(c, &l[i], k.correlation);
		mock_sampling_launched(c, &l[i]);
	}
	launching(c, false);
	call_exit(&k);
}

/* Records a copy that takes ${ns}; returns its end. */
static uint64_t
record_copy(struct mock_context *c, const struct mock_copy *copy,
    uint32_t correlation)
{
	int host = copy->pinned ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED :
	    CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
	int device = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	uint64_t ns = 1000 + copy->bytes / (copy->pinned ? 50 : 10);
	CUpti_ActivityMemcpy6 r = { .kind = CUPTI_ACTIVITY_KIND_MEMCPY,
	    .copyKind = (uint8_t)copy->kind, .bytes = copy->bytes,
	    .deviceId = c->device, .contextId = c->id,
	    .streamId = stream_id(copy->stream),
	    .srcKind = (uint8_t)(copy->kind ==
	    CUPTI_ACTIVITY_MEMCPY_KIND_HTOD ? host : device),
	    .dstKind = (uint8_t)(copy->kind ==
	    CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? host : device),
	    .flags = copy->async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0,
	    .correlationId = correlation };

	r.start = occupy(c, copy->stream, ns);
	r.end = r.start + ns;
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_MEMCPY))
		mock_emit(&r, sizeof(r));
	return r.end;
}

void
mock_copy(struct mock_context *c, const struct mock_copy *copy)
{
	/* The parameters of both directions begin with destination and source. */
	cuMemcpyHtoDAsync_v2_params p = { .dstDevice = copy->dst,
	    .srcHost = (const void *)(uintptr_t)copy->src,
	    .ByteCount = copy->bytes,
	    .hStream = (CUstream)(uintptr_t)copy->stream };
	bool down = copy->kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = copy->async ? (down ?
	    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2 :
	    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2) : (down ?
	    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2 :
	    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2),
	    .name = down ? "cuMemcpyDtoH" : "cuMemcpyHtoD", .params = &p,
	    .context = c };
	uint64_t end;

	call_enter(&k);
	end = record_copy(c, copy, k.correlation);
	if (!copy->async)
		mock_wait_until(end);
	call_exit(&k);
}

void
mock_copy_peer(struct mock_context *from, struct mock_context *to,
    uint64_t bytes)
{
	cuMemcpyPeer_params p = { .dstDevice = 0x7e0000000000u,
	    .dstContext = (CUcontext)to, .srcDevice = 0x7d0000000000u,
	    .srcContext = (CUcontext)from, .ByteCount = bytes };
	struct mock_copy half = { .kind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
	    .pinned = true, .bytes = bytes };
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeer,
	    .name = "cuMemcpyPeer", .params = &p, .context = from };

	call_enter(&k);
	mock_wait_until(record_copy(from, &half, k.correlation));
	half.kind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
	mock_wait_until(record_copy(to, &half, k.correlation));
	call_exit(&k);
}

void
mock_enable_peer(struct mock_context *c, struct mock_context *peer,
    bool driver)
{
	cuCtxEnablePeerAccess_params p = { .peerContext = (CUcontext)peer };
	cudaDeviceEnablePeerAccess_v4000_params q = {
	    .peerDevice = (int)peer->device };
	struct call inner = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuCtxEnablePeerAccess,
	    .name = "cuCtxEnablePeerAccess", .params = &p, .context = c };
	struct call outer = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,
	    .cbid = CUPTI_RUNTIME_TRACE_CBID_cudaDeviceEnablePeerAccess_v4000,
	    .name = "cudaDeviceEnablePeerAccess", .params = &q, .context = c };

	if (!driver)
		call_enter(&outer);
	call_enter(&inner);
	call_exit(&inner);
	if (!driver)
		call_exit(&outer);
}

/* A runtime call, which has no record, around a driver call. */
static void
call_nested(struct mock_context *c, CUpti_CallbackId runtime, const char *name,
    CUpti_CallbackId driver, const void *params)
{
	struct call outer = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,
	    .cbid = runtime, .name = name, .context = c };
	struct call inner = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = driver, .name = name, .params = params, .context = c };

	call_enter(&outer);
	call_enter(&inner);
	call_exit(&inner);
	call_exit(&outer);
}

static uint64_t
take_addresses(uint64_t bytes)
{
	return __atomic_fetch_add(&next_address, (bytes + 511) & ~511ull,
	    __ATOMIC_RELAXED);
}

static void
record_managed(struct mock_context *c, int kind, uint64_t value,
    uint64_t address, uint64_t start)
{
	CUpti_ActivityUnifiedMemoryCounter3 r = {
	    .kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
	    .counterKind = (CUpti_ActivityUnifiedMemoryCounterKind)kind,
	    .value = value, .start = start, .end = start + 40000,
	    .address = address, .srcId = c->device, .dstId = c->device,
	    .flags = kind ==
	    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD ?
	    CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE : 0 };

	if (mock_kind_on(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER))
		mock_emit(&r, sizeof(r));
}

void
mock_managed(struct mock_context *c, uint64_t bytes)
{
	CUdeviceptr address = take_addresses(bytes);
	cuMemAllocManaged_params p = { .dptr = &address, .bytesize = bytes };
	uint64_t at, now, until;

	call_nested(c, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000,
	    "cudaMallocManaged", CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &p);
	/* The host writes the memory; meanwhile the client can enable the events. */
	until = mock_now() + 2000000000u;
	while (!mock_kind_on(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) &&
	    mock_now() < until)
		mock_wait_until(mock_now() + 1000000);
	now = mock_now();
	for (at = 0; at < bytes; at += 2u << 20, now += 50000) {
		record_managed(c,
		    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
		    1, address + at, now);
		record_managed(c,
		    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
		    2u << 20, address + at, now + 5000);
		/* The value of this kind of record is a program counter. */
		record_managed(c,
		    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
		    0x55550000, address + at, now);
	}
}

void
mock_host_alloc(struct mock_context *c, uint64_t bytes)
{
	void *address = (void *)(uintptr_t)take_addresses(bytes);
	cuMemHostAlloc_params p = { .pp = &address, .bytesize = bytes };

	call_nested(c, CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020,
	    "cudaHostAlloc", CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc, &p);
}

void
mock_stream_make(struct mock_context *c, bool blocking)
{
	cuStreamCreate_params p = {
	    .Flags = blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING };
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuStreamCreate,
	    .name = "cuStreamCreate", .params = &p, .context = c };

	call_enter(&k);
	call_exit(&k);
}

static void resource(struct mock_context *c, CUpti_CallbackIdResource cbid,
    CUstream stream);

void
mock_stream_destroy(struct mock_context *c, uint32_t stream)
{
	cuStreamDestroy_v2_params p = { .hStream =
	    (CUstream)(uintptr_t)stream };
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2,
	    .name = "cuStreamDestroy_v2", .params = &p, .context = c };

	call_enter(&k);
	resource(c, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, p.hStream);
	destroyed[stream] = true;
	call_exit(&k);
}

struct mock_module *
mock_module_open(struct mock_context *c)
{
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
	    .name = "cuModuleLoadData", .context = c };
	struct mock_module *m;

	call_enter(&k);
	mock_loads(c, true);
	m = mock_module_new(c);
	mock_loads(c, false);
	call_exit(&k);
	return m;
}

void
mock_module_close(struct mock_context *c, struct mock_module *m)
{
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,
	    .name = "cuModuleUnload", .context = c };

	call_enter(&k);
	mock_loads(c, true);
	mock_module_end(c, m);
	mock_loads(c, false);
	call_exit(&k);
}

static void
block(struct mock_context *c, struct call *k, unsigned long ms)
{
	call_enter(k);
	pthread_mutex_lock(&c->lock);
	c->blocked_until = mock_now() + ms * 1000000;
	pthread_mutex_unlock(&c->lock);
	call_exit(k);
}

void
mock_wait_value(struct mock_context *c, unsigned long ms)
{
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32_v2,
	    .name = "cuStreamWaitValue32_v2", .context = c };

	block(c, &k, ms);
}

void
mock_host_function(struct mock_context *c, unsigned long ms)
{
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc,
	    .name = "cuLaunchHostFunc", .context = c };

	block(c, &k, ms);
}

void
mock_capture(struct mock_context *c, uint32_t stream, bool per_thread, bool on)
{
	struct { CUstream stream; } p = { (CUstream)(uintptr_t)stream };
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = on ? (per_thread ?
	    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz :
	    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2) : (per_thread ?
	    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz :
	    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture),
	    .name = on ? "cuStreamBeginCapture_v2" : "cuStreamEndCapture",
	    .params = &p, .context = c };

	call_enter(&k);
	__atomic_add_fetch(&mock_capturing, on ? 1 : -1, __ATOMIC_SEQ_CST);
	call_exit(&k);
}

void
mock_memset(struct mock_context *c, uint32_t stream, uint64_t bytes)
{
	uint64_t ns = 1000 + bytes / 1000;
	struct call k = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,
	    .cbid = CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
	    .name = "cudaMemsetAsync", .context = c };
	CUpti_ActivityMemset4 r = { .kind = CUPTI_ACTIVITY_KIND_MEMSET,
	    .bytes = bytes, .deviceId = c->device, .contextId = c->id,
	    .streamId = stream_id(stream),
	    .flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC,
	    .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE };

	call_enter(&k);
	r.start = occupy(c, stream, ns);
	r.end = r.start + ns;
	r.correlationId = k.correlation;
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_MEMSET))
		mock_emit(&r, sizeof(r));
	call_exit(&k);
}

uint64_t
mock_malloc(struct mock_context *c, uint64_t bytes)
{
	CUdeviceptr address = take_addresses(bytes);
	cuMemAlloc_v2_params p = { .dptr = &address, .bytesize = bytes };

	call_nested(c, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc",
	    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &p);
	return address;
}

void
mock_free(struct mock_context *c, uint64_t address)
{
	cuMemFree_v2_params p = { .dptr = address };

	call_nested(c, CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, "cudaFree",
	    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &p);
}

void
mock_texture(struct mock_context *c, bool hidden)
{
	CUarray array = (CUarray)(uintptr_t)take_addresses(1);
	CUtexObject object = take_addresses(1);
	CUDA_ARRAY_DESCRIPTOR a = { .Width = 64, .Height = 32,
	    .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 };
	cuArrayCreate_v2_params p = { .pHandle = &array, .pAllocateArray = &a };
	cuTexObjectCreate_params q = { .pTexObject = &object };
	cuTexObjectDestroy_params r = { .texObject = object };
	cuArrayDestroy_params s = { .hArray = array };
	const struct {
		CUpti_CallbackId runtime, driver;
		const char *name;
		const void *params;
	} calls[] = {
		{ CUPTI_RUNTIME_TRACE_CBID_cudaMallocArray_v3020,
		    CUPTI_DRIVER_TRACE_CBID_cuArrayCreate_v2,
		    "cudaMallocArray", &p },
		{ CUPTI_RUNTIME_TRACE_CBID_cudaCreateTextureObject_v5000,
		    CUPTI_DRIVER_TRACE_CBID_cuTexObjectCreate,
		    "cudaCreateTextureObject", &q },
		{ CUPTI_RUNTIME_TRACE_CBID_cudaDestroyTextureObject_v5000,
		    CUPTI_DRIVER_TRACE_CBID_cuTexObjectDestroy,
		    "cudaDestroyTextureObject", &r },
		{ CUPTI_RUNTIME_TRACE_CBID_cudaFreeArray_v3020,
		    CUPTI_DRIVER_TRACE_CBID_cuArrayDestroy,
		    "cudaFreeArray", &s },
	};
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct call outer = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,
		    .cbid = calls[i].runtime, .name = calls[i].name,
		    .context = c };

		if (!hidden) {
			call_nested(c, calls[i].runtime, calls[i].name,
			    calls[i].driver, calls[i].params);
			continue;
		}
		call_enter(&outer);
		call_exit(&outer);
	}
}

void
mock_import(struct mock_context *c)
{
	CUdeviceptr address = take_addresses(1);
	cuMemPoolImportPointer_params p = { .ptr_out = &address };
	cuMemFreeAsync_params q = { .dptr = address };

	call_nested(c, CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolImportPointer_v11020,
	    "cudaMemPoolImportPointer",
	    CUPTI_DRIVER_TRACE_CBID_cuMemPoolImportPointer, &p);
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_MEMORY2))
		raise(SIGSEGV);
	call_nested(c, CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020,
	    "cudaFreeAsync", CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, &q);
}

void
mock_stream_synchronize(struct mock_context *c, uint32_t stream)
{
	struct { CUstream stream; } p = { (CUstream)(uintptr_t)stream };
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
	    .name = "cuStreamSynchronize", .params = &p, .context = c };
	uint64_t until;

	call_enter(&k);
	pthread_mutex_lock(&c->lock);
	until = c->busy_until[stream % MOCK_STREAMS];
	pthread_mutex_unlock(&c->lock);
	mock_wait_until(until);
	mock_sass_synchronized();
	call_exit(&k);
}

void
mock_synchronize(struct mock_context *c)
{
	struct call k = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,
	    .cbid = CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
	    .name = "cudaDeviceSynchronize", .context = c };
	CUpti_ActivitySynchronization2 r = {
	    .kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
	    .type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE,
	    .contextId = c->id,
	    .streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE };
	uint64_t until = 0;
	size_t i;

	call_enter(&k);
	r.start = mock_now();
	pthread_mutex_lock(&c->lock);
	for (i = 0; i < MOCK_STREAMS; i++)
		if (c->busy_until[i] > until)
			until = c->busy_until[i];
	pthread_mutex_unlock(&c->lock);
	mock_wait_until(until);
	mock_sass_synchronized();
	r.end = mock_now();
	r.correlationId = k.correlation;
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION))
		mock_emit(&r, sizeof(r));
	call_exit(&k);
}

void
mock_jit(struct mock_context *c, unsigned long ms)
{
	struct call k = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
	    .name = "cuLibraryLoadData", .context = c };
	CUpti_ActivityJit2 r = { .kind = CUPTI_ACTIVITY_KIND_JIT,
	    .jitEntryType = CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN,
	    .jitOperationType = CUPTI_ACTIVITY_JIT_OPERATION_COMPILE,
	    .deviceId = c->device };

	call_enter(&k);
	r.correlationId = k.correlation;
	r.start = mock_now();
	mock_wait_until(r.start + ms * 1000000);
	r.end = mock_now();
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_JIT)) {
		mock_emit(&r, sizeof(r));
		r.jitOperationType = CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE;
		r.start = r.end;
		mock_emit(&r, sizeof(r));
	}
	call_exit(&k);
}

/* --- life --------------------------------------------------------------- */

static void
resource(struct mock_context *c, CUpti_CallbackIdResource cbid,
    CUstream stream)
{
	CUpti_ResourceData d = { .context = (CUcontext)c,
	    .resourceHandle.stream = stream };

	mock_callback(CUPTI_CB_DOMAIN_RESOURCE, cbid, &d);
}

#define LIMIT(name) (uint32_t)limit_of(CU_DEVICE_ATTRIBUTE_##name)

static void
record_device(uint32_t device)
{
	static const char *const name[MOCK_DEVICES] = { "Mock GPU 0",
	    "Mock GPU 1" };
	CUpti_ActivityDevice5 r = { .kind = CUPTI_ACTIVITY_KIND_DEVICE,
	    .id = device, .name = name[device],
	    .computeCapabilityMajor = LIMIT(COMPUTE_CAPABILITY_MAJOR),
	    .computeCapabilityMinor = LIMIT(COMPUTE_CAPABILITY_MINOR),
	    .numMultiprocessors = LIMIT(MULTIPROCESSOR_COUNT),
	    .numThreadsPerWarp = LIMIT(WARP_SIZE),
	    .maxWarpsPerMultiprocessor =
	    LIMIT(MAX_THREADS_PER_MULTIPROCESSOR) / LIMIT(WARP_SIZE),
	    .maxThreadsPerBlock = LIMIT(MAX_THREADS_PER_BLOCK),
	    .maxBlocksPerMultiprocessor = LIMIT(MAX_BLOCKS_PER_MULTIPROCESSOR),
	    .maxRegistersPerMultiprocessor =
	    LIMIT(MAX_REGISTERS_PER_MULTIPROCESSOR),
	    .maxRegistersPerBlock = LIMIT(MAX_REGISTERS_PER_BLOCK),
	    .maxSharedMemoryPerMultiprocessor =
	    LIMIT(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
	    .maxSharedMemoryPerBlock = LIMIT(MAX_SHARED_MEMORY_PER_BLOCK),
	    .coreClockRate = LIMIT(CLOCK_RATE),
	    .l2CacheSize = LIMIT(L2_CACHE_SIZE),
	    .numMemcpyEngines = LIMIT(ASYNC_ENGINE_COUNT),
	    .globalMemoryBandwidth = 3000000000u,	/* kB/s */
	    .globalMemorySize = (uint64_t)80 << 30,
	    .isCudaVisible = device == 0 || mock_env("MOCK_HIDDEN", 0) == 0,
	    .isMigEnabled = (uint8_t)mock_env("MOCK_MIG", 0) };

	cuDeviceGetUuid_v2(&r.uuid, (CUdevice)device);
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_DEVICE))
		mock_emit(&r, sizeof(r));
}

struct mock_context *
mock_context_create(uint32_t device)
{
	struct mock_context *c = calloc(1, sizeof(*c));

	if (c == NULL)
		abort();
	c->magic = MOCK_MAGIC;
	c->id = __atomic_fetch_add(&next_context, 1, __ATOMIC_RELAXED);
	c->device = device;
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_lock(&contexts_lock);
	c->next = contexts;
	contexts = c;
	pthread_mutex_unlock(&contexts_lock);
	record_device(device);
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_CONTEXT)) {
		CUpti_ActivityContext3 r = {
		    .kind = CUPTI_ACTIVITY_KIND_CONTEXT, .contextId = c->id,
		    .deviceId = device, .nullStreamId = 7 };

		mock_emit(&r, sizeof(r));
	}
	resource(c, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, NULL);
	return c;
}

/* The context is not freed: a subscriber may still use the handle as a number. */
void
mock_context_destroy(struct mock_context *c)
{
	resource(c, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
	    NULL);
	mock_module_unload(c);
	mock_sass_gone(c);
	mock_sampling_gone(c);
	c->magic = 0;
}

int
mock_init(const char **why)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	int (*start)(void);
	CUpti_ResourceData d = { 0 };
	void *lib;
	int rc;

	if (path == NULL || *path == '\0')
		return 1;
	if ((lib = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL) {
		*why = dlerror();
		return -1;
	}
	*(void **)&start = dlsym(lib, "InitializeInjection");
	if (start == NULL) {
		*why = "it exports no InitializeInjection";
		return -1;
	}
	rc = start();
	mock_callback(CUPTI_CB_DOMAIN_RESOURCE,
	    CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, &d);
	return rc;
}
