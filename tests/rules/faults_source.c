/*
 * rules/faults_source.c: kernels with a fault in their code, as nvcc makes it,
 * and kernels that come close to one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/code.h"
#include "rules/faults.h"

#define SCALE 1000		/* hundreds of warps in the texts: so many more */

static struct kernel *
coded(struct made *m, double dram, const char *text)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 10000, 200000);

	made_counters(m, k, dram);
	code_make(m, k, text, SCALE);
	return k;
}

/* i = blockIdx.x * blockDim.x + threadIdx.x, into R5; the queue behind it */
#define INDEX								\
	"S2R R0,SR_TID.X | inst 100 line 3\n"				\
	"S2UR UR6,SR_CTAID.X | inst 100 line 3\n"			\
	"LDC R5,c[0x0][RZ] | inst 100 line 3\n"				\
	"IMAD R5,R5,UR6,R0 | inst 100 line 3\n"				\
	"ULDC.64 UR4,c[0x0][0x208] | inst 100 line 3\n"

void
fault_code_clean(struct made *m)
{
	coded(m, 0.9, INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x10,R2 | inst 100 line 4\n"
	    "LDG.E.128.CONSTANT R8,desc[UR4][R2.64] | inst 100 sectors 1600 "
	    "ideal 1600 line 4\n"
	    "LDC.64 R6,c[0x0][0x218] | inst 100 line 5\n"
	    "IMAD.WIDE R6,R5,0x10,R6 | inst 100 line 5\n"
	    "STG.E.128 desc[UR4][R6.64],R8 | inst 100 sectors 1600 ideal 1600 "
	    "line 5\n"
	    "EXIT | inst 100 line 6\n");
}

static void
two_fields(struct made *m, const char *size, const char *at, double sectors,
    double l2)
{
	char text[2048];
	struct kernel *k;

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE.U32 R2,R5,%s,R2 | inst 100 line 4\n"
	    "LDG.E.CONSTANT R0,desc[UR4][R2.64] | inst 100 sectors %g ideal 400 "
	    "line 41\n"
	    "LDG.E.CONSTANT R7,desc[UR4][R2.64+%s] | inst 100 sectors %g "
	    "ideal 400 line 42\n"
	    "LDC.64 R8,c[0x0][0x218] | inst 100 line 5\n"
	    "IMAD.WIDE.U32 R8,R5,0x4,R8 | inst 100 line 5\n"
	    "FMUL R7,R0,R7 | inst 100 line 5\n"
	    "STG.E desc[UR4][R8.64],R7 | inst 100 sectors 400 ideal 400 "
	    "line 5\n"
	    "EXIT | inst 100\n", size, sectors, at, sectors);
	k = coded(m, 0.4, text);
	k->metric[METRIC_L2_PCT] = l2;
}

void
fault_fields(struct made *m)
{
	two_fields(m, "0x20", "0x18", 3200, 91);
}

/* Objects of 12 bytes: not so far apart that each lane has its sector. */
void
fault_fields_small(struct made *m)
{
	two_fields(m, "0xc", "0x8", 1200, 91);
}

/* Each thread walks a row of its own: no object, but uncoalesced. */
void
fault_rows(struct made *m)
{
	struct kernel *k = coded(m, 0.4, INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x800,R2 | inst 100 line 4\n"
	    "MOV R4,0x200 | inst 100 line 4\n"
	    "LDG.E R8,desc[UR4][R2.64] | inst 12800 sectors 409600 ideal 51200 "
	    "line 7\n"
	    "LDG.E R9,desc[UR4][R2.64+0x4] | inst 12800 sectors 409600 "
	    "ideal 51200 line 7\n"
	    "LDG.E R10,desc[UR4][R2.64+0x8] | inst 12800 sectors 409600 "
	    "ideal 51200 line 7\n"
	    "IADD3 R4,R4,-0x4,RZ | inst 12800 line 6\n"
	    "IADD3 R2,P1,R2,0xc,RZ | inst 12800 line 7\n"
	    "IADD3.X R3,RZ,R3,RZ,P1,!PT | inst 12800 line 7\n"
	    "ISETP.NE.AND P0,PT,R4,RZ,PT | inst 12800 line 6\n"
	    "FADD R11,R8,R11 | inst 12800 line 7\n"
	    "FADD R11,R9,R11 | inst 12800 line 7\n"
	    "FADD R11,R10,R11 | inst 12800 line 7\n"
	    "@P0 BRA #8 | inst 12800 uniform 12800 line 6\n"
	    "EXIT | inst 100\n");

	k->metric[METRIC_L2_PCT] = 91;
}

