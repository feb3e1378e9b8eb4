#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "activity.h"
#include "budget.h"
#include "counters.h"
#include "device.h"
#include "diag.h"
#include "emit.h"
#include "gate.h"
#include "inject.h"
#include "phases.h"
#include "profiler.h"
#include "sampling.h"
#include "sass.h"
#include "window.h"

#define CONTEXTS 16
#define IDLE_TIMEOUTS 3		/* after that many nothing is measured */
#define TRIES 4			/* windows a signature may use up, per pass */
#define COUNT_TRIES 3		/* and to be counted by instruction */
#define FEW_SIGNATURES 6	/* that get everything at once */
#define SWITCHES 64		/* changes of group a context, at most */
#define PATIENCE 256		/* launches, at most, before a change */
#define SHORT_PATIENCE 64	/* at least, for kernels shorter than */
#define LONG_NS 50000
#define FAILURES_MAX 5		/* windows that failed, in a row */
#define CLOSE_WAIT_NS 2000000000ull	/* at exit, for a window: 1 s if it is the
					 * first of the machine */
#define IDLE_NS 250000000ull	/* without a window: the profiler goes */
#define EMPTY_MAX 4		/* windows that counted nothing, in a row */

#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }

/* What measures in a window. */
enum kind { KIND_COUNTERS, KIND_INSTRUCTIONS };

/* A context that is measured. */
struct target {
	struct profiler p;
	uint32_t device;
	bool failed;
	size_t active;			/* group of counters */
	unsigned timeouts, switches;
	uint32_t misses;		/* launches in a row that lacked nothing
					 * of the active group, but of others */
	size_t passed;			/* launches in a row that had the pass
					 * that is next */
	bool configured;		/* for SASS metrics */
};

struct window window;

/* The window that is open; like all here guarded by window.busy. */
static struct {
	enum kind kind;
	struct target *target;
	struct signature *signature;
	CUstream stream;
	struct signature_launch launch;
	bool turning;			/* its pass is there already */
} now_open;

static struct target targets[CONTEXTS];
static bool prepared;
static _Atomic bool no_instructions;	/* they cannot be counted here */
static _Atomic bool put_away;		/* the profiler is not needed now */
/* When a window was last open, by target; 0: the profiler is not enabled. */
static _Atomic uint64_t used_ns[CONTEXTS];
static unsigned failures, empty;	/* windows in a row without a count */

static bool
wants_instructions(const struct signature *s)
{

	return (inject.level >= LEVEL_SOURCE && !s->counted &&
	    !atomic_load_explicit(&no_instructions, memory_order_relaxed));
}

void
counters_forgo(void)
{

	atomic_store(&window.refused, SKIP_LEVEL);
	atomic_store(&no_instructions, true);
}

bool
counters_wanted(const struct signature *s)
{

	if (inject.level < LEVEL_COUNTERS || s->skip != SKIP_NONE ||
	    atomic_load_explicit(&window.closed, memory_order_relaxed))
		return (false);
	if (!phases_measure() || atomic_load_explicit(&put_away,
	    memory_order_relaxed))
		return (true);
	return (!atomic_load_explicit(&s->measured, memory_order_relaxed) &&
	    (atomic_load_explicit(&window.refused, memory_order_relaxed) ==
	    SKIP_NONE || wants_instructions(s)));
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
	atomic_store(&window.refused, skip);
}

/* The same for counting by instruction. */
static void
refuse_instructions(const char *where, int r, const char *why)
{

	if (atomic_exchange(&no_instructions, true))
		return;
	if (why == NULL)
		diag_refused(DIAG_SOURCE_FAILED, where, r);
	else
		diag_report(DIAG_SOURCE_FAILED, SEVERITY_WARNING, (uint32_t)r,
		    where, why);
}

