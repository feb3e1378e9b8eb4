/*
 * waiter host|managed|stream [LAUNCHES]: kernels that wait for something that happens
 * only after their launch: the host, or another stream's kernel, writes a word of
 * pinned or managed memory. A tool that waits for such a kernel before that hangs.
 */
#include <cstring>

#include "check.h"

#define PATIENCE_NS 20000000000ull	/* after that the word is given up */

/* out: the number of waits that were given up. */
static __global__ void
wait_for(const volatile uint32_t *flag, uint32_t want, uint32_t *out)
{
	uint64_t begin = now_ns();

	while (*flag != want)
		if (now_ns() - begin > PATIENCE_NS) {
			*out += 1;
			return;
		}
	out[1] = stir(out[1] + want);
}

static __global__ void
raise_flag(volatile uint32_t *flag, uint32_t to)
{
	*flag = to;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "host";
	bool host = strcmp(how, "stream") != 0;
	int launches = (int)argument(argc, argv, 2, 20);
	uint32_t *flag, *device_flag, *out, result[2], h;
	cudaStream_t a, b;

	need_gpu();
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&out, 2 * sizeof(*out)));
	CHECK(cudaMemset(out, 0, 2 * sizeof(*out)));
	if (strcmp(how, "managed") == 0) {
		CHECK(cudaMallocManaged(&flag, sizeof(*flag)));
		device_flag = flag;
	} else if (host) {
		CHECK(cudaMallocHost(&flag, sizeof(*flag)));
		CHECK(cudaHostGetDevicePointer(&device_flag, flag, 0));
	} else {
		CHECK(cudaMalloc(&flag, sizeof(*flag)));
		device_flag = flag;
	}
	if (host)
		*(volatile uint32_t *)flag = 0;
	else
		CHECK(cudaMemset(flag, 0, sizeof(*flag)));
	/* Loads both kernels before one waits, because loading waits for the GPU. */
	cudaFuncAttributes attributes;
	CHECK(cudaFuncGetAttributes(&attributes, wait_for));
	CHECK(cudaFuncGetAttributes(&attributes, raise_flag));
	CHECK(cudaDeviceSynchronize());
	for (int i = 1; i <= launches; i++) {
		wait_for<<<1, 1, 0, a>>>(device_flag, i, out);
		CHECK(cudaGetLastError());
		if (host) {
			*(volatile uint32_t *)flag = i;
		} else {
			raise_flag<<<1, 1, 0, b>>>(device_flag, i);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaStreamSynchronize(a));
		CHECK(cudaMemcpy(result, out, sizeof(result),
		    cudaMemcpyDeviceToHost));
		if (result[0] != 0)
			break;
	}
	h = work(a, 50);
	printf("%s: in vain %u, %08x, then %08x\n", how, result[0], result[1],
	    h);
	return result[0] != 0;
}
