/*
 * failure.h: API calls of the program that failed, and whether the program
 * reads the error. In a callback.
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
 * failure_tell(call, d, result, launch): the call ${call}, an enum wire_call,
 * returned ${result}, a CUresult; ${launch}: the launch, else NULL. After the
 * first failure the calls that read errors are watched.
 */
void failure_tell(uint16_t call, const CUpti_CallbackData *d, uint32_t result,
    const struct failure_launch *launch);

/* failure_read(d): the program calls cudaGetLastError or
 * cudaPeekAtLastError. */
void failure_read(const CUpti_CallbackData *d);

#endif
