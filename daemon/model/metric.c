/*
 * model/metric.c: the tables of names.
 */
#include <math.h>
#include <string.h>

#include "model/model.h"

const struct metric_info metric_table[METRIC_COUNT] = {
#define METRIC(name, cupti, unit, label) \
	[METRIC_##name] = { cupti, unit, label },
#include "model/metric.def"
};

const char *const limiter_name[LIMITER_COUNT] = {
	[LIMITER_NONE] = "none",
	[LIMITER_WARPS] = "warps",
	[LIMITER_BLOCKS] = "blocks",
	[LIMITER_REGISTERS] = "registers",
	[LIMITER_SHARED] = "shared memory",
	[LIMITER_BARRIERS] = "barriers",
	[LIMITER_CLUSTER] = "cluster",
};

const char *const idle_cause_name[IDLE_CAUSES] = {
	[IDLE_HOST] = "host",
	[IDLE_AFTER_SYNC] = "after_sync",
	[IDLE_LAUNCH] = "launch",
	[IDLE_ALLOCATION] = "allocation",
	[IDLE_API] = "api",
	[IDLE_ELSEWHERE] = "elsewhere",
	[IDLE_STARTUP] = "startup",
	[IDLE_SHUTDOWN] = "shutdown",
};

const char *const run_state_name[] = {
	[RUN_LIVE] = "live",
	[RUN_FINISHED] = "finished",
	[RUN_KILLED] = "killed",
	[RUN_TRUNCATED] = "truncated",
};

/* Searched one by one: for METRIC records only, a few hundred times per stream. */
static const struct {
	enum metric_id id;
	const char *name;
} alias[] = {
#define METRIC(name, cupti, unit, label)
#define METRIC_ALIAS(name, cupti) { METRIC_##name, cupti },
#include "model/metric.def"
};

enum metric_id
metric_find(const char *name, size_t len)
{
	int i;

	for (i = 0; i < METRIC_COUNT; i++)
		if (strlen(metric_table[i].name) == len &&
		    memcmp(metric_table[i].name, name, len) == 0)
			return (enum metric_id)i;
	for (i = 0; i < (int)(sizeof(alias) / sizeof(alias[0])); i++)
		if (strlen(alias[i].name) == len &&
		    memcmp(alias[i].name, name, len) == 0)
			return alias[i].id;
	return METRIC_COUNT;
}

bool
metric_is_patched(const char *name, size_t len)
{
	int i;

	for (i = 0; i < (int)(sizeof(alias) / sizeof(alias[0])); i++)
		if (strlen(alias[i].name) == len &&
		    memcmp(alias[i].name, name, len) == 0)
			return true;
	return false;
}
