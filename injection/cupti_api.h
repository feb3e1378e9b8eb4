/*
 * cupti_api.h: CUPTI and the few driver functions that are called, as one table of
 * function pointers, resolved at run time (library.h). Only this file and cupti_api.c
 * include CUPTI's headers, those of CUDA 12.6 to 13, and hide the differences between
 * them.
 */
#ifndef CADV_CUPTI_API_H
#define CADV_CUPTI_API_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#if CUPTI_API_VERSION < 24
#error "CUPTI's headers are older than those of CUDA 12.6"
#endif

/*
 * The oldest record layouts that have all the fields we read, because an older CUPTI
 * library of the same major writes these. Newer layouts append fields (cupti_api.c
 * asserts it).
 */
#if CUPTI_API_VERSION >= 130000
#define CUPTI_MAJOR (CUPTI_API_VERSION / 10000)
typedef CUpti_ActivityKernel10 cupti_kernel;
#define CUPTI_KERNEL_FROM_DEVICE(k) ((k)->isDeviceLaunched)
/* Returns the name of the tool that has subscribed already. */
#define CUPTI_FUNCTIONS_13(X) X(O, cuptiSubscribe_v2)
#else
#define CUPTI_MAJOR 12
typedef CUpti_ActivityKernel9 cupti_kernel;
#define CUPTI_KERNEL_FROM_DEVICE(k) ((void)(k), false)
#define CUPTI_FUNCTIONS_13(X)
#endif
typedef CUpti_ActivityMemcpy5 cupti_copy;
typedef CUpti_ActivityUnifiedMemoryCounter2 cupti_managed;
/* CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT, which was added in 12.8. */
#define CUPTI_OVERHEAD_UVM_INIT (8u << 16)

/* CUPTI exports these for NVTX, but declares them in no header. Unlike the functions
 * that NVTX calls, they return CUPTI_SUCCESS, which is 0, if they succeed. */
CUptiResult cuptiNvtxInitialize(void *getExportTable);
CUptiResult cuptiNvtxInitialize2(void *getExportTable);

/* X(R, name): required for tracing. X(O, name): optional; a feature is missing without
 * it. */
#define CUPTI_FUNCTIONS(X)						\
	X(R, cuptiGetVersion)						\
	X(R, cuptiSubscribe)						\
	X(R, cuptiEnableCallback)					\
	X(R, cuptiGetCallbackState)					\
	X(R, cuptiActivityRegisterCallbacks)				\
	X(R, cuptiActivityEnable)					\
	X(R, cuptiActivityDisable)					\
	X(R, cuptiActivityFlushAll)					\
	X(R, cuptiActivityGetNextRecord)				\
	X(R, cuptiActivityGetNumDroppedRecords)				\
	X(R, cuptiGetTimestamp)						\
	X(O, cuptiActivitySetAttribute)					\
	X(O, cuptiActivityEnableRuntimeApi)				\
	X(O, cuptiActivityEnableDriverApi)				\
	X(O, cuptiSetThreadIdType)					\
	X(O, cuptiGetResultString)					\
	X(O, cuptiGetStreamIdEx)					\
	X(O, cuptiGetContextId)						\
	X(O, cuptiGetDeviceId)						\
	X(O, cuptiActivityConfigureUnifiedMemoryCounter)		\
	X(O, cuptiNvtxInitialize)					\
	X(O, cuptiNvtxInitialize2)					\
	X(O, cuptiDeviceGetChipName)					\
	X(O, cuptiProfilerInitialize)					\
	X(O, cuptiProfilerDeviceSupported)				\
	X(O, cuptiProfilerGetCounterAvailability)			\
	X(O, cuptiProfilerHostInitialize)				\
	X(O, cuptiProfilerHostDeinitialize)				\
	X(O, cuptiProfilerHostConfigAddMetrics)				\
	X(O, cuptiProfilerHostGetConfigImageSize)			\
	X(O, cuptiProfilerHostGetConfigImage)				\
	X(O, cuptiProfilerHostGetNumOfPasses)				\
	X(O, cuptiProfilerHostEvaluateToGpuValues)			\
	X(O, cuptiRangeProfilerEnable)					\
	X(O, cuptiRangeProfilerDisable)					\
	X(O, cuptiRangeProfilerSetConfig)				\
	X(O, cuptiRangeProfilerStart)					\
	X(O, cuptiRangeProfilerStop)					\
	X(O, cuptiRangeProfilerPushRange)				\
	X(O, cuptiRangeProfilerPopRange)				\
	X(O, cuptiRangeProfilerDecodeData)				\
	X(O, cuptiRangeProfilerGetCounterDataSize)			\
	X(O, cuptiRangeProfilerCounterDataImageInitialize)		\
	X(O, cuptiSassMetricsGetProperties)				\
	X(O, cuptiSassMetricsSetConfig)					\
	X(O, cuptiSassMetricsUnsetConfig)				\
	X(O, cuptiSassMetricsEnable)					\
	X(O, cuptiSassMetricsDisable)					\
	X(O, cuptiSassMetricsGetDataProperties)				\
	X(O, cuptiSassMetricsFlushData)					\
	X(O, cuptiPCSamplingEnable)					\
	X(O, cuptiPCSamplingDisable)					\
	X(O, cuptiPCSamplingSetConfigurationAttribute)			\
	X(O, cuptiPCSamplingGetNumStallReasons)				\
	X(O, cuptiPCSamplingGetStallReasons)				\
	X(O, cuptiPCSamplingGetData)					\
	X(O, cuptiGetCubinCrc)						\
	CUPTI_FUNCTIONS_13(X)

