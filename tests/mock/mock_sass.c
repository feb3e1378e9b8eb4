/*
 * SASS metrics: counts for each instruction of the functions launched between Enable
 * and Disable. As measured on an H200: all values are 0 while kernels are traced; a
 * record has one metric of one instruction; values can be read once the host has
 * seen the kernel end; in a context that had neither the range profiler nor PC
 * sampling enabled before the first use, only the first function ever has values.
 */
#include <stdlib.h>
#include <string.h>

#include "mock_internal.h"

#define CONFIGS 64

/* The count of one metric at one instruction. */
struct entry {
	const struct mock_code *code;
	const struct mock_metric *metric;
	uint32_t pc;
	uint64_t value, running;	/* can be read; belongs to kernels that
					 * may still run */
	bool ran, reported;		/* launched since Enable; has records */
};

struct mock_sass {
	struct entry *entry;
	size_t entries, room;
};

struct device_config {
	bool set;
	CUpti_SassMetrics_OutputGranularity granularity;
	const struct mock_metric *metric[CONFIGS];
	size_t metrics;
};

static struct device_config config[MOCK_DEVICES];
static struct mock_context *enabled[MOCK_DEVICES];
static const uint32_t instances_of[] = { 1, 100, 400 };

/* --- which metrics -------------------------------------------------------- */

#define NEED(p, type) do {						\
	MOCK_ENTER();							\
	if ((p) == NULL || (p)->structSize != type##_STRUCT_SIZE ||	\
	    (p)->pPriv != NULL)						\
		return CUPTI_ERROR_INVALID_PARAMETER;			\
	if (!mock_initialized())					\
		return CUPTI_ERROR_NOT_INITIALIZED;			\
} while (0)

static void
details(const struct mock_metric *m, CUpti_SassMetrics_MetricDetails *d)
{
	d->metricId = mock_hash(m->name);
	d->pMetricName = m->name;
	d->pMetricDescription = "counted by the mock";
}

