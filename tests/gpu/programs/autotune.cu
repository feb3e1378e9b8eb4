/*
 * autotune [ROUNDS]: four threads compare kernels as XLA's autotuner does. In each round a
 * thread makes a stream, loads a module from PTX, launches a kernel that waits for the
 * host, behind it one of the module between two events, then lets the first go on, reads
 * the time, and unloads the module and destroys the stream. The waiting kernel gives up
 * after 100 ms: loading code in another thread may wait for it, also without a tool. How
 * often, and the times, go to stderr.
 */
#include <pthread.h>

#include "candidate.h"

#define THREADS 4
#define CANDIDATES 8
#define NUMBERS 4096
#define PATIENCE_NS (100 * MS)

struct thread {
	pthread_t id;
	unsigned index;
	long rounds;
	unsigned gave_up;
	double us;		/* the sum of all times */
	uint32_t got[NUMBERS], want[NUMBERS];
};

/* What the thread shares with its waiting kernel. */
struct word {
	volatile uint32_t go, gave_up;
};

static __global__ void
delay(struct word *w)
{
	uint64_t begin = now_ns();

	while (!w->go)
		if (now_ns() - begin > PATIENCE_NS) {
			w->gave_up = 1;
			return;
		}
}

static void
launch(CUfunction f, CUdeviceptr numbers, CUstream stream)
{
	unsigned count = NUMBERS;
	void *arguments[] = { &numbers, &count };

	DRIVER(cuLaunchKernel(f, NUMBERS / 128, 1, 1, 128, 1, 1, 0, stream,
	    arguments, NULL));
}

/* Launches the candidate twice: to load its code, and to time it. */
static void
compare(struct thread *t, unsigned candidate, CUdeviceptr numbers,
    struct word *host, struct word *device)
{
	CUmodule module;
	CUfunction f;
	CUstream stream;
	CUevent begin, end;
	float ms;

	DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	DRIVER(cuEventCreate(&begin, CU_EVENT_DEFAULT));
	DRIVER(cuEventCreate(&end, CU_EVENT_DEFAULT));
	module = candidate_load(candidate, &f);
	launch(f, numbers, stream);
	DRIVER(cuStreamSynchronize(stream));
	host->go = 0;
	delay<<<1, 1, 0, stream>>>(device);
	CHECK(cudaGetLastError());
	DRIVER(cuEventRecord(begin, stream));
	launch(f, numbers, stream);
	DRIVER(cuEventRecord(end, stream));
	host->go = 1;
	DRIVER(cuEventSynchronize(end));
	DRIVER(cuEventElapsedTime(&ms, begin, end));
	t->us += 1000.0 * ms;
	t->gave_up += host->gave_up;
	host->gave_up = 0;
	DRIVER(cuModuleUnload(module));
	DRIVER(cuEventDestroy(begin));
	DRIVER(cuEventDestroy(end));
	DRIVER(cuStreamDestroy(stream));
}

/* The same for one number. */
static uint32_t
stir_host(uint32_t h, unsigned times)
{

	while (times-- > 0)
		h = stir(h);
	return h;
}

static void *
work_through(void *cookie)
{
	struct thread *t = (struct thread *)cookie;
	struct word *host, *device;
	unsigned candidate;
	CUdeviceptr numbers;

	CHECK(cudaSetDevice(0));
	CHECK(cudaHostAlloc(&host, sizeof(*host), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&device, host, 0));
	host->gave_up = 0;
	DRIVER(cuMemAlloc(&numbers, sizeof(t->got)));
	for (int i = 0; i < NUMBERS; i++)
		t->want[i] = stir(t->index * NUMBERS + i);
	DRIVER(cuMemcpyHtoD(numbers, t->want, sizeof(t->want)));
	for (long round = 0; round < t->rounds; round++) {
		candidate = (t->index + round) % CANDIDATES;
		compare(t, candidate, numbers, host, device);
		for (int i = 0; i < NUMBERS; i++)
			t->want[i] = stir_host(t->want[i],
			    2 * candidate_times(candidate));
	}
	DRIVER(cuMemcpyDtoH(t->got, numbers, sizeof(t->got)));
	DRIVER(cuMemFree(numbers));
	CHECK(cudaFreeHost(host));
	return NULL;
}

int
main(int argc, char **argv)
{
	static struct thread thread[THREADS];
	long rounds = argument(argc, argv, 1, 30);
	cudaFuncAttributes attributes;
	int wrong = 0;

	need_gpu();
	CHECK(cudaFree(0));
	/* Loads it before one waits, because loading waits for the GPU. */
	CHECK(cudaFuncGetAttributes(&attributes, delay));
	for (unsigned i = 0; i < THREADS; i++) {
		thread[i].index = i;
		thread[i].rounds = rounds;
		if (pthread_create(&thread[i].id, NULL, work_through,
		    &thread[i]) != 0)
			abort();
	}
	for (unsigned i = 0; i < THREADS; i++) {
		struct thread *t = &thread[i];

		pthread_join(t->id, NULL);
		fprintf(stderr, "thread %u: gave up %u of %ld, %.1f us each\n",
		    i, t->gave_up, rounds, t->us / rounds);
		printf("thread %u: %ld rounds, %08x\n", i, rounds,
		    digest(t->got, NUMBERS));
		wrong += digest(t->got, NUMBERS) != digest(t->want, NUMBERS);
	}
	if (wrong > 0)
		printf("%d threads computed something else\n", wrong);
	return wrong > 0;
}
