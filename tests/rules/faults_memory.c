/*
 * rules/faults_memory.c: kernels that request more memory traffic than they
 * need, or from the wrong kind of memory, and kernels that almost do.
 */
#include <stdio.h>

#include "rules/code.h"
#include "rules/faults.h"

#define BODY_S 198.5e-6		/* s, a launch without its start and end */

static struct kernel *
counted(struct made *m, double dram)
{
	struct kernel *k = made_counted(m, dram);

	m->device[0].limits.l2_bytes = 60u << 20;
	/* The traffic of the driver and of the measurement itself, as on an H200. */
	k->metric[METRIC_L2_SYSMEM] = 26000;
	return k;
}

/* The wavefronts that keep the L1 pipe busy for the share ${busy}; the sectors
 * that keep L2 busy. */
static double
l1_wavefronts(const struct made *m, double busy)
{
	return busy * BODY_S * m->device[0].ceilings.sm_hz * 132;
}

static double
l2_sectors(const struct made *m, double busy)
{
	return busy * BODY_S * m->device[0].ceilings.l2_bytes_per_s / 32;
}

/* The arithmetic of one loop iteration: ${n} instructions, each executed
 * ${inst} times. */
static void
work_of(char *text, size_t room, int n, const char *inst)
{
	size_t at = 0;

	text[0] = '\0';
	for (int i = 0; i < n && at < room; i++)
		at += (size_t)snprintf(text + at, room - at,
		    "LOP3.LUT R9,R9,R8,RZ,0x3c,!PT | inst %s line 7\n", inst);
}

/* --- redundant-global-traffic -------------------------------------------- */

/*
 * A product whose threads each walk a row of one matrix and a column of the other;
 * ${row} and ${column} are the code that computes their addresses. L1 is the limit.
 */
static struct kernel *
product(struct made *m, const char *row, const char *column)
{
	struct kernel *k = counted(m, 0.1);
	double *v = k->metric;

	code_make(m, k, code_text("product", row, column), CODE_SCALE);
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = (4 + 4 * 32) / 5.0;
	v[METRIC_LSU_WAVEFRONTS] = l1_wavefronts(m, 0.92);
	v[METRIC_L1_HIT_RATE] = 95;
	v[METRIC_L2_READ] = 0.05 * v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_ISSUE_ACTIVE] = 50;
	v[METRIC_PIPE_FMA] = 12;
	return k;
}

#define ROW "IMAD.WIDE R2,R17,0x4000,R2 | inst 100 line 4\n"
#define COLUMN "IMAD.WIDE R12,R5,0x4,R6 | inst 100 line 4\n"

FAULT_IS(naive_product, product(m, ROW, COLUMN))

/* Blocks of 32 x 8: a row for each y and a column for each x, or both for each y. */
static void
squares(struct made *m, const char *column)
{
	struct kernel *k = product(m, ROW, column);

	k->shape.block_x = 32;
	k->shape.block_y = 8;
}

FAULT_IS(product_of_squares, squares(m, COLUMN))
FAULT_IS(rows_by_rows,
    squares(m, "IMAD.WIDE R12,R17,0x4000,R6 | inst 100 line 4\n"))

/* The same at level counters. */
FAULT(naive_product_counted)
{
	product(m, ROW, COLUMN)->code = NULL;
	m->run.level = LEVEL_COUNTERS;
}

/* The index was loaded from memory: no tile can hold the data. */
FAULT_IS(gathered_product,
    product(m, "LDG.E R16,desc[UR4][R2.64] | inst 100 sectors 100 "
    "ideal 100 line 4\n"
    "IMAD.WIDE R2,R16,0x4000,R2 | inst 100 line 4\n",
    "IMAD.WIDE R12,R16,0x4,R6 | inst 100 line 4\n"))

/* All threads of the grid load the same. */
FAULT_IS(uniform_product, product(m, "IADD3 R2,R2,0x40,RZ | inst 100 line 4\n",
    "IADD3 R12,R6,0x80,RZ | inst 100 line 4\n"))

