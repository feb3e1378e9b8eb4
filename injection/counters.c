#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire/le.h"

#include "counters.h"
#include "device.h"
#include "diag.h"
#include "emit.h"
#include "inject.h"
#include "metrics.h"
#include "signature.h"

#define CONTEXTS 16
#define STREAMS 64		/* that launched, per process */
#define IDLE_WAIT_NS 2000000000ull	/* for the GPU to drain, at most */
#define OTHER_WAIT_NS 20000000ull	/* of another thread's launch */
#define FINISH_WAIT_NS 1500000000ull	/* for a window that is open at the end */
#define GATE_WAIT_NS 2000000ull		/* for launches under way to return */
#define IDLE_TIMEOUTS 3		/* after that many a context is left alone */
#define ALLOWANCE_NS 2500000000ull	/* set-up and first values, once */
#define TRIES 4			/* windows a signature may use up, per pass */
#define FEW_SIGNATURES 8	/* that get everything at once */
#define SWITCHES 64		/* changes of group a context, at most */

#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }

/* The range profiler of one context. */
struct profiler {
	CUcontext context;
	bool failed;
	CUpti_RangeProfiler_Object *object;
	size_t active;			/* group */
	const struct metrics *metrics;	/* of the active group */
	uint8_t *pristine;		/* an initialised counter-data image */
	uint8_t *image;			/* the one in use */
	size_t size;
	size_t position;		/* the pass that is collected next */
	unsigned timeouts, switches;
	uint32_t misses;		/* launches in a row that lacked nothing
					 * of the active group, but of others */
};

/* Everything below is guarded by the window: whoever holds it. */
static struct {
	_Atomic bool busy;		/* somebody holds the window */
	_Atomic bool open;		/* a launch is being measured */
	_Atomic uint32_t launching;	/* calls between enter and exit */
	_Atomic bool polluted;		/* somebody else launched meanwhile */
	_Atomic bool deferred;		/* the kernel did not end in time */
	bool turning;			/* its pass is there already */
	struct profiler *profiler;
	struct signature *signature;
	CUstream stream;
	struct signature_launch launch;
	struct profiler all[CONTEXTS];
	struct metrics_set set;		/* one chip a process */
	bool initialised;
	_Atomic uint32_t refused;	/* enum wire_skip for all: no counters */
	_Atomic uint64_t spent_ns;
	_Atomic bool over_budget;
	bool metrics_sent;
} win;

static struct {
	pthread_mutex_t lock;
	CUstream captured[STREAMS];
	CUstream launched[STREAMS];
	unsigned launches;
	_Atomic unsigned capturing;
} streams = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool
counters_wanted(const struct signature *s)
{

	return (inject.level >= LEVEL_COUNTERS && s->skip == SKIP_NONE &&
	    !atomic_load_explicit(&s->measured, memory_order_relaxed) &&
	    atomic_load_explicit(&win.refused, memory_order_relaxed) ==
	    SKIP_NONE);
}

static bool
within_budget(uint64_t now)
{
	uint64_t allowed = ALLOWANCE_NS +
	    (uint64_t)(inject.budget * (double)(now - inject.begin_ns));

	if (atomic_load(&win.spent_ns) <= allowed)
		return (true);
	if (!atomic_exchange(&win.over_budget, true))
		diag_report(DIAG_BUDGET, SEVERITY_INFO, 0, "counters",
		    "the overhead budget is used up: kernels that appear from "
		    "here on are measured later or not at all "
		    "(--overhead-budget raises it)");
	return (false);
}

