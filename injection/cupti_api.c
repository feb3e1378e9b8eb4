#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/record.h"

#include "cupti_api.h"

#ifndef CUDADVISE_CUPTI_DEFAULT
#define CUDADVISE_CUPTI_DEFAULT "libcupti.so.13"
#endif

/* A copy of CUPTI that the process has loaded already: two cannot coexist. */
static int
find_loaded(struct dl_phdr_info *info, size_t size, void *cookie)
{
	const char *base;

	(void)size;
	if (info->dlpi_name == NULL)
		return (0);
	base = strrchr(info->dlpi_name, '/');
	base = base != NULL ? base + 1 : info->dlpi_name;
	if (strncmp(base, "libcupti.so", 11) != 0)
		return (0);
	snprintf(cookie, PATH_MAX, "%s", info->dlpi_name);
	return (1);
}

static void *
open_first(const char *const *names, char *path, size_t size)
{
	void *lib;

	for (; *names != NULL; names++) {
		if (**names == '\0')
			continue;
		if ((lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL)) == NULL)
			continue;
		snprintf(path, size, "%s", *names);
		return (lib);
	}
	return (NULL);
}

static void *
open_cupti(struct cupti_api *api)
{
	const char *forced = getenv("CUDADVISE_CUPTI");
	char loaded[PATH_MAX] = "", env[PATH_MAX] = "";
	const char *home = getenv("CUDA_HOME");
	const char *names[] = { loaded, CUDADVISE_CUPTI_DEFAULT, env,
	    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
	    "/usr/local/cuda/lib64/libcupti.so.13",
	    "/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13",
	    "/usr/local/cuda-13.0/lib64/libcupti.so.13",
	    "libcupti.so.13", NULL };
	const char *only[] = { forced, NULL };

	if (forced != NULL && *forced != '\0')
		return (open_first(only, api->path, sizeof(api->path)));
	dl_iterate_phdr(find_loaded, loaded);
	if (home != NULL && *home != '\0')
		snprintf(env, sizeof(env),
		    "%s/extras/CUPTI/lib64/libcupti.so.13", home);
	return (open_first(names, api->path, sizeof(api->path)));
}

static void *
open_cuda(void)
{
	const char *forced = getenv("CUDADVISE_LIBCUDA");

	if (forced != NULL && *forced != '\0')
		return (dlopen(forced, RTLD_NOW | RTLD_LOCAL));
	return (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD));
}

int
cupti_api_load(struct cupti_api *api, char *why, size_t size)
{
	void *lib, *cuda;
	const char *missing = NULL;

	memset(api, 0, sizeof(*api));
	if ((lib = open_cupti(api)) == NULL) {
		snprintf(why, size, "libcupti.so.13 was not found (looked "
		    "beside the toolkit this was built with, in "
		    "$CUDA_HOME/extras/CUPTI/lib64 and the loader's path)");
		return (DIAG_CUPTI_MISSING);
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
		snprintf(why, size, "%s lacks %s: not a CUPTI 13 library",
		    api->path, missing);
		return (DIAG_CUPTI_VERSION);
	}
	if (api->cuptiGetVersion(&api->version) != CUPTI_SUCCESS ||
	    api->version / 10000 != CUPTI_API_VERSION / 10000) {
		snprintf(why, size, "%s is CUPTI API version %u; this library "
		    "was built for %u", api->path, api->version,
		    CUPTI_API_VERSION);
		return (DIAG_CUPTI_VERSION);
	}
	if ((cuda = open_cuda()) != NULL) {
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
	return (DIAG_NONE);
}

const char *
cupti_api_error(const struct cupti_api *api, CUptiResult r)
{
	const char *text = NULL;

	if (api->cuptiGetResultString != NULL &&
	    api->cuptiGetResultString(r, &text) == CUPTI_SUCCESS &&
	    text != NULL)
		return (text);
	return ("CUPTI error");
}