/* A loop that keeps sums of columns in memory; ${then} follows the store in
 * every iteration. L2 is limited by the stores. */
static void
sums(struct made *m, const char *then)
{
	struct kernel *k = counted(m, 0.1);
	double *v = k->metric;

	code_make(m, k, code_text("sums", then), CODE_SCALE);
	v[METRIC_LSU_WAVEFRONTS] = l1_wavefronts(m, 0.3);
	v[METRIC_L2_READ] = 0.1 * v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_WRITE] = v[METRIC_GLOBAL_ST_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_L2_PCT] = 80;
	v[METRIC_ISSUE_ACTIVE] = 20;
}

FAULT_IS(sum_in_memory, sums(m, "NOP"))
/* Each iteration stores to a different place. */
FAULT_IS(sums_stored, sums(m, "IADD3 R14,P1,R14,0x4000,RZ"))
/* Other threads wait for each of the stores. */
FAULT_IS(sum_shown, sums(m, "MEMBAR.SC.GPU"))

/* A filter with ${n} taps and one result a thread; each coefficient is in a
 * uniform register (${scaled}) or in an ordinary one. */
static void
taps(struct made *m, int n, bool scaled)
{
	char text[8192];
	struct kernel *k = counted(m, 0.1);
	double *v = k->metric;
	int at = snprintf(text, sizeof(text),
	    "S2R R5,SR_TID.X | inst 100 line 3\n"
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "MOV R40,0x200 | inst 100 line 4\n");

	for (int i = 0; i < n; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at,
		    "LDG.E R8,desc[UR4][R2.64+%d] | inst 100 sectors 400 "
		    "ideal 400 line 6\n"
		    "FFMA R11,R8,%s,R11 | inst 100 line 6\n"
		    "IADD3 R40,R40,0x1,RZ | inst 100 line 6\n", 16384 * i,
		    scaled ? "UR6" : "R12");
	snprintf(text + at, sizeof(text) - (size_t)at,
	    "STG.E desc[UR4][R2.64],R11 | inst 100 sectors 400 ideal 400 "
	    "line 7\n"
	    "EXIT | inst 100\n");
	code_make(m, k, text, CODE_SCALE * 8);
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 32;
	v[METRIC_LSU_WAVEFRONTS] = l1_wavefronts(m, 0.92);
	v[METRIC_L1_HIT_RATE] = 95;
	v[METRIC_L2_READ] = 0.05 * v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_ISSUE_ACTIVE] = 40;
	v[METRIC_PIPE_FMA] = 12;
}

FAULT_IS(coefficients, taps(m, 32, true))
FAULT_IS(coefficients_own, taps(m, 32, false))

/* A filter of 33 taps with one result a thread, its border clamped, as nvcc unrolls
 * it: all loads, each behind ${with} instructions for its address, then all products,
 * each with ${more} others. Instructions limit it. */
