#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "diag.h"
#include "gpu_lock.h"
#include "graphs.h"
#include "hold.h"
#include "inject.h"
#include "sass.h"
#include "target.h"

#define CONTEXTS 16
#define IDLE_NS 250000000ull	/* a profiler without a window for so long is disabled, */
#define LACKING_NS 2000000000ull	/* or for so long if kernels still lack
					 * something */
#define DISABLE_NS 15000000ull	/* time to disable it: 11 to 12 ms on an H200 */
#define STAY_NS 250000000ull	/* after an attempt in vain, before the next one; doubled
				 * each time, */
#define STAYS 8			/* so many times: one hold a minute */

#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }

static struct target targets[CONTEXTS];
static _Atomic uint32_t numbers[CONTEXTS];	/* of their contexts; any thread may
						 * read them */
static _Atomic bool abandoned[CONTEXTS];
static struct metrics metrics;		/* for the process's first chip */
static _Atomic uint32_t refused;	/* enum wire_skip */
static _Atomic bool prepared;
static _Atomic bool no_instructions;	/* counts by instruction do not work */
static _Atomic bool put_away;		/* a profiler was idle for too long */
/* Time of the last use of each target's profiler; 0: it is not enabled. */
static _Atomic uint64_t used_ns[CONTEXTS];

void
target_refuse(const char *where, int r)
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
	atomic_store(&refused, skip);
}

void
target_refuse_instructions(const char *where, int r, const char *why)
{

	if (atomic_exchange(&no_instructions, true))
		return;
	if (why == NULL)
		diag_refused(DIAG_SOURCE_FAILED, where, r);
	else
		diag_report(DIAG_SOURCE_FAILED, SEVERITY_WARNING, (uint32_t)r,
		    where, why);
}

void
target_forgo(void)
{

	atomic_store(&refused, SKIP_LEVEL);
	atomic_store(&no_instructions, true);
}

struct metrics *
target_metrics(void)
{

	return &metrics;
}

uint32_t
target_refusal(void)
{

	return atomic_load(&refused);
}

bool
target_counts_instructions(void)
{

	return !atomic_load_explicit(&no_instructions, memory_order_relaxed);
}

static const char *
why_unsupported(const CUpti_Profiler_DeviceSupported_Params *s)
{
	const CUpti_Profiler_Support_Level yes =
	    CUPTI_PROFILER_CONFIGURATION_SUPPORTED;

	return s->architecture != yes ? "the GPU is too old" :
	    s->vGpu != yes ? "profiling is off for this virtual GPU" :
	    s->confidentialCompute != yes ? "confidential computing is on" :
	    s->wsl != yes ? "not available under WSL" : "reason unknown";
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
		target_refuse("cuptiProfilerInitialize", r);
		return -1;
	}
	sup.cuDevice = (CUdevice)device;
	sup.api = CUPTI_PROFILER_RANGE_PROFILING;
	r = (int)inject.api.cuptiProfilerDeviceSupported(&sup);
	if (r != CUPTI_SUCCESS) {
		target_refuse("cuptiProfilerDeviceSupported", r);
		return -1;
	}
	if (sup.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
		return 0;
	snprintf(text, sizeof(text), "CUPTI cannot read counters in this "
	    "configuration: %s", why_unsupported(&sup));
	diag_report(DIAG_UNSUPPORTED_GPU, SEVERITY_WARNING, 0, "counters",
	    text);
	atomic_store(&refused, SKIP_UNSUPPORTED);
	return -1;
}

