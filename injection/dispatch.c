#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#include "wire/record.h"
#include "wire/toolkit.h"

#include "cupti_api.h"
#include "dispatch.h"
#include "library.h"

static struct {
	void *sibling;		/* NULL: this library measures */
	int refused;		/* an enum wire_diag */
	char why[512];
} choice;

/* The path by which this library was opened. */
static const char *
own_path(void)
{
	static const char here;
	Dl_info info;

	return dladdr(&here, &info) != 0 && info.dli_fname != NULL ?
	    info.dli_fname : "";
}

/* The first major in ${order} with a CUPTI that is found; if there is none, the first
 * of all, whose library then reports it. */
static unsigned
pick(const unsigned *order, size_t n)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; n > 1 && i < n; i++)
		if (library_cupti(order[i], path, sizeof(path)) != NULL)
			return order[i];
	return order[0];
}

static void
choose(void)
{
	struct toolkit_facts facts;
	unsigned order[TOOLKIT_MAJORS], major;
	const char *own = own_path(), *error;
	char path[PATH_MAX];
	size_t n;

	if (toolkit_built() != CUPTI_MAJOR)
		return;		/* this is a sibling: the decision was made */
	facts = (struct toolkit_facts){
	    .built = toolkit_there(own, CUPTI_MAJOR),
	    .driver = library_driver(), .loaded = library_present() };
	if ((n = toolkit_order(&facts, order)) == 0) {
		choice.refused = facts.loaded != 0 ? DIAG_CUPTI_VERSION :
		    DIAG_DRIVER_OLD;
		toolkit_refusal(&facts, choice.why, sizeof(choice.why));
		return;
	}
	if ((major = pick(order, n)) == CUPTI_MAJOR ||
	    toolkit_sibling(own, major, path, sizeof(path)) != 0)
		return;
	if ((choice.sibling = dlopen(path, RTLD_NOW | RTLD_LOCAL)) != NULL)
		return;
	error = dlerror();
	choice.refused = DIAG_CUPTI_VERSION;
	snprintf(choice.why, sizeof(choice.why), "the library for CUDA %u "
	    "cannot be opened: %.300s", major, error != NULL ? error : "");
}

static void
decide(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, choose);
}

void *
dispatch_find(const char *name)
{

	decide();
	return choice.sibling != NULL ? dlsym(choice.sibling, name) : NULL;
}

int
dispatch_refused(char *why, size_t size)
{

	decide();
	if (choice.refused != DIAG_NONE)
		snprintf(why, size, "%s", choice.why);
	return choice.refused;
}
