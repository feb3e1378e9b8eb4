#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "wire/record.h"
#include "wire/toolkit.h"

#include "cupti_api.h"
#include "library.h"

/* Where newer headers give a layout another name, it begins with the layout that is
 * read. */
#define SAME(old, new, field)						\
	_Static_assert(offsetof(old, field) == offsetof(new, field),	\
	    #new "." #field)
#if CUPTI_API_VERSION >= 26
SAME(cupti_copy, CUpti_ActivityMemcpy6, copyKind);
SAME(cupti_copy, CUpti_ActivityMemcpy6, bytes);
SAME(cupti_copy, CUpti_ActivityMemcpy6, end);
SAME(cupti_copy, CUpti_ActivityMemcpy6, correlationId);
SAME(cupti_copy, CUpti_ActivityMemcpy6, graphNodeId);
SAME(cupti_copy, CUpti_ActivityMemcpy6, graphId);
SAME(cupti_managed, CUpti_ActivityUnifiedMemoryCounter3, value);
SAME(cupti_managed, CUpti_ActivityUnifiedMemoryCounter3, address);
SAME(cupti_managed, CUpti_ActivityUnifiedMemoryCounter3, dstId);
SAME(cupti_managed, CUpti_ActivityUnifiedMemoryCounter3, flags);
_Static_assert((unsigned)CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT ==
    CUPTI_OVERHEAD_UVM_INIT, "overhead");
#endif

int
cupti_api_load(struct cupti_api *api, char *why, size_t size)
{
	void *lib, *cuda;
	const char *missing = NULL;

	memset(api, 0, sizeof(*api));
	lib = library_cupti(CUPTI_MAJOR, api->path, sizeof(api->path));
	if (lib == NULL) {
		snprintf(why, size, "libcupti.so.%u was not found (looked "
		    "beside the toolkit this was built with, in $CUDA_HOME, "
		    "in /usr/local/cuda* and the loader's path)", CUPTI_MAJOR);
		return DIAG_CUPTI_MISSING;
	}
	api->counters = api->sass = api->sampling = true;
#define NEED_R(name) if (api->name == NULL) missing = #name
#define NEED_O(name) if (api->name == NULL &&				\
	(strncmp(#name, "cuptiRange", 10) == 0 ||			\
	strncmp(#name, "cuptiProfiler", 13) == 0)) api->counters = false; \
	if (api->name == NULL && strncmp(#name, "cuptiSass", 9) == 0)	\
		api->sass = false;					\
	if (api->name == NULL && strncmp(#name, "cuptiPCS", 8) == 0)	\
		api->sampling = false
#define X(need, name)							\
	*(void **)&api->name = dlsym(lib, #name);			\
	NEED_##need(name);
	CUPTI_FUNCTIONS(X)
#undef X
	if (missing != NULL) {
		snprintf(why, size, "%s lacks %s: not a CUPTI of CUDA %u",
		    api->path, missing, CUPTI_MAJOR);
		return DIAG_CUPTI_VERSION;
	}
	if (api->cuptiGetVersion(&api->version) != CUPTI_SUCCESS ||
	    toolkit_major(api->version) != CUPTI_MAJOR ||
	    api->version < TOOLKIT_CUPTI_OLDEST) {
		snprintf(why, size, "%s is CUPTI API version %u (CUDA %u): this "
		    "library is for CUDA %u%s", api->path, api->version,
		    toolkit_major(api->version), CUPTI_MAJOR,
		    CUPTI_MAJOR == 12 ? ", from 12.4 on" : "");
		return DIAG_CUPTI_VERSION;
	}
	if ((cuda = library_cuda()) != NULL) {
#define STR2(x) #x
#define STR(x) STR2(x)
#define X(need, name)							\
		*(void **)&api->name = dlsym(cuda, STR(name));
		CUDA_FUNCTIONS(X)
#undef X
	}
	if (api->cuDriverGetVersion != NULL &&
	    api->cuDriverGetVersion(&api->driver_version) != CUDA_SUCCESS)
		api->driver_version = 0;
	api->loaded = true;
	return DIAG_NONE;
}

CUptiResult
cupti_api_subscribe(const struct cupti_api *api, CUpti_SubscriberHandle *handle,
    CUpti_CallbackFunc f, char *other, size_t size)
{

	other[0] = '\0';
#if CUPTI_API_VERSION >= 130000
	if (api->cuptiSubscribe_v2 != NULL) {
		CUpti_SubscriberParams p = {
			.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
			.subscriberName = "cudadvise",
			.oldSubscriberName = other,
			.oldSubscriberSize = size };

		return api->cuptiSubscribe_v2(handle, f, NULL, &p);
	}
#else
	(void)size;
#endif
	return api->cuptiSubscribe(handle, f, NULL);
}

const char *
cupti_api_error(const struct cupti_api *api, CUptiResult r)
{
	const char *text = NULL;

	if (api->cuptiGetResultString != NULL &&
	    api->cuptiGetResultString(r, &text) == CUPTI_SUCCESS &&
	    text != NULL)
		return text;
	return "CUPTI error";
}
