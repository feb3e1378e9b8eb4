/*
 * long_queue: a deep queue without a wait: 300 launches of 3 ms, then 3,000
 * short ones of 8 shapes.
 */
#include "check.h"

int
main(void)
{
	uint32_t *word, *v, *host = (uint32_t *)malloc(WORDS * sizeof(*host));

	need_gpu();
	if (!host)
		abort();
	CHECK(cudaMalloc(&word, sizeof(*word)));
	CHECK(cudaMalloc(&v, WORDS * sizeof(*v)));
	CHECK(cudaMemset(word, 0, sizeof(*word)));
	CHECK(cudaMemset(v, 0, WORDS * sizeof(*v)));
	for (int i = 0; i < 300; i++) {
		spin<<<1, 1>>>(3 * MS, word);
		CHECK(cudaGetLastError());
	}
	for (int i = 0; i < 3000; i++) {
		int block = 32 << i % 4, blocks = (WORDS + block - 1) / block;

		stir_all<<<blocks, block, i % 8 / 4 * 1024>>>(v, WORDS, 2);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, v, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost));
	printf("short: %08x\n", digest(host, WORDS));
	CHECK(cudaMemcpy(host, word, sizeof(*host), cudaMemcpyDeviceToHost));
	printf("long: %08x\n", host[0]);
	free(host);
	return 0;
}
