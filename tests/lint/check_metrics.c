/*
 * check_metrics.c: checks the list of counters against CUPTI and the model.
 *
 *   check-metrics DIRECTORY    For each chip whose counters CUPTI knows: every name that
 *                              is not left out for the chip is valid there, and the
 *                              headline fits one pass. Prints the number of passes. Every
 *                              name is in model/metric.def or model/lines/source.def, and
 *                              no heading has a name twice.
 *
 * CUPTI's Host API needs no GPU. Exit status 77: there is no libcupti.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "metrics.h"
#include "model/model.h"
#include "wire/record.h"

#define NAMES 512

/* CUPTI's list, without chips that cudadvise does not support: counters need
 * compute capability 7.5, so GV chips are left out. */
static const char *const *
chips_of(const struct cupti_api *api, size_t *n)
{
	CUpti_Profiler_Host_GetSupportedChips_Params p = {
	    .structSize =
	    CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE };
	__typeof__(&cuptiProfilerHostGetSupportedChips) f;
	void *library = dlopen(api->path, RTLD_NOW | RTLD_NOLOAD);

	*n = 0;
	f = (__typeof__(f))dlsym(library, "cuptiProfilerHostGetSupportedChips");
	if (f == NULL || f(&p) != CUPTI_SUCCESS)
		return NULL;
	*n = p.numChips;
	return p.ppChipNames;
}

/* Prints the names that CUPTI rejects for the chip of ${m}, tried one at a time. */
static void
print_rejected(const struct metrics *all, const struct metrics *m)
{
	for (size_t i = 0; i < all->count; i++)
		if (metrics_find(m, all->name[i]) < 0)
			printf("  %s has no %s, or is excepted from it\n",
			    m->chip, all->name[i]);
}

static int
check_chip(const struct cupti_api *api, const char *directory,
    const char *chip, const struct metrics *all)
{
	const char *where = "";
	struct metrics m;
	int r = metrics_load(&m, api, directory, chip, true, &where);

	if (r != 0) {
		printf("%s: error %d %s\n", chip, r, where);
		return 1;
	}
	printf("%s: %zu + %zu counters in %zu + %zu passes, %zu of instructions\n",
	    chip, m.config[0].count, m.config[1].count, m.config[0].passes,
	    m.config[1].passes, m.sources);
	if (m.rejected > 0)
		print_rejected(all, &m);
	if (m.config[0].passes != 1)
		printf("  the headline must fit one pass\n");
	return m.rejected > 0 || m.config[0].passes != 1;
}

/* Checks that the model knows every name of the list, and that no heading has a
 * name twice. */
static int
check_names(const char *directory)
{
	char path[512], line[NAMES][256];
	size_t n = 0;
	int bad = 0, source = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/" METRICS_FILE, directory);
	if ((f = fopen(path, "re")) == NULL) {
		perror(path);
		return 1;
	}
	while (n < NAMES && fgets(line[n], sizeof(line[n]), f) != NULL) {
		line[n][strcspn(line[n], "# \t\r\n")] = '\0';
		if (*line[n] == '[') {
			source = strcmp(line[n], "[source]") == 0;
			n = 0;
			continue;
		}
		if (*line[n] == '\0')
			continue;
		for (size_t i = 0; i < n; i++)
			if (strcmp(line[i], line[n]) == 0 && ++bad)
				printf("twice in a group: %s\n", line[n]);
		if (source ? source_metric_find(line[n], strlen(line[n])) ==
		    SOURCE_COUNT : metric_find(line[n], strlen(line[n])) ==
		    METRIC_COUNT) {
			printf("%s%s has no row in daemon/model/%s\n", line[n],
			    source ? ", under [source]," : "", source ?
			    "lines/source.def" : "metric.def");
			bad++;
		}
		n++;
	}
	fclose(f);
	return bad > 0;
}

int
main(int argc, char **argv)
{
	const char *const *chip, *where;
	struct cupti_api api;
	struct metrics all;
	char why[512];
	size_t n, i;
	int bad;

	if (argc != 2) {
		fprintf(stderr, "usage: check-metrics DIRECTORY\n");
		return 2;
	}
	bad = check_names(argv[1]);
	if (cupti_api_load(&api, why, sizeof(why)) != DIAG_NONE ||
	    !api.counters) {
		printf("skipped: %s\n", why);
		return bad ? 1 : 77;
	}
	/* (GH100: no name is left out for it.) */
	if (metrics_load(&all, &api, argv[1], "GH100", true, &where) != 0)
		return 1;
	chip = chips_of(&api, &n);
	bad |= n == 0;
	for (i = 0; i < n; i++)
		if (strncmp(chip[i], "GV", 2) != 0)
			bad |= check_chip(&api, argv[1], chip[i], &all);
	return bad;
}
