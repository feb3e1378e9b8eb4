/*
 * recycle [MODULES [LAUNCHES [PAUSE]]]: kernels of modules that are loaded, run and
 * unloaded again, as a just-in-time compiler's trials are; then LAUNCHES of a kernel of
 * the program's own, one each millisecond, and PAUSE ms without work; then the modules
 * are loaded once more, and their kernels run in two graphs: one that is captured, and
 * one made node by node.
 */
#include <unistd.h>

#include "candidate.h"

#define MOST 64
#define NUMBERS 4096
#define TIMES 20

static CUmodule module[MOST];
static CUfunction trial[MOST];
static CUdeviceptr numbers;
static CUstream stream;

static void
launch(unsigned i)
{
	unsigned count = NUMBERS;
	void *arguments[] = { &numbers, &count };

	DRIVER(cuLaunchKernel(trial[i], NUMBERS / 128, 1, 1, 128, 1, 1, 0, stream,
	    arguments, NULL));
}

static CUgraph
captured(unsigned n)
{
	CUgraph graph;

	DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	for (unsigned i = 0; i < n; i++)
		launch(i);
	DRIVER(cuStreamEndCapture(stream, &graph));
	return graph;
}

static CUgraph
made(unsigned n)
{
	CUDA_KERNEL_NODE_PARAMS p = { };
	CUgraphNode node, last = NULL;
	unsigned count = NUMBERS;
	void *arguments[] = { &numbers, &count };
	CUgraph graph;

	DRIVER(cuGraphCreate(&graph, 0));
	p.gridDimX = NUMBERS / 128;
	p.blockDimX = 128;
	p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
	p.kernelParams = arguments;
	for (unsigned i = 0; i < n; i++) {
		p.func = trial[i];
		DRIVER(cuGraphAddKernelNode(&node, graph, last != NULL ? &last :
		    NULL, last != NULL, &p));
		last = node;
	}
	return graph;
}

static void
run(CUgraph graph)
{
	CUgraphExec exec;

	DRIVER(cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < TIMES; i++)
		DRIVER(cuGraphLaunch(exec, stream));
	DRIVER(cuStreamSynchronize(stream));
	DRIVER(cuGraphExecDestroy(exec));
	DRIVER(cuGraphDestroy(graph));
}

int
main(int argc, char **argv)
{
	unsigned n = (unsigned)argument(argc, argv, 1, 16);
	long launches = argument(argc, argv, 2, 1200);
	long pause = argument(argc, argv, 3, 1);
	static uint32_t got[NUMBERS], want[NUMBERS];
	uint32_t *own;
	long rounds = 0;

	need_gpu();
	CHECK(cudaFree(0));
	n = n < MOST ? n : MOST;
	DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	DRIVER(cuMemAlloc(&numbers, sizeof(got)));
	CHECK(cudaMalloc(&own, sizeof(got)));
	CHECK(cudaMemset(own, 0, sizeof(got)));
	for (int i = 0; i < NUMBERS; i++)
		want[i] = stir(i);
	DRIVER(cuMemcpyHtoD(numbers, want, sizeof(want)));
	for (unsigned i = 0; i < n; i++) {
		module[i] = candidate_load(i, &trial[i]);
		for (int k = 0; k < 3; k++)
			launch(i);
		DRIVER(cuStreamSynchronize(stream));
		DRIVER(cuModuleUnload(module[i]));
		rounds += 3 * candidate_times(i);
	}
	for (long k = 0; k < launches; k++) {
		stir_all<<<NUMBERS / 256, 256, 0, stream>>>(own, NUMBERS, 1);
		CHECK(cudaGetLastError());
		DRIVER(cuStreamSynchronize(stream));
		usleep(1000);
	}
	usleep((useconds_t)(1000 * pause));
	for (unsigned i = 0; i < n; i++)
		module[n - 1 - i] = candidate_load(n - 1 - i, &trial[n - 1 - i]);
	for (unsigned i = 0; i < n; i++)
		rounds += 2 * TIMES * candidate_times(i);
	run(captured(n));
	run(made(n));
	DRIVER(cuMemcpyDtoH(got, numbers, sizeof(got)));
	for (int i = 0; i < NUMBERS; i++)
		for (long k = 0; k < rounds; k++)
			want[i] = stir(want[i]);
	printf("%u modules: %08x\n", n, digest(got, NUMBERS));
	if (digest(got, NUMBERS) != digest(want, NUMBERS))
		printf("computed something else\n");
	return digest(got, NUMBERS) != digest(want, NUMBERS);
}