static void
clamped(struct made *m, int with, int more)
{
	static const char *const step[] = {
		"VIADDMNMX R4,R5,%d,RZ,!PT | inst 100 line 5\n",
		"VIMNMX R4,R4,0xfff,PT | inst 100 line 5\n",
		"IMAD.WIDE R2,R4,0x4000,R6 | inst 100 line 5\n",
	};
	char text[24576];
	struct kernel *k = counted(m, 0.1);
	double *v = k->metric;
	int at = snprintf(text, sizeof(text),
	    "S2R R5,SR_TID.X | inst 100 line 3\n"
	    "LDC.64 R6,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x4,R6 | inst 100 line 4\n");

	for (int i = 0; i < 33; i++) {
		for (int n = 3 - with; n < 3; n++)
			at += snprintf(text + at, sizeof(text) - (size_t)at,
			    step[n], i);
		at += snprintf(text + at, sizeof(text) - (size_t)at,
		    "LDG.E R%d,desc[UR4][R2.64+%d] | inst 100 sectors 400 "
		    "ideal 400 line 6\n", 20 + i, 16384 * i);
	}
	for (int i = 0; i < 33; i++) {
		at += snprintf(text + at, sizeof(text) - (size_t)at,
		    "FFMA R11,R%d,UR6,R11 | inst 100 line 7\n", 20 + i);
		for (int n = 0; n < more; n++)
			at += snprintf(text + at, sizeof(text) - (size_t)at,
			    "LOP3.LUT R11,R11,R9,RZ,0x3c,!PT | inst 100 "
			    "line 7\n");
	}
	snprintf(text + at, sizeof(text) - (size_t)at,
	    "STG.E desc[UR4][R6.64],R11 | inst 100 sectors 400 ideal 400 "
	    "line 8\n"
	    "EXIT | inst 100\n");
	code_make(m, k, text, CODE_SCALE * 8);
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 32;
	v[METRIC_LSU_WAVEFRONTS] = l1_wavefronts(m, 0.35);
	v[METRIC_L1_HIT_RATE] = 95;
	v[METRIC_L2_READ] = 0.05 * v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_ISSUE_ACTIVE] = 85;
	v[METRIC_PIPE_FMA] = 16;
}

FAULT_IS(clamped_taps, clamped(m, 3, 0))
/* Arithmetic is most of the work: it stays, however many results a thread has. */
FAULT_IS(clamped_taps_hidden, clamped(m, 3, 4))

/* CUDA's sample matrixMul, as an H200 counted it: tiles of 32 × 32 in shared
 * memory, one result a thread. */
static struct kernel *
tiled_product(struct made *m, double loads, double stores, double fma)
{
	struct kernel *k = counted(m, 0);
	double *v = k->metric, waves = l1_wavefronts(m, 0.87);

	v[METRIC_DRAM_READ] = v[METRIC_DRAM_WRITE] = 512;
	v[METRIC_LSU_WAVEFRONTS] = waves;
	v[METRIC_SHARED_LD_WAVEFRONTS] = 0.91 * waves;
	v[METRIC_SHARED_ST_WAVEFRONTS] = 0.04 * waves;
	v[METRIC_SHARED_WAVEFRONTS] = 0.95 * waves;
	v[METRIC_SHARED_LD_INST] = loads * waves;
	v[METRIC_SHARED_ST_INST] = stores * waves;
	v[METRIC_GLOBAL_LD_SECTORS] = 0.15 * waves;
	v[METRIC_GLOBAL_LD_REQUESTS] = 0.04 * waves;
	v[METRIC_GLOBAL_ST_SECTORS] = v[METRIC_L2_WRITE] = 0.01 * waves;
	v[METRIC_GLOBAL_ST_REQUESTS] = 0.0025 * waves;
	v[METRIC_L2_READ] = v[METRIC_L2_FROM_L1] = 0.10 * waves;
	v[METRIC_L2_SECTORS] = 0.13 * waves;
	v[METRIC_INST_EXECUTED] = 1.7 * waves;
	v[METRIC_THREAD_INST] = v[METRIC_THREAD_INST_PRED_ON] =
	    32 * 1.7 * waves;
	v[METRIC_ISSUE_ACTIVE] = 37;
	v[METRIC_PIPE_FMA] = fma;
	v[METRIC_PIPE_ALU] = 6;
	v[METRIC_PIPE_FP64] = 0;
	return k;
}

FAULT_IS(one_result, tiled_product(m, 0.76, 0.038, 13.8))
/* Several results a thread: the FMA pipe is nearly as busy as L1. */
FAULT_IS(many_results, tiled_product(m, 0.3, 0.02, 75))

/* Each value that was stored is read once. */
FAULT(turned_tile)
{
	struct kernel *k = tiled_product(m, 0.5, 0.5, 8);
	double *v = k->metric;

	v[METRIC_SHARED_LD_WAVEFRONTS] = v[METRIC_SHARED_ST_WAVEFRONTS] =
	    v[METRIC_SHARED_WAVEFRONTS] / 2;
}

