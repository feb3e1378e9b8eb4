/* CUPTI's side of NVTX: functions for the program's tables, which write markers. */
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HAVE_NVTX 1
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mock_internal.h"

/* CUPTI's NVTX entry points, which none of its headers declares. */
CUptiResult cuptiNvtxInitialize(void *table);
CUptiResult cuptiNvtxInitialize2(void *table);

#ifndef HAVE_NVTX

CUptiResult
cuptiNvtxInitialize2(void *table)
{
	return table != NULL ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

#else

#define DEPTH 64

static __thread struct {
	uint32_t depth, id[DEPTH];
} stack;
static uint32_t last;		/* marker id */

static void
mark(CUpti_ActivityFlag flag, uint32_t id, const char *domain, const char *name,
    bool process)
{
	CUpti_ActivityMarker2 m = { .kind = CUPTI_ACTIVITY_KIND_MARKER,
	    .flags = flag, .timestamp = mock_now(), .id = id,
	    .objectKind = process ? CUPTI_ACTIVITY_OBJECT_PROCESS :
	    CUPTI_ACTIVITY_OBJECT_THREAD, .name = name, .domain = domain };

	if (!mock_subscribed())
		abort();	/* CUPTI's crash before anyone has subscribed */
	m.objectId.pt.processId = (uint32_t)getpid();
	if (!process)
		m.objectId.pt.threadId = (uint32_t)syscall(SYS_gettid);
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_MARKER))
		mock_emit(&m, sizeof(m));
}

static uint32_t
next(void)
{
	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

struct text {
	struct text *next;
	char text[];
};

/* Returns a copy of the text that is never freed, as CUPTI keeps texts. */
static const char *
kept(const char *text)
{
	static struct text *all;
	size_t size = text != NULL ? strlen(text) + 1 : 0;
	struct text *t;

	if (text == NULL)
		return NULL;
	if ((t = malloc(sizeof(*t) + size)) == NULL)
		abort();
	memcpy(t->text, text, size);
	t->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &t->next, t, true,
	    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return t->text;
}

static int
push(const char *domain, const char *name)
{
	if (stack.depth == DEPTH)
		return -1;
	stack.id[stack.depth] = next();
	mark(CUPTI_ACTIVITY_FLAG_MARKER_START, stack.id[stack.depth], domain,
	    kept(name), false);
	return (int)stack.depth++;
}

static int
pop(const char *domain)
{
	if (stack.depth == 0)
		return -1;
	mark(CUPTI_ACTIVITY_FLAG_MARKER_END, stack.id[--stack.depth], domain,
	    NULL, false);
	return (int)stack.depth;
}

static int NVTX_API
push_a(const char *name)
{
	return push(NULL, name);
}

static int NVTX_API
pop_any(void)
{
	return pop(NULL);
}

static nvtxRangeId_t NVTX_API
start_a(const char *name)
{
	uint32_t id = next();

	mark(CUPTI_ACTIVITY_FLAG_MARKER_START, id, NULL, kept(name), true);
	return id;
}

static void NVTX_API
end(nvtxRangeId_t id)
{
	mark(CUPTI_ACTIVITY_FLAG_MARKER_END, (uint32_t)id, NULL, NULL, true);
}

static nvtxDomainHandle_t NVTX_API
domain_create(const char *name)
{
	return (nvtxDomainHandle_t)(uintptr_t)kept(name);
}

static int NVTX_API
domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
	return push((const char *)domain, a->message.ascii);
}

static int NVTX_API
domain_pop(nvtxDomainHandle_t domain)
{
	return pop((const char *)domain);
}

#define PUT(table, size, id, f)						\
	if ((id) < (size) && (table)[id] != NULL)			\
		*(table)[id] = (NvtxFunctionPointer)(f)

CUptiResult
cuptiNvtxInitialize2(void *get)
{
	NvtxGetExportTableFunc_t export;
	const NvtxExportTableCallbacks *callbacks;
	NvtxFunctionTable table;
	unsigned n;

	*(void **)&export = get;
	callbacks = export(NVTX_ETID_CALLBACKS);
	if (callbacks == NULL || !callbacks->GetModuleFunctionTable(
	    NVTX_CB_MODULE_CORE, &table, &n))
		return CUPTI_ERROR_NOT_INITIALIZED;
	PUT(table, n, NVTX_CBID_CORE_RangePushA, push_a);
	PUT(table, n, NVTX_CBID_CORE_RangePop, pop_any);
	PUT(table, n, NVTX_CBID_CORE_RangeStartA, start_a);
	PUT(table, n, NVTX_CBID_CORE_RangeEnd, end);
	if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table,
	    &n))
		return CUPTI_ERROR_NOT_INITIALIZED;
	PUT(table, n, NVTX_CBID_CORE2_DomainCreateA, domain_create);
	PUT(table, n, NVTX_CBID_CORE2_DomainRangePushEx, domain_push);
	PUT(table, n, NVTX_CBID_CORE2_DomainRangePop, domain_pop);
	return CUPTI_SUCCESS;
}

#endif

CUptiResult
cuptiNvtxInitialize(void *table)
{
	return cuptiNvtxInitialize2(table);
}
