#include "function.h"
#include "inject.h"
#include "relax.h"

/* The function of a launch may be a CUkernel instead of a CUfunction. */
static bool
ask(const void *f, uint32_t device, CUfunction_attribute which, int *value)
{
	const struct cupti_api *api = &inject.api;

	return (api->cuFuncGetAttribute != NULL && api->cuFuncGetAttribute(
	    value, which, (CUfunction)(uintptr_t)f) == CUDA_SUCCESS) ||
	    (api->cuKernelGetAttribute != NULL && api->cuKernelGetAttribute(
	    value, which, (CUkernel)(uintptr_t)f, (CUdevice)device) ==
	    CUDA_SUCCESS);
}

bool
function_attribute(const void *f, uint32_t device, CUfunction_attribute which,
    uint32_t *value)
{
	struct relax before = relax_begin();
	int v = -1;
	bool known = ask(f, device, which, &v) && v >= 0;

	relax_end(&before);
	if (known)
		*value = (uint32_t)v;
	return known;
}
