/*
 * check_metrics.c: are the metric sets of config/metrics what CUPTI knows?
 *
 *   check-metrics FILE…        every name of chip.metrics is valid on that chip
 *                              and in model/metric.def, each group has it once,
 *                              the first group fits one pass; prints the passes
 *   check-metrics --keep CHIP FILE
 *                              prints FILE without the names CHIP lacks, and
 *                              without what keeps the first group from one pass
 *
 * CUPTI's Host API needs no GPU. Exit 77: no libcupti here.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_api.h"
#include "model/model.h"
#include "wire/record.h"

#define NAMES 512
#define LINE 512

#define GROUPS 16

struct set {
	char *line[NAMES];	/* as in the file, without the newline */
	const char *name[NAMES];/* the metrics among them */
	size_t lines, names;
	size_t first[GROUPS + 1];	/* of each group, in name[] */
	size_t groups;
	const char *source[NAMES];	/* the group [source]: SASS metrics */
	size_t sources;
};

static struct cupti_api api;

static int
set_read(struct set *s, const char *path)
{
	char line[LINE];
	FILE *f = fopen(path, "re");
	int source = 0;

	memset(s, 0, sizeof(*s));
	if (f == NULL) {
		perror(path);
		return (-1);
	}
	while (s->lines < NAMES && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if ((s->line[s->lines] = strdup(line)) == NULL)
			abort();
		if (*line == '[')
			source = strcmp(line, "[source]") == 0;
		if (source) {
			if (*line != '[' && *line != '\0' && *line != '#')
				s->source[s->sources++] = s->line[s->lines];
		} else if (*line == '[' && s->groups < GROUPS)
			s->first[s->groups++] = s->names;
		else if (*line != '\0' && *line != '#')
			s->name[s->names++] = s->line[s->lines];
		s->lines++;
	}
	fclose(f);
	if (s->groups == 0 || s->first[0] != 0) {
		fprintf(stderr, "%s: it does not begin with a [group]\n",
		    path);
		return (-1);
	}
	s->first[s->groups] = s->names;
	return (0);
}

static void
set_clear(struct set *s)
{
	size_t i;

	for (i = 0; i < s->lines; i++)
		free(s->line[i]);
}

static CUpti_Profiler_Host_Object *
host_open(const char *chip)
{
	CUpti_Profiler_Host_Initialize_Params p = {
	    .structSize =
	    CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE };

	p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
	p.pChipName = chip;
	return (api.cuptiProfilerHostInitialize(&p) == CUPTI_SUCCESS ?
	    p.pHostObject : NULL);
}

static void
host_close(CUpti_Profiler_Host_Object *host)
{
	CUpti_Profiler_Host_Deinitialize_Params p = {
	    .structSize =
	    CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE };

	p.pHostObject = host;
	api.cuptiProfilerHostDeinitialize(&p);
}

static bool
host_add(CUpti_Profiler_Host_Object *host, const char **name, size_t n)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params p = {
	    .structSize =
	    CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE };

	p.pHostObject = host;
	p.ppMetricNames = name;
	p.numMetrics = n;
	return (api.cuptiProfilerHostConfigAddMetrics(&p) == CUPTI_SUCCESS);
}

/* One bad name fails a batch, so each is asked for alone. */
static bool
valid(const char *chip, const char *name)
{
	CUpti_Profiler_Host_Object *host = host_open(chip);
	bool ok;

	if (host == NULL)
		return (false);
	ok = host_add(host, &name, 1);
	host_close(host);
	return (ok);
}

/* Passes of these names together; 0: CUPTI refuses them. */
static size_t
passes(const char *chip, const char **name, size_t n)
{
	CUpti_Profiler_Host_GetConfigImageSize_Params size = {
	    .structSize =
	    CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE };
	CUpti_Profiler_Host_GetConfigImage_Params image = {
	    .structSize =
	    CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE };
	CUpti_Profiler_Host_GetNumOfPasses_Params count = {
	    .structSize =
	    CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE };
	CUpti_Profiler_Host_Object *host = host_open(chip);

	if (host == NULL)
		return (0);
	size.pHostObject = image.pHostObject = host;
	if (!host_add(host, name, n) ||
	    api.cuptiProfilerHostGetConfigImageSize(&size) != CUPTI_SUCCESS)
		goto out;
	image.configImageSize = count.configImageSize = size.configImageSize;
	image.pConfigImage = count.pConfigImage =
	    calloc(1, size.configImageSize);
	if (image.pConfigImage != NULL && api.cuptiProfilerHostGetConfigImage(
	    &image) == CUPTI_SUCCESS)
		api.cuptiProfilerHostGetNumOfPasses(&count);
	free(image.pConfigImage);
out:
	host_close(host);
	return (count.numOfPasses);
}

