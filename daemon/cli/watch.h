/*
 * cli/watch.h: what happens to the GPUs while a program runs, as NVML tells it
 * (libnvidia-ml.so.1, opened at run time; without it nothing is known): whether their
 * clocks were lowered, and who else used them.
 */
#ifndef CADV_CLI_WATCH_H
#define CADV_CLI_WATCH_H

#include <jansson.h>

struct watch;

/* watch_begin(): start looking, in a thread of its own, every 20 ms, after a second
 * every 200 ms. NULL: there is
 * nothing to look with. Call it before the program starts: who is on a GPU then is
 * another. */
struct watch *watch_begin(void);

/* watch_end(w): stop, and release ${w} (may be NULL). {"driver", "gpus"} of
 * RunConditions (config/openapi.json): of each GPU the lowest and highest clock, the
 * highest temperature and link, the best performance state. New reference; NULL:
 * nothing is known. */
json_t *watch_end(struct watch *w);

#endif