static void
shifted(struct made *m, const char *code, double l2)
{
	char text[2048];
	struct kernel *k;

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "LDC.64 R8,c[0x0][0x218] | inst 100 line 5\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "IMAD.WIDE R8,R5,0x4,R8 | inst 100 line 5\n"
	    "%s"
	    "STG.E desc[UR4][R8.64],R7 | inst 100 sectors 400 ideal 400 "
	    "line 5\n"
	    "EXIT | inst 100\n", code);
	k = coded(m, 0.4, text);
	k->metric[METRIC_L2_PCT] = l2;
}

void
fault_shifted(struct made *m)
{
	shifted(m, "LDG.E.CONSTANT R7,desc[UR4][R2.64+0x4] | inst 1600 "
	    "sectors 8000 ideal 6400 line 9\n", 95);
}

/* A stencil reads its neighbours as well: as it has to. */
void
fault_stencil(struct made *m)
{
	shifted(m, "LDG.E.CONSTANT R6,desc[UR4][R2.64+-0x4] | inst 100 "
	    "sectors 500 ideal 400 line 9\n"
	    "LDG.E.CONSTANT R7,desc[UR4][R2.64] | inst 100 sectors 400 "
	    "ideal 400 line 9\n"
	    "LDG.E.CONSTANT R10,desc[UR4][R2.64+0x4] | inst 100 sectors 500 "
	    "ideal 400 line 9\n", 95);
}

/* A filter slides over its input, four bytes a turn. */
void
fault_filter(struct made *m)
{
	shifted(m, "MOV R4,0x40 | inst 100\n"
	    "LDG.E.CONSTANT R7,desc[UR4][R2.64] | inst 6400 sectors 31200 "
	    "ideal 25600 line 9\n"
	    "IADD3 R4,R4,-0x1,RZ | inst 6400\n"
	    "IADD3 R2,P1,R2,0x4,RZ | inst 6400\n"
	    "FFMA R6,R7,R7,R6 | inst 6400\n"
	    "ISETP.NE.AND P0,PT,R4,RZ,PT | inst 6400\n"
	    "@P0 BRA #10 | inst 6400 uniform 6400\n", 95);
}

static struct kernel *
by_width(struct made *m, const char *width, double sectors)
{
	char text[2048];

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x10,R2 | inst 100 line 4\n"
	    "LDG.E%s.CONSTANT R8,desc[UR4][R2.64] | inst 6400 sectors %g "
	    "ideal %g line 12\n"
	    "LDG.E%s.CONSTANT R12,desc[UR4][R2.64+0x8000] | inst 6400 "
	    "sectors %g ideal %g line 12\n"
	    "LOP3.LUT R8,R8,R12,RZ,0x3c,!PT | inst 6400 line 12\n"
	    "STG.E%s desc[UR4][R2.64+0x10000],R8 | inst 100 sectors %g "
	    "ideal %g line 13\n"
	    "EXIT | inst 100\n", width, 64 * sectors, 64 * sectors, width,
	    64 * sectors, 64 * sectors, width, sectors, sectors);
	return coded(m, 0.2, text);
}

void
fault_narrow(struct made *m)
{
	by_width(m, ".U8", 100)->metric[METRIC_PIPE_LSU] = 90;
}

