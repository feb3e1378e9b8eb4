/*
 * event_chain: two threads, each with a stream, work alternately on the same
 * memory; only events of the other thread's stream order them on the GPU.
 */
#include <pthread.h>

#include "check.h"

#define TURNS 400

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;		/* the next to be recorded is event[turn] */
static cudaEvent_t event[TURNS];
static uint32_t *device;

static void *
one_thread(void *which)
{
	int me = (int)(intptr_t)which;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = me; i < TURNS; i += 2) {
		pthread_mutex_lock(&lock);
		while (turn != i)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
		if (i > 0)
			CHECK(cudaStreamWaitEvent(stream, event[i - 1], 0));
		stir_all<<<WORDS / 256, 256, 0, stream>>>(device, WORDS,
		    1 + i % 5);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(event[i], stream));
		pthread_mutex_lock(&lock);
		turn++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

int
main(void)
{
	uint32_t *host = (uint32_t *)malloc(WORDS * sizeof(*host));
	pthread_t thread[2];

	need_gpu();
	if (!host)
		abort();
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMemset(device, 0, WORDS * sizeof(*device)));
	for (int i = 0; i < TURNS; i++)
		CHECK(cudaEventCreateWithFlags(&event[i],
		    cudaEventDisableTiming));
	CHECK(cudaDeviceSynchronize());
	for (intptr_t i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, one_thread, (void *)i))
			return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_join(thread[i], NULL))
			return 1;
	CHECK(cudaMemcpy(host, device, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost));
	printf("%d turns: %08x\n", TURNS, digest(host, WORDS));
	free(host);
	return 0;
}
