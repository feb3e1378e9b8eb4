/*
 * harness.cu: memory, inputs, timing and checks of the reference pairs.
 */
#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define WRONG_SHOWN 5

int
job_error(const char *file, int line, const char *call, cudaError_t e)
{
	fprintf(stderr, "cudadvise-kernels: %s:%d: %s: %s (%s)\n", file, line,
	    call, cudaGetErrorString(e), cudaGetErrorName(e));
	return -1;
}

int
job_init(struct job *job)
{
	int device;

	TRY(cudaGetDevice(&device));
	TRY(cudaGetDeviceProperties(&job->gpu, device));
	TRY(cudaStreamCreate(&job->stream));
	return 0;
}

cudaError_t
job_drop(struct job *job)
{
	cudaError_t e, first = cudaSuccess;

	while (job->pinneds > 0)
		if ((e = cudaFreeHost(job->pinned[--job->pinneds])))
			first = e;
	while (job->devices > 0)
		if ((e = cudaFree(job->device[--job->devices])))
			first = e;
	return first;
}

int
job_release(struct job *job)
{
	cudaError_t e, first = job_drop(job);

	while (job->events > 0)
		if ((e = cudaEventDestroy(job->event[--job->events])))
			first = e;
	if (job->stream && (e = cudaStreamDestroy(job->stream)))
		first = e;
	free(job->event);
	job->event = NULL;
	job->stream = NULL;
	TRY(first);
	return 0;
}

cudaError_t
job_device_bytes(struct job *job, void **p, size_t bytes)
{
	cudaError_t e;

	*p = NULL;
	if (job->devices == JOB_BLOCKS)
		return cudaErrorMemoryAllocation;
	e = cudaMalloc(p, bytes);
	if (e == cudaSuccess)
		job->device[job->devices++] = *p;
	return e;
}

cudaError_t
job_pinned_bytes(struct job *job, void **p, size_t bytes)
{
	cudaError_t e;

	*p = NULL;
	if (job->pinneds == JOB_BLOCKS)
		return cudaErrorMemoryAllocation;
	e = cudaMallocHost(p, bytes);
	if (e == cudaSuccess)
		job->pinned[job->pinneds++] = *p;
	return e;
}

cudaError_t
job_managed_bytes(struct job *job, void **p, size_t bytes)
{
	cudaError_t e;

	*p = NULL;
	if (job->devices == JOB_BLOCKS)
		return cudaErrorMemoryAllocation;
	e = cudaMallocManaged(p, bytes);
	if (e == cudaSuccess)
		job->device[job->devices++] = *p;
	return e;
}

cudaError_t
job_second(struct job *job, int *device)
{
	int n = 0, own;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e == cudaSuccess)
		e = cudaGetDevice(&own);
	if (e != cudaSuccess)
		return e;
	if (n < 2) {
		fprintf(stderr, "cudadvise-kernels: %s: it needs two GPUs\n",
		    job->name);
		job->no_gpu = true;
		return cudaErrorInvalidDevice;
	}
	*device = own == 0 ? 1 : 0;
	return cudaSuccess;
}

__global__ static void
fill_words_kernel(uint32_t *to, size_t n, uint64_t seed)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		to[i] = seeded(seed, i);
}

__global__ static void
fill_floats_kernel(float *to, size_t n, uint64_t seed)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		to[i] = seeded_float(seed, i);
}

cudaError_t
fill_words(struct job *job, uint32_t *to, size_t n, uint64_t seed)
{
	unsigned blocks;
	cudaError_t e = job_wave(job, &blocks, fill_words_kernel, 256, 0);

	if (e != cudaSuccess)
		return e;
	fill_words_kernel<<<blocks, 256, 0, job->stream>>>(to, n, seed);
	return cudaGetLastError();
}

cudaError_t
fill_floats(struct job *job, float *to, size_t n, uint64_t seed)
{
	unsigned blocks;
	cudaError_t e = job_wave(job, &blocks, fill_floats_kernel, 256, 0);

	if (e != cudaSuccess)
		return e;
	fill_floats_kernel<<<blocks, 256, 0, job->stream>>>(to, n, seed);
	return cudaGetLastError();
}

cudaError_t
job_wave_of(struct job *job, unsigned *blocks, const void *kernel, int threads,
    size_t shared)
{
	int resident;
	cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident,
	    kernel, threads, shared);

	if (e != cudaSuccess)
		return e;
	if (resident < 1)
		return cudaErrorInvalidConfiguration;
	*blocks = (unsigned)(resident * job->gpu.multiProcessorCount);
	return cudaSuccess;
}

int
job_laps(const struct job *job, int n)
{
	if (job->once)
		return 1;
	return job->repeat ? job->repeat : n;
}

cudaError_t
job_marks(struct job *job, int laps)
{
	cudaEvent_t *more;
	cudaError_t e;

	if (job->events > laps)		/* left from an earlier measurement */
		return cudaSuccess;
	more = (cudaEvent_t *)realloc(job->event,
	    ((size_t)laps + 1) * sizeof(*more));
	if (!more)
		return cudaErrorMemoryAllocation;
	job->event = more;
	while (job->events <= laps) {
		e = cudaEventCreate(&job->event[job->events]);
		if (e != cudaSuccess)
			return e;
		job->events++;
	}
	return cudaSuccess;
}

cudaError_t
job_mark(struct job *job, int i)
{
	return cudaEventRecord(job->event[i], job->stream);
}

cudaError_t
job_times(struct job *job, int laps)
{
	float *ms = (float *)malloc((size_t)laps * sizeof(*ms));
	cudaError_t e = ms ? cudaSuccess : cudaErrorMemoryAllocation;

	for (int i = 0; e == cudaSuccess && i < laps; i++)
		e = cudaEventElapsedTime(&ms[i], job->event[i],
		    job->event[i + 1]);
	if (e == cudaSuccess) {
		std::sort(ms, ms + laps);
		job->laps = laps;
		job->least_s = ms[0] / 1e3;
		job->median_s = (ms[laps / 2] + ms[(laps - 1) / 2]) / 2e3;
	}
	free(ms);
	return e;
}

void
check_float(struct job *job, uint64_t i, double got, double want,
    double tolerance)
{
	double error = fabs(got - want);

	job->checked++;
	if (error > job->worst)
		job->worst = error;
	if (error <= tolerance)		/* false for NaN */
		return;
	if (job->wrong++ < WRONG_SHOWN)
		fprintf(stderr, "cudadvise-kernels: %s: value %llu is %.9g, "
		    "must be %.9g ± %.3g\n", job->name, (unsigned long long)i,
		    got, want, tolerance);
}

void
check_word(struct job *job, uint64_t i, uint32_t got, uint32_t want)
{
	job->checked++;
	if (got == want)
		return;
	if (job->wrong++ < WRONG_SHOWN)
		fprintf(stderr, "cudadvise-kernels: %s: value %llu is %08x, "
		    "must be %08x\n", job->name, (unsigned long long)i, got,
		    want);
}

int
job_verdict(struct job *job)
{
	if (job->wrong) {
		fprintf(stderr, "cudadvise-kernels: %s: %llu of %llu checked "
		    "values are wrong\n", job->name,
		    (unsigned long long)job->wrong,
		    (unsigned long long)job->checked);
		return -1;
	}
	if (!job->checked) {
		fprintf(stderr, "cudadvise-kernels: %s: nothing was checked\n",
		    job->name);
		return -1;
	}
	return 0;
}