void
fault_wide(struct made *m)
{
	by_width(m, ".128", 1600)->metric[METRIC_PIPE_LSU] = 90;
}

/* Floats, and DRAM is full of them. */
void
fault_floats(struct made *m)
{
	struct kernel *k = by_width(m, "", 400);

	made_counters(m, k, 0.88);
}

/* Floats, half of the warps, and nothing full: too little in flight. */
void
fault_few_in_flight(struct made *m)
{
	struct kernel *k = by_width(m, "", 400);

	made_counters(m, k, 0.4);
	k->metric[METRIC_INST_EXECUTED] = k->code->total[SOURCE_INST];
	k->metric[METRIC_THREAD_INST] =
	    k->metric[METRIC_THREAD_INST_PRED_ON] =
	    32 * k->metric[METRIC_INST_EXECUTED];
	k->metric[METRIC_OCCUPANCY] = 45;
	k->occupancy.ratio = 0.5;
}

static void
coefficients(struct made *m, const char *address)
{
	char text[2048];
	struct kernel *k;

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "LDG.E.CONSTANT R9,desc[UR4][R2.64] | inst 100 sectors 400 "
	    "ideal 400 line 4\n"
	    "%s"
	    "LDG.E.CONSTANT R10,desc[UR4][R6.64] | inst 3200 sectors 3200 "
	    "ideal 3200 line 8\n"
	    "LDG.E.CONSTANT R11,desc[UR4][R6.64+0x4] | inst 3200 sectors 3200 "
	    "ideal 3200 line 8\n"
	    "FFMA R12,R12,R9,R10 | inst 3200 line 8\n"
	    "FFMA R12,R12,R9,R11 | inst 3200 line 8\n"
	    "STG.E desc[UR4][R2.64+0x8000],R12 | inst 100 sectors 400 "
	    "ideal 400 line 9\n"
	    "EXIT | inst 100\n", address);
	k = coded(m, 0.1, text);
	k->metric[METRIC_PIPE_LSU] = 92;
}

void
fault_uniform(struct made *m)
{
	coefficients(m, "LDC.64 R6,c[0x0][0x218] | inst 100 line 8\n");
}

/* The same row for a block: a broadcast, as it should be. */
void
fault_uniform_in_block(struct made *m)
{
	coefficients(m, "LDC.64 R6,c[0x0][0x218] | inst 100 line 8\n"
	    "S2R R7,SR_CTAID.Y | inst 100 line 8\n"
	    "IMAD.WIDE R6,R7,0x400,R6 | inst 100 line 8\n");
}

/* Where to look was loaded: nothing known ahead. */
void
fault_uniform_by_table(struct made *m)
{
	coefficients(m, "LDC.64 R6,c[0x0][0x218] | inst 100 line 8\n"
	    "LDG.E R7,desc[UR4][R6.64] | inst 100 sectors 100 ideal 100\n"
	    "IMAD.WIDE R6,R7,0x4,R6 | inst 100 line 8\n");
}

static struct kernel *
adding(struct made *m, const char *code)
{
	char text[2048];

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "LDG.E.CONSTANT R9,desc[UR4][R2.64] | inst 100 sectors 400 "
	    "ideal 400 long_scoreboard 50 line 4\n"
	    "LDC.64 R6,c[0x0][0x218] | inst 100 line 5\n"
	    "%s"
	    "EXIT | inst 100\n", code);
	return coded(m, 0.1, text);
}

void
fault_contended(struct made *m)
{
	adding(m, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
	    "inst 100 sectors 100 ideal 400 lg_throttle 900 line 5\n");
}

/* One lane of a block adds what the block has added up. */
void
fault_added_once(struct made *m)
{
	adding(m, "@!P0 REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
	    "inst 6 lanes 1 sectors 6 ideal 6 lg_throttle 20 line 5\n");
}

