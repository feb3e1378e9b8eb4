#include <stddef.h>

#include "wire/record.h"

#include "calls.h"
#include "inject.h"

#define ROW(name, kind, call)						\
	{ CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_CB_DOMAIN_DRIVER_API,	\
	    CALLS_##kind, CALL_##call }
#define RUNTIME(name, kind, call)					\
	{ CUPTI_RUNTIME_TRACE_CBID_##name, CUPTI_CB_DOMAIN_RUNTIME_API,	\
	    CALLS_##kind, CALL_##call }

/* Names with _ptsz and _ptds are the same calls, compiled for the per-thread default
 * stream. */
static const struct call_row rows[] = {
	ROW(cuLaunchKernel, LAUNCH, LAUNCH),
	ROW(cuLaunchKernel_ptsz, LAUNCH, LAUNCH),
	ROW(cuLaunchKernelEx, LAUNCH_EX, LAUNCH),
	ROW(cuLaunchKernelEx_ptsz, LAUNCH_EX, LAUNCH),
	ROW(cuLaunchCooperativeKernel, COOPERATIVE, LAUNCH),
	ROW(cuLaunchCooperativeKernel_ptsz, COOPERATIVE, LAUNCH),
	ROW(cuGraphLaunch, GRAPH, GRAPH_LAUNCH),
	ROW(cuGraphLaunch_ptsz, GRAPH, GRAPH_LAUNCH),
	ROW(cuMemcpy, COPY_UP, MEMCPY),
	ROW(cuMemcpy_ptds, COPY_UP, MEMCPY),
	ROW(cuMemcpyHtoD_v2, COPY_UP, MEMCPY),
	ROW(cuMemcpyHtoD_v2_ptds, COPY_UP, MEMCPY),
	ROW(cuMemcpyDtoH_v2, COPY, MEMCPY),
	ROW(cuMemcpyDtoH_v2_ptds, COPY, MEMCPY),
	ROW(cuMemcpyDtoD_v2, RECORD, MEMCPY),
	ROW(cuMemcpyDtoD_v2_ptds, RECORD, MEMCPY),
	ROW(cuMemcpyHtoA_v2, RECORD, MEMCPY),
	ROW(cuMemcpyHtoA_v2_ptds, RECORD, MEMCPY),
	ROW(cuMemcpyAtoH_v2, RECORD, MEMCPY),
	ROW(cuMemcpyAtoH_v2_ptds, RECORD, MEMCPY),
	ROW(cuMemcpy2D_v2, RECORD, MEMCPY),
	ROW(cuMemcpy2D_v2_ptds, RECORD, MEMCPY),
	ROW(cuMemcpy2DUnaligned_v2, RECORD, MEMCPY),
	ROW(cuMemcpy2DUnaligned_v2_ptds, RECORD, MEMCPY),
	ROW(cuMemcpy3D_v2, RECORD, MEMCPY),
	ROW(cuMemcpy3D_v2_ptds, RECORD, MEMCPY),
	ROW(cuMemcpyPeer, RECORD, MEMCPY),
	ROW(cuMemcpyPeer_ptds, RECORD, MEMCPY),
	ROW(cuMemcpyAsync, COPY_UP, MEMCPY_ASYNC),
	ROW(cuMemcpyAsync_ptsz, COPY_UP, MEMCPY_ASYNC),
	ROW(cuMemcpyHtoDAsync_v2, COPY_UP, MEMCPY_ASYNC),
	ROW(cuMemcpyHtoDAsync_v2_ptsz, COPY_UP, MEMCPY_ASYNC),
	ROW(cuMemcpyDtoHAsync_v2, COPY, MEMCPY_ASYNC),
	ROW(cuMemcpyDtoHAsync_v2_ptsz, COPY, MEMCPY_ASYNC),
	ROW(cuMemcpyDtoDAsync_v2, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpyDtoDAsync_v2_ptsz, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpy2DAsync_v2, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpy2DAsync_v2_ptsz, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpy3DAsync_v2, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpy3DAsync_v2_ptsz, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpyPeerAsync, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpyPeerAsync_ptsz, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpyHtoAAsync_v2, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpyHtoAAsync_v2_ptsz, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpyAtoHAsync_v2, RECORD, MEMCPY_ASYNC),
	ROW(cuMemcpyAtoHAsync_v2_ptsz, RECORD, MEMCPY_ASYNC),
	ROW(cuMemsetD8_v2, RECORD, MEMSET),
	ROW(cuMemsetD8_v2_ptds, RECORD, MEMSET),
	ROW(cuMemsetD16_v2, RECORD, MEMSET),
	ROW(cuMemsetD16_v2_ptds, RECORD, MEMSET),
	ROW(cuMemsetD32_v2, RECORD, MEMSET),
	ROW(cuMemsetD32_v2_ptds, RECORD, MEMSET),
	ROW(cuMemsetD2D8_v2, RECORD, MEMSET),
	ROW(cuMemsetD2D8_v2_ptds, RECORD, MEMSET),
	ROW(cuMemsetD2D16_v2, RECORD, MEMSET),
	ROW(cuMemsetD2D16_v2_ptds, RECORD, MEMSET),
	ROW(cuMemsetD2D32_v2, RECORD, MEMSET),
	ROW(cuMemsetD2D32_v2_ptds, RECORD, MEMSET),
	ROW(cuMemsetD8Async, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD8Async_ptsz, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD16Async, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD16Async_ptsz, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD32Async, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD32Async_ptsz, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD2D8Async, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD2D8Async_ptsz, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD2D32Async, RECORD, MEMSET_ASYNC),
	ROW(cuMemsetD2D32Async_ptsz, RECORD, MEMSET_ASYNC),
	ROW(cuMemAlloc_v2, RECORD, MALLOC),
	ROW(cuMemAllocPitch_v2, RECORD, MALLOC),
	ROW(cuMemFree_v2, RECORD, FREE),
	ROW(cuMemAllocAsync, RECORD, MALLOC_ASYNC),
	ROW(cuMemAllocAsync_ptsz, RECORD, MALLOC_ASYNC),
	ROW(cuMemAllocFromPoolAsync, RECORD, MALLOC_ASYNC),
	ROW(cuMemAllocFromPoolAsync_ptsz, RECORD, MALLOC_ASYNC),
	ROW(cuMemFreeAsync, RECORD, FREE_ASYNC),
	ROW(cuMemFreeAsync_ptsz, RECORD, FREE_ASYNC),
	ROW(cuMemHostAlloc, PINNED, MALLOC_HOST),
	ROW(cuMemAllocHost_v2, PINNED, MALLOC_HOST),
	ROW(cuMemFreeHost, RECORD, FREE_HOST),
	ROW(cuMemHostRegister, PINNED, HOST_REGISTER),
	ROW(cuMemHostRegister_v2, PINNED, HOST_REGISTER),
	ROW(cuMemHostUnregister, RECORD, HOST_UNREGISTER),
	ROW(cuMemAllocManaged, MANAGED, MALLOC_MANAGED),
	ROW(cuArrayCreate_v2, RECORD, MALLOC_ARRAY),
	ROW(cuArray3DCreate_v2, RECORD, MALLOC_ARRAY),
	ROW(cuMipmappedArrayCreate, RECORD, MALLOC_ARRAY),
	ROW(cuArrayDestroy, RECORD, FREE_ARRAY),
	ROW(cuMipmappedArrayDestroy, RECORD, FREE_ARRAY),
	ROW(cuTexObjectCreate, RECORD, CREATE_TEXTURE),
	ROW(cuTexObjectDestroy, RECORD, DESTROY_TEXTURE),
	ROW(cuSurfObjectCreate, RECORD, CREATE_SURFACE),
	ROW(cuSurfObjectDestroy, RECORD, DESTROY_SURFACE),
	ROW(cuCtxSynchronize, RECORD, DEVICE_SYNC),
	ROW(cuStreamSynchronize, RECORD, STREAM_SYNC),
	ROW(cuStreamSynchronize_ptsz, RECORD, STREAM_SYNC),
	ROW(cuEventSynchronize, RECORD, EVENT_SYNC),
	ROW(cuModuleLoad, LOAD, MODULE_LOAD),
	ROW(cuModuleLoadData, LOAD, MODULE_LOAD),
	ROW(cuModuleLoadDataEx, LOAD, MODULE_LOAD),
	ROW(cuModuleLoadFatBinary, LOAD, MODULE_LOAD),
	ROW(cuLibraryLoadData, LOAD, MODULE_LOAD),
	ROW(cuLibraryLoadFromFile, LOAD, MODULE_LOAD),
	ROW(cuLibraryGetModule, CODE, OTHER),
	ROW(cuFuncLoad, CODE, OTHER),
	ROW(cuModuleUnload, CODE, OTHER),
	ROW(cuLibraryUnload, CODE, OTHER),
	ROW(cuGraphInstantiate, RECORD, GRAPH_INSTANTIATE),
	ROW(cuGraphInstantiate_v2, RECORD, GRAPH_INSTANTIATE),
	ROW(cuGraphInstantiateWithFlags, RECORD, GRAPH_INSTANTIATE),
	ROW(cuGraphInstantiateWithParams, RECORD, GRAPH_INSTANTIATE),
	ROW(cuGraphInstantiateWithParams_ptsz, RECORD, GRAPH_INSTANTIATE),
	ROW(cuStreamCreate, STREAM, OTHER),
	ROW(cuStreamCreateWithPriority, STREAM, OTHER),
	ROW(cuStreamDestroy, STREAM_END, OTHER),
	ROW(cuStreamDestroy_v2, STREAM_END, OTHER),
	ROW(cuLaunchHostFunc, WAIT, OTHER),
	ROW(cuLaunchHostFunc_ptsz, WAIT, OTHER),
	ROW(cuStreamAddCallback, WAIT, OTHER),
	ROW(cuStreamAddCallback_ptsz, WAIT, OTHER),
	ROW(cuWaitExternalSemaphoresAsync, WAIT, OTHER),
	ROW(cuWaitExternalSemaphoresAsync_ptsz, WAIT, OTHER),
	ROW(cuStreamWaitValue32, WAIT, OTHER),
	ROW(cuStreamWaitValue32_ptsz, WAIT, OTHER),
	ROW(cuStreamWaitValue32_v2, WAIT, OTHER),
	ROW(cuStreamWaitValue32_v2_ptsz, WAIT, OTHER),
	ROW(cuStreamWaitValue64, WAIT, OTHER),
	ROW(cuStreamWaitValue64_ptsz, WAIT, OTHER),
	ROW(cuStreamWaitValue64_v2, WAIT, OTHER),
	ROW(cuStreamWaitValue64_v2_ptsz, WAIT, OTHER),
	ROW(cuStreamBatchMemOp, WAIT, OTHER),
	ROW(cuStreamBatchMemOp_ptsz, WAIT, OTHER),
	ROW(cuStreamBatchMemOp_v2, WAIT, OTHER),
	ROW(cuStreamBatchMemOp_v2_ptsz, WAIT, OTHER),
	ROW(cuCtxEnablePeerAccess, PEER, OTHER),
	ROW(cuStreamBeginCapture, CAPTURE_BEGIN, OTHER),
	ROW(cuStreamBeginCapture_ptsz, CAPTURE_BEGIN, OTHER),
	ROW(cuStreamBeginCapture_v2, CAPTURE_BEGIN, OTHER),
	ROW(cuStreamBeginCapture_v2_ptsz, CAPTURE_BEGIN, OTHER),
	ROW(cuStreamBeginCaptureToGraph, CAPTURE_BEGIN, OTHER),
	ROW(cuStreamBeginCaptureToGraph_ptsz, CAPTURE_BEGIN, OTHER),
	ROW(cuStreamEndCapture, CAPTURE_END, OTHER),
	ROW(cuStreamEndCapture_ptsz, CAPTURE_END, OTHER),
	RUNTIME(cudaDeviceSynchronize_v3020, RECORD, DEVICE_SYNC),
	RUNTIME(cudaThreadSynchronize_v3020, RECORD, DEVICE_SYNC),
	RUNTIME(cudaStreamSynchronize_v3020, RECORD, STREAM_SYNC),
	RUNTIME(cudaStreamSynchronize_ptsz_v7000, RECORD, STREAM_SYNC),
	RUNTIME(cudaEventSynchronize_v3020, RECORD, EVENT_SYNC),
	RUNTIME(cudaDeviceEnablePeerAccess_v4000, PEER_DEVICE, OTHER),
	RUNTIME(cudaMallocArray_v3020, AROUND, MALLOC_ARRAY),
	RUNTIME(cudaMalloc3DArray_v3020, AROUND, MALLOC_ARRAY),
	RUNTIME(cudaMallocMipmappedArray_v5000, AROUND, MALLOC_ARRAY),
	RUNTIME(cudaFreeArray_v3020, AROUND, FREE_ARRAY),
	RUNTIME(cudaFreeMipmappedArray_v5000, AROUND, FREE_ARRAY),
	RUNTIME(cudaCreateTextureObject_v5000, AROUND, CREATE_TEXTURE),
	RUNTIME(cudaCreateTextureObject_v2_v11080, AROUND, CREATE_TEXTURE),
	RUNTIME(cudaDestroyTextureObject_v5000, AROUND, DESTROY_TEXTURE),
	RUNTIME(cudaCreateSurfaceObject_v5000, AROUND, CREATE_SURFACE),
	RUNTIME(cudaDestroySurfaceObject_v5000, AROUND, DESTROY_SURFACE),
};

/* By cbid: index of the row + 1; 0: none. */
static uint8_t driver[CUPTI_DRIVER_TRACE_CBID_SIZE];
static uint8_t runtime[CUPTI_RUNTIME_TRACE_CBID_SIZE];

_Static_assert(sizeof(rows) / sizeof(rows[0]) < 255, "a row is a uint8_t");

const struct call_row *
calls_table(unsigned *n)
{

	*n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

void
calls_init(void)
{
	unsigned i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].domain == CUPTI_CB_DOMAIN_DRIVER_API)
			driver[rows[i].cbid] = (uint8_t)(i + 1);
		else
			runtime[rows[i].cbid] = (uint8_t)(i + 1);
}

INJECT_HOT const struct call_row *
calls_find(CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	unsigned row = 0;

	if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
		if (cbid < CUPTI_DRIVER_TRACE_CBID_SIZE)
			row = driver[cbid];
	} else if (cbid < CUPTI_RUNTIME_TRACE_CBID_SIZE) {
		row = runtime[cbid];
	}
	return row != 0 ? &rows[row - 1] : NULL;
}
