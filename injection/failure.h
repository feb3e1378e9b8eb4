/*
 * failure.h: calls of the program that failed, and whether it asked why. In a
 * callback.
 */
#ifndef CADV_FAILURE_H
#define CADV_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"
#include "signature.h"

/* A launch that failed. */
struct failure_launch {
	struct signature_shape shape;
	const void *function;	/* NULL: not known */
	const char *name;	/* mangled */
	bool cooperative;
};

/*
 * failure_tell(call, d, result, launch): ${call}, an enum wire_call, returned
 * ${result}, a CUresult; ${launch}: if it was a kernel's, else NULL. From the
 * first one on it is watched whether the program asks for errors.
 */
void failure_tell(uint16_t call, const CUpti_CallbackData *d, uint32_t result,
    const struct failure_launch *launch);

/* failure_read(d): a call that asks for the last error. */
void failure_read(const CUpti_CallbackData *d);

#endif