/* Almost no arithmetic: the tile feeds the tensor cores, which are not counted. */
FAULT_IS(tensor_tile, tiled_product(m, 0.76, 0.038, 2))

/* L2 delivers ${again} times the bytes that can be different. */
static struct kernel *
from_l2(struct made *m, double again)
{
	struct kernel *k = counted(m, 0.05);
	double *v = k->metric, sectors = l2_sectors(m, 0.9);

	v[METRIC_L2_READ] = 0.9 * sectors;
	v[METRIC_L2_WRITE] = 0.1 * sectors;
	v[METRIC_L2_SECTORS] = sectors;
	v[METRIC_L2_FROM_L1] = sectors;
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_L2_READ];
	v[METRIC_GLOBAL_LD_REQUESTS] = v[METRIC_L2_READ] / 4;
	v[METRIC_GLOBAL_ST_SECTORS] = v[METRIC_L2_WRITE];
	v[METRIC_GLOBAL_ST_REQUESTS] = v[METRIC_L2_WRITE] / 4;
	v[METRIC_LSU_WAVEFRONTS] = sectors / 4;
	v[METRIC_DRAM_READ] = v[METRIC_L2_READ] * 32 / again -
	    (double)m->device[0].limits.l2_bytes;
	return k;
}

FAULT_IS(small_tile, from_l2(m, 8))
/* L2 is full, but each byte may have been read only once. */
FAULT_IS(from_l2_once, from_l2(m, 1.5))

/* --- host-memory-access ---------------------------------------------------- */

/* Each launch reads 9 MB across the link; kernels can reach ${range} bytes of host
 * memory. */
static struct kernel *
zero_copy(struct made *m, uint64_t range)
{
	struct kernel *k = counted(m, 0.02);
	double *v = k->metric;

	v[METRIC_L2_SYSMEM] = 9e6 / 32;
	v[METRIC_L2_SECTORS] = v[METRIC_L2_SYSMEM] + 2 * v[METRIC_L2_WRITE];
	v[METRIC_L2_WRITE] = v[METRIC_GLOBAL_ST_SECTORS] = 1000;
	v[METRIC_GLOBAL_ST_REQUESTS] = 250;
	v[METRIC_L2_READ] = v[METRIC_GLOBAL_LD_SECTORS] = 9e6 / 32;
	v[METRIC_GLOBAL_LD_REQUESTS] = 9e6 / 128;
	m->run.peak_host_bytes = range;
	return k;
}

FAULT_IS(zero_copy, zero_copy(m, 9u << 20))
/* Every launch reads its own part, once. */
FAULT_IS(zero_copy_once, zero_copy(m, (uint64_t)90 << 30))
/* The allocation of the memory was not recorded. */
FAULT_IS(zero_copy_unseen, zero_copy(m, 0))

/* It may have stored as many bytes as it reads: to the host, or not. */
FAULT(zero_copy_stores)
{
	double *v = zero_copy(m, 9u << 20)->metric;

	v[METRIC_L2_WRITE] = v[METRIC_GLOBAL_ST_SECTORS] = 9e6 / 32;
	v[METRIC_L2_SECTORS] = 2 * v[METRIC_L2_WRITE];
}

/* --- l2-thrash ------------------------------------------------------------- */

/* DRAM bandwidth is full of reads; ${memory} bytes of device memory are allocated. */
static struct kernel *
sweeping(struct made *m, uint64_t memory)
{
	struct kernel *k = counted(m, 0.95);
	double *v = k->metric;

	v[METRIC_DRAM_READ] *= 2;
	v[METRIC_DRAM_WRITE] = 0;
	v[METRIC_L2_READ] = v[METRIC_DRAM_READ] / 32 * 1.1;
	v[METRIC_L2_WRITE] = v[METRIC_GLOBAL_ST_SECTORS] = 1000;
	v[METRIC_GLOBAL_ST_REQUESTS] = 250;
	v[METRIC_L2_SECTORS] = 1.5 * v[METRIC_L2_READ];
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_L2_READ];
	v[METRIC_GLOBAL_LD_REQUESTS] = v[METRIC_L2_READ] / 16;
	v[METRIC_LSU_WAVEFRONTS] = v[METRIC_L2_READ] / 4;
	m->run.peak_memory_bytes = memory;
	return k;
}

