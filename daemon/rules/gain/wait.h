/*
 * rules/gain/wait.h: what warps wait for: the latency part of load_of. Pure.
 */
#ifndef CADV_WAIT_H
#define CADV_WAIT_H

#include "rules/gain/load.h"

/* wait_stalls(l, k, d): set the shares of waiting; the accesses in ${l} must be set. */
void wait_stalls(struct load *l, const struct kernel *k,
    const struct device *d);

/* wait_queue(l, k, d): set the queue in front of memory; the resource times in
 * ${l} must be set. */
void wait_queue(struct load *l, const struct kernel *k,
    const struct device *d);

/* wait_queue_sure(l): how surely the queue in front of memory is one, 0..1, where few
 * counters tell: waiting beyond the longest trips to a memory whose busiest part is hardly
 * busy may as well be longer trips, which more warps make at once. */
double wait_queue_sure(const struct load *l);

/* wait_staged(l): the latency of a load from shared memory / that of ${l}'s
 * loads now, by where their sectors were found; ≤ 1. */
double wait_staged(const struct load *l);

#endif