CUptiResult
cuptiSassMetricsGetNumOfMetrics(CUpti_SassMetrics_GetNumOfMetrics_Params *p)
{
	NEED(p, CUpti_SassMetrics_GetNumOfMetrics_Params);
	if (p->pChipName == NULL)
		return CUPTI_ERROR_INVALID_PARAMETER;
	mock_metrics(&p->numOfMetrics);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiSassMetricsGetMetrics(CUpti_SassMetrics_GetMetrics_Params *p)
{
	size_t n, i;
	const struct mock_metric *metric = mock_metrics(&n);

	NEED(p, CUpti_SassMetrics_GetMetrics_Params);
	if (p->pChipName == NULL || p->pMetricsList == NULL ||
	    p->numOfMetrics > n)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (i = 0; i < p->numOfMetrics; i++)
		details(&metric[i], &p->pMetricsList[i]);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params *p)
{
	const struct mock_metric *m;

	NEED(p, CUpti_SassMetrics_GetProperties_Params);
	if (p->pChipName == NULL || p->pMetricName == NULL ||
	    (m = mock_metric_named(p->pMetricName)) == NULL)
		return CUPTI_ERROR_INVALID_PARAMETER;
	details(m, &p->metric);
	return CUPTI_SUCCESS;
}

static const struct mock_metric *
metric_of(uint64_t id)
{
	size_t n, i;
	const struct mock_metric *metric = mock_metrics(&n);

	for (i = 0; i < n; i++)
		if (mock_hash(metric[i].name) == id)
			return &metric[i];
	return NULL;
}

CUptiResult
cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params *p)
{
	struct device_config *d, made = { .set = true };
	CUptiResult rc = CUPTI_SUCCESS;
	size_t i;

	NEED(p, CUpti_SassMetricsSetConfig_Params);
	if (p->deviceIndex >= MOCK_DEVICES || p->pConfigs == NULL ||
	    p->numOfMetricConfig == 0 || p->numOfMetricConfig > CONFIGS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	made.granularity = p->pConfigs[0].outputGranularity;
	if (made.granularity >= CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_INVALID)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (i = 0; i < p->numOfMetricConfig; i++)
		if ((made.metric[made.metrics++] =
		    metric_of(p->pConfigs[i].metricId)) == NULL ||
		    p->pConfigs[i].outputGranularity != made.granularity)
			return CUPTI_ERROR_INVALID_PARAMETER;
	d = &config[p->deviceIndex];
	pthread_mutex_lock(&mock_source_lock);
	if (d->set)
		rc = CUPTI_ERROR_INVALID_OPERATION;
	else
		*d = made;
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

CUptiResult
cuptiSassMetricsUnsetConfig(CUpti_SassMetricsUnsetConfig_Params *p)
{
	CUptiResult rc = CUPTI_SUCCESS;

	NEED(p, CUpti_SassMetricsUnsetConfig_Params);
	if (p->deviceIndex >= MOCK_DEVICES)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&mock_source_lock);
	if (!config[p->deviceIndex].set || enabled[p->deviceIndex] != NULL)
		rc = CUPTI_ERROR_INVALID_OPERATION;
	else
		config[p->deviceIndex].set = false;
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

/* --- windows ----------------------------------------------------------------- */

static struct mock_context *
context_of(CUcontext handle)
{
	struct mock_context *c = (struct mock_context *)handle;

	return c != NULL && c->magic == MOCK_MAGIC ? c : NULL;
}

static void
add_entry(struct mock_sass *s, const struct entry *e)
{
	if (s->entries == s->room) {
		s->room = s->room == 0 ? 1024 : 2 * s->room;
		s->entry = realloc(s->entry, s->room * sizeof(*s->entry));
		if (s->entry == NULL)
			abort();
	}
	s->entry[s->entries++] = *e;
}

/* Patches a function: makes an entry for each instruction and each metric that
 * counts there. */
static void
patch(struct mock_context *c, const struct mock_code *code,
    const struct device_config *d)
{
	struct mock_sass *s = c->sass;
	struct entry e = { .code = code };
	size_t i;

	for (i = 0; i < s->entries; i++)
		if (s->entry[i].code == code)
			return;
	/* From now on its code is at another address. */
	c->moved[code - mock_codes(&i)] = true;
	for (e.pc = 0; e.pc < code->size; e.pc += MOCK_INSTRUCTION)
		for (i = 0; i < d->metrics; i++) {
			e.metric = d->metric[i];
			if (mock_metric_at(e.metric, code, e.pc))
				add_entry(s, &e);
		}
}

CUptiResult
cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params *p)
{
	const struct mock_code *code;
	CUptiResult rc = CUPTI_SUCCESS;
	struct mock_context *c;
	size_t n, i;
	bool ranging;

	NEED(p, CUpti_SassMetricsEnable_Params);
	if ((c = context_of(p->ctx)) == NULL)
		return CUPTI_ERROR_INVALID_CONTEXT;
	mock_unloaded(__func__);
	ranging = mock_ranging(c->device);
	code = mock_codes(&n);
	pthread_mutex_lock(&mock_source_lock);
	if (!config[c->device].set || enabled[c->device] != NULL) {
		rc = CUPTI_ERROR_INVALID_OPERATION;
	} else if (mock_exclusive() && (ranging ||
	    c->sampling != NULL)) {
		rc = CUPTI_ERROR_NOT_COMPATIBLE;
	} else if ((c->sass = calloc(1, sizeof(*c->sass))) == NULL) {
		rc = CUPTI_ERROR_OUT_OF_MEMORY;
	} else {
		enabled[c->device] = c;
		if (!c->sass_used)
			c->sass_whole = c->instrumented;
		c->sass_used = true;
		for (i = 0; i < n && !p->enableLazyPatching; i++)
			patch(c, &code[i], &config[c->device]);
		for (i = 0; i < c->sass->entries; i++)
			c->sass->entry[i].reported = true;
	}
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

bool
mock_sass_on(struct mock_context *c)
{
	bool on;

	pthread_mutex_lock(&mock_source_lock);
	on = c->sass != NULL;
	pthread_mutex_unlock(&mock_source_lock);
	return on;
}

void
mock_sass_launched(struct mock_context *c, const struct mock_launch *l)
{
	const struct mock_code *code = mock_code_of(l->function->name);
	bool zero = mock_kind_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	struct entry *e;
	size_t i;

	pthread_mutex_lock(&mock_source_lock);
	if (c->sass_used && !c->sass_whole && c->sass_first == NULL)
		c->sass_first = code;
	if (c->sass != NULL && code != NULL && (c->sass_whole ||
	    c->sass_first == code)) {
		patch(c, code, &config[c->device]);
		for (i = 0; i < c->sass->entries; i++) {
			e = &c->sass->entry[i];
			if (e->code != code)
				continue;
			e->ran = true;
			if (!zero)
				e->running += mock_metric_count(e->metric,
				    code, e->pc, l);
		}
	}
	pthread_mutex_unlock(&mock_source_lock);
}

void
mock_sass_synchronized(void)
{
	struct entry *e;
	size_t d, i;

	pthread_mutex_lock(&mock_source_lock);
	for (d = 0; d < MOCK_DEVICES; d++)
		for (i = 0; enabled[d] != NULL &&
		    i < enabled[d]->sass->entries; i++) {
			e = &enabled[d]->sass->entry[i];
			e->value += e->running;
			e->reported |= e->ran;
			e->running = 0;
			e->ran = false;
		}
	pthread_mutex_unlock(&mock_source_lock);
}

static size_t
readable(const struct mock_sass *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->entries; i++)
		n += s->entry[i].reported;
	return n;
}

CUptiResult
cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params *p)
{
	struct mock_context *c;
	CUptiResult rc = CUPTI_SUCCESS;

	NEED(p, CUpti_SassMetricsGetDataProperties_Params);
	if ((c = context_of(p->ctx)) == NULL)
		return CUPTI_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&mock_source_lock);
	if (c->sass == NULL) {
		rc = CUPTI_ERROR_INVALID_OPERATION;
	} else {
		p->numOfPatchedInstructionRecords = readable(c->sass);
		p->numOfInstances =
		    instances_of[config[c->device].granularity];
	}
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

