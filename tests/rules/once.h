/*
 * rules/once.h: what would be said of a run, had each of its kernels been launched
 * but once: with the counters that the first launch gets, or with those of its
 * replay, too.
 */
#ifndef TEST_ONCE_H
#define TEST_ONCE_H

#include "rules/analysed.h"

/* once_advise(x, kernel): the advice on ${x} where each kernel has the counters of
 * its first launch ([headline] of config/metrics) alone. ${kernel} has room for all
 * kernels of ${x}. advice_free, or NULL without memory. */
struct advice *once_advise(const struct analysed *x, struct kernel *kernel);

#endif
