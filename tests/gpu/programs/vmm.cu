/*
 * vmm: maps memory itself: reserves addresses, maps two pieces next to each
 * other, unmaps one and maps another in its place.
 */
#include "driver.h"

static CUmemAllocationProp prop;
static size_t piece;

static CUmemGenericAllocationHandle
map(CUdeviceptr at)
{
	CUmemGenericAllocationHandle handle;
	CUmemAccessDesc access = {};

	DRIVER(cuMemCreate(&handle, piece, &prop, 0));
	DRIVER(cuMemMap(at, piece, 0, handle, 0));
	access.location = prop.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	DRIVER(cuMemSetAccess(at, piece, &access, 1));
	return handle;
}

static uint32_t
stir_it(CUdeviceptr at, int n)
{
	uint32_t *host = (uint32_t *)malloc(n * sizeof(*host)), h;

	if (!host)
		abort();
	for (int i = 0; i < 100; i++)
		stir_all<<<(n + 255) / 256, 256>>>((uint32_t *)at, n, 2);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(host, (void *)at, n * sizeof(*host),
	    cudaMemcpyDeviceToHost));
	h = digest(host, n);
	free(host);
	return h;
}

int
main(void)
{
	CUmemGenericAllocationHandle handle[2];
	CUdeviceptr base;
	int words;

	need_gpu();
	CHECK(cudaFree(0));		/* creates the context */
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	DRIVER(cuMemGetAllocationGranularity(&piece, &prop,
	    CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	words = (int)(2 * piece / sizeof(uint32_t));
	DRIVER(cuMemAddressReserve(&base, 2 * piece, 0, 0, 0));
	for (int i = 0; i < 2; i++)
		handle[i] = map(base + i * piece);
	CHECK(cudaMemset((void *)base, 0, 2 * piece));
	printf("both: %08x\n", stir_it(base, words));
	DRIVER(cuMemUnmap(base + piece, piece));
	DRIVER(cuMemRelease(handle[1]));
	handle[1] = map(base + piece);
	CHECK(cudaMemset((void *)(base + piece), 0, piece));
	printf("one anew: %08x\n", stir_it(base, words));
	for (int i = 0; i < 2; i++) {
		DRIVER(cuMemUnmap(base + i * piece, piece));
		DRIVER(cuMemRelease(handle[i]));
	}
	DRIVER(cuMemAddressFree(base, 2 * piece));
	printf("then: %08x\n", work(0, 100));
	return 0;
}
