/*
 * model/occupancy.c: theoretical occupancy and the best block size from the limits that
 * a calculator gives; see occupancy.h.
 */
#include <math.h>
#include <string.h>

#include "model/occupancy.h"

/* Are the numbers of the records within what any GPU has? Then the arithmetic below
 * cannot overflow. */
static bool
plausible(const struct record_DEVICE *d, const struct record_SIGNATURE *s,
    uint64_t threads)
{

	return d->cc_major >= 5 && d->cc_major <= 100 && d->cc_minor <= 100 &&
	    d->sms > 0 && d->sms <= 65536 &&
	    d->warp_size > 0 && d->warp_size <= 128 &&
	    d->max_threads_per_sm >= d->warp_size &&
	    d->max_threads_per_sm <= 65536 &&
	    d->max_threads_per_block > 0 &&
	    d->max_threads_per_block <= 65536 &&
	    d->regs_per_sm > 0 && d->regs_per_sm <= 1u << 24 &&
	    d->regs_per_block > 0 && d->regs_per_block <= 1u << 24 &&
	    d->smem_per_sm > 0 && d->smem_per_sm <= 1u << 28 &&
	    d->smem_per_block > 0 && d->smem_per_block <= 1u << 28 &&
	    d->smem_per_block_optin <= 1u << 28 &&
	    d->smem_reserved <= 1u << 20 &&
	    s->regs <= 1024 && s->smem_static <= 1u << 28 &&
	    s->smem_dynamic <= 1u << 28 &&
	    threads > 0 && threads <= d->max_threads_per_block;
}

static uint64_t
volume(uint32_t x, uint32_t y, uint32_t z)
{
	uint64_t p = (uint64_t)x * y;

	return __builtin_mul_overflow(p, (uint64_t)z, &p) ? UINT64_MAX : p;
}

static uint32_t
tightest(const uint32_t limit[LIMITER_COUNT], enum limiter *which)
{
	uint32_t least = OCCUPANCY_UNLIMITED;
	int i;

	*which = LIMITER_NONE;
	/* Among equal limits, those fixed by the hardware come before those of
	 * the kernel's resources: reducing the latter alone would not help. */
	for (i = LIMITER_WARPS; i < LIMITER_COUNT; i++)
		if (limit[i] < least) {
			least = limit[i];
			*which = (enum limiter)i;
		}
	return least;
}

static double
ratio_of(const struct record_DEVICE *d, uint32_t threads, uint32_t blocks)
{
	uint32_t warps = (threads + d->warp_size - 1) / d->warp_size;
	double ratio = (double)blocks * warps /
	    (d->max_threads_per_sm / d->warp_size);

	return ratio < 1 ? ratio : 1;
}

/* The SMs of a cluster must be of one group and free at the same time. The record has
 * how many clusters the whole GPU can hold. */
static uint32_t
cluster_limit(const struct record_DEVICE *d, const struct record_SIGNATURE *s)
{
	uint64_t size = volume(s->cluster_x, s->cluster_y, s->cluster_z);
	uint64_t blocks;

	if (size <= 1 || size > 1024 || s->max_active_clusters == 0)
		return OCCUPANCY_UNLIMITED;
	blocks = size * s->max_active_clusters / d->sms;
	return blocks == 0 ? 1 : blocks < OCCUPANCY_UNLIMITED ?
	    (uint32_t)blocks : OCCUPANCY_UNLIMITED;
}

/* How far a block size is from the usual, for choosing among equals. */
static double
unusual(uint32_t threads)
{

	return fabs(log2(threads / 256.0)) + (threads > 256 ? 0.25 : 0);
}

static void
best_block(struct occupancy *o, const struct record_DEVICE *d,
    const struct record_SIGNATURE *s, uint32_t threads,
    occupancy_calculator *calculate)
{
	uint32_t limit[LIMITER_COUNT], blocks, t;
	enum limiter which;
	double ratio;

	o->best_block = threads;
	o->best_ratio = o->ratio;
	o->best_min_grid = o->blocks_per_sm * d->sms;
	for (t = d->warp_size; t <= d->max_threads_per_block;
	    t += d->warp_size) {
		if (calculate(d, s, t, limit) != 0)
			continue;
		blocks = tightest(limit, &which);
		ratio = ratio_of(d, t, blocks);
		if (ratio < o->best_ratio + 1e-9 &&
		    (ratio < o->best_ratio - 1e-9 ||
		    o->best_block == threads ||
		    unusual(t) >= unusual(o->best_block)))
			continue;
		o->best_block = t;
		o->best_ratio = ratio;
		o->best_min_grid = blocks * d->sms;
	}
}

void
occupancy_with(struct occupancy *o, const struct record_DEVICE *d,
    const struct record_SIGNATURE *s, occupancy_calculator *calculate)
{
	uint64_t threads = volume(s->block_x, s->block_y, s->block_z);
	uint64_t blocks = volume(s->grid_x, s->grid_y, s->grid_z);
	uint32_t limit[LIMITER_COUNT];

	memset(o, 0, sizeof(*o));
	o->ratio = o->waves = o->best_ratio = NAN;
	if (!plausible(d, s, threads) ||
	    calculate(d, s, (uint32_t)threads, limit) != 0)
		return;
	limit[LIMITER_CLUSTER] = cluster_limit(d, s);
	o->blocks_per_sm = tightest(limit, &o->limiter);
	/* The kernel ran, so a block fits: the calculation is wrong. */
	if (o->blocks_per_sm == 0)
		return;
	memcpy(o->limit_blocks, limit, sizeof(limit));
	o->known = true;
	o->ratio = ratio_of(d, (uint32_t)threads, o->blocks_per_sm);
	if (o->ratio >= 1)
		o->limiter = LIMITER_NONE;
	o->waves = (double)blocks / ((double)d->sms * o->blocks_per_sm);
	best_block(o, d, s, (uint32_t)threads, calculate);
}

void
occupancy_of(struct occupancy *o, const struct record_DEVICE *d,
    const struct record_SIGNATURE *s)
{

#ifdef HAVE_CUDA_OCCUPANCY
	occupancy_with(o, d, s, occupancy_cuda);
	/* cuda_occupancy.h does not know GPUs newer than itself. */
	if (o->known)
		return;
#endif
	occupancy_with(o, d, s, occupancy_own);
}
