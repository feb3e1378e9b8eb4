/*
 * rules/faults_memory.c: kernels that ask the memory system for more than they
 * need, or the wrong part of it, and kernels that come close to one.
 */
#include <math.h>
#include <stdio.h>

#include "rules/code.h"
#include "rules/faults.h"

#define SCALE 1000		/* hundreds of warps in the texts: so many more */
#define BODY_S 198.5e-6		/* a launch without its start and end */

static struct kernel *
counted(struct made *m, double dram)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 10000, 200000);

	m->device[0].limits.l2_bytes = 60u << 20;
	made_counters(m, k, dram);
	return k;
}

/* Wavefronts with which the L1 pipe is ${busy}; sectors with which L2 is. */
static double
l1_wavefronts(const struct made *m, double busy)
{
	return busy * BODY_S * m->ceilings[0].sm_hz * 132;
}

static double
l2_sectors(const struct made *m, double busy)
{
	return busy * BODY_S * m->ceilings[0].l2_bytes_per_s / 32;
}

/* --- redundant-global-traffic -------------------------------------------- */

/*
 * A product whose threads each walk a row of one matrix and a column of the
 * other; ${row} and ${column} are the code of their addresses. L1 delivers.
 */
static struct kernel *
product(struct made *m, const char *row, const char *column)
{
	char text[2048];
	struct kernel *k = counted(m, 0.1);
	double *v = k->metric;

	snprintf(text, sizeof(text),
	    "S2R R5,SR_TID.X | inst 100 line 3\n"
	    "S2R R17,SR_TID.Y | inst 100 line 3\n"
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "LDC.64 R6,c[0x0][0x218] | inst 100 line 4\n"
	    "%s%s"
	    "MOV R10,0x200 | inst 100 line 5\n"
	    "LDG.E R8,desc[UR4][R2.64] | inst 24000 sectors 24000 ideal 24000 "
	    "line 6\n"
	    "LDG.E R9,desc[UR4][R12.64] | inst 24000 sectors 96000 "
	    "ideal 96000 line 6\n"
	    "FFMA R11,R8,R9,R11 | inst 24000 line 6\n"
	    "IADD3 R2,P1,R2,0x4,RZ | inst 6000 line 5\n"
	    "IADD3 R12,P1,R12,0x4000,RZ | inst 6000 line 5\n"
	    "IADD3 R10,R10,-0x4,RZ | inst 6000 line 5\n"
	    "ISETP.NE.AND P0,PT,R10,RZ,PT | inst 6000 line 5\n"
	    "@P0 BRA #7 | inst 6000 uniform 6000 line 5\n"
	    "LDC.64 R14,c[0x0][0x220] | inst 100 line 7\n"
	    "IMAD.WIDE R14,R5,0x4,R14 | inst 100 line 7\n"
	    "STG.E desc[UR4][R14.64],R11 | inst 100 sectors 400 ideal 400 "
	    "line 7\n"
	    "EXIT | inst 100\n", row, column);
	code_make(m, k, text, SCALE);
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

void
fault_naive_product(struct made *m)
{
	product(m, ROW, COLUMN);
}

/* The same at level counters. */
void
fault_naive_product_counted(struct made *m)
{
	product(m, ROW, COLUMN)->code = NULL;
	m->run.level = LEVEL_COUNTERS;
}

/* Where to look was loaded: no tile holds it. */
void
fault_gathered_product(struct made *m)
{
	product(m, "LDG.E R16,desc[UR4][R2.64] | inst 100 sectors 100 "
	    "ideal 100 line 4\n"
	    "IMAD.WIDE R2,R16,0x4000,R2 | inst 100 line 4\n",
	    "IMAD.WIDE R12,R16,0x4,R6 | inst 100 line 4\n");
}

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

void
fault_one_result(struct made *m)
{
	tiled_product(m, 0.76, 0.038, 13.8);
}

/* Many results a thread: arithmetic is nearly as busy as the pipe. */
void
fault_many_results(struct made *m)
{
	tiled_product(m, 0.3, 0.02, 75);
}

/* Each value that was stored is read once. */
void
fault_turned_tile(struct made *m)
{
	struct kernel *k = tiled_product(m, 0.5, 0.5, 8);
	double *v = k->metric;

	v[METRIC_SHARED_LD_WAVEFRONTS] = v[METRIC_SHARED_ST_WAVEFRONTS] =
	    v[METRIC_SHARED_WAVEFRONTS] / 2;
}

/* Next to no arithmetic: it feeds the tensor cores, which are not counted. */
void
fault_tensor_tile(struct made *m)
{
	tiled_product(m, 0.76, 0.038, 2);
}

/* L2 delivers the same again and again, ${again} times what can differ. */
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

void
fault_small_tile(struct made *m)
{
	from_l2(m, 8);
}

/* L2 is full, with data of which each byte may have been read but once. */
void
fault_from_l2_once(struct made *m)
{
	from_l2(m, 1.5);
}