static const char *
why_unsupported(const CUpti_Profiler_DeviceSupported_Params *s)
{
	const CUpti_Profiler_Support_Level yes =
	    CUPTI_PROFILER_CONFIGURATION_SUPPORTED;

	return (s->architecture != yes ? "the GPU is too old" :
	    s->vGpu != yes ? "profiling is off for this virtual GPU" :
	    s->confidentialCompute != yes ? "confidential computing is on" :
	    s->wsl != yes ? "WSL does not have it" : "reason unknown");
}

static int
check_support(uint32_t device)
{
	PARAMS(CUpti_Profiler_Initialize_Params, init);
	PARAMS(CUpti_Profiler_DeviceSupported_Params, sup);
	char text[256];
	int r;

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
	if (sup.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
		return (0);
	snprintf(text, sizeof(text), "CUPTI cannot read counters in this "
	    "configuration: %s", why_unsupported(&sup));
	diag_report(DIAG_UNSUPPORTED_GPU, SEVERITY_WARNING, 0, "counters",
	    text);
	atomic_store(&window.refused, SKIP_UNSUPPORTED);
	return (-1);
}

static int
load_metrics(uint32_t device)
{
	const char *where = "";
	char chip[64], text[PATH_MAX + 128];
	int r;

	if (device_chip(device, chip, sizeof(chip)) != 0)
		chip[0] = '\0';
	r = metrics_load(&window.set, &inject.api, inject.metrics, chip,
	    &where);
	if (r == CUPTI_SUCCESS)
		return (0);
	if (r != -1) {
		refuse(where, r);
		return (-1);
	}
	snprintf(text, sizeof(text), "there is no list of counters for "
	    "chip '%s' (%s/<chip>.metrics)", chip, inject.metrics);
	diag_report(DIAG_NO_METRICS, SEVERITY_WARNING, 0, "counters", text);
	atomic_store(&window.refused, SKIP_UNSUPPORTED);
	return (-1);
}

static int
prepare_process(uint32_t device)
{

	if (prepared)
		return (0);
	prepared = true;
	if (!inject.api.counters) {
		diag_report(DIAG_CUPTI_VERSION, SEVERITY_WARNING, 0, "counters",
		    "this CUPTI has no range profiler");
		atomic_store(&window.refused, SKIP_UNSUPPORTED);
		return (-1);
	}
	if (!inject.api.sass && inject.level >= LEVEL_SOURCE)
		refuse_instructions("SASS metrics", 0,
		    "this CUPTI cannot count by instruction");
	return (check_support(device) == 0 && load_metrics(device) == 0 ?
	    0 : -1);
}

static int
enable_group(struct target *t, size_t group)
{
	const char *where = "";
	int r;

	t->active = group;
	t->misses = 0;
	r = profiler_enable(&t->p, &window.set.group[group], &where);
	if (r != CUPTI_SUCCESS) {
		refuse(where, r);
		return (-1);
	}
	return (0);
}

static int
switch_group(struct target *t, size_t group)
{
	uint64_t begin = inject_now();
	const char *where;
	int r;

	t->switches++;
	if ((r = profiler_disable(&t->p, &where)) != CUPTI_SUCCESS) {
		t->failed = true;
		refuse(where, r);
		return (-1);
	}
	r = enable_group(t, group);
	budget_spend(begin, OVERHEAD_COUNTERS);
	return (r);
}

static struct target *
target_of(CUcontext context, uint32_t device)
{
	struct target *t = NULL;
	unsigned i;

	for (i = 0; i < CONTEXTS; i++) {
		if (targets[i].p.context == context)
			return (targets[i].failed ? NULL : &targets[i]);
		if (targets[i].p.context == NULL && t == NULL)
			t = &targets[i];
	}
	if (t == NULL || prepare_process(device) != 0 ||
	    window.set.groups == 0)
		return (NULL);
	memset(t, 0, sizeof(*t));
	atomic_store(&used_ns[t - targets], 0);
	t->p.context = context;
	t->device = device;
	/* Where counters are refused instructions may still be counted. */
	if (enable_group(t, 0) != 0 && inject.level < LEVEL_SOURCE)
		return (NULL);
	return (t);
}

/* The expensive first group only where there are few kernels or this one
 * matters. */
uint32_t
counters_needed(const struct signature *s)
{
	uint32_t all = (1u << window.set.groups) - 1;

	if (window.set.groups > 1 && s->id > FEW_SIGNATURES &&
	    !atomic_load(&s->matters))
		return (all & ~1u);
	return (all);
}

static uint32_t
lacks(const struct signature *s)
{

	return (atomic_load(&window.refused) != SKIP_NONE ? 0 :
	    counters_needed(s) & ~s->groups & ~s->hopeless);
}

/* Has ${s} everything it should have? */
static void
check_measured(struct signature *s)
{

	s->complete = s->groups == (1u << window.set.groups) - 1;
	if (lacks(s) == 0 && !wants_instructions(s))
		atomic_store(&s->measured, true);
}

/*
 * ${s} has the pass that is next: then it is left to others, whose window turns
 * the profiler on. Were it turned on at every launch, kernels that alternate
 * would all meet the pass that they have, again and again.
 */
static bool
leaves_pass(struct target *t, const struct signature *s)
{
	uint32_t patience = 2 * (uint32_t)t->p.metrics->passes +
	    signature_count();

	if (s->passes_group != t->active ||
	    (s->passes & 1u << t->p.position) == 0 ||
	    ++t->passed > (patience < PATIENCE ? patience : PATIENCE)) {
		t->passed = 0;
		return (false);
	}
	return (true);
}

/*
 * While the range profiler is enabled on a context every launch costs more,
 * measured or not: it goes when nothing was measured for a while.
 */
static void
disable_idle(struct target *t, uint64_t begin)
{
	uint64_t used = atomic_load(&used_ns[t - targets]);
	const char *where;
	int r;

	atomic_store(&put_away, false);
	if (t->p.object == NULL || used == 0 || begin - used < IDLE_NS)
		return;
	atomic_store(&used_ns[t - targets], 0);
	t->misses = 0;
	if ((r = profiler_disable(&t->p, &where)) != CUPTI_SUCCESS)
		refuse(where, r);
	budget_spend(begin, OVERHEAD_COUNTERS);
}

void
counters_idle(void)
{
	uint64_t now = inject_now(), used;
	unsigned i;

	for (i = 0; i < CONTEXTS; i++) {
		used = atomic_load(&used_ns[i]);
		if (used != 0 && now > used && now - used >= IDLE_NS)
			atomic_store(&put_away, true);
	}
}

/*
 * How many launches in a row have to lack nothing of the active group before
 * another one becomes active, which costs 150 ms. Of long kernels there may not
 * be many launches; of short ones there are, and of many kernels more.
 */
static uint32_t
patience(const struct target *t, const struct signature *s)
{
	uint32_t round = signature_count() + 1;
	uint64_t traced = atomic_load(&s->traced);

	if ((s->value != NULL && s->value[0] >= LONG_NS) || (traced > 0 &&
	    atomic_load(&s->gpu_ns) / traced >= LONG_NS))
		return (round < PATIENCE ? round : PATIENCE);
	if (t->switches > 0)
		return (PATIENCE);
	round = round > SHORT_PATIENCE ? round : SHORT_PATIENCE;
	return (round < PATIENCE ? round : PATIENCE);
}

/*
 * Make the right group active for a launch of ${s}. False if this launch is not
 * to be measured for its counters.
 */
static bool
choose_group(struct target *t, const struct signature *s)
{
	uint32_t lack = lacks(s);
	size_t i, g, n = window.set.groups;

	if (lack == 0)
		return (false);
	if (t->p.object == NULL) {
		/* It was put away: not for the first that comes. */
		if (++t->misses < PATIENCE || t->switches >= SWITCHES)
			return (false);
		for (g = 0; (lack & 1u << g) == 0; g++)
			continue;
		t->switches++;
		return (enable_group(t, g) == 0);
	}
	if (lack & 1u << t->active) {
		t->misses = 0;
		return (!leaves_pass(t, s));
	}
	/* Others may still lack what is active: wait for one round of them. */
	if (++t->misses < patience(t, s) || t->switches >= SWITCHES)
		return (false);
	for (i = 1; i < n; i++) {
		g = (t->active + i) % n;
		if (lack & 1u << g)
			return (switch_group(t, g) == 0);
	}
	return (false);
}

/* Instructions are counted after the first counters, which make the context
 * ready for it; while the counters lack much, those go first. */
static bool
choose_instructions(struct target *t, const struct signature *s)
{
	const char *where = "";
	int r;

	if (!wants_instructions(s) || (s->groups == 0 && t->p.object != NULL &&
	    (counters_needed(s) & 1)))
		return (false);
	if (t->configured)
		return (true);
	t->configured = true;
	r = sass_configure(&window.set, t->device, &where);
	if (r != CUPTI_SUCCESS)
		refuse_instructions(where, r, NULL);
	return (r == CUPTI_SUCCESS);
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

	if (!on) {
		gate_traced(false);
		inject.api.cuptiActivityDisable(
		    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
		return;
	}
	inject.api.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	gate_traced(true);
}

static void
release(void)
{

	gate_open();
	activity_resume();
	atomic_store(&window.deferred, false);
	atomic_store(&window.busy, false);
}

/* The GPU has to be empty, or others' work would be counted. */
static bool
drain(struct target *t, uint64_t begin)
{

	if (gate_wait_idle())
		return (inject.api.cuCtxSynchronize == NULL ||
		    inject.api.cuCtxSynchronize() == CUDA_SUCCESS);
	if (++t->timeouts >= IDLE_TIMEOUTS) {
		t->failed = true;
		diag_report(DIAG_COUNTER_FAILED, SEVERITY_WARNING, 0,
		    "counters", "kernels of this program wait for each other "
		    "across streams: they cannot be measured one at a time and "
		    "are left alone");
		atomic_store(&window.refused, SKIP_CONCURRENT);
	}
	budget_spend(begin, OVERHEAD_COUNTERS);
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
	now_open.stream = l->stream;
	now_open.launch = (struct signature_launch){ .launch_ns = now,
	    .context = l->data->contextUid, .stream = stream,
	    .correlation = l->data->correlationId, .tid = inject_tid() };
}

/*
 * The passes that ${s} has so far, if they are of the active group. Where the
 * profiler stands at one of them, the window only turns it on to the next: the
 * same pass twice would add up.
 */
static void
resume_passes(struct target *t, struct signature *s)
{
	struct profiler *p = &t->p;

	if (s->passes_group != t->active)
		s->passes = 0;
	s->passes_group = t->active;
	now_open.turning = (s->passes & 1u << p->position) != 0;
	memcpy(p->image, s->passes != 0 && !now_open.turning ? s->image :
	    p->pristine, p->size);
}

/* The gate is closed and the GPU empty. */
static int
open_window(struct target *t, struct signature *s, enum kind kind)
{
	const char *where = "";
	int r;

	now_open.kind = kind;
	now_open.target = t;
	now_open.signature = s;
	if (kind == KIND_COUNTERS)
		resume_passes(t, s);
	tracing(false);
	r = kind == KIND_COUNTERS ? profiler_start(&t->p, &where) :
	    sass_begin(t->p.context, &where);
	if (r == CUPTI_SUCCESS)
		return (0);
	tracing(true);
	now_open.signature = NULL;
	if (kind == KIND_COUNTERS)
		refuse(where, r);
	else
		refuse_instructions(where, r, NULL);
	return (-1);
}

static void close_window(bool good);

/* A kernel that did not end within the bound may have ended by now. */
static void
close_deferred(void)
{

	if (!atomic_load(&window.deferred) ||
	    !atomic_exchange(&window.deferred, false))
		return;
	if (inject.api.cuStreamQuery(now_open.stream) ==
	    CUDA_ERROR_NOT_READY) {
		atomic_store(&window.deferred, true);
		return;
	}
	close_window(false);
}

static enum wire_overhead
cost_kind(enum kind kind)
{

	return (kind == KIND_COUNTERS ? OVERHEAD_COUNTERS : OVERHEAD_SOURCE);
}

bool
counters_enter(struct signature *s, const struct counters_launch *l)
{
	uint64_t begin = inject_now();
	struct target *t;
	enum kind kind;
	bool first;

	close_deferred();
	gate_stream(l->stream);
	if (gate_capturing())
		return (false);
	if (!phases_measure() && phases_launch(s, l))
		return (true);
	/* What lies idle goes even when nothing more may be measured. */
	if (!phases_measure() || !counters_wanted(s) || (!budget_left(begin) &&
	    !atomic_load(&put_away)) || atomic_exchange(&window.busy, true))
		return (false);
	/* CUPTI patches code inside the launch: not while it flushes. */
	if (!activity_pause()) {
		atomic_store(&window.busy, false);
		return (false);
	}
	first = !prepared;
	t = target_of(l->data->context, s->shape.device);
	if (first)
		budget_spend(begin, OVERHEAD_SETUP);
	if (t == NULL) {
		atomic_store(&put_away, false);
		goto out;
	}
	if (atomic_load(&put_away))
		disable_idle(t, begin);
	check_measured(s);
	if (atomic_load(&s->measured) || !budget_left(begin))
		goto out;
	if (choose_group(t, s))
		kind = KIND_COUNTERS;
	else if (choose_instructions(t, s))
		kind = KIND_INSTRUCTIONS;
	else
		goto out;
	if (!drain(t, begin))
		goto out;
	/* What was queued had to run anyhow: our cost begins behind it. */
	begin = inject_now();
	learn_resources(s, l->function);
	if (!gate_close() || open_window(t, s, kind) != 0) {
		budget_spend(begin, cost_kind(kind));
		goto out;
	}
	budget_spend(begin, cost_kind(kind));
	*(kind == KIND_COUNTERS ? &s->cost_ns : &s->count_ns) +=
	    inject_now() - begin;
	describe_launch(l, inject_now());
	gate_running(true);
	return (true);

out:
	release();
	return (false);
}

/* The values of the passes that are in the image into the signature's. */
static void
evaluate(struct target *t, struct signature *s)
{
	const struct metrics *m = t->p.metrics;
	double value[METRICS_MAX];
	size_t i;
	int r;

	if (s->value == NULL) {
		s->value = malloc(window.set.count * sizeof(*s->value));
		if (s->value == NULL)
			return;
		for (i = 0; i < window.set.count; i++)
			s->value[i] = NAN;
	}
	if ((r = metrics_evaluate(m, &inject.api, t->p.image, t->p.size,
	    value)) != CUPTI_SUCCESS) {
		refuse("cuptiProfilerHostEvaluateToGpuValues", r);
		return;
	}
	for (i = 0; i < m->count; i++)
		if (!isnan(value[i]))
			s->value[m->first + i] = value[i];
}

/* One more pass of the active group is in the image. */
static void
take_pass(struct target *t, struct signature *s, size_t pass)
{
	size_t n = t->p.metrics->passes;

	s->windows++;
	s->passes |= 1u << pass;
	evaluate(t, s);
	if (inject.replay || s->passes == (uint32_t)((1ull << n) - 1)) {
		s->groups |= 1u << t->active;
		s->passes = 0;
		return;
	}
	/* Images differ in size from group to group. */
	free(s->image);
	if ((s->image = malloc(t->p.size)) != NULL)
		memcpy(s->image, t->p.image, t->p.size);
	else
		s->passes = 0;
}

/* Kernel tracing was off: the window knows best when the kernel ran. */
static void
keep_launch(struct signature *s, uint64_t end)
{
	struct signature_launch *l = &now_open.launch;
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
end_counters(struct target *t, struct signature *s, bool good)
{
	size_t pass = t->p.position;
	bool dropped = false;
	const char *where;
	int r;

	r = profiler_stop(&t->p, &dropped, &where);
	tracing(true);
	/* Just after instructions were counted a window may fail, and the next
	 * one not. */
	if (r == CUPTI_ERROR_UNKNOWN && ++failures < FAILURES_MAX)
		dropped = true;
	else if (r != CUPTI_SUCCESS)
		refuse(where, r);
	else
		failures = 0;
	if (r == CUPTI_SUCCESS && good && !dropped && !now_open.turning &&
	    !gate_polluted())
		take_pass(t, s, pass);
	if (++s->tries > window.set.groups * TRIES)
		s->hopeless = ~0u;
}

static void
end_instructions(struct target *t, struct signature *s, bool good)
{
	struct sass_counts *counts;
	const char *where;
	int r;

	r = sass_end(t->p.context, &counts, &where);
	tracing(true);
	s->count_tries++;
	if (r != CUPTI_SUCCESS) {
		refuse_instructions(where, r, NULL);
	} else if (counts == NULL) {
		/* An empty kernel counts nothing; all of them do not. */
		if (good && ++empty >= EMPTY_MAX)
			refuse_instructions("cuptiSassMetricsFlushData", 0,
			    "CUPTI delivered no counts by instruction");
	} else if (good && !gate_polluted()) {
		empty = 0;
		sass_free(s->counts);
		s->counts = counts;
		s->counted = true;
		counts = NULL;
	}
	sass_free(counts);
	if (s->count_tries >= COUNT_TRIES)
		s->counted = true;
}

static void
close_window(bool good)
{
	struct target *t = now_open.target;
	struct signature *s = now_open.signature;
	enum kind kind = now_open.kind;
	uint64_t end = inject_now();

	now_open.signature = NULL;
	if (t->p.object != NULL)
		atomic_store(&used_ns[t - targets], end);
	gate_running(false);
	if (kind == KIND_COUNTERS)
		end_counters(t, s, good);
	else
		end_instructions(t, s, good);
	if (good)
		keep_launch(s, end);
	*(kind == KIND_COUNTERS ? &s->cost_ns : &s->count_ns) +=
	    inject_now() - end;
	check_measured(s);
	atomic_store(&s->dirty, true);
	budget_spend(end, cost_kind(kind));
	release();
}

void
counters_exit(struct signature *s, bool launched)
{

	if (phases_launched(s))
		return;
	if (now_open.signature != s)
		return;
	if (launched && !gate_wait_stream(now_open.stream)) {
		/* Perhaps it waits for the host: let the program go on and
		 * close the window when the kernel has ended. */
		tracing(true);
		atomic_store(&s->measured, true);
		gate_give_up();
		activity_resume();
		atomic_store(&window.deferred, true);
		return;
	}
	close_window(launched);
}

void
counters_close(void)
{
	struct timespec nap = { 0, 500000 };
	uint64_t begin = inject_now();

	if (inject.level < LEVEL_COUNTERS || getpid() != inject.pid ||
	    atomic_exchange(&window.closed, true))
		return;
	/* Taken and never given back; a window whose kernel does not end, or
	 * one of this very thread, is not waited for. */
	while (atomic_exchange(&window.busy, true) &&
	    !atomic_load(&window.deferred) &&
	    inject_now() - begin < CLOSE_WAIT_NS)
		nanosleep(&nap, NULL);
}

void
counters_context_gone(CUcontext context)
{
	const char *where;
	unsigned i;

	close_deferred();
	sampling_off(context);
	if (atomic_exchange(&window.busy, true))
		return;
	for (i = 0; i < CONTEXTS; i++) {
		if (targets[i].p.context != context)
			continue;
		profiler_disable(&targets[i].p, &where);
		profiler_free(&targets[i].p);
		memset(&targets[i], 0, sizeof(targets[i]));
		atomic_store(&used_ns[i], 0);
	}
	gate_context_gone();
	atomic_store(&window.busy, false);
}
