/*
 * episode.h: which tier measures when, at level source. First the launches are
 * sampled, for as short as it takes; then single launches are measured in
 * windows (counters.h). The order is CUPTI's: PC sampling does not know functions
 * that were launched in a window before, counted or patched (so with --replay,
 * where the first window gets all counters, nothing is sampled); the range
 * profiler does not go beside PC sampling; and while sampling is on, kernel tracing
 * cannot be switched, as a window has to. Seen on an H200 with CUPTI 13.0.
 */
#ifndef CADV_EPISODE_H
#define CADV_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

struct counters_launch;
struct signature;

/* episode_allows_window(s): may a window be opened for this launch of ${s}? Else
 * episode_enter is to be asked. A few loads. */
bool episode_allows_window(const struct signature *s);

/* episode_is_on(): is sampling on? A load. */
bool episode_is_on(void);

/* episode_enter(s, l): a launch for which no window may be opened: begins, goes
 * on with or ends sampling. True if episode_exit is owed for this launch. */
bool episode_enter(struct signature *s, const struct counters_launch *l);

/* episode_exit(s): its API-exit. True if it was owed. */
bool episode_exit(struct signature *s);

/* episode_graphs(device): what stands in for a kernel where a graph is launched:
 * its kernels have no launch of their own, but can be sampled (CUPTI's
 * documentation denies it of the serialised mode alone). NULL: no room. */
struct signature *episode_graphs(uint32_t device);

#endif
