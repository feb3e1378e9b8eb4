#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "metrics.h"

/* CUPTI's parameter structs are zero except for their size. */
#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }

static bool
is_name(const char *s)
{

	for (; *s != '\0'; s++)
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.')
			return false;
	return true;
}

static void
add_name(struct metrics *m, const char *name)
{

	if (m->count < METRICS_MAX && metrics_find(m, name) == -1 &&
	    (m->name[m->count] = strdup(name)) != NULL)
		m->count++;
}

static void
add_source(struct metrics *m, const char *name)
{

	if (m->sources < METRICS_SOURCE &&
	    (m->source[m->sources] = strdup(name)) != NULL)
		m->sources++;
}

/* The parts of the list. Names under any other heading than [headline] and [source] are
 * PART_OTHERS. */
enum part { PART_HEADLINE, PART_OTHERS, PART_SOURCE };

static enum part
part_of(const char *heading)
{

	return strcmp(heading, "[source]") == 0 ? PART_SOURCE :
	    strcmp(heading, "[headline]") == 0 ? PART_HEADLINE : PART_OTHERS;
}

/* Whether ${except}, for example "!ga100 !tu1", names ${chip} or how its name
 * begins. */
static bool
is_excepted(const char *except, const char *chip)
{
	size_t n;

	for (; *except != '\0'; except += n) {
		except += strspn(except, " \t");
		n = strcspn(except, " \t");
		if (n > 1 && *except == '!' &&
		    strncasecmp(chip, except + 1, n - 1) == 0)
			return true;
	}
	return false;
}

static void
read_part(struct metrics *m, FILE *f, enum part want)
{
	enum part part = PART_HEADLINE;
	char line[256];
	size_t n;

	rewind(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "#\r\n")] = '\0';
		n = strcspn(line, " \t");
		if (is_excepted(line + n, m->chip))
			continue;
		line[n] = '\0';
		if (line[0] == '[')
			part = part_of(line);
		else if (part == want && line[0] != '\0' && is_name(line))
			(want == PART_SOURCE ? add_source : add_name)(m, line);
	}
}

static int
read_list(struct metrics *m, const char *directory)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/" METRICS_FILE, directory);
	if ((f = fopen(path, "re")) == NULL)
		return -1;
	read_part(m, f, PART_HEADLINE);
	m->config[0].count = m->count;
	read_part(m, f, PART_OTHERS);
	m->config[1].first = m->config[0].count;
	m->config[1].count = m->count - m->config[0].count;
	read_part(m, f, PART_SOURCE);
	fclose(f);
	return m->count > 0 ? 0 : -1;
}

static int
host_new(const struct metrics *m, const struct cupti_api *api,
    CUpti_Profiler_Host_Object **host)
{
	PARAMS(CUpti_Profiler_Host_Initialize_Params, p);
	CUptiResult r;

	p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
	p.pChipName = m->chip;
	if ((r = api->cuptiProfilerHostInitialize(&p)) == CUPTI_SUCCESS)
		*host = p.pHostObject;
	return (int)r;
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
	return (int)api->cuptiProfilerHostConfigAddMetrics(&p);
}

/* One unknown name fails a whole batch, so each name is tried alone first. */
static int
drop_unknown(struct metrics *m, const struct cupti_api *api)
{
	size_t i, kept = 0, headline = m->config[0].count;
	CUpti_Profiler_Host_Object *probe;
	int r;

	if ((r = host_new(m, api, &probe)) != CUPTI_SUCCESS)
		return r;
	for (i = 0; i < m->count; i++) {
		if (i == headline)
			m->config[1].first = kept;
		if (host_add(api, probe, &m->name[i], 1) == CUPTI_SUCCESS) {
			m->name[kept++] = m->name[i];
			continue;
		}
		m->rejected++;
		free((char *)(uintptr_t)m->name[i]);
		m->name[i] = NULL;
		/* The host object accepts nothing more (seen with CUPTI 13.0). */
		host_free(api, probe);
		if ((r = host_new(m, api, &probe)) != CUPTI_SUCCESS) {
			m->count = kept;
			return r;
		}
	}
	if (headline == m->count)
		m->config[1].first = kept;
	m->count = kept;
	m->config[0].count = m->config[1].first;
	m->config[1].count = kept - m->config[1].first;
	host_free(api, probe);
	return CUPTI_SUCCESS;
}

/* A configuration image, which the caller frees, and its number of passes. */
struct image {
	uint8_t *data;
	size_t size, passes;
};

