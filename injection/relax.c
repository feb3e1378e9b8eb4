#include <stddef.h>

#include "inject.h"
#include "relax.h"

CUstreamCaptureMode
relax_begin(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	if (inject.api.cuThreadExchangeStreamCaptureMode == NULL ||
	    inject.api.cuThreadExchangeStreamCaptureMode(&mode) !=
	    CUDA_SUCCESS)
		return CU_STREAM_CAPTURE_MODE_RELAXED;
	return mode;
}

void
relax_end(CUstreamCaptureMode before)
{

	if (before != CU_STREAM_CAPTURE_MODE_RELAXED)
		inject.api.cuThreadExchangeStreamCaptureMode(&before);
}
