/*
 * rules/gain/wait.h: what warps wait for: load.c's part about latency. Pure.
 */
#ifndef CADV_WAIT_H
#define CADV_WAIT_H

#include "rules/gain/load.h"

/* wait_stalls(l, k, d): the shares of waiting, once the accesses are known. */
void wait_stalls(struct load *l, const struct kernel *k,
    const struct device *d);

/* wait_queue(l, k, d): and the line in front of memory, once the resources are. */
void wait_queue(struct load *l, const struct kernel *k,
    const struct device *d);

/* wait_staged(l): the trip of a load from shared memory, over that of ${l}'s loads
 * now, by where their sectors were found, ≤ 1. */
double wait_staged(const struct load *l);

#endif
