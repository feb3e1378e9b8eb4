/*
 * model/occupancy_cuda.c: NVIDIA's calculator; built where the toolkit is.
 */
#include <limits.h>
#include <string.h>

#include <cuda_occupancy.h>

#include "model/occupancy.h"

static uint32_t
limit_of(int blocks)
{

	if (blocks == INT_MAX)
		return OCCUPANCY_UNLIMITED;
	return blocks > 0 ? (uint32_t)blocks : 0;
}

static int
sms_of(uint32_t sms)
{

	return sms > 0 && sms <= 65536 ? (int)sms : 1;
}

static struct cudaOccDeviceProp
properties(const struct record_DEVICE *d)
{
	struct cudaOccDeviceProp p;

	memset(&p, 0, sizeof(p));
	p.computeMajor = (int)d->cc_major;
	p.computeMinor = (int)d->cc_minor;
	p.maxThreadsPerBlock = (int)d->max_threads_per_block;
	p.maxThreadsPerMultiprocessor = (int)d->max_threads_per_sm;
	p.regsPerBlock = (int)d->regs_per_block;
	p.regsPerMultiprocessor = (int)d->regs_per_sm;
	p.warpSize = (int)d->warp_size;
	p.sharedMemPerBlock = d->smem_per_block;
	p.sharedMemPerMultiprocessor = d->smem_per_sm;
	p.numSms = sms_of(d->sms);
	p.sharedMemPerBlockOptin = d->smem_per_block_optin;
	p.reservedSharedMemPerBlock = d->smem_reserved;
	return p;
}

int
occupancy_cuda(const struct record_DEVICE *d,
    const struct record_SIGNATURE *s, uint32_t threads,
    uint32_t limit[LIMITER_COUNT])
{
	struct cudaOccDeviceProp p = properties(d);
	struct cudaOccFuncAttributes a;
	struct cudaOccDeviceState state;
	struct cudaOccResult r;

	memset(&a, 0, sizeof(a));
	memset(&state, 0, sizeof(state));
	memset(&r, 0, sizeof(r));
	a.maxThreadsPerBlock = INT_MAX;
	a.numRegs = (int)s->regs;
	a.sharedSizeBytes = s->smem_static;
	a.numBlockBarriers = 1;
	a.partitionedGCConfig = PARTITIONED_GC_OFF;
	a.maxDynamicSharedSizeBytes = s->smem_dynamic;
	/* A kernel that used more than the default limit had raised it. */
	if (s->smem_optin != 0 ||
	    (uint64_t)s->smem_static + s->smem_dynamic > d->smem_per_block)
		a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
	/* 0 would mean "as much L1 as possible". */
	state.carveoutConfig = s->carveout <= 100 ? (int)s->carveout :
	    SHAREDMEM_CARVEOUT_DEFAULT;
	if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &state,
	    (int)threads, s->smem_dynamic) != CUDA_OCC_SUCCESS)
		return -1;
	limit[LIMITER_NONE] = OCCUPANCY_UNLIMITED;
	limit[LIMITER_WARPS] = limit_of(r.blockLimitWarps);
	limit[LIMITER_BLOCKS] = limit_of(r.blockLimitBlocks);
	limit[LIMITER_REGISTERS] = limit_of(r.blockLimitRegs);
	limit[LIMITER_SHARED] = limit_of(r.blockLimitSharedMem);
	limit[LIMITER_BARRIERS] = limit_of(r.blockLimitBarriers);
	limit[LIMITER_CLUSTER] = OCCUPANCY_UNLIMITED;
	return 0;
}
