/*
 * concurrent65: 64 kernels of 10 ms, each on a stream of its own, one on a
 * stream that waits for all of them by events, and a copy of its result.
 */
#include "check.h"

#define STREAMS 64
#define ROUNDS 3

static __global__ void
gather(const uint32_t *from, int n, uint32_t *out)
{
	for (int i = 0; i < n; i++)
		*out = stir(*out ^ from[i]);
}

int
main(void)
{
	cudaStream_t stream[STREAMS], last;
	cudaEvent_t event[STREAMS];
	uint32_t *words, host = 0;

	need_gpu();
	CHECK(cudaMalloc(&words, (STREAMS + 1) * sizeof(*words)));
	CHECK(cudaMemset(words, 0, (STREAMS + 1) * sizeof(*words)));
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaStreamCreateWithFlags(&stream[i],
		    cudaStreamNonBlocking));
		CHECK(cudaEventCreateWithFlags(&event[i],
		    cudaEventDisableTiming));
	}
	CHECK(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
	CHECK(cudaDeviceSynchronize());
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < STREAMS; i++) {
			spin<<<1, 1, 0, stream[i]>>>(10 * MS, words + i);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(event[i], stream[i]));
			CHECK(cudaStreamWaitEvent(last, event[i], 0));
		}
		gather<<<1, 1, 0, last>>>(words, STREAMS, words + STREAMS);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(&host, words + STREAMS, sizeof(host),
		    cudaMemcpyDeviceToHost, last));
		CHECK(cudaStreamSynchronize(last));
		printf("round %d: %08x\n", r, host);
	}
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaEventDestroy(event[i]));
		CHECK(cudaStreamDestroy(stream[i]));
	}
	return 0;
}
