/*
 * model/lines/source.c: the tables of names of the source tier.
 */
#include <string.h>

#include "model/lines/source.h"

const struct source_metric_info source_metric_table[SOURCE_COUNT] = {
#define SOURCE_METRIC(name, cupti, unit, label) \
	[SOURCE_##name] = { cupti, unit, label },
#include "model/lines/source.def"
#undef SOURCE_METRIC
};

const char *const stall_name[STALL_COUNT] = {
#define X(name, text) [STALL_##name] = text,
	STALLS(X)
#undef X
};

/* Called a few dozen times a stream, for METRIC records only. */
enum source_metric
source_metric_find(const char *name, size_t len)
{
	int i;

	for (i = 0; i < SOURCE_COUNT; i++)
		if (strlen(source_metric_table[i].name) == len &&
		    memcmp(source_metric_table[i].name, name, len) == 0)
			return ((enum source_metric)i);
	return (SOURCE_COUNT);
}

static bool
ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return (len > n && memcmp(name + len - n, end, n) == 0);
}

/* A reason that a newer toolkit knows and we do not is a stall all the same. */
enum stall
stall_find(const char *name, size_t len, bool *issued)
{
	static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_";
	static const char not_issued[] = "_not_issued";
	size_t skip = sizeof(prefix) - 1;
	int i;

	*issued = true;
	if (len <= skip || memcmp(name, prefix, skip) != 0)
		return (STALL_COUNT);
	name += skip;
	len -= skip;
	if (ends_with(name, len, not_issued)) {
		*issued = false;
		len -= sizeof(not_issued) - 1;
	}
	for (i = 0; i < STALL_OTHER; i++)
		if (strlen(stall_name[i]) == len &&
		    memcmp(stall_name[i], name, len) == 0)
			return ((enum stall)i);
	return (STALL_OTHER);
}