FAULT_IS(sweeping, sweeping(m, 120u << 20))
/* The same reads, but each byte is read once. */
FAULT_IS(streaming_once, sweeping(m, (uint64_t)2 << 30))

/* --- cache-config-mismatch ------------------------------------------------- */

FAULT_IS(all_shared, from_l2(m, 8)->shape.carveout = 100)

/* The program requested nothing: what the driver chose fits. */
FAULT(all_shared_by_driver)
{
	struct kernel *k = from_l2(m, 8);

	k->shape.carveout = 255;
	k->shape.smem_executed = 228 << 10;
}

static struct kernel *
carved(struct made *m, uint32_t percent)
{
	struct kernel *k = counted(m, 0.3);

	k->shape.carveout = percent;
	k->shape.smem_dynamic = 40 << 10;
	k->occupancy.limiter = LIMITER_SHARED;
	k->occupancy.ratio = 0.125;
	k->occupancy.blocks_per_sm = 1;
	k->occupancy.limit_blocks[LIMITER_WARPS] = 8;
	k->occupancy.limit_blocks[LIMITER_REGISTERS] = 8;
	k->occupancy.limit_blocks[LIMITER_SHARED] = 1;
	k->metric[METRIC_OCCUPANCY] = 12;
	return k;
}

/* A block needs 40 KiB; the carveout requested for the SM is 46 KiB. */
FAULT_IS(small_carveout, carved(m, 20))
/* One block takes all shared memory. */
FAULT_IS(large_block, carved(m, 100)->shape.smem_dynamic = 200 << 10)

/* --- divergent-constant-access --------------------------------------------- */

/* A table in constant memory with the index ${index}; ${waits} of 1000 samples
 * wait for it. */
static void
lookup(struct made *m, const char *index, int waits)
{
	char work[1024];
	struct kernel *k = counted(m, 0.1);

	work_of(work, sizeof(work), 12, "6400");
	code_make(m, k, code_text("lookup", index, 990 - waits, waits, work),
	    CODE_SCALE);
}

FAULT_IS(lookup, lookup(m, "R5", 700))
/* All threads of a block read the same word: what constant memory is for. */
FAULT_IS(lookup_by_block, lookup(m, "R6", 700))
FAULT_IS(lookup_hidden, lookup(m, "R5", 50))

/* --- low-memory-throughput ------------------------------------------------- */

/* One load, the use of its result, then the next load; ${where} is how the
 * address advances. */
static void
one_by_one(struct made *m, double dram, const char *where)
{
	char work[2048];
	struct kernel *k = counted(m, dram);

	work_of(work, sizeof(work), 20, "3200");
	code_make(m, k, code_text("one_by_one", work, where), CODE_SCALE / 2.5);
}

#define NEXT_ROW "IADD3 R2,P1,R2,0x10000,RZ | inst 3200 line 5\n"

FAULT_IS(one_load, one_by_one(m, 0.3, NEXT_ROW))

/* The same at level counters. */
FAULT(one_load_counted)
{
	one_by_one(m, 0.3, NEXT_ROW);
	m->kernel[0].code = NULL;
	m->run.level = LEVEL_COUNTERS;
}

/* The next address is loaded from memory: loads cannot overlap. */
FAULT_IS(chase, one_by_one(m, 0.3, "IMAD.WIDE R2,R8,0x4,R2 | inst 3200 line 5\n"))

/* Such a chain can also reach half of DRAM's bandwidth. */
FAULT(half_counted)
{
	one_by_one(m, 0.5, NEXT_ROW);
	m->kernel[0].code = NULL;
	m->run.level = LEVEL_COUNTERS;
}
