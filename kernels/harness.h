/*
 * harness.h: shared by all reference pairs: memory that is released at the end,
 * seeded inputs, timing, and a check of the results.
 *
 * The body of a pair (PAIR of pairs.h) allocates with job_output and job_device,
 * fills its inputs on the GPU, hands its launch to job_measure, and compares what
 * job_fetch brought back. It returns 0, or -1 once an error is printed. What it
 * allocated belongs to the job.
 *
 * The programs run under a profiler, which must find nothing but the lesson:
 * no host memory is copied to make inputs, checks come after the last GPU
 * work, and all modules are loaded before the first.
 *
 * One thread, one device (the current one).
 */
#ifndef CADV_HARNESS_H
#define CADV_HARNESS_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_BLOCKS 24		/* allocations a job can own, of each kind */
#define JOB_SAMPLES 4096	/* values that a check looks at, by default */

struct job {
	/* What was asked for. */
	const char *name;
	bool good;
	uint64_t size;		/* 0: the pair's own default */
	int repeat;		/* 0: the pair's own default */
	uint64_t seed;
	bool once, check;
	bool no_gpu;		/* it needs a second one that is not there */

	struct cudaDeviceProp gpu;
	cudaStream_t stream;

	/* What the job owns. */
	void *device[JOB_BLOCKS], *pinned[JOB_BLOCKS];
	int devices, pinneds;
	cudaEvent_t *event;
	int events;

	/* What came out. */
	int calls;		/* of the measured function, with warm-up */
	int laps;
	double median_s, least_s;
	double bytes, operations;	/* in a lap, set by the pair; 0: none */
	uint64_t checked, wrong;
	double worst;		/* largest error seen */
};

/* job_error(file, line, call, e): say what failed; returns -1. */
int job_error(const char *file, int line, const char *call, cudaError_t e);

/* Leave the calling function with -1 if ${call} did not succeed. */
#define TRY(call) do {							\
	cudaError_t try_ = (call);					\
	if (try_ != cudaSuccess)					\
		return job_error(__FILE__, __LINE__, #call, try_);	\
} while (0)

int job_init(struct job *job);		/* needs a GPU; -1 after a message */
int job_release(struct job *job);	/* -1 if anything could not be freed */
cudaError_t job_drop(struct job *job);	/* free its memory now */

/* Memory that the job owns; on failure *p is NULL. */
cudaError_t job_device_bytes(struct job *job, void **p, size_t bytes);
cudaError_t job_pinned_bytes(struct job *job, void **p, size_t bytes);
cudaError_t job_managed_bytes(struct job *job, void **p, size_t bytes);

/* job_second(job, &device): another GPU than the job's. Without one: a message,
 * and job->no_gpu for the exit status. Does not change the current device. */
cudaError_t job_second(struct job *job, int *device);

template<typename T> static inline cudaError_t
job_device(struct job *job, T **p, size_t n)
{
	return job_device_bytes(job, (void **)p, n * sizeof(T));
}

template<typename T> static inline cudaError_t
job_pinned(struct job *job, T **p, size_t n)
{
	return job_pinned_bytes(job, (void **)p, n * sizeof(T));
}

/* A result: device memory filled with ones (a NaN, or 2^32 - 1), so that a
 * check finds what was never written, and pinned memory to fetch it into. */
template<typename T> static inline cudaError_t
job_output(struct job *job, T **device, T **host, size_t n)
{
	cudaError_t e = job_device(job, device, n);

	if (e == cudaSuccess)
		e = job_pinned(job, host, n);
	if (e == cudaSuccess)
		e = cudaMemsetAsync(*device, 0xff, n * sizeof(T), job->stream);
	return e;
}

/* job_fetch(job, host, device, n): wait for all work, then copy. */
template<typename T> static inline cudaError_t
job_fetch(struct job *job, T *host, const T *device, size_t n)
{
	cudaError_t e = cudaMemcpyAsync(host, device, n * sizeof(T),
	    cudaMemcpyDeviceToHost, job->stream);

	return e != cudaSuccess ? e : cudaStreamSynchronize(job->stream);
}

/* Inputs: the same on both sides of the bus, from seed and index alone. */
static __host__ __device__ inline uint32_t
seeded(uint64_t seed, uint64_t i)
{
	uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

/* An odd multiple of 2^-12 in (-1, 1): never zero, and sums of a few thousand
 * of them are exact in single precision. */
static __host__ __device__ inline float
seeded_float(uint64_t seed, uint64_t i)
{
	int k = (int)(seeded(seed, i) >> 20);

	return (float)(2 * k - 4095) / 4096.0f;
}

/* Fill device memory with seeded values, on the job's stream. */
cudaError_t fill_words(struct job *job, uint32_t *to, size_t n, uint64_t seed);
cudaError_t fill_floats(struct job *job, float *to, size_t n, uint64_t seed);

/* Compute that can be checked exactly: three instructions a round, two of them
 * for the ALU pipe, that a compiler can neither shorten nor reorder. */
static __host__ __device__ inline uint32_t
mix(uint32_t h)
{
	return (h ^ (h >> 15)) * 0x2c1b3c6du + 0x9e3779b9u; /* HERE idle-lanes */
}

static __host__ __device__ inline uint32_t
mix_rounds(uint32_t h, int rounds)
{
	for (int i = 0; i < rounds; i++) /* HERE idle-lanes */
		h = mix(h); /* HERE idle-lanes */
	return h;
}

/* job_wave(…): the blocks of one full wave on this GPU: multiprocessors
 * × blocks that reside on one. */
cudaError_t job_wave_of(struct job *job, unsigned *blocks, const void *kernel,
    int threads, size_t shared);

template<typename K> static inline cudaError_t
job_wave(struct job *job, unsigned *blocks, K *kernel, int threads,
    size_t shared)
{
	return job_wave_of(job, blocks, (const void *)kernel, threads, shared);
}

/* job_laps(job, n): how often to measure: once, as asked, or ${n} times. */
int job_laps(const struct job *job, int n);
/* Timing marks on the job's stream; job_times reads them after all work. */
cudaError_t job_marks(struct job *job, int laps);
cudaError_t job_mark(struct job *job, int i);
cudaError_t job_times(struct job *job, int laps);

/*
 * job_measure(job, laps, lap): call ${lap} (a function without arguments that
 * enqueues on the job's stream and returns cudaError_t) once to warm up, then
 * ${laps} times between marks, with no wait in between; then wait once.
 */
template<typename F> static inline cudaError_t
job_measure(struct job *job, int laps, F lap)
{
	int n = job_laps(job, laps);
	cudaError_t e = job_marks(job, n);

	for (int i = job->once ? 0 : -1; e == cudaSuccess && i < n; i++) {
		if (i >= 0)
			e = job_mark(job, i);
		if (e == cudaSuccess)
			e = lap();
		job->calls++;
	}
	if (e == cudaSuccess)
		e = job_mark(job, n);
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(job->stream);
	return e != cudaSuccess ? e : job_times(job, n);
}

/* The index of the ${i}th value to look at, of ${n}. */
static inline uint64_t
job_pick(const struct job *job, uint64_t i, uint64_t n)
{
	return i < 2 ? (i ? n - 1 : 0) : seeded(job->seed ^ 0x7069636b, i) % n;
}

/* Compare one value. The first few that are wrong are printed. */
void check_float(struct job *job, uint64_t i, double got, double want,
    double tolerance);
void check_word(struct job *job, uint64_t i, uint32_t got, uint32_t want);
/* job_verdict(job): -1 after a message if a value was wrong, or none seen. */
int job_verdict(struct job *job);

#endif