/* Turn counters off for the whole process after a refusal. */
static void
refuse(const char *where, int r)
{
	uint32_t skip = SKIP_FAILED;

	if (r == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
		skip = SKIP_PERMISSION;
	else if (r == CUPTI_ERROR_HARDWARE_BUSY)
		skip = SKIP_BUSY;
	else if (r == CUPTI_ERROR_NOT_SUPPORTED ||
	    r == CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED)
		skip = SKIP_UNSUPPORTED;
	diag_cupti(where, r);
	atomic_store(&win.refused, skip);
}

static void
account(uint64_t begin, enum wire_overhead kind)
{
	struct record_OVERHEAD r = { .kind = kind, .tid = inject_tid(),
	    .start_ns = begin, .end_ns = inject_now() };

	atomic_fetch_add(&win.spent_ns, r.end_ns - begin);
	EMIT(OVERHEAD, &r);
}

static int
prepare_process(uint32_t device)
{
	PARAMS(CUpti_Profiler_Initialize_Params, init);
	PARAMS(CUpti_Profiler_DeviceSupported_Params, sup);
	const char *where = "";
	char chip[64], text[PATH_MAX + 128];
	int r;

	if (win.initialised)
		return (0);
	win.initialised = true;
	if (!inject.api.counters) {
		diag_report(DIAG_CUPTI_VERSION, SEVERITY_WARNING, 0, "counters",
		    "this CUPTI has no range profiler");
		atomic_store(&win.refused, SKIP_UNSUPPORTED);
		return (-1);
	}
	r = (int)inject.api.cuptiProfilerInitialize(&init);
	if (r != CUPTI_SUCCESS) {
		refuse("cuptiProfilerInitialize", r);
		return (-1);
	}
	sup.cuDevice = (CUdevice)device;
	sup.api = CUPTI_PROFILER_RANGE_PROFILING;
	r = (int)inject.api.cuptiProfilerDeviceSupported(&sup);
	if (r != CUPTI_SUCCESS) {
		refuse("cuptiProfilerDeviceSupported", r);
		return (-1);
	}
	if (sup.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
		snprintf(text, sizeof(text), "CUPTI cannot read counters in "
		    "this configuration: %s",
		    sup.architecture != CUPTI_PROFILER_CONFIGURATION_SUPPORTED ?
		    "the GPU is too old" :
		    sup.vGpu != CUPTI_PROFILER_CONFIGURATION_SUPPORTED ?
		    "profiling is off for this virtual GPU" :
		    sup.confidentialCompute !=
		    CUPTI_PROFILER_CONFIGURATION_SUPPORTED ?
		    "confidential computing is on" :
		    sup.wsl != CUPTI_PROFILER_CONFIGURATION_SUPPORTED ?
		    "WSL does not have it" : "reason unknown");
		diag_report(DIAG_UNSUPPORTED_GPU, SEVERITY_WARNING, 0,
		    "counters", text);
		atomic_store(&win.refused, SKIP_UNSUPPORTED);
		return (-1);
	}
	if (device_chip(device, chip, sizeof(chip)) != 0)
		chip[0] = '\0';
	r = metrics_load(&win.set, &inject.api, inject.metrics, chip,
	    &where);
	if (r == -1) {
		snprintf(text, sizeof(text), "there is no list of counters for "
		    "chip '%s' (%s/<chip>.metrics)", chip, inject.metrics);
		diag_report(DIAG_NO_METRICS, SEVERITY_WARNING, 0, "counters",
		    text);
		atomic_store(&win.refused, SKIP_UNSUPPORTED);
		return (-1);
	}
	if (r != CUPTI_SUCCESS) {
		refuse(where, r);
		return (-1);
	}
	return (0);
}

/* Set the profiler of ${p}->context up for its active group. */
static int
profiler_enable(struct profiler *p)
{
	PARAMS(CUpti_RangeProfiler_Enable_Params, e);
	PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, s);
	PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, i);
	const char *where = "cuptiRangeProfilerEnable";
	int r;

	p->metrics = &win.set.group[p->active];
	p->position = 0;
	e.ctx = p->context;
	if ((r = (int)inject.api.cuptiRangeProfilerEnable(&e)) !=
	    CUPTI_SUCCESS)
		goto fail;
	p->object = e.pRangeProfilerObject;
	where = "cuptiRangeProfilerGetCounterDataSize";
	s.pRangeProfilerObject = p->object;
	s.pMetricNames = (const char **)(uintptr_t)p->metrics->name;
	s.numMetrics = p->metrics->count;
	s.maxNumOfRanges = 1;
	s.maxNumRangeTreeNodes = 1;
	if ((r = (int)inject.api.cuptiRangeProfilerGetCounterDataSize(&s)) !=
	    CUPTI_SUCCESS)
		goto fail;
	free(p->pristine);
	free(p->image);
	p->size = s.counterDataSize;
	p->pristine = malloc(p->size);
	p->image = malloc(p->size);
	r = CUPTI_ERROR_OUT_OF_MEMORY;
	if (p->pristine == NULL || p->image == NULL)
		goto fail;
	/* It belongs to the latest size query: an image of another size would
	 * be refused. */
	where = "cuptiRangeProfilerCounterDataImageInitialize";
	i.pRangeProfilerObject = p->object;
	i.counterDataSize = p->size;
	i.pCounterData = p->pristine;
	if ((r = (int)inject.api.cuptiRangeProfilerCounterDataImageInitialize(
	    &i)) != CUPTI_SUCCESS)
		goto fail;
	return (0);

