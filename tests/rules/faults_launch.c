/*
 * rules/faults_launch.c: kernels that distribute their work badly among
 * threads, warps, blocks and SMs, and kernels that almost do.
 */
#include <math.h>

#include "rules/code.h"
#include "rules/faults.h"

/* ${lanes} lanes of each warp work, and ${warps} of the eight warps of each block. */
static struct kernel *
working(struct made *m, double lanes, double warps)
{
	struct kernel *k = made_counted(m, 0.05);
	double *v = k->metric;

	v[METRIC_THREAD_INST] = v[METRIC_INST_EXECUTED] * lanes;
	v[METRIC_THREAD_INST_PRED_ON] = v[METRIC_THREAD_INST];
	v[METRIC_BRANCH_DIVERGENT] = v[METRIC_BRANCH_UNIFORM] / 1000;
	v[METRIC_OCCUPANCY] = 100 * warps / 8;
	v[METRIC_ISSUE_ACTIVE] = 30;
	return k;
}

FAULT_IS(one_thread, working(m, 1.01, 1.02))
/* Only lane 0 of every warp works: idle-lanes. */
FAULT_IS(one_lane, working(m, 1.01, 7.6))

/* 32 lanes that take turns: warp-divergence. */
FAULT(one_by_one)
{
	struct kernel *k = working(m, 1.01, 1.02);

	k->metric[METRIC_BRANCH_DIVERGENT] = k->metric[METRIC_BRANCH_UNIFORM];
}

/* One thread of each block goes through a loop of which the code says that it ends at
 * ${end}; neither its instructions nor branches were counted. */
static void
scanned(struct made *m, const char *end)
{
	struct kernel *k = code_kernel(m, 0.05, code_text("one_scans", end));

	m->code[0]->code.counted = false;
	k->shape.grid_x = 10 * CODE_SCALE;
	k->metric[METRIC_BRANCH_UNIFORM] = k->metric[METRIC_BRANCH_DIVERGENT] = NAN;
}

/* 64 turns are four fifths of the instructions; four turns are not why lanes idle. */
FAULT_IS(one_scans, scanned(m, "0x100"))
FAULT_IS(one_adds_few, scanned(m, "0x10"))

/* All lanes of one warp, with four blocks an SM and no more waiting. */
FAULT(one_warp)
{
	struct kernel *k = working(m, 32, 1.02);

	k->shape.grid_x = 132 * 4;
	k->occupancy.waves = 0.5;
	k->metric[METRIC_OCCUPANCY] = 100 * 4 * 1.02 / 64;
}

/* The same with all eight warps at work. */
FAULT(eight_warps)
{
	fault_one_warp(m);
	m->kernel[0].metric[METRIC_OCCUPANCY] *= 7.5;
}

/* Reads rows in blocks of ${x} × ${y}, with ${sectors} sectors for 32 floats. */
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

FAULT_IS(narrow_block, narrow(m, 2, 128, 16))

/* Runs of 10 floats: they begin and end within sectors, and are cut where a
 * warp ends. */
FAULT(odd_block)
{
	struct kernel *k = narrow(m, 10, 16, 7.2);

	k->metric[METRIC_L2_PCT] = 91;
}

/* The narrowest block that still fills its sectors. */
FAULT_IS(wide_enough, narrow(m, 8, 32, 4))
/* Columns instead of rows: no block shape helps. */
FAULT_IS(columns, narrow(m, 16, 16, 32))
/* One row of threads: the block's shape is not the cause. */
FAULT_IS(flat_block, narrow(m, 256, 1, 16))
FAULT_IS(narrow_unknown,
    narrow(m, 2, 128, 16)->metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = NAN)

static void
uneven(struct made *m, double dram, double mean)
{
	struct kernel *k = made_counted(m, dram);

	k->shape.grid_x = 1056;
	k->occupancy.waves = 1;
	k->metric[METRIC_ISSUE_ACTIVE] = 85;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = mean;
}

FAULT_IS(triangle, uneven(m, 0.1, 52))
/* No more imbalance than blocks with equal work show. */
FAULT_IS(equal_rows, uneven(m, 0.1, 82))
/* All SMs wait for DRAM, most of them slightly longer. */
FAULT_IS(triangle_of_memory, uneven(m, 0.95, 70))

/* 200 blocks on 132 SMs, all resident at once. */
FAULT(blocks_left_over)
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
	struct kernel *k = made_counted(m, dram);
	double *v = k->metric;

	k->shape.grid_x = 1056 * 100;
	k->occupancy.waves = 100;
	v[METRIC_INST_EXECUTED] = k->shape.grid_x * 8 * inst;
	v[METRIC_THREAD_INST] = v[METRIC_THREAD_INST_PRED_ON] =
	    v[METRIC_INST_EXECUTED] * 32;
	v[METRIC_OCCUPANCY] = occupancy;
	return k;
}

FAULT_IS(short_blocks, many_blocks(m, 0.1, 20, 26))
/* Occupancy is full, but a third of all instructions only find out what to do. */
FAULT_IS(setting_up, many_blocks(m, 0.1, 35, 92)->metric[METRIC_ISSUE_ACTIVE] = 90)
/* One element a thread, and memory bandwidth is full: nothing to gain. */
FAULT_IS(streaming, many_blocks(m, 0.9, 20, 70))
/* As many blocks, with enough work in each. */
FAULT_IS(busy_blocks, many_blocks(m, 0.1, 400, 92)->metric[METRIC_ISSUE_ACTIVE] = 90)
