#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HAVE_NVTX 1
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "nvtx.h"

#define EARLY 64		/* libraries that use NVTX before CUDA; others have no ranges */

static struct {
	pthread_mutex_t lock;
	bool ready;
	/* Those that came before, and where their library was then: it may be gone. */
	struct {
		void *table, *base;
		CUptiResult (*begin)(void *table);
	} early[EARLY];
	unsigned count;
} nvtx = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *
base_of(void *address)
{
	Dl_info info;

	return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

#ifdef HAVE_NVTX

/* Has NVTX do nothing for the functions ${first} to ${last} of ${module}. */
static bool
leave_out(const NvtxExportTableCallbacks *of, NvtxCallbackModule module, unsigned first,
    unsigned last)
{
	NvtxFunctionTable slot;
	unsigned n;

	if (!of->GetModuleFunctionTable(module, &slot, &n))
		return false;
	for (unsigned i = first; i <= last && i < n; i++)
		if (slot[i] != NULL)
			*slot[i] = NULL;
	return true;
}

/* The functions that crash: those that make records, and those that name threads. */
static bool
hold_back(void *table)
{
	NvtxGetExportTableFunc_t export;
	const NvtxExportTableCallbacks *of;

	*(void **)&export = table;
	of = export(NVTX_ETID_CALLBACKS);
	return of != NULL && of->struct_size >= sizeof(*of) &&
	    leave_out(of, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_MarkEx,
	    NVTX_CBID_CORE_RangePop) &&
	    leave_out(of, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameOsThreadA,
	    NVTX_CBID_CORE_NameOsThreadW) &&
	    leave_out(of, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainMarkEx,
	    NVTX_CBID_CORE2_DomainRangePop);
}

#else

static bool
hold_back(void *table)
{

	(void)table;
	return false;
}

#endif

/* Begins before the driver does; false: CUPTI must not be used for ${table}. */
static bool
begin_early(void *table, CUptiResult (*begin)(void *table))
{

	/* CUPTI's functions are in the table for a moment, but NVTX calls none before this
	 * returns: other threads wait for it. */
	if (nvtx.count == EARLY || !hold_back(table) || begin(table) != CUPTI_SUCCESS ||
	    !hold_back(table))
		return false;
	nvtx.early[nvtx.count].table = table;
	nvtx.early[nvtx.count].base = base_of(table);
	nvtx.early[nvtx.count++].begin = begin;
	return true;
}

int
nvtx_begin(void *table, CUptiResult (*begin)(void *table))
{
	bool done;

	if (begin == NULL)
		return 0;
	pthread_mutex_lock(&nvtx.lock);
	done = nvtx.ready ? begin(table) == CUPTI_SUCCESS : begin_early(table, begin);
	pthread_mutex_unlock(&nvtx.lock);
	return done;
}

void
nvtx_ready(void)
{

	pthread_mutex_lock(&nvtx.lock);
	nvtx.ready = true;
	for (unsigned i = 0; i < nvtx.count; i++)
		if (nvtx.early[i].base != NULL &&
		    nvtx.early[i].base == base_of(nvtx.early[i].table))
			nvtx.early[i].begin(nvtx.early[i].table);
	nvtx.count = 0;
	pthread_mutex_unlock(&nvtx.lock);
}