/* "config/metrics/gh100.metrics" is for "GH100". */
static int
chip_of(const char *path, char *chip, size_t size)
{
	const char *base = strrchr(path, '/');
	const char *dot;
	size_t i;

	base = base != NULL ? base + 1 : path;
	dot = strstr(base, ".metrics");
	if (dot == NULL || (size_t)(dot - base) >= size)
		return (-1);
	for (i = 0; base + i < dot; i++)
		chip[i] = (char)toupper((unsigned char)base[i]);
	chip[i] = '\0';
	return (0);
}

static int
check_name(const char *path, const char *chip, const struct set *s,
    size_t first, size_t i)
{
	size_t k;
	int bad = 0;

	for (k = first; k < i; k++)
		if (strcmp(s->name[k], s->name[i]) == 0) {
			printf("%s: twice in a group: %s\n", path,
			    s->name[i]);
			bad++;
		}
	if (!valid(chip, s->name[i])) {
		printf("%s: %s has no %s\n", path, chip, s->name[i]);
		bad++;
	}
	if (metric_find(s->name[i], strlen(s->name[i])) == METRIC_COUNT) {
		printf("%s: not in model/metric.def: %s\n", path,
		    s->name[i]);
		bad++;
	}
	return (bad);
}

static int
check(const char *path)
{
	char chip[32];
	struct set s;
	size_t g, i, n;
	int bad = 0;

	if (chip_of(path, chip, sizeof(chip)) != 0 || set_read(&s, path) != 0) {
		fprintf(stderr, "%s: not a chip.metrics file\n", path);
		return (1);
	}
	for (i = 0; i < s.sources; i++)
		if (source_metric_find(s.source[i], strlen(s.source[i])) ==
		    SOURCE_COUNT) {
			printf("%s: not in model/lines/source.def: %s\n", path,
			    s.source[i]);
			bad++;
		}
	for (g = 0; g < s.groups; g++) {
		for (i = s.first[g]; i < s.first[g + 1]; i++)
			bad += check_name(path, chip, &s, s.first[g], i);
		n = passes(chip, &s.name[s.first[g]],
		    s.first[g + 1] - s.first[g]);
		printf("%s: group %zu: %zu metrics in %zu passes\n", chip,
		    g + 1, s.first[g + 1] - s.first[g], n);
		if (n == 0 || (g == 0 && n != 1)) {
			printf("%s: group %zu: %s\n", path, g + 1, n == 0 ?
			    "CUPTI takes none of it" :
			    "the first group must fit one pass");
			bad++;
		}
	}
	set_clear(&s);
	return (bad != 0);
}

/* May name ${i} stay? One group each, kept[] of the earlier ones known. */
static bool
may_stay(const char *chip, const struct set *s, const bool *kept, size_t i)
{
	const char *name[NAMES];
	size_t k, n = 0;

	if (!valid(chip, s->name[i]))
		return (false);
	if (i >= s->first[1])
		return (true);
	for (k = 0; k < i; k++)
		if (kept[k])
			name[n++] = s->name[k];
	name[n++] = s->name[i];
	return (passes(chip, name, n) == 1);
}

static int
keep(const char *chip, const char *path)
{
	bool kept[NAMES] = { false };
	struct set s;
	size_t i, k = 0;

	if (set_read(&s, path) != 0)
		return (1);
	for (i = 0; i < s.lines; i++) {
		if (k < s.names && s.line[i] == s.name[k]) {
			kept[k] = may_stay(chip, &s, kept, k);
			if (kept[k])
				puts(s.line[i]);
			k++;
		} else {
			puts(s.line[i]);
		}
	}
	set_clear(&s);
	return (0);
}

int
main(int argc, char **argv)
{
	char why[512];
	int i, bad = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: check-metrics FILE… | --keep CHIP "
		    "FILE\n");
		return (2);
	}
	if (cupti_api_load(&api, why, sizeof(why)) != DIAG_NONE ||
	    !api.counters) {
		printf("skipped: %s\n", why);
		return (77);
	}
	if (argc == 4 && strcmp(argv[1], "--keep") == 0)
		return (keep(argv[2], argv[3]));
	for (i = 1; i < argc; i++)
		bad |= check(argv[i]);
	return (bad);
}
