/* What the injection library will find in a program: the driver, itself and its
 * siblings, CUPTI. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/paths.h"
#include "wire/toolkit.h"

#include "cli/doctor.h"

static int
driver_version(void)
{
	const char *forced = getenv("CUDADVISE_LIBCUDA");
	int (*version)(int *), n = 0;
	void *lib = dlopen(forced != NULL && *forced != '\0' ? forced :
	    "libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (lib == NULL)
		return toolkit_kernel_driver();
	version = (int (*)(int *))dlsym(lib, "cuDriverGetVersion");
	return version != NULL && version(&n) == 0 ? n : 0;
}

static void
append(char *out, size_t size, const char *text)
{
	size_t n = strlen(out);

	snprintf(out + n, size - n, "%s", text);
}

/*
 * A program without a CUPTI of its own gets the first library of toolkit_order();
 * one that brings a CUPTI gets the library of its major version.
 */
void
doctor_injection(struct check_result *r)
{
	struct toolkit_facts f = { 0 };
	struct error e = ERROR_INIT;
	unsigned order[TOOLKIT_MAJORS], major;
	char path[PATH_MAX], part[128];
	size_t n;

	if (paths_injection(path, &e) != 0) {
		r->level = CHECK_FAIL;
		snprintf(r->text, sizeof(r->text), "%s", e.text);
		snprintf(r->remedy, sizeof(r->remedy), "%s", e.remedy);
		return;
	}
	f.driver = driver_version();
	f.built = toolkit_there(path, toolkit_built());
	if ((n = toolkit_order(&f, order)) == 0) {
		r->level = CHECK_FAIL;
		toolkit_refusal(&f, r->text, sizeof(r->text));
		toolkit_remedy(&f, r->remedy, sizeof(r->remedy));
		return;
	}
	r->level = CHECK_OK;
	snprintf(r->text, sizeof(r->text), "%.200s (CUDA %u)", path,
	    toolkit_built());
	for (major = TOOLKIT_NEWEST; major >= TOOLKIT_OLDEST; major--)
		if (major != toolkit_built() && f.built & toolkit_bit(major)) {
			snprintf(part, sizeof(part), ", -%u.so beside it (CUDA "
			    "%u)", major, major);
			append(r->text, sizeof(r->text), part);
		}
	if (f.driver != 0) {
		snprintf(part, sizeof(part), "; this driver, of CUDA %d.%d, "
		    "gets that of CUDA %u", f.driver / 1000,
		    f.driver % 1000 / 10, order[0]);
		append(r->text, sizeof(r->text), part);
	}
	append(r->text, sizeof(r->text), "; programs that bring the CUPTI of "
	    "another CUDA are not measured");
	if (order[0] == 12)
		append(r->text, sizeof(r->text), "; the one of CUDA 12 was "
		    "never tried on a driver of CUDA 12");
}

struct found {
	char *text;
	size_t size;
};

/* The libraries stay loaded: profilers do not unload reliably, and we exit soon. */
static int
try_cupti(const char *path, void *cookie)
{
	const struct found *f = cookie;
	int (*version)(uint32_t *);
	uint32_t n = 0;
	void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

	if (lib == NULL)
		return 0;
	version = (int (*)(uint32_t *))dlsym(lib, "cuptiGetVersion");
	if (version == NULL || version(&n) != 0)
		snprintf(f->text, f->size, "%.150s, which does not say its "
		    "version", path);
	else
		snprintf(f->text, f->size, "%.150s (API version %u)", path, n);
	return 1;
}

void
doctor_cupti(struct check_result *r)
{
	struct toolkit_facts f = { .driver = driver_version() };
	unsigned order[TOOLKIT_MAJORS];
	char path[PATH_MAX], one[256], part[320];
	size_t i, n, missing = 0;

	/* Without an injection library, search for every CUPTI that one could
	 * be built for. */
	f.built = paths_injection(path, NULL) == 0 ?
	    toolkit_there(path, toolkit_built()) :
	    toolkit_bit(13) | toolkit_bit(12);
	n = toolkit_order(&f, order);
	for (i = 0; i < n; i++) {
		struct toolkit_search s = { order[i], f.driver,
		    getenv("CUDA_HOME") };
		struct found found = { one, sizeof(one) };

		if (toolkit_places(&s, try_cupti, &found) == 0) {
			missing++;
			snprintf(one, sizeof(one), "none");
		}
		snprintf(part, sizeof(part), "%sCUDA %u: %s",
		    i > 0 ? "; " : "", order[i], one);
		append(r->text, sizeof(r->text), part);
	}
	r->level = missing < n ? CHECK_OK : CHECK_WARN;
	if (n == 0) {
		snprintf(r->text, sizeof(r->text), "not looked for: no "
		    "injection library suits the driver");
		snprintf(r->remedy, sizeof(r->remedy), "see 'injection'");
	} else if (missing == n)
		snprintf(r->remedy, sizeof(r->remedy), "install the CUPTI of "
		    "that CUDA toolkit, not newer than the driver, or put its "
		    "lib64 into LD_LIBRARY_PATH; a program that brings its own "
		    "(PyTorch does) works without");
}
