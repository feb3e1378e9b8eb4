#include "function.h"
#include "inject.h"

bool
function_attribute(const void *f, uint32_t device, CUfunction_attribute which,
    uint32_t *value)
{
	const struct cupti_api *api = &inject.api;
	int v = -1;

	/* A launch may be given a CUkernel in place of a CUfunction. */
	if ((api->cuFuncGetAttribute == NULL || api->cuFuncGetAttribute(&v,
	    which, (CUfunction)(uintptr_t)f) != CUDA_SUCCESS) &&
	    (api->cuKernelGetAttribute == NULL || api->cuKernelGetAttribute(&v,
	    which, (CUkernel)(uintptr_t)f, (CUdevice)device) != CUDA_SUCCESS))
		return false;
	if (v < 0)
		return false;
	*value = (uint32_t)v;
	return true;
}
