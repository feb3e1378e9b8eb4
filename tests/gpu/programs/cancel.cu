/*
 * cancel: a thread is cancelled (pthread_cancel) while it launches. A launch
 * has no cancellation point of its own, so the thread ends between two
 * launches, and holds no locks.
 */
#include <atomic>
#include <pthread.h>
#include <time.h>

#include "check.h"

#define THREADS 4

static std::atomic<int> launched;
static uint32_t *device;

static void *
launch_for_ever(void *)
{
	int state;

	/* The first launch has cancellation points, for example where it opens
	 * files. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	for (int i = 0; i < 64; i++)
		stir_all<<<1, 32>>>(device, 32, 1);
	CHECK(cudaDeviceSynchronize());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	for (;;) {
		stir_all<<<1, 32>>>(device, 32, 1);
		launched++;
		pthread_testcancel();
	}
	return NULL;
}

int
main(void)
{
	struct timespec ms = { 0, 1000000 };
	pthread_t thread;
	void *result;

	need_gpu();
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	for (int i = 0; i < THREADS; i++) {
		launched = 0;
		if (pthread_create(&thread, NULL, launch_for_ever, NULL))
			return 1;
		while (launched < 3000)
			nanosleep(&ms, NULL);
		if (pthread_cancel(thread) || pthread_join(thread, &result))
			return 1;
		printf("thread %d: %s\n", i, result == PTHREAD_CANCELED ?
		    "cancelled" : "ended");
		CHECK(cudaDeviceSynchronize());
	}
	printf("then: %08x\n", work(0, 500));
	return 0;
}
