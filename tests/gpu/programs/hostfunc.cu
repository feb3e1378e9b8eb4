/*
 * hostfunc: a stream is blocked by a host function that waits for a flag; the
 * flag is set only after another stream has worked. A tool that waits for the
 * first stream before that hangs.
 */
#include <atomic>
#include <time.h>

#include "check.h"

#define PATIENCE 10000		/* ms, after which the flag is given up */

static std::atomic<int> flag, in_vain;

static void
wait_for(int want)
{
	struct timespec ms = { 0, 1000000 };

	for (int i = 0; flag.load() < want; i++) {
		if (i == PATIENCE) {
			in_vain++;
			return;
		}
		nanosleep(&ms, NULL);
	}
}

static void CUDART_CB
host_function(void *want)
{
	wait_for((int)(intptr_t)want);
}

static void CUDART_CB
callback(cudaStream_t stream, cudaError_t status, void *want)
{
	(void)stream, (void)status;
	wait_for((int)(intptr_t)want);
}

int
main(void)
{
	cudaFuncAttributes attributes;
	cudaStream_t a, b;
	uint32_t *out, result[2];

	need_gpu();
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&out, 2 * sizeof(*out)));
	CHECK(cudaMemset(out, 0, 2 * sizeof(*out)));
	/* Load the kernel now: loading waits for the GPU. */
	CHECK(cudaFuncGetAttributes(&attributes, spin));
	CHECK(cudaDeviceSynchronize());
	for (intptr_t i = 1; i <= 20; i++) {
		if (i % 2)
			CHECK(cudaLaunchHostFunc(a, host_function, (void *)i));
		else
			CHECK(cudaStreamAddCallback(a, callback, (void *)i, 0));
		spin<<<1, 1, 0, a>>>(1000, out);
		CHECK(cudaGetLastError());
		spin<<<1, 1, 0, b>>>(1000, out + 1);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(b));
		flag = (int)i;
		CHECK(cudaStreamSynchronize(a));
	}
	CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
	printf("in vain %d, %08x %08x, then %08x\n", in_vain.load(), result[0],
	    result[1], work(a, 50));
	return in_vain != 0;
}
