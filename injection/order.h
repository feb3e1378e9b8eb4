/*
 * order.h: the launcher's orders, as they stand in the environment, read: whatever
 * else stands there means the default.
 */
#ifndef CADV_ORDER_H
#define CADV_ORDER_H

#include <stdint.h>

/* order_share(text, otherwise): CUDADVISE_BUDGET: a share from 0 to 10, with a
 * point whatever the program's locale writes; ${otherwise} if ${text} (may be
 * NULL) is none. */
double order_share(const char *text, double otherwise);

/* order_stall(text): CUDADVISE_MAX_STALL as nanoseconds: ${text} (may be NULL) is
 * whole milliseconds from 1 to 60000, in digits; else 100 ms. */
uint64_t order_stall(const char *text);

#endif
