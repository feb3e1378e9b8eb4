/*
 * rules/once.h: the advice on a run as if each of its kernels had been launched only
 * once: with the counters of the first launch, or also with those of its replay.
 */
#ifndef TEST_ONCE_H
#define TEST_ONCE_H

#include "rules/analysed.h"

/* once_advise(x, kernel): the advice on ${x} if each kernel has only the counters
 * of its first launch ([headline] of config/metrics). ${kernel} has room for all
 * kernels of ${x}. To be freed with advice_free; NULL if memory runs out. */
struct advice *once_advise(const struct analysed *x, struct kernel *kernel);

/* once_mask(k): leaves only those counters of ${k}. */
void once_mask(struct kernel *k);

#endif
