/*
 * The range profiler. A configuration has several passes. Each Start…Stop collects the
 * next pass of the object, round robin, into its counter-data image. An image that has
 * received every pass decodes to values; until then the missing values are NaN. As in
 * CUPTI, the pass of a metric does not depend on the order in which metrics were added.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock_internal.h"

#define METRICS 256
#define IMAGE_MAGIC 0x474d494bu
#define CONFIG_MAGIC 0x4746434bu

struct config {
	uint32_t magic;
	uint32_t metrics, passes;
	uint64_t metric[METRICS];	/* hashes of their names */
	uint8_t kind[METRICS];		/* enum kind */
	uint8_t pass[METRICS];
};

/* Metrics that compete for the same few counters of an SM, or need patched
 * code, are in later passes: seen with CUPTI 13.0 and GH100's metrics. */
enum kind { KIND_FREE, KIND_CROWDED, KIND_PATCHED, KINDS };

struct CUpti_Profiler_Host_Object {
	struct config config;
	bool refused;		/* a bad name was added: all later ones are refused */
};

/* A counter-data image: the layout of the client's bytes. */
struct image {
	uint32_t magic, metrics;
	uint64_t config;		/* hash of the configuration; 0: nothing
					 * collected */
	uint64_t collected;		/* one bit for each pass */
	uint64_t ranges;
	char kernel[64];
	uint64_t ns;			/* duration of the kernel */
	bool wrong;			/* collected with a second configuration */
};

struct CUpti_RangeProfiler_Object {
	struct mock_context *context;
	size_t image_size;		/* the last GetCounterDataSize */
	uint64_t first_config;
	struct config config;
	struct image *image;
	CUpti_ProfilerRange range;
	CUpti_ProfilerReplayMode mode;
	size_t pass;
	bool configured, wrong, started, pushed, pending;
	size_t pending_pass;
	unsigned kernels;		/* kernels in the open range */
	char kernel[64];		/* the first of them */
	uint64_t ns;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUpti_RangeProfiler_Object *enabled[MOCK_DEVICES];
static bool initialized;

/* Every params struct must have the right structSize. */
#define NEED(p, type) do {						\
	MOCK_ENTER();							\
	if ((p) == NULL || (p)->structSize != type##_STRUCT_SIZE ||	\
	    (p)->pPriv != NULL)						\
		return CUPTI_ERROR_INVALID_PARAMETER;			\
} while (0)

static uint64_t
config_hash(const struct config *c)
{
	uint64_t h = c->passes;
	uint32_t i;

	for (i = 0; i < c->metrics; i++)
		h = (h ^ c->metric[i]) * 0x100000001b3u;
	return h | 1;
}

bool
mock_initialized(void)
{
	bool yes;

	pthread_mutex_lock(&lock);
	yes = initialized;
	pthread_mutex_unlock(&lock);
	return yes;
}

bool
mock_ranging(uint32_t device)
{
	bool yes;

	pthread_mutex_lock(&lock);
	yes = enabled[device] != NULL;
	pthread_mutex_unlock(&lock);
	return yes;
}

bool
mock_exclusive(void)
{
	return mock_env("MOCK_EXCLUSIVE", 0) != 0;
}

/* --- host side --------------------------------------------------------- */

CUptiResult
cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
	NEED(p, CUpti_Profiler_Host_Initialize_Params);
	if (p->pChipName == NULL ||
	    p->profilerType != CUPTI_PROFILER_TYPE_RANGE_PROFILER)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if ((p->pHostObject = calloc(1, sizeof(*p->pHostObject))) == NULL)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	p->pHostObject->config.magic = CONFIG_MAGIC;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
	NEED(p, CUpti_Profiler_Host_Deinitialize_Params);
	free(p->pHostObject);
	return CUPTI_SUCCESS;
}

static enum kind
kind_of(const char *metric)
{
	if (strstr(metric, "__sass_") != NULL)
		return KIND_PATCHED;
	return strncmp(metric, "smsp__inst_", 11) == 0 ||
	    strncmp(metric, "smsp__thread_", 13) == 0 ||
	    strncmp(metric, "l1tex__", 7) == 0 ? KIND_CROWDED : KIND_FREE;
}

/* The passes of a configuration: one for hardware counters if they fit;
 * otherwise unconstrained metrics in the first and the rest in others; patched
 * code comes last. MOCK_PASSES: that number in any case. */