fail:
	p->failed = true;
	refuse(where, r);
	return (-1);
}

/* The first configuration of an object sticks: another group needs another. */
static int
profiler_switch(struct profiler *p, size_t group)
{
	PARAMS(CUpti_RangeProfiler_Disable_Params, d);
	uint64_t begin = inject_now();
	int r;

	d.pRangeProfilerObject = p->object;
	if ((r = (int)inject.api.cuptiRangeProfilerDisable(&d)) !=
	    CUPTI_SUCCESS) {
		p->failed = true;
		refuse("cuptiRangeProfilerDisable", r);
		return (-1);
	}
	p->object = NULL;
	p->active = group;
	p->switches++;
	p->misses = 0;
	r = profiler_enable(p);
	account(begin, OVERHEAD_COUNTERS);
	return (r);
}

static struct profiler *
profiler_of(CUcontext context, uint32_t device)
{
	struct profiler *free_one = NULL;
	unsigned i;

	for (i = 0; i < CONTEXTS; i++) {
		if (win.all[i].context == context)
			return (win.all[i].failed ? NULL : &win.all[i]);
		if (win.all[i].context == NULL && free_one == NULL)
			free_one = &win.all[i];
	}
	if (free_one == NULL || prepare_process(device) != 0)
		return (NULL);
	memset(free_one, 0, sizeof(*free_one));
	free_one->context = context;
	return (profiler_enable(free_one) == 0 ? free_one : NULL);
}

/* A group in one pass is collected in a range as tight as the kernel. Passes
 * can only be added up in ranges with a name, which include the launch. */
static bool
auto_range(const struct profiler *p)
{

	return (inject.replay || p->metrics->passes == 1);
}

static int
profiler_start(struct profiler *p)
{
	PARAMS(CUpti_RangeProfiler_SetConfig_Params, c);
	PARAMS(CUpti_RangeProfiler_Start_Params, s);
	PARAMS(CUpti_RangeProfiler_PushRange_Params, u);
	int r;

	c.pRangeProfilerObject = p->object;
	c.configSize = p->metrics->config_size;
	c.pConfig = p->metrics->config;
	c.counterDataImageSize = p->size;
	c.pCounterDataImage = p->image;
	c.range = auto_range(p) ? CUPTI_AutoRange : CUPTI_UserRange;
	c.replayMode = inject.replay ? CUPTI_KernelReplay : CUPTI_UserReplay;
	c.maxRangesPerPass = 1;
	c.numNestingLevels = 1;
	c.minNestingLevel = 1;
	c.passIndex = p->position;
	c.targetNestingLevel = 1;
	if ((r = (int)inject.api.cuptiRangeProfilerSetConfig(&c)) !=
	    CUPTI_SUCCESS) {
		refuse("cuptiRangeProfilerSetConfig", r);
		return (-1);
	}
	s.pRangeProfilerObject = p->object;
	if ((r = (int)inject.api.cuptiRangeProfilerStart(&s)) !=
	    CUPTI_SUCCESS) {
		refuse("cuptiRangeProfilerStart", r);
		return (-1);
	}
	if (auto_range(p))
		return (0);
	u.pRangeProfilerObject = p->object;
	u.pRangeName = "k";
	if ((r = (int)inject.api.cuptiRangeProfilerPushRange(&u)) !=
	    CUPTI_SUCCESS) {
		refuse("cuptiRangeProfilerPushRange", r);
		return (-1);
	}
	return (0);
}

