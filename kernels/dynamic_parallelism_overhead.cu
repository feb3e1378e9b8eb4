/*
 * Launch a grid from the host, not a small one from each thread of another.
 *
 * Rows of 256 words, each mixed by a block of 256 threads. A parent kernel has a
 * thread for each row, which launches a grid of one block for it (bad), or the
 * host launches one grid with a block for each row (good).
 *
 * The only difference is who launches the blocks. The kernels are in an image of
 * their own, which CMakeLists.txt builds from this same file (IMAGE) and links
 * with cudadevrt: a program that contains such kernels sets device memory aside
 * for them, which the other pairs must not.
 *
 * Rule: dynamic-parallelism-overhead. Metric that moves: launches from kernels.
 *
 *   cudadvise run --level source \
 *     cudadvise-kernels dynamic-parallelism-overhead --variant bad
 *   nsys profile -t cuda \
 *     cudadvise-kernels dynamic-parallelism-overhead --variant bad
 *
 * --size: rows (default: a full wave of blocks).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256		/* of a row */
#define PARENT_THREADS 32
#define ROUNDS 1024
#define PENDING_LAUNCHES 2048	/* the default limit */

#ifdef IMAGE

extern "C" __global__ void
mix_row(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x;

	out[i] = mix_rounds(in[i], ROUNDS);
}

extern "C" __global__ void
launch_rows(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    unsigned rows)
{
	unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
	size_t at = (size_t)row * THREADS;

	if (row < rows)
		mix_row<<<1, THREADS>>>(in + at, out + at); /* HERE */
}

#else

extern "C" const char device_launch_fatbin[];	/* images.c */

/* Without cudadevrt there was nothing to link the image with. */
static cudaError_t
load_image(cudaLibrary_t *library)
{
#ifdef HAVE_DEVICE_LAUNCH
	return cudaLibraryLoadData(library, device_launch_fatbin, NULL, NULL,
	    0, NULL, NULL, 0);
#else
	*library = NULL;
	return cudaErrorNoKernelImageForDevice;
#endif
}

static int
mix_rows(struct job *job, const void *kernel, const void *child)
{
	unsigned rows, blocks, threads = job->good ? THREADS : PARENT_THREADS;
	uint32_t *in, *out, *host;
	size_t n;

	TRY(job_wave_of(job, &rows, child, THREADS, 0));
	if (job->size)
		rows = (unsigned)job->size;
	blocks = job->good ? rows :
	    (rows + PARENT_THREADS - 1) / PARENT_THREADS;
	n = (size_t)rows * THREADS;
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));
	/* All launches of a parent may be pending at the same time. */
	if (rows > PENDING_LAUNCHES)
		TRY(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount,
		    rows));

	TRY(job_measure(job, 100, [&] {
		void *arguments[] = { &in, &out, &rows };

		return cudaLaunchKernel(kernel, blocks, threads, arguments, 0,
		    job->stream);
	}));
	job->operations = (double)ROUNDS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i],
		    mix_rounds(seeded(job->seed, i), ROUNDS));
	}
	return 0;
}

PAIR(dynamic_parallelism_overhead, "launch a grid from the host, not a small one from each thread of another",
    "launches from kernels")
{
	cudaKernel_t parent, child;
	cudaLibrary_t library;
	int rc;

	TRY(load_image(&library));
	TRY(cudaLibraryGetKernel(&child, library, "mix_row"));
	TRY(cudaLibraryGetKernel(&parent, library, "launch_rows"));
	rc = mix_rows(job, (const void *)(job->good ? child : parent),
	    (const void *)child);
	TRY(cudaLibraryUnload(library));
	return rc;
}

#endif
