/*
 * episode.h: episodes of PC sampling, at level source. An episode is a time in which
 * sampling is on. The first launches are sampled, no longer than needed; after that
 * launches are measured in windows (counters.h). CUPTI imposes this order, as seen on
 * an H200 with CUPTI 13.0:
 * - PC sampling drops the samples of functions that were launched in a window before,
 *   counted or patched. So with --replay, where the first window collects all counters,
 *   nothing is sampled.
 * - The range profiler does not work together with PC sampling.
 * - While sampling is on, kernel tracing cannot be switched, which a window has to do.
 */
#ifndef CADV_EPISODE_H
#define CADV_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

struct counters_launch;
struct signature;

/* episode_allows_window(s): whether a window may be opened for this launch of ${s}. If
 * not, call episode_enter. A few loads. */
bool episode_allows_window(const struct signature *s);

/* episode_is_on(): whether sampling is on. One load. */
bool episode_is_on(void);

/* episode_enter(s, l): in the API-enter callback of a launch for which no window may be
 * opened. Begins, continues or ends an episode. True if episode_exit has to be called
 * for this launch. */
bool episode_enter(struct signature *s, const struct counters_launch *l);

/* episode_exit(s): in the API-exit callback. True if episode_enter returned true for
 * this launch. */
bool episode_exit(struct signature *s);

/* episode_graphs(device): the signature that stands for all graph launches on
 * ${device}. Their kernels have no launch of their own, but can be sampled (CUPTI's
 * documentation excludes them for the serialised mode only). NULL: the device number is
 * too high. */
struct signature *episode_graphs(uint32_t device);

#endif
