#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"

/* CUPTI's parameter structs: zero but for their size. */
#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }

static bool
is_name(const char *s)
{

	for (; *s != '\0'; s++)
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.')
			return (false);
	return (true);
}

static void
add_name(struct metrics_set *m, const char *name)
{
	struct metrics *g;
	size_t i;

	if (m->groups == 0)
		m->groups = 1;
	g = &m->group[m->groups - 1];
	for (i = 0; i < g->count; i++)
		if (strcmp(g->name[i], name) == 0)
			return;
	if (m->count < METRICS_MAX &&
	    (g->name[g->count] = strdup(name)) != NULL) {
		g->count++;
		m->count++;
	}
}

static void
add_source(struct metrics_set *m, const char *name)
{

	if (m->sources < METRICS_SOURCE &&
	    (m->source[m->sources] = strdup(name)) != NULL)
		m->sources++;
}

static int
read_list(struct metrics_set *m, const char *directory, const char *chip,
    bool together)
{
	char path[PATH_MAX], line[256], lower[64];
	bool source = false;
	FILE *f;
	size_t i;

	for (i = 0; chip[i] != '\0' && i < sizeof(lower) - 1; i++)
		lower[i] = (char)tolower((unsigned char)chip[i]);
	lower[i] = '\0';
	if (!is_name(lower) || strchr(lower, '.') != NULL)
		return (-1);
	snprintf(path, sizeof(path), "%s/%s.metrics", directory, lower);
	if ((f = fopen(path, "re")) == NULL)
		return (-1);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "#\r\n")] = '\0';
		line[strcspn(line, " \t")] = '\0';
		if (line[0] == '[')
			source = strcmp(line, "[source]") == 0;
		if (source) {
			if (line[0] != '[' && line[0] != '\0' &&
			    is_name(line))
				add_source(m, line);
		} else if (line[0] == '[' && m->groups < METRICS_GROUPS) {
			/* A group that stayed empty is used again. */
			if (m->groups == 0 || (!together &&
			    m->group[m->groups - 1].count > 0))
				m->groups++;
		} else if (line[0] != '\0' && is_name(line)) {
			add_name(m, line);
		}
	}
	fclose(f);
	return (m->count > 0 ? 0 : -1);
}

static int
host_new(const struct metrics_set *m, const struct cupti_api *api,
    CUpti_Profiler_Host_Object **host)
{
	PARAMS(CUpti_Profiler_Host_Initialize_Params, p);
	CUptiResult r;

	p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
	p.pChipName = m->chip;
	if ((r = api->cuptiProfilerHostInitialize(&p)) == CUPTI_SUCCESS)
		*host = p.pHostObject;
	return ((int)r);
}

static void
host_free(const struct cupti_api *api, CUpti_Profiler_Host_Object *host)
{
	PARAMS(CUpti_Profiler_Host_Deinitialize_Params, p);

	p.pHostObject = host;
	api->cuptiProfilerHostDeinitialize(&p);
}

static int
host_add(const struct cupti_api *api, CUpti_Profiler_Host_Object *host,
    const char **names, size_t count)
{
	PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, p);

	p.pHostObject = host;
	p.ppMetricNames = names;
	p.numMetrics = count;
	return ((int)api->cuptiProfilerHostConfigAddMetrics(&p));
}

/* One bad name fails the whole batch, so each is tried on its own first. */
static int
drop_unknown(struct metrics_set *m, const struct cupti_api *api)
{
	CUpti_Profiler_Host_Object *probe;
	struct metrics *g;
	size_t i, kept, count = 0, groups = 0;
	int r;

	if ((r = host_new(m, api, &probe)) != CUPTI_SUCCESS)
		return (r);
	for (g = m->group; g < m->group + m->groups; g++) {
		for (i = kept = 0; i < g->count; i++) {
			if (host_add(api, probe, &g->name[i], 1) ==
			    CUPTI_SUCCESS)
				g->name[kept++] = g->name[i];
			else
				m->rejected++;
		}
		g->count = kept;
		g->first = count;
		count += kept;
		if (kept > 0)
			m->group[groups++] = *g;
	}
	m->groups = groups;
	m->count = count;
	host_free(api, probe);
	return (CUPTI_SUCCESS);
}

