/*
 * launch_loop [LAUNCHES [MS]]: launches an empty kernel over and over; with MS
 * it sleeps that long after every 1000. The time a launch goes to stderr.
 */
#include <time.h>
#include <unistd.h>

#include "check.h"

__global__ static void
empty(void)
{
}

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	long launches = argument(argc, argv, 1, 1000000);
	long ms = argc > 2 ? argument(argc, argv, 2, 1) : 0;
	double start;

	need_gpu();
	empty<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	start = now_s();
	for (long i = 0; i < launches; i++) {
		empty<<<1, 32>>>();
		if (ms && i % 1000 == 999)
			usleep((useconds_t)ms * 1000);
	}
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	fprintf(stderr, "%.1f ns/launch\n",
	    (now_s() - start) / (double)launches * 1e9);
	printf("%ld launches\n", launches);
	return 0;
}
