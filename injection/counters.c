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
#define IDLE_TIMEOUTS 3		/* after that many a context is left alone */
#define ALLOWANCE_NS 2500000000ull	/* set-up and first values, once */
#define WINDOWS_PER_PASS 4	/* windows a signature may use up per pass */
#define PATIENCE 3		/* launches to wait for the right pass */

#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }

/* The range profiler of one context. */
struct profiler {
	CUcontext context;
	bool failed;
	uint32_t skip;			/* enum wire_skip when failed */
	CUpti_RangeProfiler_Object *object;
	struct metrics *metrics;
	uint8_t *pristine;		/* an initialised counter-data image */
	uint8_t *scratch;		/* for turning round, and to undo */
	size_t size;
	size_t position;		/* the pass that is collected next */
	unsigned timeouts;
};

/* Everything below is guarded by the window: whoever holds it. */
static struct {
	_Atomic bool busy;		/* somebody holds the window */
	_Atomic bool open;		/* a launch is being measured */
	_Atomic bool polluted;		/* somebody else launched meanwhile */
	_Atomic bool deferred;		/* the kernel did not end in time */
	struct profiler *profiler;
	struct signature *signature;
	CUstream stream;
	uint64_t begin_ns;
	struct profiler all[CONTEXTS];
	struct metrics metrics;		/* of the first device; one chip a run */
	bool initialised;
	_Atomic uint32_t refused;	/* enum wire_skip for all: no counters */
	_Atomic uint64_t spent_ns;
	_Atomic bool over_budget;
	size_t headline;		/* pass with the headline metrics */
	bool headline_known;
	size_t size;			/* of every counter-data image */
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
	r = metrics_load(&win.metrics, &inject.api, inject.metrics, chip,
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
	if (win.metrics.passes == 0 || win.metrics.passes > 32) {
		diag_report(DIAG_COUNTER_FAILED, SEVERITY_WARNING, 0,
		    "counters", "the list of counters needs more than 32 "
		    "passes");
		atomic_store(&win.refused, SKIP_FAILED);
		return (-1);
	}
	return (0);
}

static int
profiler_enable(struct profiler *p)
{
	PARAMS(CUpti_RangeProfiler_Enable_Params, e);
	PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, s);
	PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, i);
	const char *where = "cuptiRangeProfilerEnable";
	int r;

	p->metrics = &win.metrics;
	e.ctx = p->context;
	if ((r = (int)inject.api.cuptiRangeProfilerEnable(&e)) !=
	    CUPTI_SUCCESS)
		goto fail;
	p->object = e.pRangeProfilerObject;
	where = "cuptiRangeProfilerGetCounterDataSize";
	s.pRangeProfilerObject = p->object;
	s.pMetricNames = p->metrics->name;
	s.numMetrics = p->metrics->count;
	s.maxNumOfRanges = 1;
	s.maxNumRangeTreeNodes = 1;
	if ((r = (int)inject.api.cuptiRangeProfilerGetCounterDataSize(&s)) !=
	    CUPTI_SUCCESS)
		goto fail;
	p->size = win.size = s.counterDataSize;
	p->pristine = malloc(p->size);
	p->scratch = malloc(p->size);
	r = CUPTI_ERROR_OUT_OF_MEMORY;
	if (p->pristine == NULL || p->scratch == NULL)
		goto fail;
	/* Once: a later call for an image of another size would fail. */
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

