/*
 * function.h: what the driver says of a kernel's function.
 */
#ifndef CADV_FUNCTION_H
#define CADV_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

/* function_attribute(f, device, which, value): attribute ${which} of what a
 * launch was given as its function, on device ordinal ${device}. False if the
 * driver does not say. Any thread. */
bool function_attribute(const void *f, uint32_t device,
    CUfunction_attribute which, uint32_t *value);

#endif