static int
image_of(const struct cupti_api *api, CUpti_Profiler_Host_Object *host,
    struct image *image, const char **where)
{
	PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, s);
	PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, g);
	PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, n);
	int r;

	*where = "cuptiProfilerHostGetConfigImageSize";
	s.pHostObject = host;
	if ((r = (int)api->cuptiProfilerHostGetConfigImageSize(&s)) !=
	    CUPTI_SUCCESS)
		return r;
	image->size = s.configImageSize;
	if ((image->data = malloc(image->size)) == NULL)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	*where = "cuptiProfilerHostGetConfigImage";
	g.pHostObject = host;
	g.configImageSize = image->size;
	g.pConfigImage = image->data;
	if ((r = (int)api->cuptiProfilerHostGetConfigImage(&g)) !=
	    CUPTI_SUCCESS)
		return r;
	*where = "cuptiProfilerHostGetNumOfPasses";
	n.configImageSize = image->size;
	n.pConfigImage = image->data;
	if ((r = (int)api->cuptiProfilerHostGetNumOfPasses(&n)) ==
	    CUPTI_SUCCESS)
		image->passes = n.numOfPasses > 0 ? n.numOfPasses : 1;
	return r;
}

/* The number of hardware passes; passes with patched code come after them (seen with
 * GH100's list and CUPTI 13.0). */
static size_t
hardware_passes(const struct metrics *m, const struct metrics_config *c,
    const struct cupti_api *api)
{
	CUpti_Profiler_Host_Object *host;
	struct image image = { NULL, 0, c->passes };
	const char *name[METRICS_MAX], *where;
	size_t i, n = 0;

	for (i = c->first; i < c->first + c->count; i++)
		if (strstr(m->name[i], "__sass_") == NULL)
			name[n++] = m->name[i];
	if (n == 0 || host_new(m, api, &host) != CUPTI_SUCCESS)
		return n == 0 ? 0 : c->passes;
	if (host_add(api, host, name, n) == CUPTI_SUCCESS)
		image_of(api, host, &image, &where);
	free(image.data);
	host_free(api, host);
	return image.passes;
}

int
metrics_find(const struct metrics *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (strcmp(m->name[i], name) == 0)
			return (int)i;
	return -1;
}

uint32_t
metrics_bits(const struct metrics_config *c)
{

	return (uint32_t)(((1ull << c->passes) - 1) << c->base);
}

uint32_t
metrics_all(const struct metrics *m)
{

	return (uint32_t)((1ull << m->passes) - 1);
}

static int
configure(struct metrics *m, struct metrics_config *c,
    const struct cupti_api *api, const char **where)
{
	struct image image = { NULL, 0, 1 };
	int r;

	*where = "cuptiProfilerHostInitialize";
	if ((r = host_new(m, api, &c->host)) != CUPTI_SUCCESS)
		return r;
	*where = "cuptiProfilerHostConfigAddMetrics";
	if ((r = host_add(api, c->host, &m->name[c->first], c->count)) ==
	    CUPTI_SUCCESS)
		r = image_of(api, c->host, &image, where);
	c->image = image.data;
	c->size = image.size;
	c->passes = image.passes;
	c->base = m->passes;
	if (r == CUPTI_SUCCESS && c->base + c->passes > METRICS_PASSES)
		r = CUPTI_ERROR_NOT_SUPPORTED;
	if (r != CUPTI_SUCCESS)
		return r;
	m->passes += c->passes;
	c->patched = c->base + hardware_passes(m, c, api);
	return CUPTI_SUCCESS;
}

static void
forget(struct metrics *m, const struct cupti_api *api)
{
	size_t i;

	for (i = 0; i < METRICS_CONFIGS; i++) {
		free(m->config[i].image);
		m->config[i].image = NULL;
		if (m->config[i].host != NULL)
			host_free(api, m->config[i].host);
		m->config[i].host = NULL;
	}
}

/* Makes one configuration, if nothing is split, or one part is empty. */
static void
unite(struct metrics *m)
{

	m->config[0] = (struct metrics_config){ .count = m->count };
	m->config[1] = (struct metrics_config){ 0 };
	m->configs = 1;
}

int
metrics_load(struct metrics *m, const struct cupti_api *api,
    const char *directory, const char *chip, bool split, const char **where)
{
	size_t i;
	int r;

	memset(m, 0, sizeof(*m));
	snprintf(m->chip, sizeof(m->chip), "%s", chip);
	if (m->chip[0] == '\0' || read_list(m, directory) != 0)
		return -1;
	*where = "cuptiProfilerHostInitialize";
	if ((r = drop_unknown(m, api)) != CUPTI_SUCCESS)
		return r;
	if (m->count == 0)
		return -1;
	m->configs = METRICS_CONFIGS;
	if (!split || m->config[0].count == 0 || m->config[1].count == 0)
		unite(m);
	for (i = 0; i < m->configs; i++)
		if ((r = configure(m, &m->config[i], api, where)) !=
		    CUPTI_SUCCESS) {
			forget(m, api);
			break;
		}
	return r;
}

int
metrics_evaluate(const struct metrics *m, size_t config,
    const struct cupti_api *api, const uint8_t *image, size_t size,
    double *value)
{
	PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);
	const struct metrics_config *c = &m->config[config];

	p.pHostObject = c->host;
	p.pCounterDataImage = image;
	p.counterDataImageSize = size;
	p.rangeIndex = 0;
	p.ppMetricNames = (const char **)(uintptr_t)&m->name[c->first];
	p.numMetrics = c->count;
	p.pMetricValues = value + c->first;
	return (int)api->cuptiProfilerHostEvaluateToGpuValues(&p);
}
