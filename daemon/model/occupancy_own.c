/*
 * model/occupancy_own.c: resident blocks per SM from published rules, for
 * builds without the CUDA toolkit.
 *
 * From the CUDA programming guide (compute capabilities) and the tuning guides:
 * registers are allocated per warp in units of 256, from the quarter of the
 * register file that belongs to the warp's scheduler; shared memory in units of
 * 128 bytes (256 before 8.0), with a reserve per block from 8.0 on; the part
 * of the L1 that serves as shared memory comes in steps.
 */
#include "facts/chip.h"
#include "model/occupancy.h"

#define REGISTER_UNIT 256u
#define REGISTERS_PER_THREAD 256u

static uint32_t
register_limit(const struct record_DEVICE *d, uint32_t schedulers,
    uint32_t regs, uint32_t warps)
{
	uint32_t per_warp, rounded;

	if (regs == 0)
		return OCCUPANCY_UNLIMITED;
	per_warp = (regs * d->warp_size + REGISTER_UNIT - 1) /
	    REGISTER_UNIT * REGISTER_UNIT;
	/* A launch is checked as if its warps filled every scheduler alike. */
	rounded = (warps + schedulers - 1) / schedulers * schedulers;
	if (regs > REGISTERS_PER_THREAD ||
	    (uint64_t)per_warp * rounded > d->regs_per_block)
		return 0;
	return d->regs_per_sm / schedulers / per_warp * schedulers / warps;
}

static uint32_t
shared_limit(const struct record_DEVICE *d, const struct chip *chip,
    const struct record_SIGNATURE *s)
{
	uint64_t unit = chip->shared_unit, most, bytes, sm;
	uint64_t asked = (uint64_t)s->smem_static + s->smem_dynamic;

	bytes = (asked + d->smem_reserved + unit - 1) / unit * unit;
	if (bytes == 0)
		return OCCUPANCY_UNLIMITED;
	most = asked > d->smem_per_block ?
	    d->smem_per_block_optin : d->smem_per_block;
	if (asked > most)
		return 0;
	sm = d->smem_per_sm;
	if (chip->carveouts->number > 0) {
		if (s->carveout <= 100)
			sm = chip_carveout(chip, sm * s->carveout / 100);
		if (sm < bytes)		/* the carveout asked for is too small */
			sm = chip_carveout(chip, bytes);
		if (sm > d->smem_per_sm)
			sm = d->smem_per_sm;
	}
	return (uint32_t)(sm / bytes);
}

int
occupancy_own(const struct record_DEVICE *d, const struct record_SIGNATURE *s,
    uint32_t threads, uint32_t limit[LIMITER_COUNT])
{
	const struct chip *chip = chip_of(d->cc_major, d->cc_minor);
	uint32_t warps = (threads + d->warp_size - 1) / d->warp_size;

	limit[LIMITER_NONE] = OCCUPANCY_UNLIMITED;
	limit[LIMITER_WARPS] = threads > d->max_threads_per_block ? 0 :
	    d->max_threads_per_sm / d->warp_size / warps;
	/* Some device records lack it. */
	limit[LIMITER_BLOCKS] = d->max_blocks_per_sm > 0 ?
	    d->max_blocks_per_sm : chip->blocks;
	limit[LIMITER_REGISTERS] = register_limit(d, chip->schedulers,
	    s->regs, warps);
	limit[LIMITER_SHARED] = shared_limit(d, chip, s);
	/* A block uses one barrier (that of __syncthreads()), and an SM has
	 * one at least for every block it can hold. */
	limit[LIMITER_BARRIERS] = OCCUPANCY_UNLIMITED;
	limit[LIMITER_CLUSTER] = OCCUPANCY_UNLIMITED;
	return 0;
}