/* Scattered atomics keep L2 busy: its bandwidth is the limit, no queue. */
void
fault_scattered_atomics(struct made *m)
{
	struct kernel *k = adding(m, "IMAD.WIDE R6,R9,0x4,R6 | inst 100\n"
	    "REDG.E.ADD.STRONG.GPU desc[UR4][R6.64],R9 | inst 100 "
	    "sectors 3100 ideal 400 lg_throttle 900 line 5\n");

	k->metric[METRIC_L2_PCT] = 85;
}

static struct kernel *
counting(struct made *m, const char *code)
{
	char text[2048];
	struct kernel *k;

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "LDG.E.128.CONSTANT R8,desc[UR4][R2.64] | inst 400 sectors 6400 "
	    "ideal 6400 long_scoreboard 50 line 4\n"
	    "%s"
	    "EXIT | inst 100\n", code);
	k = coded(m, 0.1, text);
	return k;
}

void
fault_shared_contended(struct made *m)
{
	struct kernel *k = counting(m, "ATOMS.ADD RZ,[R9+UR6],R8 | inst 3200 "
	    "waves 96000 least 3200 mio_throttle 900 line 7\n");

	k->metric[METRIC_LSU_WAVEFRONTS] = 0.9 * 200e-6 * 1.98e9 * 132;
}

/* Sums of floats by compare and swap, again and again. */
void
fault_shared_retries(struct made *m)
{
	struct kernel *k = counting(m, "NOP | inst 320\n"
	    "LDS R10[R9] | inst 6400 lanes 6 waves 6400 least 6400 line 7\n"
	    "FADD R11,R10,R8 | inst 6400 lanes 6 line 7\n"
	    "ATOMS.CAST.SPIN R11,[R9],R10,R11 | inst 6400 lanes 6 "
	    "waves 6400 least 6400 short_scoreboard 700 line 7\n"
	    "ISETP.EQ.U32.AND P0,PT,R11,0x1,PT | inst 6400 lanes 6 line 7\n"
	    "@!P0 BRA #9 | inst 6400 lanes 6 divergent 3000 uniform 3400 "
	    "line 7\n");

	k->metric[METRIC_ISSUE_ACTIVE] = 85;
}

/* Random bins: banks conflict three deep, as they do. */
void
fault_histogram(struct made *m)
{
	counting(m, "ATOMS.POPC.INC.32 RZ,[R9+UR6] | inst 3200 waves 11000 "
	    "least 3200 mio_throttle 20 line 7\n");
}

/* A loop in which fewer threads work in each turn; ${where} makes addresses. */
static void
halving(struct made *m, const char *where)
{
	struct kernel *k;
	char text[1536];

	snprintf(text, sizeof(text), "MOV R10,0x80 | inst 100\n"
	    "ISETP.GE.AND P0,PT,R0,R10,PT | inst 800 line 20\n"
	    "%s"
	    "@!P0 LDS R11[R12] | inst 150 lanes 21 waves 150 least 150 "
	    "short_scoreboard 100 line 21\n"
	    "@!P0 LDS R13[R14] | inst 150 lanes 21 waves 150 least 150 "
	    "short_scoreboard 100 line 21\n"
	    "@!P0 FADD R11,R11,R13 | inst 150 lanes 21 line 21\n"
	    "@!P0 STS [R12],R11 | inst 150 lanes 21 waves 150 least 150 "
	    "line 21\n"
	    "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 800 barrier 500 line 22\n"
	    "SHF.R.U32.HI R10,RZ,0x1,R10 | inst 800 line 20\n"
	    "ISETP.NE.AND P1,PT,R10,RZ,PT | inst 800 line 20\n"
	    "@P1 BRA #9 | inst 800 uniform 800 line 20\n", where);
	k = counting(m, text);
	k->metric[METRIC_STALL_BARRIER] = 10;
}

/* In a loop: half of the threads less in each turn. */
void
fault_tree(struct made *m)
{
	halving(m, "LEA R14,R10,R12,0x2 | inst 800 line 20\n");
}