/* End the window in CUPTI. 0 if the pass is in the image. */
static int
profiler_stop(struct profiler *p)
{
	PARAMS(CUpti_RangeProfiler_PopRange_Params, o);
	PARAMS(CUpti_RangeProfiler_Stop_Params, s);
	PARAMS(CUpti_RangeProfiler_DecodeData_Params, d);
	const char *where = "cuptiRangeProfilerPopRange";
	int r = CUPTI_SUCCESS, stopped;

	o.pRangeProfilerObject = p->object;
	if (!auto_range(p))
		r = (int)inject.api.cuptiRangeProfilerPopRange(&o);
	s.pRangeProfilerObject = p->object;
	stopped = (int)inject.api.cuptiRangeProfilerStop(&s);
	if (r == CUPTI_SUCCESS && stopped != CUPTI_SUCCESS) {
		where = "cuptiRangeProfilerStop";
		r = stopped;
	}
	if (stopped == CUPTI_SUCCESS)
		p->position = s.passIndex % p->metrics->passes;
	if (r == CUPTI_SUCCESS) {
		where = "cuptiRangeProfilerDecodeData";
		d.pRangeProfilerObject = p->object;
		r = (int)inject.api.cuptiRangeProfilerDecodeData(&d);
	}
	if (r != CUPTI_SUCCESS) {
		refuse(where, r);
		return (-1);
	}
	return (d.numOfRangeDropped == 0 ? 0 : 1);
}

static void
remember_stream(CUstream stream)
{
	unsigned i;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.launches; i++)
		if (streams.launched[i] == stream)
			break;
	if (i == streams.launches && i < STREAMS)
		streams.launched[streams.launches++] = stream;
	pthread_mutex_unlock(&streams.lock);
}

/* Wait until every stream that launched is idle; false after a while: a kernel
 * may be waiting for one that was not launched yet. */
static bool
wait_idle(void)
{
	struct timespec nap = { 0, 20000 };
	CUstream copy[STREAMS];
	uint64_t begin = inject_now();
	unsigned i, n;
	CUresult r;

	if (inject.api.cuStreamQuery == NULL)
		return (true);
	pthread_mutex_lock(&streams.lock);
	n = streams.launches;
	memcpy(copy, streams.launched, n * sizeof(*copy));
	pthread_mutex_unlock(&streams.lock);
	for (i = 0; i < n; i++)
		while ((r = inject.api.cuStreamQuery(copy[i])) ==
		    CUDA_ERROR_NOT_READY) {
			if (inject_now() - begin > IDLE_WAIT_NS)
				return (false);
			nanosleep(&nap, NULL);
		}
	return (true);
}

/* The groups that ${s} should have: the expensive first one only where there
 * are few kernels or this one matters. */
static uint32_t
groups_needed(const struct signature *s)
{
	uint32_t all = (1u << win.set.groups) - 1;

	if (win.set.groups > 1 && s->id > FEW_SIGNATURES &&
	    !atomic_load(&s->matters))
		return (all & ~1u);
	return (all);
}

/*
 * Make the right group active for a launch of ${s}. False if this launch is not
 * to be measured.
 */
static bool
choose_group(struct profiler *p, const struct signature *s)
{
	size_t i, g, n = win.set.groups;
	uint32_t patience = signature_count() + 1;
	uint32_t lacks = groups_needed(s) & ~s->groups;

	/* A kernel that may never be seen again should have its headline. */
	if (s->groups == 0 && (lacks & 1) && p->active != 0 &&
	    p->switches < SWITCHES)
		return (profiler_switch(p, 0) == 0);
	if (lacks & 1u << p->active) {
		p->misses = 0;
		return (true);
	}
	/* Others may still lack what is active: wait for one round of them. */
	if (lacks == 0 || ++p->misses < (patience < 256 ? patience : 256) ||
	    p->switches >= SWITCHES)
		return (false);
	for (i = 1; i < n; i++) {
		g = (p->active + i) % n;
		if (lacks & 1u << g)
			return (profiler_switch(p, g) == 0);
	}
	return (false);
}

