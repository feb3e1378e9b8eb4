#include <string.h>

#include "facts/stall.h"

const struct stall_info stall_table[STALL_COUNT] = {
#define STALL(name, key, group, brief, meaning) \
	[STALL_##name] = { key, STALL_GROUP_##group, brief, meaning },
#include "facts/stall.def"
};

const struct stall_group_info stall_group_table[STALL_GROUPS] = {
#define STALL_GROUP(name, key, label) [STALL_GROUP_##name] = { key, label },
#include "facts/stall.def"
};

static bool
ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && memcmp(name + len - n, end, n) == 0;
}

enum stall
stall_find(const char *name, size_t len, bool *issued)
{
	static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_";
	static const char not_issued[] = "_not_issued";
	size_t skip = sizeof(prefix) - 1;
	int i;

	*issued = true;
	if (len <= skip || memcmp(name, prefix, skip) != 0)
		return STALL_COUNT;
	name += skip;
	len -= skip;
	if (ends_with(name, len, not_issued)) {
		*issued = false;
		len -= sizeof(not_issued) - 1;
	}
	for (i = 0; i < STALL_OTHER; i++)
		if (strlen(stall_table[i].key) == len &&
		    memcmp(stall_table[i].key, name, len) == 0)
			return (enum stall)i;
	return STALL_OTHER;
}
