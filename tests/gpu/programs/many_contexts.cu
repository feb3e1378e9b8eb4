/*
 * many_contexts: three threads create and destroy contexts at the same time;
 * then one thread after the other works and resets the device.
 */
#include <pthread.h>

#include "driver.h"

#define THREADS 3
#define ROUNDS 2

static void *
with_contexts(void *out)
{
	CUcontext context;
	CUdevice device;

	DRIVER(cuDeviceGet(&device, 0));
	for (int i = 0; i < ROUNDS; i++) {
		DRIVER(cuCtxCreate(&context, NULL, 0, device));
		*(uint32_t *)out = work(0, 50);
		DRIVER(cuCtxDestroy(context));
	}
	return NULL;
}

static void *
with_reset(void *out)
{
	*(uint32_t *)out = work(0, 100);
	CHECK(cudaDeviceReset());
	return NULL;
}

int
main(void)
{
	pthread_t thread[THREADS];
	uint32_t h[THREADS];

	need_gpu();
	DRIVER(cuInit(0));
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, with_contexts, &h[i]))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		if (pthread_join(thread[i], NULL))
			return 1;
		printf("thread %d: %08x\n", i, h[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, with_reset, &h[i]) ||
		    pthread_join(thread[i], NULL))
			return 1;
		printf("before reset %d: %08x\n", i, h[i]);
	}
	printf("then: %08x\n", work(0, 100));
	return 0;
}
