/*
 * built.cu: the pairs whose lesson is a flag.
 */
#include "built.h"
#include "harness.h"
#include "pairs.h"

#define WAVES 4

int
built_run(struct job *job, const struct built *built, int laps)
{
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave_of(job, &blocks, built->kernel, BUILT_THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * BUILT_THREADS;
	blocks = (unsigned)((n + BUILT_THREADS - 1) / BUILT_THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, laps, [&] {
		built->launch(blocks, job->stream, in, out, (unsigned)n);
		return cudaGetLastError();
	}));
	job->operations = built->operations * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i], built->want(seeded(job->seed, i)));
	}
	return 0;
}

PAIR(missing_lineinfo, "compile with -lineinfo",
    "none: lines are named")
{
	return built_run(job, job->good ? &built_with_lines :
	    &built_without_lines, 300);
}

PAIR(debug_build, "measure what is compiled without -G",
    "executed instructions")
{
	return built_run(job, job->good ? &built_optimised :
	    &built_for_debugging, 300);
}
