/* priorities: streams of every priority work at the same time. */
#include "check.h"

#define MOST 16

int
main(void)
{
	int least, greatest, n = 0;
	uint32_t *device[MOST], *host = (uint32_t *)malloc(WORDS *
	    sizeof(*host));
	cudaStream_t stream[MOST];

	need_gpu();
	if (!host)
		abort();
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	for (int p = greatest; p <= least && n < MOST; p++, n++) {
		CHECK(cudaStreamCreateWithPriority(&stream[n],
		    cudaStreamNonBlocking, p));
		CHECK(cudaMalloc(&device[n], WORDS * sizeof(**device)));
		CHECK(cudaMemset(device[n], 0, WORDS * sizeof(**device)));
	}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 300; i++)
		for (int k = 0; k < n; k++) {
			stir_all<<<WORDS / 256, 256, 0, stream[k]>>>(device[k],
			    WORDS, 1 + k);
			CHECK(cudaGetLastError());
		}
	for (int k = 0; k < n; k++) {
		int p;

		CHECK(cudaStreamGetPriority(stream[k], &p));
		CHECK(cudaMemcpyAsync(host, device[k], WORDS * sizeof(*host),
		    cudaMemcpyDeviceToHost, stream[k]));
		CHECK(cudaStreamSynchronize(stream[k]));
		printf("priority %d: %08x\n", p, digest(host, WORDS));
		CHECK(cudaStreamDestroy(stream[k]));
	}
	free(host);
	return 0;
}
