/*
 * chase.cu: the table of chase.h.
 */
#include "chase.h"

__global__ static void
chase_fill(uint32_t *table)
{
	size_t step = (size_t)gridDim.x * blockDim.x;
	size_t n = (size_t)CHASE_LINES * CHASE_LANES;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		table[i] = chase_next((uint32_t)(i / CHASE_LANES));
}

cudaError_t
chase_table(struct job *job, uint32_t **table)
{
	unsigned blocks;
	cudaError_t e = job_device(job, table,
	    (size_t)CHASE_LINES * CHASE_LANES);

	if (e == cudaSuccess)
		e = job_wave(job, &blocks, chase_fill, 256, 0);
	if (e != cudaSuccess)
		return e;
	chase_fill<<<blocks, 256, 0, job->stream>>>(*table);
	return cudaGetLastError();
}
