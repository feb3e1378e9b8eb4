/*
 * check_metrics.c: are the metric sets of config/metrics what CUPTI knows?
 *
 *   check-metrics FILE…        every name of chip.metrics is valid on that chip
 *                              and in model/metric.def; prints the passes
 *   check-metrics --keep CHIP FILE
 *                              prints FILE without the names CHIP lacks
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

struct set {
	char *line[NAMES];	/* as in the file, without the newline */
	const char *name[NAMES];/* the metrics among them */
	size_t lines, names;
};

static struct cupti_api api;

static int
set_read(struct set *s, const char *path)
{
	char line[LINE];
	FILE *f = fopen(path, "re");

	memset(s, 0, sizeof(*s));
	if (f == NULL) {
		perror(path);
		return (-1);
	}
	while (s->lines < NAMES && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if ((s->line[s->lines] = strdup(line)) == NULL)
			abort();
		if (*line != '\0' && *line != '#')
			s->name[s->names++] = s->line[s->lines];
		s->lines++;
	}
	fclose(f);
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

/* Passes of the first ${n} names together; 0: CUPTI refuses them. */
static size_t
passes(const char *chip, struct set *s, size_t n)
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
	if (!host_add(host, s->name, n) ||
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
check(const char *path)
{
	char chip[32];
	struct set s;
	size_t i, k, one = 0;
	int bad = 0;

	if (chip_of(path, chip, sizeof(chip)) != 0 || set_read(&s, path) != 0) {
		fprintf(stderr, "%s: not a chip.metrics file\n", path);
		return (1);
	}
	for (i = 0; i < s.names; i++) {
		for (k = 0; k < i; k++)
			if (strcmp(s.name[k], s.name[i]) == 0) {
				printf("%s: twice: %s\n", path, s.name[i]);
				bad++;
			}
		if (!valid(chip, s.name[i])) {
			printf("%s: %s has no %s\n", path, chip, s.name[i]);
			bad++;
		}
		if (metric_find(s.name[i], strlen(s.name[i])) ==
		    METRIC_COUNT) {
			printf("%s: not in model/metric.def: %s\n", path,
			    s.name[i]);
			bad++;
		}
	}
	if (s.names == 0) {
		printf("%s: no metric\n", path);
		bad++;
	}
	for (i = s.names; bad == 0 && i > 0 && one == 0; i--)
		if (passes(chip, &s, i) == 1)
			one = i;
	if (bad == 0)
		printf("%s: %zu metrics in %zu passes; the first %zu in one\n",
		    chip, s.names, passes(chip, &s, s.names), one);
	set_clear(&s);
	return (bad != 0);
}

static int
keep(const char *chip, const char *path)
{
	struct set s;
	size_t i;

	if (set_read(&s, path) != 0)
		return (1);
	for (i = 0; i < s.lines; i++)
		if (*s.line[i] == '\0' || *s.line[i] == '#' ||
		    valid(chip, s.line[i]))
			puts(s.line[i]);
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
