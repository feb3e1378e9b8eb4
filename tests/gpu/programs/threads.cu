/*
 * threads [THREADS [LAUNCHES]]: each thread has a stream of its own and
 * launches on it.
 */
#include <pthread.h>

#include "check.h"

#define MOST 64

static int launches;

static void *
one_thread(void *out)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	*(uint32_t *)out = work(stream, launches);
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

int
main(int argc, char **argv)
{
	long n = argument(argc, argv, 1, 8);
	pthread_t thread[MOST];
	uint32_t result[MOST];

	launches = (int)argument(argc, argv, 2, 5000);
	if (n > MOST)
		n = MOST;
	need_gpu();
	for (long i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, one_thread, &result[i]))
			return 1;
	for (long i = 0; i < n; i++) {
		if (pthread_join(thread[i], NULL))
			return 1;
		printf("thread %ld: %08x\n", i, result[i]);
	}
	return 0;
}
