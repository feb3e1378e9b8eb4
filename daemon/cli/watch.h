/*
 * cli/watch.h: the state of the GPUs while a program runs, by NVML
 * (libnvidia-ml.so.1, opened at run time; without it nothing is known): whether
 * their clocks were lowered, and which other processes used them.
 */
#ifndef CADV_CLI_WATCH_H
#define CADV_CLI_WATCH_H

#include <jansson.h>

struct watch;

/* watch_begin(): start sampling in a separate thread, every 20 ms, after a
 * second every 200 ms. NULL: NVML is not available. To be called before the
 * program starts: processes on a GPU at that time count as others. */
struct watch *watch_begin(void);

/* watch_end(w): stop, and release ${w} (may be NULL). Returns {"driver",
 * "gpus"} of RunConditions (config/openapi.json): for each GPU the lowest and
 * highest clock, the highest temperature and link, the best performance state.
 * New reference; NULL: nothing is known. */
json_t *watch_end(struct watch *w);

#endif