/* Turn by turn fewer threads again, but each takes its neighbours and puts its
 * own: a stencil. */
void
fault_shared_stencil(struct made *m)
{
	halving(m, "IADD3 R15,R10,R12,RZ | inst 800 line 20\n");
}

#define LEVEL(inst, lanes)						\
	"@!P0 LDS R11[R12+0x80] | inst " inst " lanes " lanes		\
	    " waves 100 least 100 short_scoreboard 60 line 21\n"	\
	"@!P0 LDS R13[R12] | inst " inst " lanes " lanes		\
	    " waves 100 least 100 line 21\n"				\
	"@!P0 FADD R11,R11,R13 | inst " inst " lanes " lanes " line 21\n" \
	"@!P0 STS [R12],R11 | inst " inst " lanes " lanes		\
	    " waves 100 least 100 line 21\n"				\
	"BAR.SYNC.DEFER_BLOCKING 0x0 | inst 800 barrier 100 line 22\n"

/* The same unrolled. */
void
fault_tree_unrolled(struct made *m)
{
	counting(m, "STS [R12],R8 | inst 800 waves 800 least 800 line 19\n"
	    "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 800 barrier 50 line 19\n"
	    LEVEL("400", "32") LEVEL("200", "32") LEVEL("100", "32")
	    LEVEL("100", "16") LEVEL("100", "8"));
}

#define SHUFFLE "SHFL.DOWN PT,R9,R8,0x10,0x1f | inst 800 line 21\n"	\
	"FADD R8,R8,R9 | inst 800 line 21\n"

void
fault_shuffled(struct made *m)
{
	counting(m, SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE
	    "@!P0 STS [R12],R8 | inst 800 lanes 1 waves 800 least 800\n"
	    "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 800 barrier 50 line 22\n"
	    "@!P1 LDS R8[R12] | inst 100 lanes 8 waves 100 least 100\n"
	    SHUFFLE SHUFFLE SHUFFLE);
}

/* A tile of a matrix: every thread stores, everyone waits, everyone loads. */
void
fault_tile(struct made *m)
{
	counting(m, "MOV R10,0x10 | inst 100\n"
	    "STS [R12],R8 | inst 1600 waves 1600 least 1600 line 20\n"
	    "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 1600 barrier 300 line 21\n"
	    "LDS.128 R16[R14] | inst 1600 waves 6400 least 6400 line 22\n"
	    "LDS.128 R20[R14+0x10] | inst 1600 waves 6400 least 6400 line 22\n"
	    "FFMA R11,R16,R20,R11 | inst 1600 line 22\n"
	    "FADD R13,R17,R21 | inst 1600 line 22\n"
	    "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 1600 barrier 300 line 23\n"
	    "IADD3 R10,R10,-0x1,RZ | inst 1600 line 19\n"
	    "ISETP.NE.AND P0,PT,R10,RZ,PT | inst 1600 line 19\n"
	    "@P0 BRA #9 | inst 1600 uniform 1600 line 19\n");
}

static struct kernel *
computing(struct made *m, const char *code)
{
	struct kernel *k = counting(m, code);

	k->metric[METRIC_ISSUE_ACTIVE] = 88;
	k->metric[METRIC_PIPE_FMA] = 60;
	return k;
}

#define FFMA4(n) "FFMA R20,R21,R22,R20 | inst " n " line 30\n"		\
	"FFMA R23,R21,R22,R23 | inst " n " line 30\n"			\
	"FFMA R24,R21,R22,R24 | inst " n " line 30\n"			\
	"FFMA R25,R21,R22,R25 | inst " n " line 30\n"