static int
profiler_start(struct profiler *p, uint8_t *image)
{
	PARAMS(CUpti_RangeProfiler_SetConfig_Params, c);
	PARAMS(CUpti_RangeProfiler_Start_Params, s);
	PARAMS(CUpti_RangeProfiler_PushRange_Params, u);
	int r;

	c.pRangeProfilerObject = p->object;
	c.configSize = p->metrics->config_size;
	c.pConfig = p->metrics->config;
	c.counterDataImageSize = p->size;
	c.pCounterDataImage = image;
	c.range = inject.replay ? CUPTI_AutoRange : CUPTI_UserRange;
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
	if (inject.replay)
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
	if (!inject.replay)
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

/* Move the profiler on to ${pass} with empty windows. */
static int
profiler_turn(struct profiler *p, size_t pass)
{
	size_t i;

	for (i = 0; p->position != pass && i < p->metrics->passes; i++) {
		memcpy(p->scratch, p->pristine, p->size);
		if (profiler_start(p, p->scratch) != 0 ||
		    profiler_stop(p) < 0)
			return (-1);
	}
	return (p->position == pass ? 0 : -1);
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

/* The pass this launch should take, or -1 for none now. */
static int
choose_pass(struct profiler *p, struct signature *s)
{
	size_t i, n = p->metrics->passes;

	if (inject.replay)
		return ((int)p->position);
	/* A kernel that is never seen again should have its headline. */
	if (s->passes == 0 && win.headline_known)
		return ((int)win.headline);
	if (!(s->passes & 1u << p->position))
		return ((int)p->position);
	/* Its passes may come round by themselves; else go and get them. */
	if (atomic_load(&s->launches) % PATIENCE != 0)
		return (-1);
	for (i = 1; i < n; i++)
		if (!(s->passes & 1u << ((p->position + i) % n)))
			return ((int)((p->position + i) % n));
	return (-1);
}

static void
window_release(void)
{

	atomic_store(&win.open, false);
	atomic_store(&win.deferred, false);
	atomic_store(&win.busy, false);
}

static void
account(uint64_t begin, enum wire_overhead kind)
{
	struct record_OVERHEAD r = { .kind = kind, .tid = inject_tid(),
	    .start_ns = begin, .end_ns = inject_now() };

	atomic_fetch_add(&win.spent_ns, r.end_ns - begin);
	EMIT(OVERHEAD, &r);
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

bool
counters_enter(struct signature *s, CUcontext context, CUstream stream)
{
	uint64_t begin = inject_now();
	struct profiler *p;
	bool first;
	int pass;

	close_deferred();
	remember_stream(stream);
	if (atomic_load(&streams.capturing) > 0 || !within_budget(begin) ||
	    atomic_exchange(&win.busy, true))
		return (false);
	first = !win.initialised;
	if ((p = profiler_of(context, s->shape.device)) == NULL) {
		if (first)
			account(begin, OVERHEAD_SETUP);
		goto release;
	}
	if ((pass = choose_pass(p, s)) < 0)
		goto release;
	if (s->image == NULL) {
		if ((s->image = malloc(p->size)) == NULL)
			goto release;
		memcpy(s->image, p->pristine, p->size);
	}
	if (!wait_idle()) {
		if (++p->timeouts >= IDLE_TIMEOUTS) {
			p->failed = true;
			diag_report(DIAG_COUNTER_FAILED, SEVERITY_WARNING, 0,
			    "counters", "kernels of this program wait for each "
			    "other across streams: they cannot be measured one "
			    "at a time and are left alone");
			atomic_store(&win.refused, SKIP_CONCURRENT);
		}
		account(begin, OVERHEAD_COUNTERS);
		goto release;
	}
	if (inject.api.cuCtxSynchronize != NULL &&
	    inject.api.cuCtxSynchronize() != CUDA_SUCCESS)
		goto release;
	if (!inject.replay && profiler_turn(p, (size_t)pass) != 0)
		goto release;
	memcpy(p->scratch, s->image, p->size);	/* to undo */
	if (profiler_start(p, s->image) != 0)
		goto release;
	if (first)
		account(begin, OVERHEAD_SETUP);
	win.begin_ns = first ? inject_now() : begin;
	win.profiler = p;
	win.signature = s;
	win.stream = stream;
	atomic_store(&win.polluted, false);
	atomic_store(&win.open, true);
	return (true);

release:
	atomic_store(&win.busy, false);
	return (false);
}

void
counters_other_launch(void)
{

	if (atomic_load_explicit(&win.open, memory_order_relaxed))
		atomic_store(&win.polluted, true);
}

/* Values so far, NaN where a pass is missing. */
static void
evaluate(struct signature *s, size_t pass)
{
	const struct metrics *m = &win.metrics;
	size_t i;

	if (s->value == NULL && (s->value = malloc(m->count *
	    sizeof(*s->value))) == NULL)
		return;
	for (i = 0; i < m->count; i++)
		s->value[i] = NAN;
	if (metrics_evaluate(m, &inject.api, s->image, win.size, s->value) !=
	    CUPTI_SUCCESS)
		return;
	/* The list begins with the headline group: the pass that delivers its
	 * first counter alone is the one for kernels that come only once. */
	if (!win.headline_known && s->windows == 1 && !isnan(s->value[0]) &&
	    !isnan(s->value[m->count > 6 ? 6 : 0])) {
		win.headline = pass;
		win.headline_known = true;
	}
	atomic_store(&s->dirty, true);
}

static void
window_close(bool good)
{
	struct profiler *p = win.profiler;
	struct signature *s = win.signature;
	size_t pass = p->position, n = p->metrics->passes;
	int r;

	r = profiler_stop(p);
	if (r != 0 || !good || atomic_load(&win.polluted)) {
		memcpy(s->image, p->scratch, p->size);
	} else {
		s->passes |= inject.replay ? (uint32_t)((1ull << n) - 1) :
		    1u << pass;
		s->complete = s->passes == (uint32_t)((1ull << n) - 1);
		s->windows++;
		if (s->complete || s->windows == 1)
			evaluate(s, pass);
	}
	s->cost_ns += inject_now() - win.begin_ns;
	if (s->complete || s->cost_ns / 1000000 > 1000 ||
	    ++s->tries > n * WINDOWS_PER_PASS)
		atomic_store(&s->measured, true);
	account(win.begin_ns, OVERHEAD_COUNTERS);
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
		free(p->scratch);
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

	for (i = 0; i < win.metrics.count; i++) {
		r.id = i + 1;
		r.name = wire_str_of(win.metrics.name[i]);
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
	    .mode = inject.replay ? MODE_REPLAY : win.metrics.passes == 1 ?
	    MODE_SINGLE_PASS : MODE_SPREAD, .launches = s->windows,
	    .complete = s->complete, .cost_ns = s->cost_ns };

	for (i = 0; i < win.metrics.count; i++) {
		if (isnan(s->value[i]))
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
send_one(struct signature *s)
{

	if (!atomic_load(&s->announced) || !atomic_exchange(&s->dirty, false) ||
	    s->value == NULL)
		return;
	if (!win.metrics_sent)
		send_metrics();
	send_values(s);
}

/* What stayed incomplete: its values so far, and why there are no more. */
static void
send_rest(struct signature *s)
{
	struct record_SKIPPED r = { .signature = s->id, .reason = s->skip };

	if (!atomic_load(&s->announced) || s->complete ||
	    inject.level < LEVEL_COUNTERS)
		return;
	if (s->image != NULL && s->windows > 1) {
		evaluate(s, 0);
		send_one(s);
	}
	if (r.reason == SKIP_NONE)
		r.reason = atomic_load(&win.refused);
	if (r.reason == SKIP_NONE)
		r.reason = atomic_load(&s->launches) == 0 ? SKIP_GRAPH :
		    s->windows > 0 ? SKIP_TOO_FEW_LAUNCHES :
		    atomic_load(&win.over_budget) ? SKIP_BUDGET :
		    SKIP_TOO_FEW_LAUNCHES;
	EMIT(SKIPPED, &r);
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
