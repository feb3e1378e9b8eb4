/*
 * model/wait.h: what warps wait for: load.c's part about latency. Pure.
 */
#ifndef CADV_WAIT_H
#define CADV_WAIT_H

#include <math.h>

#include "model/load.h"
#include "model/model.h"

/* A counter of ${k}; NaN if it is not a number >= 0. */
static inline double
metric(const struct kernel *k, enum metric_id id)
{
	double v = k->metric[id];

	return isfinite(v) && v >= 0 ? v : NAN;
}

/* wait_stalls(l, k, d): the shares of waiting, once the accesses are known. */
void wait_stalls(struct load *l, const struct kernel *k,
    const struct device *d);

/* wait_queue(l, k, d): and the line in front of memory, once the resources are. */
void wait_queue(struct load *l, const struct kernel *k,
    const struct device *d);

#endif
