/*
 * report/by_time.h: the order in which kernels are shown.
 */
#ifndef CADV_BY_TIME_H
#define CADV_BY_TIME_H

#include <jansson.h>

/* by_time(kernels): the objects of the array, most time first; the list is
 * malloced, the objects are borrowed. NULL without memory. */
json_t **by_time(const json_t *kernels);

#endif