static void
schedule(struct config *c)
{
	uint32_t per_pass = (uint32_t)mock_env("MOCK_PER_PASS", 24);
	uint32_t fixed = (uint32_t)mock_env("MOCK_PASSES", 0);
	uint32_t n[KINDS] = { 0 }, first[KINDS] = { 0 }, k;
	uint32_t span[KINDS] = { 1, 0, 0 };

	for (k = 0; k < c->metrics; k++)
		n[c->kind[k]]++;
	if (fixed > 64)
		fixed = 64;
	if (fixed > c->metrics)
		fixed = c->metrics;
	if (fixed > 0) {
		first[KIND_CROWDED] = first[KIND_PATCHED] = fixed > 1;
		span[KIND_CROWDED] = span[KIND_PATCHED] = fixed > 1 ?
		    fixed - 1 : 1;
		c->passes = fixed;
	} else {
		if (n[KIND_FREE] + n[KIND_CROWDED] > per_pass) {
			first[KIND_CROWDED] = 1;
			span[KIND_CROWDED] = (n[KIND_CROWDED] + per_pass - 1) /
			    per_pass;
		}
		first[KIND_PATCHED] = n[KIND_FREE] + n[KIND_CROWDED] > 0 ?
		    1 + span[KIND_CROWDED] : 0;
		span[KIND_PATCHED] = (n[KIND_PATCHED] + per_pass - 1) /
		    per_pass;
		c->passes = first[KIND_PATCHED] + span[KIND_PATCHED];
	}
	memset(n, 0, sizeof(n));
	for (k = 0; k < c->metrics; k++)
		c->pass[k] = (uint8_t)(first[c->kind[k]] +
		    (span[c->kind[k]] > 0 ? n[c->kind[k]]++ %
		    span[c->kind[k]] : 0));
}

CUptiResult
cuptiProfilerHostConfigAddMetrics(
    CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
	struct config *c;
	size_t i;

	NEED(p, CUpti_Profiler_Host_ConfigAddMetrics_Params);
	c = &p->pHostObject->config;
	/* One bad name fails the whole batch, and all later ones: CUPTI 13.0. */
	for (i = 0; i < p->numMetrics; i++)
		if (strstr(p->ppMetricNames[i], "__") == NULL ||
		    strchr(p->ppMetricNames[i], '.') == NULL)
			p->pHostObject->refused = true;
	if (p->pHostObject->refused)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (c->metrics + p->numMetrics > METRICS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (i = 0; i < p->numMetrics; i++) {
		c->kind[c->metrics] = (uint8_t)kind_of(p->ppMetricNames[i]);
		c->metric[c->metrics++] = mock_hash(p->ppMetricNames[i]);
	}
	schedule(c);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
	NEED(p, CUpti_Profiler_Host_GetConfigImageSize_Params);
	p->configImageSize = sizeof(struct config);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
	NEED(p, CUpti_Profiler_Host_GetConfigImage_Params);
	if (p->configImageSize < sizeof(struct config) ||
	    p->pHostObject->config.metrics == 0)
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(p->pConfigImage, &p->pHostObject->config,
	    sizeof(struct config));
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
	struct config c;

	NEED(p, CUpti_Profiler_Host_GetNumOfPasses_Params);
	if (p->configImageSize < sizeof(c))
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(&c, p->pConfigImage, sizeof(c));
	if (c.magic != CONFIG_MAGIC)
		return CUPTI_ERROR_INVALID_PARAMETER;
	p->numOfPasses = c.passes;
	return CUPTI_SUCCESS;
}

static double
evaluate(const struct CUpti_Profiler_Host_Object *h, const struct image *i,
    const char *metric)
{
	uint64_t hash = mock_hash(metric);
	uint32_t k;

	if (i->wrong || i->config != config_hash(&h->config))
		return NAN;
	for (k = 0; k < h->config.metrics; k++)
		if (h->config.metric[k] == hash &&
		    (i->collected >> h->config.pass[k] & 1) != 0)
			return strcmp(metric, "gpu__time_duration.sum") == 0 ?
			    (double)i->ns : mock_value(metric, i->kernel);
	return NAN;
}

CUptiResult
cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
	struct image i;
	size_t k;

	NEED(p, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
	if (p->counterDataImageSize < sizeof(i))
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(&i, p->pCounterDataImage, sizeof(i));
	if (i.magic != IMAGE_MAGIC || p->rangeIndex >= i.ranges)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (k = 0; k < p->numMetrics; k++)
		p->pMetricValues[k] = evaluate(p->pHostObject, &i,
		    p->ppMetricNames[k]);
	return CUPTI_SUCCESS;
}

/* --- target side --------------------------------------------------------- */

CUptiResult
cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
	NEED(p, CUpti_Profiler_Initialize_Params);
	mock_unloaded(__func__);
	pthread_mutex_lock(&lock);
	initialized = true;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p)
{
	NEED(p, CUpti_Profiler_DeviceSupported_Params);
	p->isSupported = p->architecture = p->sli = p->vGpu =
	    p->confidentialCompute = p->cmp = p->wsl =
	    CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params *p)
{
	NEED(p, CUpti_Profiler_GetCounterAvailability_Params);
	if (p->pCounterAvailabilityImage != NULL)
		memset(p->pCounterAvailabilityImage, 1,
		    p->counterAvailabilityImageSize < 64 ?
		    p->counterAvailabilityImageSize : 64);
	p->counterAvailabilityImageSize = 64;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
	const char *chip = getenv("MOCK_CHIP");

	NEED(p, CUpti_Device_GetChipName_Params);
	if (p->deviceIndex >= MOCK_DEVICES)
		return CUPTI_ERROR_INVALID_DEVICE;
	p->pChipName = chip != NULL ? chip : "GH100";
	return CUPTI_SUCCESS;
}

