/*
 * empty_injection.c: the baseline for the cost of our library: the least that a
 * tool can do at a launch. It requests kernel records and ignores them. With
 * EMPTY_CALLBACK it also subscribes to the launch callback and does nothing in it; with
 * EMPTY_ATTACHED it subscribes, and asks for nothing at all; with EMPTY_DETACHED it also
 * requests kernel records, until it detaches from the process after DETACH_S.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cuda.h>
#include <cupti.h>

int InitializeInjection(void);

#ifdef EMPTY_DETACHED
#define DETACH_S 8		/* the first half of overhead.sh's training is longer */

static time_t began;

/* CUPTI may be detached at the end of a call only. */
static void
called(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
    const void *data)
{
	const CUpti_CallbackData *call = data;
	static int detached;

	(void)userdata;
	(void)domain;
	(void)cbid;
	if (call->callbackSite != CUPTI_API_EXIT || time(NULL) - began < DETACH_S ||
	    __atomic_exchange_n(&detached, 1, __ATOMIC_RELAXED))
		return;
	cuptiActivityFlushAll(1);
	cuptiFinalize();
}
#elif defined(EMPTY_CALLBACK) || defined(EMPTY_ATTACHED)
static uint64_t calls;

static void
called(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
    const void *data)
{
	(void)userdata;
	(void)domain;
	(void)cbid;
	(void)data;
	calls++;
}
#endif

#if defined(EMPTY_CALLBACK) || defined(EMPTY_ATTACHED) || defined(EMPTY_DETACHED)
#define SUBSCRIBES
#endif

#ifndef EMPTY_ATTACHED
static void
requested(uint8_t **data, size_t *size, size_t *max_records)
{
	*size = 1 << 20;
	*data = malloc(*size);
	*max_records = 0;
}

static void
completed(CUcontext context, uint32_t stream, uint8_t *data, size_t size,
    size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	(void)valid;
	free(data);
}
#endif

__attribute__((visibility("default"))) int
InitializeInjection(void)
{
#ifdef SUBSCRIBES
	CUpti_SubscriberHandle handle;

	if (cuptiSubscribe(&handle, called, NULL) != CUPTI_SUCCESS)
		return 1;
#endif
#ifdef EMPTY_DETACHED
	began = time(NULL);
#endif
#if defined(EMPTY_CALLBACK) || defined(EMPTY_DETACHED)
	cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
#endif
#ifdef EMPTY_DETACHED
	cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
#endif
#ifndef EMPTY_ATTACHED
	cuptiActivityRegisterCallbacks(requested, completed);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
#endif
	return 1;
}