static int
load_metrics(uint32_t device)
{
	const char *where = "";
	char chip[64], text[PATH_MAX + 128];
	int r;

	if (device_chip(device, chip, sizeof(chip)) != 0)
		chip[0] = '\0';
	/* With replay CUPTI collects all passes at once. */
	r = metrics_load(&metrics, &inject.api, inject.metrics, chip,
	    !inject.replay, &where);
	if (r == CUPTI_SUCCESS)
		return 0;
	if (r != -1) {
		target_refuse(where, r);
		return -1;
	}
	snprintf(text, sizeof(text), "there are no counters for chip '%s' in "
	    "%s/" METRICS_FILE, chip, inject.metrics);
	diag_report(DIAG_NO_METRICS, SEVERITY_WARNING, 0, "counters", text);
	atomic_store(&refused, SKIP_UNSUPPORTED);
	return -1;
}

static int
load_counters(uint32_t device)
{

	if (!inject.api.counters) {
		diag_report(DIAG_CUPTI_VERSION, SEVERITY_WARNING, 0, "counters",
		    "this CUPTI has no range profiler, which came with that of "
		    "CUDA 12.6");
		atomic_store(&refused, SKIP_UNSUPPORTED);
		return -1;
	}
	if (!inject.api.sass && level_counts(inject.level))
		target_refuse_instructions("SASS metrics", 0,
		    "this CUPTI cannot count by instruction");
	return check_support(device) == 0 && load_metrics(device) == 0 ?
	    0 : -1;
}

int
target_prepare(uint32_t device)
{

	if (!atomic_load(&prepared) && load_counters(device) != 0)
		metrics.count = 0;
	atomic_store(&prepared, true);
	return metrics.count > 0 ? 0 : -1;
}

bool
target_prepared(void)
{

	return atomic_load_explicit(&prepared, memory_order_relaxed);
}

void
target_used(struct target *t, uint64_t now)
{

	atomic_store(&used_ns[t - targets], now);
}

/* Turns its profiler off if it is on. */
static int
disable(struct target *t, const char **where)
{

	if (t->p.object == NULL)
		return CUPTI_SUCCESS;
	gpu_lock_release(t->device);
	return profiler_disable(&t->p, where);
}

static struct target *
other_on(const struct target *t)
{
	unsigned i;

	for (i = 0; i < CONTEXTS; i++)
		if (&targets[i] != t && targets[i].p.object != NULL &&
		    targets[i].device == t->device)
			return &targets[i];
	return NULL;
}

CUcontext
target_in_the_way(const struct target *t)
{
	const struct target *other = other_on(t);

	return other != NULL ? other->p.context : NULL;
}

int
target_enable(struct target *t, size_t config)
{
	struct target *other = other_on(t);
	const char *where = "";
	int r;

	t->misses = 0;
	t->passed = 0;
	t->paused = false;
	t->stays = 0;
	t->enables++;
	if (other != NULL) {
		target_used(other, 0);
		other->misses = 0;
	}
	target_used(t, 0);
	if ((r = disable(other != NULL ? other : t, &where)) == CUPTI_SUCCESS)
		r = profiler_enable(&t->p, &metrics, config, &where);
	if (t->p.object != NULL) {	/* not used yet, idle from now on */
		gpu_lock_take(t->device);
		target_used(t, inject_now());
	}
	if (r != CUPTI_SUCCESS) {
		target_refuse(where, r);
		return -1;
	}
	return 0;
}

/* Frees the target of a context that was destroyed while the window was held
 * (target_abandon). */
static void
sweep(struct target *t)
{

	if (!atomic_exchange(&abandoned[t - targets], false))
		return;
	if (t->p.object != NULL)
		gpu_lock_release(t->device);
	profiler_free(&t->p);
	memset(t, 0, sizeof(*t));
	target_used(t, 0);
}

struct target *
target_find(uint32_t context)
{
	unsigned i;

	for (i = 0; i < CONTEXTS; i++) {
		sweep(&targets[i]);
		if (context != 0 && targets[i].context == context)
			return &targets[i];
	}
	return NULL;
}

bool
target_known(uint32_t context)
{
	unsigned i;

	for (i = 0; i < CONTEXTS; i++)
		if (atomic_load_explicit(&numbers[i], memory_order_relaxed) ==
		    context)
			return true;
	return false;
}