/* The range profiler excludes PC sampling. */
static bool
compatible(struct mock_context *c)
{
	bool yes;

	pthread_mutex_lock(&mock_source_lock);
	yes = c->sampling == NULL && (c->sass == NULL || !mock_exclusive());
	c->instrumented |= yes;
	pthread_mutex_unlock(&mock_source_lock);
	return yes;
}

CUptiResult
cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
	struct mock_context *c;
	CUptiResult rc = CUPTI_SUCCESS;

	NEED(p, CUpti_RangeProfiler_Enable_Params);
	c = (struct mock_context *)p->ctx;
	if (c == NULL || c->magic != MOCK_MAGIC)
		return CUPTI_ERROR_INVALID_CONTEXT;
	mock_alone(c, __func__);
	pthread_mutex_lock(&lock);
	if (!initialized)
		rc = CUPTI_ERROR_NOT_INITIALIZED;
	else if (enabled[c->device] != NULL)
		rc = CUPTI_ERROR_INVALID_OPERATION;	/* only one for each device */
	else if (!compatible(c))
		rc = CUPTI_ERROR_NOT_COMPATIBLE;
	else if ((p->pRangeProfilerObject =
	    calloc(1, sizeof(*p->pRangeProfilerObject))) == NULL)
		rc = CUPTI_ERROR_OUT_OF_MEMORY;
	if (rc == CUPTI_SUCCESS) {
		p->pRangeProfilerObject->context = c;
		enabled[c->device] = p->pRangeProfilerObject;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

CUptiResult
cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
	CUpti_RangeProfiler_Object *o;

	NEED(p, CUpti_RangeProfiler_Disable_Params);
	o = p->pRangeProfilerObject;
	mock_alone(o->context, __func__);
	pthread_mutex_lock(&lock);
	enabled[o->context->device] = NULL;
	pthread_mutex_unlock(&lock);
	free(o);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
	NEED(p, CUpti_RangeProfiler_GetCounterDataSize_Params);
	if (p->numMetrics == 0 || p->maxNumOfRanges == 0 ||
	    p->maxNumRangeTreeNodes < p->maxNumOfRanges)
		return CUPTI_ERROR_INVALID_PARAMETER;
	p->counterDataSize = sizeof(struct image) +
	    p->numMetrics * p->maxNumOfRanges * 64;
	p->pRangeProfilerObject->image_size = p->counterDataSize;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
	struct image i = { .magic = IMAGE_MAGIC };

	NEED(p, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
	if (p->counterDataSize != p->pRangeProfilerObject->image_size)
		return CUPTI_ERROR_UNKNOWN;
	memset(p->pCounterData, 0, p->counterDataSize);
	memcpy(p->pCounterData, &i, sizeof(i));
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
	CUpti_RangeProfiler_Object *o;
	struct config c;
	struct image *i;

	NEED(p, CUpti_RangeProfiler_SetConfig_Params);
	o = p->pRangeProfilerObject;
	if (p->configSize < sizeof(c) || p->counterDataImageSize < sizeof(*i) ||
	    p->maxRangesPerPass == 0 || p->numNestingLevels == 0)
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(&c, p->pConfig, sizeof(c));
	i = (struct image *)(void *)p->pCounterDataImage;
	if (c.magic != CONFIG_MAGIC || i->magic != IMAGE_MAGIC || o->started)
		return CUPTI_ERROR_INVALID_PARAMETER;
	/* The first configuration is kept: a second one decodes to NaN. */
	if (o->first_config == 0)
		o->first_config = config_hash(&c);
	o->wrong = o->first_config != config_hash(&c);
	o->config = c;
	o->image = i;
	o->range = p->range;
	o->mode = p->replayMode;
	o->configured = true;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
	CUpti_RangeProfiler_Object *o;

	NEED(p, CUpti_RangeProfiler_Start_Params);
	o = p->pRangeProfilerObject;
	if (!o->configured || o->started)
		return CUPTI_ERROR_INVALID_OPERATION;
	mock_idle(o->context, __func__);
	usleep((useconds_t)(1000 * mock_env("MOCK_START_MS", 0)));
	pthread_mutex_lock(&lock);
	o->started = true;
	o->kernels = 0;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
	NEED(p, CUpti_RangeProfiler_PushRange_Params);
	if (p->pRangeProfilerObject->range != CUPTI_UserRange ||
	    p->pRangeName == NULL || p->pRangeProfilerObject->pushed)
		return CUPTI_ERROR_INVALID_OPERATION;
	p->pRangeProfilerObject->pushed = true;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
	NEED(p, CUpti_RangeProfiler_PopRange_Params);
	if (!p->pRangeProfilerObject->pushed)
		return CUPTI_ERROR_INVALID_OPERATION;
	p->pRangeProfilerObject->pushed = false;
	mock_kernel_own(p->pRangeProfilerObject->context);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
	CUpti_RangeProfiler_Object *o;

	NEED(p, CUpti_RangeProfiler_Stop_Params);
	o = p->pRangeProfilerObject;
	if (!o->started || o->pushed)
		return CUPTI_ERROR_INVALID_OPERATION;
	mock_idle(o->context, __func__);
	pthread_mutex_lock(&lock);
	o->started = false;
	o->pending = true;
	o->pending_pass = o->pass;
	o->pass = (o->pass + 1) % o->config.passes;
	p->passIndex = o->pass;
	p->targetNestingLevel = 1;
	p->isAllPassSubmitted = o->pass == 0;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

static bool
is_patched(const struct config *c)
{
	return c->metrics > 0 && memchr(c->kind, KIND_PATCHED, c->metrics) !=
	    NULL;
}

CUptiResult
cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
	CUpti_RangeProfiler_Object *o;
	struct image *i;

	NEED(p, CUpti_RangeProfiler_DecodeData_Params);
	o = p->pRangeProfilerObject;
	p->numOfRangeDropped = 0;
	if (!o->pending || (i = o->image) == NULL)
		return CUPTI_SUCCESS;
	o->pending = false;
	/* Seen on an H200 after SASS metrics, where the range profiler patches
	 * code, too. */
	if (o->kernels == 0)
		return o->context->sass_used && is_patched(&o->config) ?
		    CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
	i->ranges = 1;
	i->config = config_hash(&o->config);
	i->wrong = o->wrong;
	/* Counters of a range with several kernels belong to none of them. */
	memcpy(i->kernel, o->kernels == 1 ? o->kernel : "(several)",
	    o->kernels == 1 ? sizeof(i->kernel) : sizeof("(several)"));
	i->ns = o->ns;
	i->collected |= o->mode == CUPTI_KernelReplay ? ~(uint64_t)0 :
	    (uint64_t)1 << o->pending_pass;
	return CUPTI_SUCCESS;
}

bool
mock_ranges_itself(struct mock_context *c)
{
	CUpti_RangeProfiler_Object *o;
	bool yes;

	pthread_mutex_lock(&lock);
	o = enabled[c->device];
	yes = o != NULL && o->range == CUPTI_AutoRange;
	pthread_mutex_unlock(&lock);
	return yes;
}

bool
mock_kernel_profiled(struct mock_context *c, const struct mock_function *f)
{
	CUpti_RangeProfiler_Object *o;
	bool on;

	pthread_mutex_lock(&lock);
	o = enabled[c->device];
	on = o != NULL && o->started && o->context == c &&
	    (o->range == CUPTI_AutoRange || o->pushed);
	if (on && o->kernels++ == 0) {
		memset(o->kernel, 0, sizeof(o->kernel));
		memcpy(o->kernel, f->name, strnlen(f->name,
		    sizeof(o->kernel) - 1));
		o->ns = f->duration_ns;
	}
	pthread_mutex_unlock(&lock);
	return on;
}
