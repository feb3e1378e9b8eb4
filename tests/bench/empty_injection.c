/*
 * empty_injection.c: the baseline for the cost of our library: the least that a
 * tool can do at a launch. It requests kernel records and ignores them. With
 * EMPTY_CALLBACK it also subscribes to the launch callback and does nothing in it; with
 * EMPTY_ATTACHED it subscribes, and asks for nothing at all.
 */
#include <stdint.h>
#include <stdlib.h>

#include <cuda.h>
#include <cupti.h>

int InitializeInjection(void);

#if defined(EMPTY_CALLBACK) || defined(EMPTY_ATTACHED)
static uint64_t calls;

static void
nothing(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
    const void *data)
{
	(void)userdata;
	(void)domain;
	(void)cbid;
	(void)data;
	calls++;
}
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
#if defined(EMPTY_CALLBACK) || defined(EMPTY_ATTACHED)
	CUpti_SubscriberHandle handle;

	if (cuptiSubscribe(&handle, nothing, NULL) != CUPTI_SUCCESS)
		return 1;
#endif
#ifdef EMPTY_CALLBACK
	cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
#endif
#ifndef EMPTY_ATTACHED
	cuptiActivityRegisterCallbacks(requested, completed);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
#endif
	return 1;
}
