/*
 * capture_ptds: captures the per-thread default stream (the compiler's option
 * --default-stream per-thread); the first launch of a kernel is inside the capture.
 */
#include <pthread.h>

#include "check.h"

#define NODES 8

/* Launched only in the graph. */
static __global__ void
first_here(uint32_t *v, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		v[i] = stir(v[i] ^ 5);
}

static void *
one_thread(void *out)
{
	uint32_t *device, *host;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMallocHost(&host, WORDS * sizeof(*host)));
	CHECK(cudaMemset(device, 0, WORDS * sizeof(*device)));
	CHECK(cudaStreamSynchronize(0));
	CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < NODES; i++) {
		first_here<<<WORDS / 256, 256>>>(device, WORDS);
		CHECK(cudaGetLastError());
		/* Launch shapes that are new inside the capture. */
		stir_all<<<WORDS / 128, 128, 16 * i>>>(device, WORDS, 2);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpyAsync(host, device, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost, 0));
	CHECK(cudaStreamEndCapture(0, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 50; i++)
		CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaStreamSynchronize(0));
	*(uint32_t *)out = digest(host, WORDS);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	uint32_t h;

	need_gpu();
	one_thread(&h);
	printf("main: %08x\n", h);
	if (pthread_create(&thread, NULL, one_thread, &h) ||
	    pthread_join(thread, NULL))
		return 1;
	printf("thread: %08x\n", h);
	printf("then: %08x\n", work(0, 100));
	return 0;
}
