/*
 * model/lines/source.c: the tables of names of the source tier.
 */
#include <string.h>

#include "model/lines/source.h"

const struct source_metric_info source_metric_table[SOURCE_COUNT] = {
#define SOURCE_METRIC(name, cupti, unit, label) \
	[SOURCE_##name] = { cupti, unit, label },
#include "model/lines/source.def"
};

/* Searched one by one: for METRIC records only, a few dozen times per stream. */
enum source_metric
source_metric_find(const char *name, size_t len)
{
	int i;

	for (i = 0; i < SOURCE_COUNT; i++)
		if (strlen(source_metric_table[i].name) == len &&
		    memcmp(source_metric_table[i].name, name, len) == 0)
			return (enum source_metric)i;
	return SOURCE_COUNT;
}
