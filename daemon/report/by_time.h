/*
 * report/by_time.h: the order in which kernels are shown.
 */
#ifndef CADV_BY_TIME_H
#define CADV_BY_TIME_H

#include <jansson.h>

/* by_time(kernels): the array's objects, most time first, borrowed from it; malloced.
 * NULL without memory. */
json_t **by_time(const json_t *kernels);

#endif
