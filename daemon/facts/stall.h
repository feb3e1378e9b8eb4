/*
 * facts/stall.h: the stall reasons of PC samples: names, groups, meanings. The rows are
 * in facts/stall.def. Pure.
 */
#ifndef CADV_FACTS_STALL_H
#define CADV_FACTS_STALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stall {
#define STALL(name, key, group, brief, meaning) STALL_##name,
#include "facts/stall.def"
	STALL_COUNT
};

enum stall_group {
#define STALL_GROUP(name, key, label) STALL_GROUP_##name,
#include "facts/stall.def"
	STALL_GROUPS
};

struct stall_info {
	const char *key;	/* "long_scoreboard" */
	enum stall_group group;
	const char *brief;	/* the key for a narrow column */
	const char *meaning;	/* "waits for data from global or local memory" */
};
extern const struct stall_info stall_table[STALL_COUNT];

struct stall_group_info {
	const char *key;	/* "memory" */
	const char *label;	/* for readers */
};
extern const struct stall_group_info stall_group_table[STALL_GROUPS];

/* stall_find(name, len, issued): "smsp__pcsamp_warps_issue_stalled_wait_not_issued"
 * gives STALL_WAIT and *${issued} false. STALL_OTHER for a stall reason without a row,
 * STALL_COUNT for any other metric (sample counts). */
enum stall stall_find(const char *name, size_t len, bool *issued);

/* Sets of reasons. A set that a single practice uses is defined in its file. */
#define STALL_BIT(s) ((uint32_t)1 << STALL_##s)
_Static_assert(STALL_COUNT <= 32, "a set of stall reasons has 32 bits");

/* Latencies that more warps would hide. */
#define STALLS_LATENCY (STALL_BIT(LONG_SCOREBOARD) |			\
	STALL_BIT(SHORT_SCOREBOARD) | STALL_BIT(WAIT) |			\
	STALL_BIT(BRANCH_RESOLVING) | STALL_BIT(NO_INSTRUCTION) |	\
	STALL_BIT(BARRIER) | STALL_BIT(IMC_MISS))

/* Waits that loads, stores and atomics of global memory cause. */
#define STALLS_GLOBAL (STALL_BIT(LONG_SCOREBOARD) |			\
	STALL_BIT(LG_THROTTLE) | STALL_BIT(DRAIN))
#define STALLS_GLOBAL_ATOMIC (STALLS_GLOBAL | STALL_BIT(MEMBAR))

/* Waits that accesses of shared memory cause. */
#define STALLS_SHARED (STALL_BIT(SHORT_SCOREBOARD) | STALL_BIT(MIO_THROTTLE))

#endif