/* The client frees the name. */
static void
give(struct entry *e, CUpti_SassMetrics_Data *d, size_t instances)
{
	size_t k;

	d->cubinCrc = mock_crc();
	d->functionIndex = e->code->symbol;
	d->functionName = strdup(e->code->name);
	d->pcOffset = e->pc;
	for (k = 0; k < instances; k++)
		d->pInstanceValues[k] = (CUpti_SassMetrics_InstanceValue){
		    .metricId = mock_hash(e->metric->name),
		    .value = e->value / instances +
		    (k < e->value % instances) };
	e->value = 0;
	e->reported = false;
}

CUptiResult
cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params *p)
{
	struct mock_context *c;
	CUptiResult rc = CUPTI_SUCCESS;
	size_t i, n = 0, instances;

	NEED(p, CUpti_SassMetricsFlushData_Params);
	if ((c = context_of(p->ctx)) == NULL)
		return CUPTI_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&mock_source_lock);
	instances = instances_of[config[c->device].granularity];
	if (c->sass == NULL)
		rc = CUPTI_ERROR_INVALID_OPERATION;
	else if (p->pMetricsData == NULL || p->numOfInstances != instances ||
	    p->numOfPatchedInstructionRecords > readable(c->sass))
		rc = CUPTI_ERROR_INVALID_PARAMETER;
	for (i = 0; rc == CUPTI_SUCCESS &&
	    n < p->numOfPatchedInstructionRecords; i++)
		if (c->sass->entry[i].reported)
			give(&c->sass->entry[i], &p->pMetricsData[n++],
			    instances);
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

static void
release(struct mock_context *c)
{
	enabled[c->device] = NULL;
	free(c->sass->entry);
	free(c->sass);
	c->sass = NULL;
}

CUptiResult
cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params *p)
{
	struct mock_context *c;
	CUptiResult rc = CUPTI_SUCCESS;

	NEED(p, CUpti_SassMetricsDisable_Params);
	if ((c = context_of(p->ctx)) == NULL)
		return CUPTI_ERROR_INVALID_CONTEXT;
	mock_alone(c, __func__);	/* it restores the code that kernels run */
	pthread_mutex_lock(&mock_source_lock);
	if (c->sass == NULL) {
		rc = CUPTI_ERROR_INVALID_OPERATION;
	} else {
		p->numOfDroppedRecords = readable(c->sass);
		release(c);
	}
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

/* Destroying a context ends its SASS window. */
void
mock_sass_gone(struct mock_context *c)
{
	pthread_mutex_lock(&mock_source_lock);
	if (c->sass != NULL)
		release(c);
	pthread_mutex_unlock(&mock_source_lock);
}
