/*
 * cupti_switch.c: CUPTI with switches, for launch_cost.py. CUDADVISE_CUPTI names
 * this library in place of CUPTI. It is linked with CUPTI, where the loader finds
 * every function that it does not define. It remembers what the client subscribes
 * to and enables, and cupti_switch() turns parts of that off and on again while
 * the program runs. So the cost of each part is measured in one process, in turns:
 * neither another process nor a machine that becomes slower makes a difference.
 * cupti_leave() gives up for good what CUPTI keeps however little is on.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cupti.h>
#include <cupti_profiler_target.h>

#define EXPORT __attribute__((visibility("default")))
#define EVENTS_MAX 512
#define KINDS_MAX 32

/* The parts, by bit; the names are those of cupti_switch(). */
enum part {
	KERNELS = 1,		/* records of kernels */
	KINDS = 2,		/* all other records */
	LAUNCHES = 4,		/* callbacks of launches */
	CALLS = 8,		/* callbacks of other driver calls */
	RUNTIME = 16,		/* callbacks of runtime calls */
	RESOURCES = 32,		/* callbacks of contexts, streams and modules */
	WORK = 64,		/* the client gets the callbacks; otherwise they
				 * end here */
	FLUSH = 128,		/* the client's flushes reach CUPTI */
	RECORDS = 256,		/* the client gets the records to decode */
	API = 512,		/* records of launching calls, instead of callbacks */
	ABOVE = 1024,		/* callbacks of the runtime's launching calls,
				 * which the client itself does not enable */
};

static const struct {
	const char *name;
	enum part part;
} names[] = {
	{ "kernels", KERNELS }, { "kinds", KINDS }, { "launches", LAUNCHES },
	{ "calls", CALLS }, { "runtime", RUNTIME }, { "resources", RESOURCES },
	{ "work", WORK }, { "flush", FLUSH }, { "records", RECORDS },
	{ "api", API }, { "above", ABOVE },
};

/* Calls that launch a kernel. */
static const CUpti_CallbackId launches[] = {
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
	CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
};
#define LAUNCH_IDS (sizeof(launches) / sizeof(launches[0]))

static const CUpti_CallbackId above[] = {
	CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
	CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
#if CUPTI_API_VERSION >= 130000
	CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
#endif
};
#define ABOVE_IDS (sizeof(above) / sizeof(above[0]))

static struct {
	CUpti_SubscriberHandle handle;
	CUpti_CallbackFunc f;
	unsigned on;
	struct event {
		CUpti_CallbackDomain domain;
		CUpti_CallbackId id;
		enum part part;
	} event[EVENTS_MAX];
	unsigned events;
	CUpti_ActivityKind kind[KINDS_MAX];
	unsigned kinds;
} state = { .on = KERNELS | KINDS | LAUNCHES | CALLS | RUNTIME | RESOURCES | WORK |
    FLUSH | RECORDS };

/* CUPTI's function of this name, which the one defined here hides. */
static void *
real(const char *name)
{
	static void *lib;

	if (lib == NULL)
		lib = dlopen(CUPTI_NAME, RTLD_NOW | RTLD_NOLOAD);
	return lib != NULL ? dlsym(lib, name) : NULL;
}

#define REAL(name)							\
	static __typeof__(&name) next;					\
	if (next == NULL)						\
		*(void **)&next = real(#name);				\
	if (next == NULL)						\
		return CUPTI_ERROR_NOT_SUPPORTED

static void
on_event(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id,
    const void *data)
{

	if (state.on & WORK)
		state.f(userdata, domain, id, data);
}

EXPORT CUptiResult
cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc f, void *userdata)
{
	CUptiResult r;
	REAL(cuptiSubscribe);

	state.f = f;
	r = next(handle, on_event, userdata);
	state.handle = *handle;
	return r;
}

#if CUPTI_API_VERSION >= 130000
EXPORT CUptiResult
cuptiSubscribe_v2(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc f,
    void *userdata, CUpti_SubscriberParams *params)
{
	CUptiResult r;
	REAL(cuptiSubscribe_v2);

	state.f = f;
	r = next(handle, on_event, userdata, params);
	state.handle = *handle;
	return r;
}
#endif