void
fault_sines(struct made *m)
{
	computing(m, "FMUL R10,R8,0.63661974668502807617 | inst 6400 line 31\n"
	    "F2I.NTZ R11,R10 | inst 6400 line 31\n"
	    "I2FP.F32.S32 R12,R11 | inst 6400 line 31\n"
	    "FFMA R13,R12,-1.5707962512969970703,R8 | inst 6400 line 31\n"
	    "FFMA R13,R12,-7.5497894158615963534e-08,R13 | inst 6400 line 31\n"
	    FFMA4("6400") FFMA4("6400") FFMA4("6400") FFMA4("6400"));
}

void
fault_fast_sines(struct made *m)
{
	computing(m, "FMUL.RZ R10,R8,0.15915493667125701904 | inst 6400\n"
	    "MUFU.SIN R11,R10 | inst 6400 line 31\n"
	    FFMA4("6400") FFMA4("6400") FFMA4("6400") FFMA4("6400"));
}

/* Exact sines in a kernel that waits for memory: they cost nothing. */
void
fault_hidden_sines(struct made *m)
{
	struct kernel *k;

	fault_sines(m);
	k = &m->kernel[0];
	k->metric[METRIC_ISSUE_ACTIVE] = 20;
	k->metric[METRIC_PIPE_FMA] = 10;
	k->metric[METRIC_DRAM_READ] = k->metric[METRIC_DRAM_WRITE] =
	    0.45 * 198.5e-6 * m->ceilings[0].dram_bytes_per_s;
}

void
fault_double(struct made *m)
{
	struct kernel *k = computing(m,
	    "F2F.F64.F32 R10,R8 | inst 6400 line 32\n"
	    "DFMA R12,R10,R14,R16 | inst 6400 line 32\n"
	    "DMUL R12,R12,R14 | inst 6400 line 32\n"
	    "F2F.F32.F64 R8,R12 | inst 6400 line 32\n" FFMA4("1600"));

	k->metric[METRIC_PIPE_XU] = 85;
	k->metric[METRIC_PIPE_FP64] = 40;
	k->metric[METRIC_ISSUE_ACTIVE] = 25;
	k->metric[METRIC_PIPE_FMA] = 5;
}

/* Data that is double, on a GPU made for it. */
void
fault_double_data(struct made *m)
{
	struct kernel *k = computing(m,
	    "DFMA R12,R10,R14,R16 | inst 6400 line 32\n"
	    "DFMA R16,R10,R14,R16 | inst 6400 line 32\n");

	k->metric[METRIC_PIPE_FP64] = 90;
}

/* Many floats, added up in double on purpose: nothing goes back. */
void
fault_double_sum(struct made *m)
{
	struct kernel *k = computing(m,
	    "F2F.F64.F32 R10,R8 | inst 6400 line 32\n"
	    "DADD R12,R10,R12 | inst 6400 line 32\n");

	k->metric[METRIC_PIPE_XU] = 85;
	k->metric[METRIC_PIPE_FP64] = 40;
}

void
fault_unfused(struct made *m)
{
	computing(m, "FMUL R10,R8,R9 | inst 6400 line 33\n"
	    "FADD R8,R10,R11 | inst 6400 line 33\n"
	    "FMUL R12,R8,R9 | inst 6400 line 33\n"
	    "FADD R8,R12,R13 | inst 6400 line 33\n"
	    "STG.E desc[UR4][R2.64],R8 | inst 100 sectors 400 ideal 400\n");
}

/* Products that two sums use are not for fusing. */
void
fault_shared_product(struct made *m)
{
	computing(m, "FMUL R10,R8,R9 | inst 6400 line 33\n"
	    "FADD R14,R10,R11 | inst 6400 line 33\n"
	    "FADD R15,R10,R12 | inst 6400 line 33\n"
	    "STG.E.64 desc[UR4][R2.64],R14 | inst 100 sectors 800 "
	    "ideal 800\n");
}

static void
turning(struct made *m, const char *body, const char *bound)
{
	char text[1024];

	snprintf(text, sizeof(text), "MOV R10,RZ | inst 100 line 14\n%s"
	    "IADD3 R10,R10,0x1,RZ | inst 6400 line 14\n"
	    "ISETP.NE.AND P0,PT,%s,0x1000,PT | inst 6400 line 14\n"
	    "@P0 BRA #9 | inst 6400 uniform 6400 line 14\n", body, bound);
	computing(m, text);
}

