/*
 * nvtx [STEPS [RANGES]]: STEPS training steps in NVTX ranges: nested, of two
 * domains, on two threads and across them; then RANGES empty ranges, each with
 * a different name. The time of a range goes to stderr.
 *
 * Expected from `cudadvise show` (STEPS 100): "train" and "steps" contain all
 * 300 launches of the steps; "forward" has a third of their time and "backward"
 * two thirds, both in the domain "model"; "other thread" has one launch. With
 * RANGES 1000000 it lists as many "flood #" as there is room for, mentions that
 * there are more, and still has every launch.
 */
#include <pthread.h>
#include <time.h>

#include <nvtx3/nvToolsExt.h>

#include "check.h"

#define CYCLES 200000ll		/* of a kernel: 0.1 ms on an H200 */

__global__ static void
spin(long long cycles, unsigned *done)
{
	long long begin = clock64();

	while (clock64() - begin < cycles)
		;
	if (threadIdx.x == 0)
		atomicAdd(done, 1);
}

static unsigned *done;

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
push(nvtxDomainHandle_t domain, const char *name)
{
	nvtxEventAttributes_t a = {};

	a.version = NVTX_VERSION;
	a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	a.messageType = NVTX_MESSAGE_TYPE_ASCII;
	a.message.ascii = name;
	nvtxDomainRangePushEx(domain, &a);
}

static void *
other_thread(void *arg)
{
	(void)arg;
	nvtxRangePushA("other thread");
	spin<<<1, 32>>>(CYCLES, done);
	CHECK(cudaDeviceSynchronize());
	nvtxRangePop();
	return NULL;
}

int
main(int argc, char **argv)
{
	long steps = argument(argc, argv, 1, 100);
	long ranges = argc > 2 ? argument(argc, argv, 2, 1000000) : 0;
	nvtxDomainHandle_t model;
	nvtxRangeId_t train;
	unsigned count = 0;
	pthread_t thread;
	char name[32];
	double start;

	/* Before the driver knows of any tool: these are left out. */
	nvtxRangePushA("early");
	nvtxMarkA("early");
	nvtxRangePop();
	model = nvtxDomainCreateA("model");
	need_gpu();
	CHECK(cudaMalloc(&done, sizeof(*done)));
	CHECK(cudaMemset(done, 0, sizeof(*done)));
	train = nvtxRangeStartA("train");
	if (pthread_create(&thread, NULL, other_thread, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	nvtxRangePushA("steps");
	for (long i = 0; i < steps; i++) {
		snprintf(name, sizeof(name), "step %ld", i);
		nvtxRangePushA(name);
		push(model, "forward");
		spin<<<1, 32>>>(CYCLES, done);
		nvtxDomainRangePop(model);
		push(model, "backward");
		spin<<<1, 32>>>(CYCLES, done);
		spin<<<1, 32>>>(CYCLES, done);
		nvtxDomainRangePop(model);
		nvtxRangePop();
	}
	CHECK(cudaDeviceSynchronize());
	nvtxRangePop();
	nvtxRangeEnd(train);
	start = now_s();
	for (long i = 0; i < ranges; i++) {
		snprintf(name, sizeof(name), "flood %ld", i);
		nvtxRangePushA(name);
		nvtxRangePop();
	}
	if (ranges > 0)
		fprintf(stderr, "%.1f ns/range\n",
		    (now_s() - start) / (double)ranges * 1e9);
	spin<<<1, 32>>>(CYCLES, done);
	CHECK(cudaMemcpy(&count, done, sizeof(count), cudaMemcpyDeviceToHost));
	printf("%u kernels\n", count);
	return 0;
}
