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
#include "model/occupancy.h"

#define REGISTER_UNIT 256u
#define REGISTERS_PER_THREAD 256u
#define KIB 1024u

/* Shared memory per SM that an architecture can be configured to, in KiB. */
struct steps {
	uint8_t kib[11];
};

static const struct steps steps_volta = { { 0, 8, 16, 32, 64, 96 } };
static const struct steps steps_turing = { { 32, 64 } };
static const struct steps steps_ampere =
    { { 0, 8, 16, 32, 64, 100, 132, 164 } };
static const struct steps steps_small = { { 0, 8, 16, 32, 64, 100 } };
static const struct steps steps_hopper =
    { { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228 } };

/* Before 7.0 the two are apart: NULL. */
static const struct steps *
steps_of(const struct record_DEVICE *d)
{

	switch (d->cc_major) {
	case 5:
	case 6:
		return (NULL);
	case 7:
		return (d->cc_minor == 5 ? &steps_turing : &steps_volta);
	case 8:
		return (d->cc_minor == 0 || d->cc_minor == 7 ?
		    &steps_ampere : &steps_small);
	case 12:
		return (&steps_small);
	default:
		return (&steps_hopper);
	}
}

/* ${bytes} rounded up to a step; more than the largest stays what it is. */
static uint64_t
step_up(const struct steps *s, uint64_t bytes)
{
	unsigned i;

	for (i = 0; i < sizeof(s->kib) && (i == 0 || s->kib[i] != 0); i++)
		if (bytes <= s->kib[i] * (uint64_t)KIB)
			return (s->kib[i] * (uint64_t)KIB);
	return (bytes);
}

static uint32_t
blocks_of(const struct record_DEVICE *d)
{

	if (d->max_blocks_per_sm > 0)
		return (d->max_blocks_per_sm);
	/* A device record without it: the compute capability tells. */
	switch (d->cc_major) {
	case 7:
		return (d->cc_minor == 5 ? 16 : 32);
	case 8:
		return (d->cc_minor == 0 ? 32 : d->cc_minor == 9 ? 24 : 16);
	case 11:
	case 12:
		return (24);
	default:
		return (32);
	}
}

static uint32_t
register_limit(const struct record_DEVICE *d, uint32_t regs, uint32_t warps)
{
	uint32_t schedulers = d->cc_major == 6 && d->cc_minor == 0 ? 2 : 4;
	uint32_t per_warp, rounded;

	if (regs == 0)
		return (OCCUPANCY_UNLIMITED);
	per_warp = (regs * d->warp_size + REGISTER_UNIT - 1) /
	    REGISTER_UNIT * REGISTER_UNIT;
	/* A launch is checked as if its warps filled every scheduler alike. */
	rounded = (warps + schedulers - 1) / schedulers * schedulers;
	if (regs > REGISTERS_PER_THREAD ||
	    (uint64_t)per_warp * rounded > d->regs_per_block)
		return (0);
	return (d->regs_per_sm / schedulers / per_warp * schedulers / warps);
}

static uint32_t
shared_limit(const struct record_DEVICE *d, const struct record_SIGNATURE *s)
{
	uint64_t unit = d->cc_major >= 8 ? 128 : 256, most, bytes, sm;
	const struct steps *steps = steps_of(d);
	uint64_t asked = (uint64_t)s->smem_static + s->smem_dynamic;

	bytes = (asked + d->smem_reserved + unit - 1) / unit * unit;
	if (bytes == 0)
		return (OCCUPANCY_UNLIMITED);
	most = asked > d->smem_per_block && d->cc_major >= 7 ?
	    d->smem_per_block_optin : d->smem_per_block;
	if (asked > most)
		return (0);
	sm = d->smem_per_sm;
	if (steps != NULL) {
		if (s->carveout <= 100)
			sm = step_up(steps, sm * s->carveout / 100);
		if (sm < bytes)		/* a wish that cannot be met */
			sm = step_up(steps, bytes);
		if (sm > d->smem_per_sm)
			sm = d->smem_per_sm;
	}
	return ((uint32_t)(sm / bytes));
}

int
occupancy_own(const struct record_DEVICE *d, const struct record_SIGNATURE *s,
    uint32_t threads, uint32_t limit[LIMITER_COUNT])
{
	uint32_t warps = (threads + d->warp_size - 1) / d->warp_size;

	limit[LIMITER_NONE] = OCCUPANCY_UNLIMITED;
	limit[LIMITER_WARPS] = threads > d->max_threads_per_block ? 0 :
	    d->max_threads_per_sm / d->warp_size / warps;
	limit[LIMITER_BLOCKS] = blocks_of(d);
	limit[LIMITER_REGISTERS] = register_limit(d, s->regs, warps);
	limit[LIMITER_SHARED] = shared_limit(d, s);
	/* A block uses one barrier (that of __syncthreads()), and an SM has
	 * one at least for every block it can hold. */
	limit[LIMITER_BARRIERS] = OCCUPANCY_UNLIMITED;
	limit[LIMITER_CLUSTER] = OCCUPANCY_UNLIMITED;
	return (0);
}
