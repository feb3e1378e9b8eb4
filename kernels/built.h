/*
 * built.h: a kernel of a file that is compiled twice with different flags, for
 * the pairs whose lesson is a flag. Each compilation gives a struct built; the
 * rest of the pair is the same and not compiled with either flag.
 */
#ifndef CADV_BUILT_H
#define CADV_BUILT_H

#include <cuda_runtime.h>
#include <stdint.h>

#define BUILT_THREADS 256

struct job;

struct built {
	/* Computes each out[i] from in[i]. */
	const void *kernel;
	void (*launch)(unsigned blocks, cudaStream_t stream,
	    const uint32_t *in, uint32_t *out, unsigned n);
	uint32_t (*want)(uint32_t in);	/* the same, on the CPU */
	double operations;		/* for each element */
};

extern const struct built built_with_lines, built_without_lines;
extern const struct built built_optimised, built_for_debugging;

/* A pair's body; job->size: words (default: four full waves of threads). */
int built_run(struct job *job, const struct built *built, int laps);

#endif