/* What an activity record would have said of the function. */
static void
learn_resources(struct signature *s, const void *function)
{
	static const CUfunction_attribute want[] = {
		CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
		CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES };
	int v[3], i;

	if (s->resources.known || atomic_load(&s->announced))
		return;
	for (i = 0; i < 3; i++) {
		/* A launch may be given a CUkernel in place of a CUfunction. */
		if ((inject.api.cuFuncGetAttribute == NULL ||
		    inject.api.cuFuncGetAttribute(&v[i], want[i],
		    (CUfunction)(uintptr_t)function) != CUDA_SUCCESS) &&
		    (inject.api.cuKernelGetAttribute == NULL ||
		    inject.api.cuKernelGetAttribute(&v[i], want[i],
		    (CUkernel)(uintptr_t)function,
		    (CUdevice)s->shape.device) != CUDA_SUCCESS))
			return;
		if (v[i] < 0)
			return;
	}
	s->resources.regs = (uint32_t)v[0];
	s->resources.smem_static = (uint32_t)v[1];
	s->resources.local_per_thread = (uint32_t)v[2];
	s->resources.known = true;
}

static void
tracing(bool on)
{

	if (on)
		inject.api.cuptiActivityEnable(
		    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	else
		inject.api.cuptiActivityDisable(
		    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

static void
window_release(void)
{

	atomic_store(&win.open, false);
	atomic_store(&win.deferred, false);
	atomic_store(&win.busy, false);
}

static void window_close(bool good);

/* A kernel that did not end within the bound may have ended by now. */
static void
close_deferred(void)
{

	if (!atomic_load(&win.deferred) ||
	    !atomic_exchange(&win.deferred, false))
		return;
	if (inject.api.cuStreamQuery(win.stream) == CUDA_ERROR_NOT_READY) {
		atomic_store(&win.deferred, true);
		return;
	}
	window_close(false);
}

/* The GPU has to be empty, or others' work would be counted. */
static bool
drain(struct profiler *p, uint64_t begin)
{

	if (wait_idle())
		return (inject.api.cuCtxSynchronize == NULL ||
		    inject.api.cuCtxSynchronize() == CUDA_SUCCESS);
	if (++p->timeouts >= IDLE_TIMEOUTS) {
		p->failed = true;
		diag_report(DIAG_COUNTER_FAILED, SEVERITY_WARNING, 0,
		    "counters", "kernels of this program wait for each other "
		    "across streams: they cannot be measured one at a time and "
		    "are left alone");
		atomic_store(&win.refused, SKIP_CONCURRENT);
	}
	account(begin, OVERHEAD_COUNTERS);
	return (false);
}

static void
describe_launch(const struct counters_launch *l, uint64_t now)
{
	uint32_t stream = 0;

	if (inject.api.cuptiGetStreamIdEx != NULL &&
	    inject.api.cuptiGetStreamIdEx(l->data->context, l->stream, 0,
	    &stream) != CUPTI_SUCCESS)
		stream = 0;
	win.launch = (struct signature_launch){ .launch_ns = now,
	    .context = l->data->contextUid, .stream = stream,
	    .correlation = l->data->correlationId, .tid = inject_tid() };
}

static _Thread_local uint32_t launching_here;

/*
 * Others wait from here on; who was past the gate already has to be back and
 * the GPU empty again before tracing may stop, or their kernels would be
 * neither traced nor counted as lost.
 */
static bool
gate_close(void)
{
	struct timespec nap = { 0, 5000 };
	uint64_t begin = inject_now();

	atomic_store(&win.polluted, false);
	atomic_store(&win.open, true);
	while (atomic_load(&win.launching) > launching_here) {
		if (inject_now() - begin > GATE_WAIT_NS)
			return (false);
		nanosleep(&nap, NULL);
	}
	return (wait_idle());
}

static void resume_passes(struct profiler *p, struct signature *s);

bool
counters_enter(struct signature *s, const struct counters_launch *l)
{
	uint64_t begin = inject_now();
	struct profiler *p;
	bool first;

	close_deferred();
	remember_stream(l->stream);
	if (atomic_load(&streams.capturing) > 0 || !within_budget(begin) ||
	    atomic_exchange(&win.busy, true))
		return (false);
	first = !win.initialised;
	p = profiler_of(l->data->context, s->shape.device);
	if (first)
		account(begin, OVERHEAD_SETUP);
	if (p == NULL || !choose_group(p, s) || !drain(p, begin))
		goto release;
	/* What was queued had to run anyhow: our cost begins behind it. */
	begin = inject_now();
	learn_resources(s, l->function);
	if (!gate_close()) {
		atomic_store(&win.open, false);
		account(begin, OVERHEAD_COUNTERS);
		goto release;
	}
	resume_passes(p, s);
	tracing(false);
	if (profiler_start(p) != 0) {
		tracing(true);
		atomic_store(&win.open, false);
		goto release;
	}
	win.profiler = p;
	win.signature = s;
	win.stream = l->stream;
	account(begin, OVERHEAD_COUNTERS);
	s->cost_ns += inject_now() - begin;
	describe_launch(l, inject_now());
	return (true);

release:
	atomic_store(&win.busy, false);
	return (false);
}

void
counters_launch_begin(void)
{
	struct timespec nap = { 0, 50000 };
	uint64_t begin = 0;

	launching_here++;
	for (;;) {
		atomic_fetch_add(&win.launching, 1);
		if (!atomic_load(&win.open))
			return;
		/* A window lasts 3 ms: let it pass, so that this launch is
		 * traced and that one counted alone. But not for long: it may
		 * wait for us. */
		if (begin == 0)
			begin = inject_now();
		if (atomic_load(&win.deferred) ||
		    inject_now() - begin >= OTHER_WAIT_NS)
			break;
		atomic_fetch_sub(&win.launching, 1);
		nanosleep(&nap, NULL);
	}
	if (atomic_load(&win.open)) {
		atomic_store(&win.polluted, true);
		if (!atomic_load(&win.deferred))
			emit_lost(LOSS_CUPTI, 1);
	}
}

void
counters_launch_end(void)
{

	/* An exit without its enter: the call was under way when we came. */
	if (launching_here == 0)
		return;
	launching_here--;
	atomic_fetch_sub(&win.launching, 1);
}

/* The values of the active group into the signature's. */
static void
evaluate(struct profiler *p, struct signature *s)
{
	const struct metrics *m = p->metrics;
	double value[METRICS_MAX];
	size_t i;
	int r;

	if (s->value == NULL) {
		if ((s->value = malloc(win.set.count * sizeof(*s->value))) ==
		    NULL)
			return;
		for (i = 0; i < win.set.count; i++)
			s->value[i] = NAN;
	}
	if ((r = metrics_evaluate(m, &inject.api, p->image, p->size, value)) !=
	    CUPTI_SUCCESS) {
		refuse("cuptiProfilerHostEvaluateToGpuValues", r);
		return;
	}
	memcpy(s->value + m->first, value, m->count * sizeof(*value));
	s->groups |= 1u << p->active;
	s->complete = s->groups == (1u << win.set.groups) - 1;
	if ((groups_needed(s) & ~s->groups) == 0)
		atomic_store(&s->measured, true);
	s->passes = 0;
	atomic_store(&s->dirty, true);
}

/* One more pass of the active group is in the image. */
static void
take_pass(struct profiler *p, struct signature *s, size_t pass)
{
	size_t n = p->metrics->passes;

	s->windows++;
	s->passes |= 1u << pass;
	if (inject.replay || n == 1 ||
	    s->passes == (uint32_t)((1ull << n) - 1)) {
		evaluate(p, s);
		return;
	}
	/* Images differ in size from group to group. */
	free(s->image);
	if ((s->image = malloc(p->size)) != NULL)
		memcpy(s->image, p->image, p->size);
	else
		s->passes = 0;
}

/*
 * The passes that ${s} has so far, if they are of the active group. Where the
 * profiler stands at one of them, the window only turns it on to the next: the
 * same pass twice would add up.
 */
static void
resume_passes(struct profiler *p, struct signature *s)
{

	if (s->passes_group != p->active)
		s->passes = 0;
	s->passes_group = p->active;
	win.turning = (s->passes & 1u << p->position) != 0;
	memcpy(p->image, s->passes != 0 && !win.turning ? s->image :
	    p->pristine, p->size);
}

/* Kernel tracing was off: the window knows best when the kernel ran. */
static void
keep_launch(struct signature *s, uint64_t end)
{
	struct signature_launch *l = &win.launch;
	uint64_t duration = 0;

	if (s->value != NULL && s->value[0] > 0)
		duration = (uint64_t)s->value[0];	/* gpu__time_duration */
	l->end_ns = end;
	l->start_ns = end - duration;
	if (duration == 0 || l->start_ns < l->launch_ns)
		l->start_ns = l->launch_ns;
	if (s->launch == NULL)
		s->launch = calloc(SIGNATURE_UNTRACED, sizeof(*s->launch));
	if (s->launch != NULL && s->untraced < SIGNATURE_UNTRACED)
		s->launch[s->untraced++] = *l;
	else
		emit_lost(LOSS_TABLE, 1);
	atomic_store(&s->dirty, true);
}

static void
window_close(bool good)
{
	struct profiler *p = win.profiler;
	struct signature *s = win.signature;
	uint64_t end = inject_now();
	size_t pass = p->position;
	int r;

	r = profiler_stop(p);
	tracing(true);
	if (r == 0 && good && !win.turning && !atomic_load(&win.polluted))
		take_pass(p, s, pass);
	if (good)
		keep_launch(s, end);
	s->cost_ns += inject_now() - end;
	if (++s->tries > win.set.groups * TRIES)
		atomic_store(&s->measured, true);
	account(end, OVERHEAD_COUNTERS);
	window_release();
}

void
counters_exit(struct signature *s, bool launched)
{
	struct timespec nap = { 0, 10000 };
	uint64_t begin = inject_now();

	if (win.signature != s)
		return;
	while (launched && inject.api.cuStreamQuery != NULL &&
	    inject.api.cuStreamQuery(win.stream) == CUDA_ERROR_NOT_READY) {
		if (inject_now() - begin > IDLE_WAIT_NS) {
			/* Perhaps it waits for the host: let the program go on
			 * and close the window when the kernel has ended. */
			tracing(true);
			atomic_store(&s->measured, true);
			atomic_store(&win.polluted, true);
			atomic_store(&win.deferred, true);
			return;
		}
		if (inject_now() - begin > 200000)
			nanosleep(&nap, NULL);
	}
	window_close(launched);
}

void
counters_capture(CUstream stream, bool on)
{
	unsigned i, n = 0;
	bool found = false;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < STREAMS && !found; i++)
		if (streams.captured[i] == (on ? NULL : stream)) {
			streams.captured[i] = on ? stream : NULL;
			found = true;
		}
	for (i = 0; i < STREAMS; i++)
		n += streams.captured[i] != NULL;
	atomic_store(&streams.capturing, n);
	pthread_mutex_unlock(&streams.lock);
}

void
counters_stream_gone(CUstream stream)
{
	unsigned i;

	counters_capture(stream, false);
	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.launches; i++)
		if (streams.launched[i] == stream) {
			streams.launched[i] =
			    streams.launched[--streams.launches];
			break;
		}
	pthread_mutex_unlock(&streams.lock);
}

void
counters_context_gone(CUcontext context)
{
	PARAMS(CUpti_RangeProfiler_Disable_Params, d);
	unsigned i;

	close_deferred();
	if (atomic_exchange(&win.busy, true))
		return;
	for (i = 0; i < CONTEXTS; i++) {
		struct profiler *p = &win.all[i];

		if (p->context != context)
			continue;
		d.pRangeProfilerObject = p->object;
		if (p->object != NULL)
			inject.api.cuptiRangeProfilerDisable(&d);
		free(p->pristine);
		free(p->image);
		memset(p, 0, sizeof(*p));
	}
	pthread_mutex_lock(&streams.lock);
	streams.launches = 0;
	pthread_mutex_unlock(&streams.lock);
	atomic_store(&win.busy, false);
}

static void
send_metrics(void)
{
	struct record_METRIC r = { 0 };
	uint32_t i;

	const struct metrics *g;

	for (g = win.set.group; g < win.set.group + win.set.groups; g++)
		for (i = 0; i < g->count; i++) {
			r.id = (uint32_t)(g->first + i + 1);
			r.pass = (uint32_t)(g - win.set.group);
			r.name = wire_str_of(g->name[i]);
			EMIT(METRIC, &r);
		}
	win.metrics_sent = true;
}

static void
send_values(struct signature *s)
{
	uint8_t blob[METRICS_MAX * 16];
	size_t i, n = 0;
	uint64_t bits;
	struct record_COUNTERS r = { .signature = s->id,
	    .mode = inject.replay ? MODE_REPLAY : s->windows == 1 ?
	    MODE_SINGLE_PASS : MODE_SPREAD, .launches = s->windows,
	    .complete = s->complete, .cost_ns = s->cost_ns };

	for (i = 0; i < win.set.count; i++) {
		if (isnan(s->value[i]) || (win.set.twin[i] < i &&
		    !isnan(s->value[win.set.twin[i]])))
			continue;
		le32_put(blob + n, (uint32_t)i + 1);
		le32_put(blob + n + 4, 0);
		memcpy(&bits, &s->value[i], sizeof(bits));
		le64_put(blob + n + 8, bits);
		n += 16;
	}
	r.values.p = blob;
	r.values.len = (uint32_t)n;
	EMIT(COUNTERS, &r);
}

static void
send_launches(struct signature *s)
{
	uint32_t i;

	for (i = 0; i < s->untraced; i++) {
		struct signature_launch *l = &s->launch[i];
		struct record_KERNEL r = { .signature = s->id,
		    .context = l->context, .stream = l->stream,
		    .correlation = l->correlation, .start_ns = l->start_ns,
		    .end_ns = l->end_ns, .launch_ns = l->launch_ns,
		    .tid = l->tid, .flags = KERNEL_PROFILED };

		EMIT(KERNEL, &r);
	}
	s->untraced = 0;
}

static void
send_one(struct signature *s)
{

	/* Until an activity record has described it, unless none will come. */
	if (!atomic_load(&s->dirty) || (!atomic_load(&s->announced) &&
	    !s->resources.known))
		return;
	atomic_store(&s->dirty, false);
	if (!atomic_load(&s->announced))
		signature_announce(s, NULL);
	send_launches(s);
	if (s->value == NULL)
		return;
	if (!win.metrics_sent)
		send_metrics();
	send_values(s);
}

/* Why values are missing. */
static void
send_rest(struct signature *s)
{
	struct record_SKIPPED r = { .signature = s->id, .reason = s->skip };

	if (!atomic_load(&s->announced) && s->untraced > 0)
		signature_announce(s, NULL);
	send_launches(s);
	if (!atomic_load(&s->announced) || s->complete ||
	    inject.level < LEVEL_COUNTERS)
		return;
	if (r.reason == SKIP_NONE)
		r.reason = atomic_load(&win.refused);
	if (r.reason == SKIP_NONE)
		r.reason = atomic_load(&s->launches) == 0 ? SKIP_GRAPH :
		    (groups_needed(s) & ~s->groups) == 0 ? SKIP_MINOR :
		    atomic_load(&win.over_budget) ? SKIP_BUDGET :
		    SKIP_TOO_FEW_LAUNCHES;
	EMIT(SKIPPED, &r);
}

void
counters_finish(void)
{
	struct timespec nap = { 0, 1000000 };
	uint64_t begin = inject_now();

	while (atomic_load(&win.busy) && !atomic_load(&win.deferred) &&
	    inject_now() - begin < FINISH_WAIT_NS)
		nanosleep(&nap, NULL);
}

void
counters_send(bool final)
{

	/* Values change inside a window only; take it, or come back later. */
	if (atomic_exchange(&win.busy, true)) {
		if (!final)
			return;
	}
	signature_each(send_one);
	if (final)
		signature_each(send_rest);
	else
		atomic_store(&win.busy, false);
}