static enum part
part_of(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	size_t i;

	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
		return RUNTIME;
	if (domain != CUPTI_CB_DOMAIN_DRIVER_API)
		return RESOURCES;
	for (i = 0; i < LAUNCH_IDS; i++)
		if (launches[i] == id)
			return LAUNCHES;
	return CALLS;
}

EXPORT CUptiResult
cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
    CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	REAL(cuptiEnableCallback);

	if (enable && state.events < EVENTS_MAX)
		state.event[state.events++] = (struct event){ domain, id,
		    part_of(domain, id) };
	return next(enable, handle, domain, id);
}

EXPORT CUptiResult
cuptiActivityEnable(CUpti_ActivityKind kind)
{
	REAL(cuptiActivityEnable);

	if (state.kinds < KINDS_MAX)
		state.kind[state.kinds++] = kind;
	return next(kind);
}

EXPORT CUptiResult
cuptiActivityFlushAll(uint32_t flag)
{
	REAL(cuptiActivityFlushAll);

	return state.on & FLUSH ? next(flag) : CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	REAL(cuptiActivityGetNextRecord);

	return state.on & RECORDS ? next(buffer, valid, record) :
	    CUPTI_ERROR_MAX_LIMIT_REACHED;
}

static unsigned
parse(const char *parts)
{
	unsigned on = 0;
	size_t i, n;

	for (; *parts != '\0'; parts += n + (parts[n] == ' ')) {
		n = strcspn(parts, " ");
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i].name) == n &&
			    memcmp(names[i].name, parts, n) == 0)
				on |= (unsigned)names[i].part;
	}
	return on;
}

/* cupti_switch(parts): from now on, of what the client enabled, only ${parts} (names
 * separated by blanks) are on. Returns the number of CUPTI calls that failed; -1 if
 * nothing has subscribed. Not to be called while the program is inside CUDA. */
EXPORT int cupti_switch(const char *parts);

int
cupti_switch(const char *parts)
{
	__typeof__(&cuptiEnableCallback) callback;
	__typeof__(&cuptiActivityEnable) enable, disable;
	__typeof__(&cuptiActivityEnableDriverApi) api;
	unsigned on = parse(parts), changed = on ^ state.on, i;
	enum part part;
	int failed = 0;

	*(void **)&callback = real("cuptiEnableCallback");
	*(void **)&enable = real("cuptiActivityEnable");
	*(void **)&disable = real("cuptiActivityDisable");
	*(void **)&api = real("cuptiActivityEnableDriverApi");
	if (state.handle == NULL || callback == NULL || enable == NULL ||
	    disable == NULL || api == NULL)
		return -1;
	state.on = on;
	for (i = 0; i < state.events; i++)
		if (changed & (unsigned)state.event[i].part)
			failed += callback((on & (unsigned)state.event[i].part) != 0,
			    state.handle, state.event[i].domain,
			    state.event[i].id) != CUPTI_SUCCESS;
	for (i = 0; i < state.kinds; i++) {
		part = state.kind[i] == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ?
		    KERNELS : KINDS;
		if (changed & (unsigned)part)
			failed += (on & (unsigned)part ? enable : disable)(
			    state.kind[i]) != CUPTI_SUCCESS;
	}
	for (i = 0; i < LAUNCH_IDS; i++)
		if (changed & API)
			failed += api(launches[i], (on & API) != 0) !=
			    CUPTI_SUCCESS;
	for (i = 0; i < ABOVE_IDS; i++)
		if (changed & ABOVE)
			failed += callback((on & ABOVE) != 0, state.handle,
			    CUPTI_CB_DOMAIN_RUNTIME_API, above[i]) !=
			    CUPTI_SUCCESS;
	return failed;
}

/* cupti_leave(what): "profiler": the profiler of counters is closed; "cupti": CUPTI is
 * detached from the process. Nothing may be on. Returns CUPTI's status; -1 if it has no
 * such function. */
EXPORT int cupti_leave(const char *what);

int
cupti_leave(const char *what)
{
	CUpti_Profiler_DeInitialize_Params p = {
	    .structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE };
	__typeof__(&cuptiProfilerDeInitialize) close;
	__typeof__(&cuptiFinalize) detach;

	*(void **)&close = real("cuptiProfilerDeInitialize");
	*(void **)&detach = real("cuptiFinalize");
	if (strcmp(what, "profiler") == 0)
		return close != NULL ? (int)close(&p) : -1;
	return detach != NULL ? (int)detach() : -1;
}
