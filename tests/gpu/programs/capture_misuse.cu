/*
 * capture_misuse: does what is illegal during stream capture, and prints CUDA's
 * errors. Measuring must not turn one error into another.
 */
#include <pthread.h>

#include "check.h"

static cudaStream_t stream, other;
static uint32_t *device;

static void
begin(cudaStreamCaptureMode mode)
{
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamBeginCapture(stream, mode));
	stir_all<<<1, 32, 0, stream>>>(device, 32, 1);
	CHECK(cudaGetLastError());
}

static void
say(const char *what, cudaError_t e)
{
	printf("  %s: %d %s\n", what, (int)e, cudaGetErrorName(e));
	(void)cudaGetLastError();
}

static void
end(void)
{
	cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
	cudaGraph_t graph = NULL;
	cudaError_t e = cudaStreamEndCapture(stream, &graph);
	size_t nodes = 0;

	if (e == cudaSuccess)
		CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
	say("end", e);
	printf("  nodes: %zu\n", nodes);
	if (graph)
		CHECK(cudaGraphDestroy(graph));
	say("status", cudaStreamIsCapturing(stream, &status));
	printf("  capturing: %d\n", (int)status);
	say("destroy", cudaStreamDestroy(stream));
}

static void *
end_here(void *)
{
	cudaGraph_t graph = NULL;

	say("end in another thread", cudaStreamEndCapture(stream, &graph));
	return NULL;
}

int
main(void)
{
	cudaFuncAttributes attributes;
	cudaGraph_t graph = NULL;
	cudaEvent_t event;
	uint32_t *more = NULL, host = 0;
	pthread_t thread;

	need_gpu();
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMemset(device, 0, WORDS * sizeof(*device)));
	CHECK(cudaFuncGetAttributes(&attributes, stir_all));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaDeviceSynchronize());
	printf("a legacy stream\n");
	say("begin", cudaStreamBeginCapture(cudaStreamLegacy,
	    cudaStreamCaptureModeGlobal));
	printf("an end without a beginning\n");
	say("end", cudaStreamEndCapture(other, &graph));
	printf("twice\n");
	begin(cudaStreamCaptureModeGlobal);
	say("begin", cudaStreamBeginCapture(stream,
	    cudaStreamCaptureModeGlobal));
	end();
	printf("waiting for the stream\n");
	begin(cudaStreamCaptureModeGlobal);
	say("synchronize", cudaStreamSynchronize(stream));
	end();
	printf("asking the stream\n");
	begin(cudaStreamCaptureModeRelaxed);
	say("query", cudaStreamQuery(stream));
	end();
	printf("waiting for the device\n");
	begin(cudaStreamCaptureModeThreadLocal);
	say("synchronize", cudaDeviceSynchronize());
	end();
	printf("an allocation\n");
	begin(cudaStreamCaptureModeGlobal);
	say("malloc", cudaMalloc(&more, 1024));
	end();
	printf("an allocation that is allowed\n");
	begin(cudaStreamCaptureModeRelaxed);
	say("malloc", cudaMalloc(&more, 1024));
	end();
	printf("a copy that waits\n");
	begin(cudaStreamCaptureModeGlobal);
	say("copy", cudaMemcpy(&host, device, sizeof(host),
	    cudaMemcpyDeviceToHost));
	end();
	printf("a stream that does not come back\n");
	begin(cudaStreamCaptureModeGlobal);
	say("record", cudaEventRecord(event, stream));
	say("wait", cudaStreamWaitEvent(other, event, 0));
	stir_all<<<1, 64, 0, other>>>(device, 64, 1);
	say("launch", cudaGetLastError());
	end();
	printf("a wrong shape\n");
	begin(cudaStreamCaptureModeGlobal);
	stir_all<<<1, 4096, 0, stream>>>(device, 64, 1);
	say("launch", cudaGetLastError());
	end();
	printf("the wrong thread\n");
	begin(cudaStreamCaptureModeThreadLocal);
	if (pthread_create(&thread, NULL, end_here, NULL) ||
	    pthread_join(thread, NULL))
		return 1;
	end();
	printf("then: %08x\n", work(0, 100));
	return 0;
}