void
fault_short_loop(struct made *m)
{
	turning(m, "SHF.R.U32.HI R11,RZ,0xf,R8 | inst 6400 line 15\n"
	    "LOP3.LUT R8,R11,R8,RZ,0x3c,!PT | inst 6400 line 15\n"
	    "IMAD R8,R8,0x2c1b3c6d,R12 | inst 6400 line 15\n", "R10");
}

/* Sixteen copies of the body: counting does not matter. */
void
fault_unrolled(struct made *m)
{
	turning(m, FFMA4("6400") FFMA4("6400") FFMA4("6400") FFMA4("6400"),
	    "R10");
}

/* It goes on until something is found, not so many times. */
void
fault_search(struct made *m)
{
	turning(m, "SHF.R.U32.HI R11,RZ,0xf,R8 | inst 6400 line 15\n"
	    "LOP3.LUT R8,R11,R8,RZ,0x3c,!PT | inst 6400 line 15\n", "R8");
}

/* It counts, but the data decide when it ends. */
void
fault_until_near(struct made *m)
{
	turning(m, "FMUL R11,R8,R8 | inst 6400 line 15\n"
	    "FSETP.GT.AND P2,PT,R11,4,PT | inst 6400 line 15\n"
	    "@P2 EXIT | inst 6400 line 15\n", "R10");
}

/* Four bytes from wherever an index says: no vector holds them. */
void
fault_gather(struct made *m)
{
	struct kernel *k = coded(m, 0.2, INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100\n"
	    "LDC.64 R6,c[0x0][0x218] | inst 100\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100\n"
	    "LDG.E.CONSTANT R9,desc[UR4][R2.64] | inst 100 sectors 400 "
	    "ideal 400\n"
	    "IMAD.WIDE R6,R9,0x80,R6 | inst 100\n"
	    "LDG.E.CONSTANT R8,desc[UR4][R6.64] | inst 6400 sectors 25600 "
	    "ideal 25600 line 12\n"
	    "FADD R10,R8,R10 | inst 6400 line 12\n"
	    "EXIT | inst 100\n");

	k->metric[METRIC_PIPE_LSU] = 90;
}

static struct kernel *
tabulating(struct made *m, const char *path, const char *pointer)
{
	char text[2048];

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][%s] | inst 100 line 4\n"
	    "LDC.64 R6,c[0x0][0x218] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "IMAD.WIDE R6,R5,0x4,R6 | inst 100 line 4\n"
	    "MOV R10,0x200 | inst 100 line 5\n"
	    "LDG.E%s R8,desc[UR4][R2.64] | inst 6400 sectors 25600 "
	    "ideal 25600 line 6\n"
	    "LDG.E%s R9,desc[UR4][R2.64+0x8000] | inst 6400 sectors 25600 "
	    "ideal 25600 line 6\n"
	    "FFMA R11,R8,R12,R9 | inst 6400 line 6\n"
	    "STG.E desc[UR4][R6.64],R11 | inst 6400 sectors 25600 "
	    "ideal 25600 line 7\n"
	    "IADD3 R10,R10,-0x1,RZ | inst 6400 line 5\n"
	    "IADD3 R6,P1,R6,0x1000,RZ | inst 6400 line 7\n"
	    "ISETP.NE.AND P0,PT,R10,RZ,PT | inst 6400 line 5\n"
	    "@P0 BRA #10 | inst 6400 uniform 6400 line 5\n"
	    "EXIT | inst 100\n", pointer, path, path);
	return coded(m, 0.2, text);
}

void
fault_aliased(struct made *m)
{
	tabulating(m, "", "0x210")->metric[METRIC_PIPE_LSU] = 80;
}