/* Whether the device has the process's first chip. The list of counters is for that
 * chip. */
static bool
same_chip(uint32_t device)
{
	char chip[64];

	return device_chip(device, chip, sizeof(chip)) == 0 &&
	    strcmp(chip, metrics.chip) == 0;
}

struct target *
target_make(CUcontext handle, uint32_t context, uint32_t device)
{
	struct target *t = target_find(context);
	unsigned i;

	for (i = 0; i < CONTEXTS && t == NULL; i++)
		if (targets[i].context == 0)
			t = &targets[i];
	if (t == NULL || t->context == context)
		return t;
	memset(t, 0, sizeof(*t));
	target_used(t, 0);
	t->p.context = handle;
	t->context = context;
	t->device = device;
	t->failed = !same_chip(device);
	atomic_store(&numbers[t - targets], context);
	if (t->failed)
		diag_report(DIAG_NO_METRICS, SEVERITY_WARNING, 0, "counters",
		    "GPUs of several models in one process: only those of the "
		    "first one's model are measured");
	return t;
}

void
targets_idle(uint64_t now, bool done)
{
	uint64_t used, idle = done ? IDLE_NS : LACKING_NS;
	unsigned i;

	for (i = 0; i < CONTEXTS; i++) {
		used = atomic_load(&used_ns[i]);
		if (used != 0 && now > used && now - used >= idle &&
		    !target_kept(&targets[i]))
			atomic_store(&put_away, true);
	}
}

bool
target_put_away(void)
{

	return atomic_load_explicit(&put_away, memory_order_relaxed);
}

bool
target_is_idle(const struct target *t, uint64_t begin)
{
	uint64_t used;

	if (t == NULL || t->p.object == NULL || target_kept(t))
		return false;
	used = atomic_load(&used_ns[t - targets]);
	return used != 0 && begin > used && begin - used >= IDLE_NS;
}

void
target_rest(struct target *t, uint64_t begin)
{
	const char *where;
	int r;

	atomic_store(&put_away, false);
	if (!target_is_idle(t, begin) || !hold_fits(begin, DISABLE_NS))
		return;
	target_used(t, 0);
	t->misses = 0;
	if ((r = disable(t, &where)) != CUPTI_SUCCESS)
		target_refuse(where, r);
}

uint64_t
target_rest_ns(void)
{

	return DISABLE_NS;
}

void
target_stay(struct target *t)
{

	atomic_store(&put_away, false);
	if (t == NULL || t->p.object == NULL)
		return;
	target_used(t, inject_now() + (STAY_NS << t->stays));
	if (t->stays < STAYS)
		t->stays++;
}

bool
target_kept(const struct target *t)
{

	return atomic_load_explicit(&t->patched, memory_order_relaxed) &&
	    graphs_likely();
}

bool
targets_pause(void)
{
	const char *where;
	unsigned i;
	int r;

	for (i = 0; i < CONTEXTS; i++)
		if (target_kept(&targets[i]))
			return false;
	for (i = 0; i < CONTEXTS; i++) {
		if (targets[i].p.object == NULL)
			continue;
		r = disable(&targets[i], &where);
		target_used(&targets[i], 0);
		targets[i].paused = true;
		if (r != CUPTI_SUCCESS) {
			target_refuse(where, r);
			return false;
		}
	}
	return true;
}

void
target_gone(uint32_t context)
{
	struct target *t = target_find(context);
	const char *where;

	if (t == NULL)
		return;
	disable(t, &where);
	profiler_free(&t->p);
	sass_forget(t->device);
	atomic_store(&numbers[t - targets], 0);
	memset(t, 0, sizeof(*t));
	target_used(t, 0);
}

void
target_abandon(uint32_t context)
{
	unsigned i;

	for (i = 0; i < CONTEXTS; i++)
		if (atomic_load(&numbers[i]) == context) {
			atomic_store(&numbers[i], 0);
			atomic_store(&abandoned[i], true);
		}
}
