/*
 * long_kernel: a kernel of half a second, three times, and once a kernel whose
 * duration depends on its data.
 */
#include "check.h"

/* ${*ms} is read during the run. */
static __global__ void
as_long_as(const volatile uint32_t *ms, uint32_t *out)
{
	uint64_t begin = now_ns();

	while (now_ns() - begin < *ms * MS)
		;
	*out = stir(*out + 2);
}

int
main(void)
{
	uint32_t *word, result, length = 300;

	need_gpu();
	CHECK(cudaMalloc(&word, 2 * sizeof(*word)));
	CHECK(cudaMemset(word, 0, 2 * sizeof(*word)));
	CHECK(cudaMemcpy(word + 1, &length, sizeof(length),
	    cudaMemcpyHostToDevice));
	for (int i = 0; i < 3; i++) {
		spin<<<1, 1>>>(500 * MS, word);
		CHECK(cudaGetLastError());
	}
	as_long_as<<<1, 1>>>(word + 1, word);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&result, word, sizeof(result),
	    cudaMemcpyDeviceToHost));
	printf("%08x, then %08x\n", result, work(0, 100));
	return 0;
}
