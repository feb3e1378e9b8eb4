/*
 * failure.h: records API calls of the program that failed, and whether the program
 * reads the error. To be called in a callback.
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
	const void *function;	/* NULL: unknown */
	const char *name;	/* mangled */
	bool cooperative;
};

/*
 * failure_tell(call, d, result, launch): call ${call}, an enum wire_call, returned
 * ${result}, a CUresult. ${launch}: the launch that failed; NULL for other calls. From
 * the first failure on, calls that read errors have callbacks.
 */
void failure_tell(uint16_t call, const CUpti_CallbackData *d, uint32_t result,
    const struct failure_launch *launch);

/* failure_read(d): the program calls cudaGetLastError or cudaPeekAtLastError. */
void failure_read(const CUpti_CallbackData *d);

#endif
