/*
 * rules/faults_launch.c: kernels that share their work out badly among threads,
 * warps, blocks and SMs, and kernels that come close to it.
 */
#include <math.h>

#include "rules/faults.h"

static struct kernel *
base(struct made *m, double dram)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 10000, 200000);

	made_counters(m, k, dram);
	return k;
}

/* ${lanes} of each warp at work, ${warps} of the eight of each block there. */
static struct kernel *
working(struct made *m, double lanes, double warps)
{
	struct kernel *k = base(m, 0.05);
	double *v = k->metric;

	v[METRIC_THREAD_INST] = v[METRIC_INST_EXECUTED] * lanes;
	v[METRIC_THREAD_INST_PRED_ON] = v[METRIC_THREAD_INST];
	v[METRIC_BRANCH_DIVERGENT] = v[METRIC_BRANCH_UNIFORM] / 1000;
	v[METRIC_OCCUPANCY] = 100 * warps / 8;
	v[METRIC_ISSUE_ACTIVE] = 30;
	return k;
}

void
fault_one_thread(struct made *m)
{
	working(m, 1.01, 1.02);
}

/* Lane 0 of every warp: idle-lanes. */
void
fault_one_lane(struct made *m)
{
	working(m, 1.01, 7.6);
}

/* 32 lanes that take turns: warp-divergence. */
void
fault_one_by_one(struct made *m)
{
	struct kernel *k = working(m, 1.01, 1.02);

	k->metric[METRIC_BRANCH_DIVERGENT] = k->metric[METRIC_BRANCH_UNIFORM];
}

/* All lanes of one warp, four blocks an SM and no more to come. */
void
fault_one_warp(struct made *m)
{
	struct kernel *k = working(m, 32, 1.02);

	k->shape.grid_x = 132 * 4;
	k->occupancy.waves = 0.5;
	k->metric[METRIC_OCCUPANCY] = 100 * 4 * 1.02 / 64;
}

/* The same with all eight warps at work. */
void
fault_eight_warps(struct made *m)
{
	fault_one_warp(m);
	m->kernel[0].metric[METRIC_OCCUPANCY] *= 7.5;
}

/* Rows, in blocks of ${x} × ${y}: ${sectors} for 32 floats. */
static struct kernel *
narrow(struct made *m, uint32_t x, uint32_t y, double sectors)
{
	struct kernel *k;
	double *v;

	fault_scattered(m);
	k = &m->kernel[0];
	v = k->metric;
	k->shape.block_x = x;
	k->shape.block_y = y;
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS] * sectors;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 128 / sectors;
	return k;
}

void
fault_narrow_block(struct made *m)
{
	narrow(m, 2, 128, 16);
}

/* Runs of 10 floats: begins and ends of sectors, cut where a warp ends. */
void
fault_odd_block(struct made *m)
{
	struct kernel *k = narrow(m, 10, 16, 7.2);

	k->metric[METRIC_L2_PCT] = 91;
}

/* The narrowest block that still fills its sectors. */
void
fault_wide_enough(struct made *m)
{
	narrow(m, 8, 32, 4);
}

/* A column where a row should be: no shape of the block makes that good. */
void
fault_columns(struct made *m)
{
	narrow(m, 16, 16, 32);
}

/* One row of threads: its shape is no reason. */
void
fault_flat_block(struct made *m)
{
	narrow(m, 256, 1, 16);
}

void
fault_narrow_unknown(struct made *m)
{
	narrow(m, 2, 128, 16)->metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = NAN;
}

static void
uneven(struct made *m, double dram, double mean)
{
	struct kernel *k = base(m, dram);

	k->shape.grid_x = 1056;
	k->occupancy.waves = 1;
	k->metric[METRIC_ISSUE_ACTIVE] = 85;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = mean;
}

void
fault_triangle(struct made *m)
{
	uneven(m, 0.1, 52);
}

/* No more than blocks of equal work show. */
void
fault_equal_rows(struct made *m)
{
	uneven(m, 0.1, 82);
}

/* All SMs wait for DRAM, and most of them a little longer. */
void
fault_triangle_of_memory(struct made *m)
{
	uneven(m, 0.95, 70);
}

/* 200 blocks for 132 SMs, all at once. */
void
fault_blocks_left_over(struct made *m)
{
	struct kernel *k;

	uneven(m, 0.1, 78);
	k = &m->kernel[0];
	k->shape.grid_x = 200;
	k->shape.block_x = 1024;
	k->occupancy.blocks_per_sm = 2;
	k->occupancy.waves = 200.0 / 264;
}

static struct kernel *
many_blocks(struct made *m, double dram, double inst, double occupancy)
{
	struct kernel *k = base(m, dram);
	double *v = k->metric;

	k->shape.grid_x = 1056 * 100;
	k->occupancy.waves = 100;
	v[METRIC_INST_EXECUTED] = k->shape.grid_x * 8 * inst;
	v[METRIC_THREAD_INST] = v[METRIC_THREAD_INST_PRED_ON] =
	    v[METRIC_INST_EXECUTED] * 32;
	v[METRIC_OCCUPANCY] = occupancy;
	return k;
}

void
fault_short_blocks(struct made *m)
{
	many_blocks(m, 0.1, 20, 26);
}

/* Places filled, but a third of all instructions finds out what to do. */
void
fault_setting_up(struct made *m)
{
	many_blocks(m, 0.1, 35, 92)->metric[METRIC_ISSUE_ACTIVE] = 90;
}

/* One element a thread, and memory is full: that is fine. */
void
fault_streaming(struct made *m)
{
	many_blocks(m, 0.9, 20, 70);
}

/* As many blocks, that have something to do. */
void
fault_busy_blocks(struct made *m)
{
	many_blocks(m, 0.1, 400, 92)->metric[METRIC_ISSUE_ACTIVE] = 90;
}
