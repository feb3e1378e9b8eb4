/*
 * multi_context [LAUNCHES]: two driver API contexts on one device, used
 * alternately by one thread; one is destroyed while the other is still in use.
 */
#include "driver.h"

int
main(int argc, char **argv)
{
	int launches = (int)argument(argc, argv, 1, 1000), n = 0;
	CUcontext context[2];
	CUdevice device;

	if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&n) != CUDA_SUCCESS ||
	    n < 1) {
		fprintf(stderr, "skipped: no GPU\n");
		return SKIP;
	}
	DRIVER(cuDeviceGet(&device, 0));
	for (int i = 0; i < 2; i++)
		DRIVER(cuCtxCreate(&context[i], NULL, 0, device));
	for (int i = 0; i < 4; i++) {
		DRIVER(cuCtxSetCurrent(context[i % 2]));
		printf("context %d: %08x\n", i % 2, work(0, launches));
	}
	DRIVER(cuCtxDestroy(context[0]));
	DRIVER(cuCtxSetCurrent(context[1]));
	printf("context 1 alone: %08x\n", work(0, launches));
	DRIVER(cuCtxDestroy(context[1]));
	return 0;
}
