/*
 * capture_race: one thread captures a stream while another launches kernels of new
 * shapes on its own stream. In the global capture mode a call in any thread that could
 * wait breaks the capture; there the other thread only launches, which by itself never
 * breaks it. At the end it launches without synchronising with the captures.
 */
#include <pthread.h>
#include <time.h>

#include "check.h"

#define ROUNDS 6
#define NODES 10
#define LAUNCHES 20
#define FREE 1500	/* launches during captures that begin and end, */
#define CAPTURES 150	/* and the number of these captures */

static pthread_barrier_t barrier;
static const cudaStreamCaptureMode modes[] = {
	cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed,
	cudaStreamCaptureModeGlobal };
static const char *const names[] = { "thread-local", "relaxed", "global" };

#define MODES 3

static void
nap(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

/* Each launch has a new shape; its result is the same. */
static void
launch(uint32_t *v, int shape, cudaStream_t stream)
{
	int block = 32 * (1 + shape % 16);

	stir_all<<<(WORDS + block - 1) / block, block, 16 * shape,
	    stream>>>(v, WORDS, 2);
	CHECK(cudaGetLastError());
}

static void *
launcher(void *out)
{
	uint32_t *device, *host = (uint32_t *)malloc(WORDS * sizeof(*host));
	cudaStream_t stream;
	int shape = 0;

	if (!host)
		abort();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMemsetAsync(device, 0, WORDS * sizeof(*device), stream));
	CHECK(cudaStreamSynchronize(stream));
	for (int m = 0; m < MODES; m++)
		for (int r = 0; r < ROUNDS; r++) {
			pthread_barrier_wait(&barrier);	/* the capture has begun */
			for (int i = 0; i < LAUNCHES; i++) {
				launch(device, shape++, stream);
				nap(100);
			}
			if (modes[m] != cudaStreamCaptureModeGlobal)
				CHECK(cudaStreamSynchronize(stream));
			pthread_barrier_wait(&barrier);	/* the capture may end */
			pthread_barrier_wait(&barrier);	/* the capture has ended */
			CHECK(cudaStreamSynchronize(stream));
			pthread_barrier_wait(&barrier);	/* the next capture may begin */
		}
	CHECK(cudaMemcpy(host, device, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost));
	*(uint32_t *)out = digest(host, WORDS);
	CHECK(cudaFree(device));
	CHECK(cudaStreamDestroy(stream));
	free(host);
	return NULL;
}

static void
capture(int m, uint32_t *v, cudaStream_t stream)
{
	static int shape = 1000;	/* different from the other thread's shapes */
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, modes[m]));
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < NODES; i++) {
		launch(v, shape++, stream);
		nap(200);
	}
	pthread_barrier_wait(&barrier);
	CHECK(cudaStreamEndCapture(stream, &graph));
	pthread_barrier_wait(&barrier);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 10; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	pthread_barrier_wait(&barrier);
}

static void *
free_launcher(void *out)
{
	uint32_t *device = *(uint32_t **)out;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < FREE; i++) {
		launch(device, 1200 + i, stream);
		nap(50);
	}
	pthread_barrier_wait(&barrier);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

static void
race(uint32_t *v, cudaStream_t stream, uint32_t *other)
{
	cudaGraph_t graph;
	pthread_t thread;

	if (pthread_create(&thread, NULL, free_launcher, &other))
		abort();
	pthread_barrier_wait(&barrier);
	for (int c = 0; c < CAPTURES; c++) {
		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
		for (int i = 0; i < 4; i++)
			launch(v, c, stream);
		nap(300);
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphDestroy(graph));
		nap(200);
	}
	pthread_barrier_wait(&barrier);
	if (pthread_join(thread, NULL))
		abort();
}

int
main(void)
{
	cudaFuncAttributes attributes;
	uint32_t *device, *host = (uint32_t *)malloc(WORDS * sizeof(*host)), h;
	uint32_t *other;
	cudaStream_t stream;
	pthread_t thread;

	need_gpu();
	if (!host)
		abort();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMemset(device, 0, WORDS * sizeof(*device)));
	CHECK(cudaMalloc(&other, WORDS * sizeof(*other)));
	CHECK(cudaMemset(other, 0, WORDS * sizeof(*other)));
	/* Loads the module now, so that none is loaded while the other thread
	 * captures. */
	CHECK(cudaFuncGetAttributes(&attributes, stir_all));
	CHECK(cudaDeviceSynchronize());
	if (pthread_barrier_init(&barrier, NULL, 2) ||
	    pthread_create(&thread, NULL, launcher, &h))
		return 1;
	for (int m = 0; m < MODES; m++) {
		for (int r = 0; r < ROUNDS; r++)
			capture(m, device, stream);
		/* The other thread waits at the barrier, or has ended. */
		CHECK(cudaMemcpyAsync(host, device, WORDS * sizeof(*host),
		    cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		printf("%s: %08x\n", names[m], digest(host, WORDS));
	}
	if (pthread_join(thread, NULL))
		return 1;
	printf("launched beside: %08x\n", h);
	race(device, stream, other);
	CHECK(cudaMemcpy(host, other, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost));
	printf("launched freely: %08x\n", digest(host, WORDS));
	return 0;
}
