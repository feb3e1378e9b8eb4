/*
 * Build for the GPU that the program runs on.
 *
 * A module with one kernel that is used and eight large ones that are not. As
 * PTX alone (bad) the driver has to compile all of it when it is loaded; as
 * machine code (good) it is only loaded.
 *
 * The only difference is what the module was compiled to: CMakeLists.txt makes
 * both of jit_image.cu. So that the driver finds nothing of an earlier run in its
 * cache, a number in the PTX is another one in each run.
 *
 * Rule: jit-at-startup. Metric that moves: time from the start to the first
 * kernel.
 *
 *   cudadvise run cudadvise-kernels jit-at-startup --variant bad
 *   CUDA_CACHE_DISABLE=1 nsys profile -t cuda \
 *     cudadvise-kernels jit-at-startup --variant bad
 *
 * --size: words (default: four full waves of threads).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define ROUNDS 1024		/* as in jit_image.cu */
#define WAVES 4
#define ROOM 128		/* for what is added to the PTX */

extern "C" const char jit_ptx[], jit_fatbin[];	/* images.c */

/* The PTX with a variable in it that no other run has; NULL without memory. */
static char *
unique_ptx(void)
{
	size_t len = strlen(jit_ptx);
	char *text = (char *)malloc(len + ROOM);

	if (text == NULL)
		return NULL;
	memcpy(text, jit_ptx, len);
	snprintf(text + len, ROOM, "\n.global .align 4 .u32 run_%ld_%lld;\n",
	    (long)getpid(), (long long)time(NULL));
	return text;
}

static cudaError_t
load_image(const struct job *job, cudaLibrary_t *library)
{
	char *text = job->good ? NULL : unique_ptx();
	cudaError_t e;

	if (!job->good && text == NULL)
		return cudaErrorMemoryAllocation;
	e = cudaLibraryLoadData(library, job->good ? jit_fatbin : text, NULL,
	    NULL, 0, NULL, NULL, 0);
	free(text);
	return e;
}

static int
mix_words(struct job *job, const void *kernel)
{
	uint32_t *in, *out, *host;
	unsigned blocks, n;

	TRY(job_wave_of(job, &blocks, kernel, THREADS, 0));
	n = job->size ? (unsigned)job->size : blocks * WAVES * THREADS;
	blocks = (n + THREADS - 1) / THREADS;
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 600, [&] {
		void *arguments[] = { &in, &out, &n };

		return cudaLaunchKernel(kernel, blocks, THREADS, arguments, 0,
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

PAIR(jit_at_startup, "build for the GPU that the program runs on",
    "time from the start to the first kernel")
{
	cudaLibrary_t library;
	cudaKernel_t kernel;
	int rc;

	TRY(load_image(job, &library));
	TRY(cudaLibraryGetKernel(&kernel, library, "stir"));
	rc = mix_words(job, (const void *)kernel);
	TRY(cudaLibraryUnload(library));
	return rc;
}