static int
build_config(struct metrics *m, const struct cupti_api *api, bool together,
    const char **where)
{
	PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, s);
	PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, g);
	PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, n);
	int r;

	*where = "cuptiProfilerHostConfigAddMetrics";
	if ((r = host_add(api, m->host, m->name, m->count)) != CUPTI_SUCCESS)
		return (r);
	*where = "cuptiProfilerHostGetConfigImageSize";
	s.pHostObject = m->host;
	if ((r = (int)api->cuptiProfilerHostGetConfigImageSize(&s)) !=
	    CUPTI_SUCCESS)
		return (r);
	if ((m->config = malloc(s.configImageSize)) == NULL)
		return (CUPTI_ERROR_OUT_OF_MEMORY);
	m->config_size = s.configImageSize;
	*where = "cuptiProfilerHostGetConfigImage";
	g.pHostObject = m->host;
	g.configImageSize = m->config_size;
	g.pConfigImage = m->config;
	if ((r = (int)api->cuptiProfilerHostGetConfigImage(&g)) !=
	    CUPTI_SUCCESS)
		return (r);
	*where = "cuptiProfilerHostGetNumOfPasses";
	n.configImageSize = m->config_size;
	n.pConfigImage = m->config;
	if ((r = (int)api->cuptiProfilerHostGetNumOfPasses(&n)) !=
	    CUPTI_SUCCESS)
		return (r);
	m->passes = n.numOfPasses > 0 ? n.numOfPasses : 1;
	/* Which of them are there is told by the bits of a word. */
	return (m->passes <= 32 || together ? CUPTI_SUCCESS :
	    CUPTI_ERROR_NOT_SUPPORTED);
}

static const char *
name_at(const struct metrics_set *m, size_t i)
{
	const struct metrics *g = m->group;

	while (i >= g->first + g->count)
		g++;
	return (g->name[i - g->first]);
}

static void
find_twins(struct metrics_set *m)
{
	size_t i, j;

	for (i = 0; i < m->count; i++) {
		for (j = 0; strcmp(name_at(m, j), name_at(m, i)) != 0; j++)
			continue;
		m->twin[i] = j;
	}
}

int
metrics_load(struct metrics_set *m, const struct cupti_api *api,
    const char *directory, const char *chip, bool together,
    const char **where)
{
	size_t i;
	int r;

	memset(m, 0, sizeof(*m));
	snprintf(m->chip, sizeof(m->chip), "%s", chip);
	if (read_list(m, directory, chip, together) != 0)
		return (-1);
	*where = "cuptiProfilerHostInitialize";
	if ((r = drop_unknown(m, api)) != CUPTI_SUCCESS)
		return (r);
	if (m->count == 0)
		return (-1);
	find_twins(m);
	for (i = 0; i < m->groups; i++) {
		*where = "cuptiProfilerHostInitialize";
		if ((r = host_new(m, api, &m->group[i].host)) !=
		    CUPTI_SUCCESS ||
		    (r = build_config(&m->group[i], api, together, where)) !=
		    CUPTI_SUCCESS)
			return (r);
	}
	return (CUPTI_SUCCESS);
}

int
metrics_evaluate(const struct metrics *m, const struct cupti_api *api,
    const uint8_t *image, size_t size, double *value)
{
	PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);

	p.pHostObject = m->host;
	p.pCounterDataImage = image;
	p.counterDataImageSize = size;
	p.rangeIndex = 0;
	p.ppMetricNames = (const char **)(uintptr_t)m->name;
	p.numMetrics = m->count;
	p.pMetricValues = value;
	return ((int)api->cuptiProfilerHostEvaluateToGpuValues(&p));
}