/* From libcuda, which the process has loaded; all optional. These are the names that
 * the headers of CUDA 12 and 13 have in common: cuda.h renames some with macros. */
#define CUDA_FUNCTIONS(X)						\
	X(O, cuCtxPushCurrent)						\
	X(O, cuCtxPopCurrent)						\
	X(O, cuCtxSynchronize)						\
	X(O, cuThreadExchangeStreamCaptureMode)				\
	X(O, cuStreamQuery)						\
	X(O, cuDeviceGet)						\
	X(O, cuDeviceGetCount)						\
	X(O, cuDeviceGetAttribute)					\
	X(O, cuDeviceGetName)						\
	X(O, cuDeviceTotalMem_v2)					\
	X(O, cuDeviceGetUuid_v2)					\
	X(O, cuDeviceCanAccessPeer)					\
	X(O, cuDriverGetVersion)					\
	X(O, cuFuncGetAttribute)					\
	X(O, cuKernelGetAttribute)					\
	X(O, cuGetErrorName)

/* The table. libcuda exports the versioned names, which cuda.h hides behind macros. */
struct cupti_api {
	bool loaded;		/* every required function was found */
	bool counters;		/* and all of the range profiler */
	bool sass, sampling;	/* and all of SASS metrics, of PC sampling */
	uint32_t version;	/* cuptiGetVersion */
	int driver_version;	/* cuDriverGetVersion, 0 unknown */
	char path[512];		/* of the library in use */
#define X(need, name) __typeof__(&name) name;
	CUPTI_FUNCTIONS(X)
	CUDA_FUNCTIONS(X)
#undef X
};

/*
 * cupti_api_load(api, why, size): open CUPTI (library_cupti) and fill ${api}. Returns
 * an enum wire_diag: DIAG_NONE, or DIAG_CUPTI_MISSING or DIAG_CUPTI_VERSION with the
 * reason in ${why}. Prints nothing.
 */
int cupti_api_load(struct cupti_api *api, char *why, size_t size);

/* cupti_api_subscribe(api, handle, f, other, size): subscribe. If another tool has
 * subscribed already, its name is written to ${other} as far as CUPTI returns it; ""
 * otherwise. */
CUptiResult cupti_api_subscribe(const struct cupti_api *api,
    CUpti_SubscriberHandle *handle, CUpti_CallbackFunc f, char *other,
    size_t size);

/* cupti_api_error(api, r): "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", or "CUPTI error" if
 * CUPTI does not know ${r}. */
const char *cupti_api_error(const struct cupti_api *api, CUptiResult r);

#endif
