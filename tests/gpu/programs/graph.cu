/*
 * graph [LAUNCHES]: a captured graph of ten kernels and a copy, launched often.
 */
#include "check.h"

#define NODES 10

int
main(int argc, char **argv)
{
	long launches = argument(argc, argv, 1, 2000);
	uint32_t *device, *host;
	cudaStream_t stream;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	need_gpu();
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMallocHost(&host, WORDS * sizeof(*host)));
	CHECK(cudaMemset(device, 0, WORDS * sizeof(*device)));
	CHECK(cudaStreamBeginCapture(stream,
	    cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < NODES; i++)
		stir_all<<<WORDS / 256, 256, 0, stream>>>(device, WORDS, i + 1);
	CHECK(cudaMemcpyAsync(host, device, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (long i = 0; i < launches; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("%ld graphs of %d kernels: %08x\n", launches, NODES,
	    digest(host, WORDS));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