void
fault_restricted(struct made *m)
{
	tabulating(m, ".CONSTANT", "0x210")->metric[METRIC_PIPE_LSU] = 80;
}

/* In place: what is loaded is what is stored. */
void
fault_in_place(struct made *m)
{
	tabulating(m, "", "0x218")->metric[METRIC_PIPE_LSU] = 80;
}

void
fault_without_lines(struct made *m)
{
	struct code *c;

	fault_code_clean(m);
	c = &m->code[0]->code;
	c->has_lines = false;
	c->lineless = "compiled without line numbers: rebuild with -lineinfo";
	for (size_t i = 0; i < c->instructions; i++)
		c->instruction[i].line = LINE_NONE;
}

/* Nobody who runs it can build it. */
void
fault_library(struct made *m)
{
	fault_without_lines(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel"
	    "<4, …>";
}

void
fault_no_cubin(struct made *m)
{
	fault_without_lines(m);
	m->code[0]->code.lineless = "its code was not captured";
}

void
fault_debug(struct made *m)
{
	fault_code_clean(m);
	m->code[0]->code.debug = true;
}

/* One launch of a kernel for each of ${threads}, in a kernel of ${mean_ns}. */
static struct code *
launching(struct made *m, uint64_t mean_ns, double threads)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 1000, mean_ns);
	struct code *c;

	made_counters(m, k, 0.01);
	c = &code_make(m, k, INDEX
	    "ISETP.GE.U32.AND P0,PT,R5,UR6,PT | inst 100 line 4\n"
	    "@P0 EXIT | inst 100 line 4\n"
	    "CALL.ABS.NOINC 0x0 | inst 100 line 5\n"
	    "EXIT | inst 100 line 6\n", 1)->code;
	c->launch[0] = (struct cubin_launch){ 7 * CUBIN_STEP, true };
	c->launches = 1;
	c->instruction[7].value[SOURCE_THREADS_ON] = threads;
	return c;
}

/* 1.6 us for each of 1,056. */
void
fault_launching(struct made *m)
{
	launching(m, 1700000, 1056);
}

/* They are long enough. */
void
fault_launching_large(struct made *m)
{
	launching(m, 1700000, 60);
}

/* One block's first thread, now and then. */
void
fault_launching_few(struct made *m)
{
	launching(m, 100000, 8);
}

/* What could launch does not. */
void
fault_launching_none(struct made *m)
{
	launching(m, 1700000, 0);
}

/* Short beside all the rest. */
void
fault_launching_seldom(struct made *m)
{
	fault_code_clean(m);
	launching(m, 1700, 100);
}

/* Of 1,056 threads each may have launched; not counted. */
void
fault_launching_uncounted(struct made *m)
{
	struct code *c = launching(m, 1700000, 1056);

	m->kernel[0].shape.grid_x = 33;
	m->kernel[0].shape.block_x = 32;
	c->counted = false;
	c->uncounted = "cooperative kernels are left alone";
	for (size_t i = 0; i < c->instructions; i++)
		for (int v = 0; v < SOURCE_COUNT; v++)
			c->instruction[i].value[v] = NAN;
	for (int v = 0; v < SOURCE_COUNT; v++)
		c->total[v] = NAN;
}

/* So many threads that not all of them can have launched. */
void
fault_launching_unknown(struct made *m)
{
	fault_launching_uncounted(m);
	m->kernel[0].shape.grid_x = 33000;
}

/* Counted, but there is no disassembler. */
void
fault_no_disassembler(struct made *m)
{
	fault_code_clean(m);
	m->code[0]->code.disassembled = false;
	m->code[0]->code.no_sass = "no disassembler: install cuda-nvdisasm";
}

/* Disassembled, but not counted. */
void
fault_not_counted(struct made *m)
{
	fault_code_clean(m);
	m->code[0]->code.counted = false;
	m->code[0]->code.uncounted = "cooperative kernels are left alone";
}
