#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/toolkit.h"

#include "library.h"

static int
find_loaded(struct dl_phdr_info *info, size_t size, void *cookie)
{
	const char *base;

	(void)size;
	if (info->dlpi_name == NULL)
		return 0;
	base = strrchr(info->dlpi_name, '/');
	base = base != NULL ? base + 1 : info->dlpi_name;
	if (strncmp(base, "libcupti.so", 11) != 0)
		return 0;
	snprintf(cookie, PATH_MAX, "%s", info->dlpi_name);
	return 1;
}

/* The CUPTI that must be used: the one that CUDADVISE_CUPTI names, else the one that
 * the process has loaded. Two cannot coexist in a process. */
static bool
present(char path[PATH_MAX])
{
	const char *forced = getenv("CUDADVISE_CUPTI");

	path[0] = '\0';
	if (forced != NULL && *forced != '\0')
		snprintf(path, PATH_MAX, "%s", forced);
	else
		dl_iterate_phdr(find_loaded, path);
	return path[0] != '\0';
}

unsigned
library_present(void)
{
	int (*version)(uint32_t *);
	char path[PATH_MAX];
	uint32_t api = 0;
	void *lib;

	if (!present(path) ||
	    (lib = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL)
		return 0;
	*(void **)&version = dlsym(lib, "cuptiGetVersion");
	return version != NULL && version(&api) == 0 ? toolkit_major(api) : 0;
}

void *
library_cuda(void)
{
	const char *forced = getenv("CUDADVISE_LIBCUDA");

	if (forced != NULL && *forced != '\0')
		return dlopen(forced, RTLD_NOW | RTLD_LOCAL);
	return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

int
library_driver(void)
{
	int (*version)(int *), n = 0;
	void *cuda = library_cuda();

	if (cuda == NULL)
		return toolkit_kernel_driver();
	*(void **)&version = dlsym(cuda, "cuDriverGetVersion");
	return version != NULL && version(&n) == 0 ? n : 0;
}

struct opened {
	void *lib;
	char *path;
	size_t size;
};

static int
try_open(const char *path, void *cookie)
{
	struct opened *o = cookie;

	if ((o->lib = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL)
		return 0;
	snprintf(o->path, o->size, "%s", path);
	return 1;
}

void *
library_cupti(unsigned major, char *path, size_t size)
{
	const char *forced = getenv("CUDADVISE_CUPTI");
	struct toolkit_search search = { .major = major,
	    .driver = library_driver(), .home = getenv("CUDA_HOME") };
	struct opened o = { NULL, path, size };
	char name[PATH_MAX];

	if (present(name) && (try_open(name, &o) != 0 ||
	    (forced != NULL && *forced != '\0')))
		return o.lib;
	toolkit_places(&search, try_open, &o);
	return o.lib;
}
