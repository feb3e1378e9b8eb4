#include <stdlib.h>
#include <string.h>

#include "inject.h"
#include "sass.h"

#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }
#define RECORDS_MAX (4u << 20)	/* 16 metrics of 262,144 instructions */
#define DEVICES 64

/* CUPTI's ids of the source metrics; all devices of a process have one chip. */
static uint64_t id[METRICS_SOURCE];
static size_t ids;
static bool configured[DEVICES];	/* CUPTI refuses a second SetConfig */

int
sass_configure(struct metrics *m, uint32_t device, const char **where)
{
	PARAMS(CUpti_SassMetricsSetConfig_Params, c);
	CUpti_SassMetrics_Config config[METRICS_SOURCE];
	size_t i, n = 0;
	int r = CUPTI_SUCCESS, refused = CUPTI_SUCCESS;

	*where = "cuptiSassMetricsGetProperties";
	if (device >= DEVICES)
		return CUPTI_ERROR_NOT_SUPPORTED;
	if (configured[device])
		return CUPTI_SUCCESS;
	for (i = 0; i < m->sources; i++) {
		PARAMS(CUpti_SassMetrics_GetProperties_Params, p);

		p.pChipName = m->chip;
		p.pMetricName = m->source[i];
		r = (int)inject.api.cuptiSassMetricsGetProperties(&p);
		if (r != CUPTI_SUCCESS) {
			refused = r;
			continue;
		}
		m->source[n] = m->source[i];
		id[n] = p.metric.metricId;
		config[n].metricId = id[n];
		config[n].outputGranularity =
		    CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
		n++;
	}
	m->sources = ids = n;
	if (n == 0)
		return refused != CUPTI_SUCCESS ? refused :
		    CUPTI_ERROR_NOT_SUPPORTED;
	*where = "cuptiSassMetricsSetConfig";
	c.numOfMetricConfig = n;
	c.pConfigs = config;
	c.deviceIndex = device;
	r = (int)inject.api.cuptiSassMetricsSetConfig(&c);
	configured[device] = r == CUPTI_SUCCESS;
	return r;
}

void
sass_forget(uint32_t device)
{
	PARAMS(CUpti_SassMetricsUnsetConfig_Params, p);

	if (device >= DEVICES || !configured[device])
		return;
	configured[device] = false;
	p.deviceIndex = device;
	inject.api.cuptiSassMetricsUnsetConfig(&p);
}

int
sass_begin(CUcontext context, const char **where)
{
	PARAMS(CUpti_SassMetricsEnable_Params, p);

	*where = "cuptiSassMetricsEnable";
	p.ctx = context;
	p.enableLazyPatching = 1;	/* patch only code that the window launches */
	return (int)inject.api.cuptiSassMetricsEnable(&p);
}

static int
compare(const void *a, const void *b)
{
	const CUpti_SassMetrics_Data *x = a, *y = b;
	int d = strcmp(x->functionName, y->functionName);

	if (d != 0)
		return d;
	return x->pcOffset < y->pcOffset ? -1 : x->pcOffset > y->pcOffset;
}

/* The counts of the function whose records begin at ${d}; *${used} is the number of
 * these records. */
static struct sass_counts *
counts_of(const CUpti_SassMetrics_Data *d, size_t n, size_t *used)
{
	struct sass_counts *c;
	size_t i, k;

	for (i = 1; i < n && strcmp(d[i].functionName, d[0].functionName) == 0;
	    i++)
		continue;
	*used = i;
	c = calloc(1, sizeof(*c) + i * sizeof(c->value[0]));
	if (c == NULL || (c->function = strdup(d[0].functionName)) == NULL) {
		free(c);
		return NULL;
	}
	c->cubin = d[0].cubinCrc;
	c->symbol = d[0].functionIndex;
	for (i = 0; i < *used; i++) {
		if (d[i].pInstanceValues->value == 0)
			continue;
		for (k = 0; k < ids; k++)
			if (id[k] == d[i].pInstanceValues->metricId)
				break;
		if (k < ids)
			c->value[c->count++] = (struct sass_value){
			    .pc = d[i].pcOffset, .metric = (uint32_t)k,
			    .value = d[i].pInstanceValues->value };
	}
	return c;
}

static struct sass_counts *
collect(CUpti_SassMetrics_Data *d, size_t n)
{
	struct sass_counts *first = NULL, **end = &first;
	size_t i, used;

	for (i = 0; i < n; i++)
		if (d[i].functionName == NULL)
			return NULL;
	qsort(d, n, sizeof(*d), compare);
	for (i = 0; i < n; i += used) {
		if ((*end = counts_of(d + i, n - i, &used)) == NULL)
			break;
		end = &(*end)->next;
	}
	return first;
}

/* Fetches the records of a window. */
static int
flush(CUcontext context, struct sass_counts **counts, const char **where)
{
	PARAMS(CUpti_SassMetricsGetDataProperties_Params, p);
	PARAMS(CUpti_SassMetricsFlushData_Params, f);
	CUpti_SassMetrics_InstanceValue *v;
	CUpti_SassMetrics_Data *d;
	size_t i, n;
	int r;

	*where = "cuptiSassMetricsGetDataProperties";
	p.ctx = context;
	r = (int)inject.api.cuptiSassMetricsGetDataProperties(&p);
	n = p.numOfPatchedInstructionRecords;
	/* One instance, because values are requested at GPU granularity. */
	if (r != CUPTI_SUCCESS || n == 0 || n > RECORDS_MAX ||
	    p.numOfInstances != 1)
		return r;
	d = calloc(n, sizeof(*d));
	v = calloc(n, sizeof(*v));
	if (d == NULL || v == NULL) {
		r = CUPTI_ERROR_OUT_OF_MEMORY;
		goto out;
	}
	for (i = 0; i < n; i++) {
		/* CUPTI requires the size of the parameter struct here, not of this
		 * struct. */
		d[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
		d[i].pInstanceValues = &v[i];
	}
	*where = "cuptiSassMetricsFlushData";
	f.ctx = context;
	f.numOfPatchedInstructionRecords = n;
	f.numOfInstances = p.numOfInstances;
	f.pMetricsData = d;
	if ((r = (int)inject.api.cuptiSassMetricsFlushData(&f)) ==
	    CUPTI_SUCCESS)
		*counts = collect(d, n);
	/* Each record has its own copy of the name, which the caller frees. */
	for (i = 0; r == CUPTI_SUCCESS && i < n; i++)
		free((void *)(uintptr_t)d[i].functionName);
out:
	free(d);
	free(v);
	return r;
}

int
sass_end(CUcontext context, struct sass_counts **counts, const char **where)
{
	PARAMS(CUpti_SassMetricsDisable_Params, p);
	int r, disabled;

	*counts = NULL;
	r = flush(context, counts, where);
	p.ctx = context;
	disabled = (int)inject.api.cuptiSassMetricsDisable(&p);
	if (r == CUPTI_SUCCESS && disabled != CUPTI_SUCCESS) {
		*where = "cuptiSassMetricsDisable";
		r = disabled;
	}
	return r;
}

void
sass_free(struct sass_counts *c)
{
	struct sass_counts *next;

	for (; c != NULL; c = next) {
		next = c->next;
		free(c->function);
		free(c);
	}
}
