/*
 * episode.h: episodes of PC sampling, at level source: when sampling is on, and
 * from when on launches are measured in windows (counters.h). The first
 * launches are sampled, no longer than needed; windows follow. The order is
 * CUPTI's, seen on an H200 with CUPTI 13.0:
 * - PC sampling drops the samples of functions that were launched in a window
 * before, counted or patched; so with --replay, where the first window collects
 * all counters, nothing is sampled;
 * - the range profiler does not work beside PC sampling;
 * - while sampling is on, kernel tracing cannot be switched, as a window has
 * to.
 */
#ifndef CADV_EPISODE_H
#define CADV_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

struct counters_launch;
struct signature;

/* episode_allows_window(s): may a window be opened for this launch of ${s}? If
 * not, call episode_enter. A few loads. */
bool episode_allows_window(const struct signature *s);

/* episode_is_on(): is sampling on? One load. */
bool episode_is_on(void);

/* episode_enter(s, l): in the API-enter callback of a launch for which no
 * window may be opened: begins, continues or ends an episode. True if
 * episode_exit has to be called for this launch. */
bool episode_enter(struct signature *s, const struct counters_launch *l);

/* episode_exit(s): in the API-exit callback. True if this launch needed it. */
bool episode_exit(struct signature *s);

/* episode_graphs(device): the signature that stands for all graph launches on
 * ${device}: their kernels have no launch of their own, but can be sampled
 * (CUPTI's documentation excludes them for the serialised mode only). NULL: no
 * room. */
struct signature *episode_graphs(uint32_t device);

#endif
