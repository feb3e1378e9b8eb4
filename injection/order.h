/*
 * order.h: parses the launcher's settings in the environment. An invalid value means
 * the default.
 */
#ifndef CADV_ORDER_H
#define CADV_ORDER_H

#include <stdint.h>

/* order_share(text, otherwise): the value of CUDADVISE_BUDGET: a share from 0 to 10,
 * with a decimal point in any locale; ${otherwise} if ${text} (may be NULL) is
 * invalid. */
double order_share(const char *text, double otherwise);

/* order_stall(text): the value of CUDADVISE_MAX_STALL in nanoseconds: ${text} (may be
 * NULL) is whole milliseconds from 1 to 60000; 100 ms if it is invalid. */
uint64_t order_stall(const char *text);

#endif
