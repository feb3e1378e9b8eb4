/*
 * function.h: attributes of a kernel's function, from the driver.
 */
#ifndef CADV_FUNCTION_H
#define CADV_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

/* function_attribute(f, device, which, value): attribute ${which} of ${f}, the
 * CUfunction or CUkernel of a launch, on device ordinal ${device}. False if the
 * driver does not return it. Any thread. */
bool function_attribute(const void *f, uint32_t device,
    CUfunction_attribute which, uint32_t *value);

#endif
