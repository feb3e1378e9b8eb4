#include <stddef.h>

#include "inject.h"
#include "relax.h"

struct relax
relax_begin(void)
{
	struct relax before = { .mode = CU_STREAM_CAPTURE_MODE_RELAXED };

	feholdexcept(&before.arithmetic);
	if (inject.api.cuThreadExchangeStreamCaptureMode == NULL ||
	    inject.api.cuThreadExchangeStreamCaptureMode(&before.mode) !=
	    CUDA_SUCCESS)
		before.mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	return before;
}

void
relax_end(const struct relax *before)
{
	CUstreamCaptureMode mode = before->mode;

	if (mode != CU_STREAM_CAPTURE_MODE_RELAXED)
		inject.api.cuThreadExchangeStreamCaptureMode(&mode);
	fesetenv(&before->arithmetic);
}
