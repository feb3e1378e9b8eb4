/* exit_in_thread: a thread calls exit() while another launches. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static void *
leave(void *unused)
{
	(void)unused;
	usleep(300000);
	printf("before the end\n");
	exit(11);
}

int
main(void)
{
	uint32_t *device;
	pthread_t thread;

	need_gpu();
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	if (pthread_create(&thread, NULL, leave, NULL))
		return 1;
	/* Errors are expected once exit() has begun to destroy things. */
	for (;;) {
		stir_all<<<WORDS / 256, 256>>>(device, WORDS, 16);
		if (cudaDeviceSynchronize() != cudaSuccess)
			pause();
	}
}
