/*
 * value_wait: a stream waits for a value in memory (cuStreamWaitValue32) that
 * another stream writes after its kernel. A tool that waits for the first
 * stream before the second has its work hangs.
 */
#include "driver.h"

int
main(void)
{
	cudaFuncAttributes attributes;
	uint32_t *words, result[2];
	cudaStream_t a, b;

	need_gpu();
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&words, 3 * sizeof(*words)));
	CHECK(cudaMemset(words, 0, 3 * sizeof(*words)));
	/* Load the kernel now: loading waits for the GPU. */
	CHECK(cudaFuncGetAttributes(&attributes, spin));
	CHECK(cudaDeviceSynchronize());
	for (uint32_t i = 1; i <= 100; i++) {
		DRIVER(cuStreamWaitValue32(a, (CUdeviceptr)(words + 2), i,
		    CU_STREAM_WAIT_VALUE_GEQ));
		spin<<<1, 1, 0, a>>>(1000, words);
		CHECK(cudaGetLastError());
		spin<<<1, 1, 0, b>>>(1000, words + 1);
		CHECK(cudaGetLastError());
		DRIVER(cuStreamWriteValue32(b, (CUdeviceptr)(words + 2), i, 0));
		if (i % 10 == 0)
			CHECK(cudaStreamSynchronize(a));
	}
	CHECK(cudaStreamSynchronize(b));
	CHECK(cudaMemcpy(result, words, sizeof(result),
	    cudaMemcpyDeviceToHost));
	printf("%08x %08x, then %08x\n", result[0], result[1], work(a, 50));
	return 0;
}
