/*
 * rules/faults_arithmetic.c: kernels that divide integers, multiply matrices or
 * read rows in blocks too narrow for them, and kernels that come close to it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/code.h"
#include "rules/faults.h"

#define SCALE 1000
#define INDEX								\
	"S2R R0,SR_TID.X | inst 100 line 3\n"				\
	"S2UR UR6,SR_CTAID.X | inst 100 line 3\n"			\
	"LDC R5,c[0x0][RZ] | inst 100 line 3\n"				\
	"IMAD R5,R5,UR6,R0 | inst 100 line 3\n"				\
	"ULDC.64 UR4,c[0x0][0x208] | inst 100 line 3\n"

static struct kernel *
coded(struct made *m, double dram, const char *text)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 10000, 200000);

	made_counters(m, k, dram);
	code_make(m, k, text, SCALE);
	return k;
}

/* A load, ${code} from place #8 on, and the end; arithmetic is the limit. */
static struct kernel *
computing(struct made *m, const char *code)
{
	struct kernel *k;
	char text[4096];

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "LDG.E.128.CONSTANT R8,desc[UR4][R2.64] | inst 400 sectors 6400 "
	    "ideal 6400 long_scoreboard 50 line 4\n"
	    "%s"
	    "EXIT | inst 100\n", code);
	k = coded(m, 0.1, text);
	k->metric[METRIC_ISSUE_ACTIVE] = 88;
	k->metric[METRIC_PIPE_FMA] = 60;
	return k;
}

/* Around a quotient: what is divided, and what becomes of it. */
#define MIXED(n) "IMAD R8,R8,0x19660d,R12 | inst " n " line 41\n"	\
	"LOP3.LUT R8,R8,0x7fffffff,RZ,0xc0,!PT | inst " n " line 41\n"	\
	"IMAD.IADD R20,R20,0x1,R11 | inst " n " line 43\n"

#define RECIPROCAL(n) "I2F.U32.RP R9,UR6 | inst " n " line 42\n"	\
	"MUFU.RCP R9,R9 | inst " n " line 42\n"				\
	"VIADD R10,R9,0xffffffe | inst " n " line 42\n"			\
	"F2I.FTZ.U32.TRUNC.NTZ R11,R10 | inst " n " line 42\n"		\
	"IMAD.MOV.U32 R10,RZ,RZ,RZ | inst " n " line 42\n"		\
	"IADD3 R13,RZ,-R11,RZ | inst " n " line 42\n"			\
	"IMAD R13,R13,UR6,RZ | inst " n " line 42\n"			\
	"IMAD.HI.U32 R14,R11,R13,R10 | inst " n " line 42\n"

#define QUOTIENT(n) "IMAD.HI.U32 R11,R14,R8,RZ | inst " n " line 42\n"	\
	"IMAD.MOV R15,RZ,RZ,-R11 | inst " n " line 42\n"		\
	"IMAD R15,R15,UR6,R8 | inst " n " line 42\n"			\
	"ISETP.GE.U32.AND P0,PT,R15,UR6,PT | inst " n " line 42\n"	\
	"@P0 VIADD R15,R15,-UR6 | inst " n " line 42\n"			\
	"@P0 IADD3 R11,R11,0x1,RZ | inst " n " line 42\n"		\
	"ISETP.GE.U32.AND P1,PT,R15,UR6,PT | inst " n " line 42\n"	\
	"@P1 VIADD R11,R11,0x1 | inst " n " line 42\n"			\
	"SEL R11,R16,R11,!P2 | inst " n " line 42\n"

/* By one divisor: its reciprocal stands ahead of the loop. */
void
fault_dividing(struct made *m)
{
	computing(m, RECIPROCAL("100") MIXED("6400") QUOTIENT("6400"));
}

/* By another one each time. */
void
fault_dividing_by_each(struct made *m)
{
	computing(m, RECIPROCAL("6400") MIXED("6400") QUOTIENT("6400"));
}

/* The same, with the loop that makes it so many. */
void
fault_dividing_in_loop(struct made *m)
{
	computing(m, RECIPROCAL("6400") MIXED("6400") QUOTIENT("6400")
	    "@P0 BRA #8 | inst 6400 uniform 6400 line 43\n");
}

/* Before Hopper: the divisor is read where the parameters are. */
void
fault_dividing_by_parameter(struct made *m)
{
	computing(m, MIXED("6400")
	    "IMAD.HI.U32 R11,R14,R8,RZ | inst 6400 line 42\n"
	    "IADD3 R15,-R11,RZ,RZ | inst 6400 line 42\n"
	    "IMAD R15,R15,c[0x0][0x170],R8 | inst 6400 line 42\n"
	    "ISETP.GE.U32.AND P0,PT,R15,c[0x0][0x170],PT | inst 6400\n"
	    "@P0 IADD3 R15,R15,-c[0x0][0x170],RZ | inst 6400 line 42\n"
	    "@P0 IADD3 R11,R11,0x1,RZ | inst 6400 line 42\n"
	    "ISETP.GE.U32.AND P1,PT,R15,c[0x0][0x170],PT | inst 6400\n"
	    "@P1 IADD3 R11,R11,0x1,RZ | inst 6400 line 42\n");
}

/* The remainder of signed numbers. */
void
fault_remainders(struct made *m)
{
	computing(m, MIXED("6400")
	    "IABS R16,R8 | inst 6400 line 42\n"
	    "IMAD.HI.U32 R15,R14,R16,RZ | inst 6400 line 42\n"
	    "IADD3 R15,-R15,RZ,RZ | inst 6400 line 42\n"
	    "IMAD R15,R17,R15,R16 | inst 6400 line 42\n"
	    "ISETP.GT.U32.AND P0,PT,R17,R15,PT | inst 6400 line 42\n"
	    "@!P0 IMAD.IADD R15,R15,0x1,-R17 | inst 6400 line 42\n"
	    "ISETP.GT.U32.AND P1,PT,R17,R15,PT | inst 6400 line 42\n"
	    "@!P1 IADD3 R15,R15,-R17,RZ | inst 6400 line 42\n"
	    "@!P2 IMAD.MOV R15,RZ,RZ,-R15 | inst 6400 line 42\n");
}

/* 64 bits: as nvcc calls it, with a shorter function. */
void
fault_dividing_long(struct made *m)
{
	computing(m, MIXED("6400") MIXED("6400")
	    "MOV R6,0x110 | inst 6400 line 42\n"
	    "CALL.REL.NOINC #18 | inst 6400 line 42\n"
	    "STG.E desc[UR4][R2.64],R8 | inst 100 sectors 400 ideal 400\n"
	    "EXIT | inst 100\n"
	    "I2F.U64.RP R7,R4 | inst 6400 line 42\n"
	    "MUFU.RCP R7,R7 | inst 6400 line 42\n"
	    "VIADD R8,R7,0x1ffffffe | inst 6400 line 42\n"
	    "F2I.U64.TRUNC R8,R8 | inst 6400 line 42\n"
	    "IMAD.WIDE.U32 R10,R8,R4,RZ | inst 6400 line 42\n"
	    "IMAD R11,R8,R5,R11 | inst 6400 line 42\n"
	    "IMAD R11,R9,R4,R11 | inst 6400 line 42\n"
	    "IMAD.HI.U32 R10,R8,R13,RZ | inst 6400 line 42\n"
	    "IMAD.WIDE.U32 R10,P0,R8,R15,R10 | inst 6400 line 42\n"
	    "IMAD.HI.U32 R7,R9,R15,RZ | inst 6400 line 42\n"
	    "IMAD.WIDE.U32 R8,R11,R4,RZ | inst 6400 line 42\n"
	    "IMAD R9,R11,R5,R9 | inst 6400 line 42\n"
	    "IMAD R9,R7,R4,R9 | inst 6400 line 42\n"
	    "IMAD.HI.U32 R10,P0,R11,R13,R10 | inst 6400 line 42\n"
	    "IMAD.HI.U32 R8,R7,R2,R8 | inst 6400 line 42\n"
	    "IMAD.HI.U32 R7,R7,R3,RZ | inst 6400 line 42\n"
	    "IMAD.WIDE.U32 R8,R11,R4,RZ | inst 6400 line 42\n"
	    "IMAD R7,R11,R5,R9 | inst 6400 line 42\n"
	    "IMAD R2,R7,R4,R9 | inst 6400 line 42\n"
	    "IADD3 R13,P1,-R8,R2,RZ | inst 6400 line 42\n"
	    "ISETP.GE.U32.AND P0,PT,R13,R4,PT | inst 6400 line 42\n"
	    "SEL R11,R2,R11,P0 | inst 6400 line 42\n"
	    "SEL R3,R3,R13,P0 | inst 6400 line 42\n"
	    "RET.REL.NODEC R6 0x0 | inst 6400 line 42\n");
}

/* By a multiplier and a shift, and a guarded subtraction of something else. */
void
fault_multiplying(struct made *m)
{
	computing(m, MIXED("6400")
	    "IMAD.HI.U32 R11,R8,UR7,RZ | inst 6400 line 42\n"
	    "SHF.R.U32.HI R11,RZ,UR8,R11 | inst 6400 line 42\n"
	    "IMAD.MOV R15,RZ,RZ,-R11 | inst 6400 line 42\n"
	    "IMAD R15,R15,UR6,R8 | inst 6400 line 42\n"
	    "ISETP.GE.U32.AND P0,PT,R15,R17,PT | inst 6400 line 42\n"
	    "@P0 IADD3 R15,R15,-R17,RZ | inst 6400 line 42\n");
}

/* Divisions in a kernel that waits for memory. */
void
fault_hidden_divisions(struct made *m)
{
	fault_dividing_by_each(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 20;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 10;
}

/* A loop of ${body} that starts with ${loads}, on the FMA pipe. */
static struct kernel *
multiplying(struct made *m, const char *loads, const char *body)
{
	char text[1536];
	struct kernel *k;

	snprintf(text, sizeof(text), "STS.128 [R12],R8 | inst 100 waves 400 "
	    "least 400\n%s%s"
	    "IADD3 R10,R10,0x1,RZ | inst 6400 line 51\n"
	    "ISETP.NE.AND P0,PT,R10,0x1000,PT | inst 6400 line 51\n"
	    "@P0 BRA #9 | inst 6400 uniform 6400 line 51\n", loads, body);
	k = computing(m, text);
	k->metric[METRIC_PIPE_FMA] = 85;
	return k;
}

#define TILES "LDS.128 R16[R14] | inst 6400 waves 6400 least 6400 line 52\n" \
	"LDS.128 R20[R15] | inst 6400 waves 6400 least 6400 line 52\n"

#define FFMAS(a, b, c) "FFMA " c "," a "," b "," c " | inst 6400 line 53\n"
#define PRODUCTS(a, b) FFMAS(a, b, "R30") FFMAS(a, "R21", "R31")	\
	FFMAS(a, "R22", "R32") FFMAS(a, "R23", "R33")

void
fault_matrices(struct made *m)
{
	multiplying(m, TILES, PRODUCTS("R16", "R20") PRODUCTS("R17", "R20")
	    PRODUCTS("R18", "R20") PRODUCTS("R19", "R20"));
}

/* What is loaded for the next turn, behind the products. */
void
fault_matrices_ahead(struct made *m)
{
	multiplying(m, "", PRODUCTS("R16", "R20") PRODUCTS("R17", "R20")
	    PRODUCTS("R18", "R20") PRODUCTS("R19", "R20") TILES);
}

void
fault_on_tensor_cores(struct made *m)
{
	multiplying(m, TILES, PRODUCTS("R16", "R20") PRODUCTS("R17", "R20")
	    "HMMA.1688.F32.TF32 R24,R16,R20,R24 | inst 6400 line 53\n");
}

/* A filter: its coefficients stay in registers. */
void
fault_taps(struct made *m)
{
#define TAPS(c) FFMAS("R40", "R20", c) FFMAS("R41", "R21", c)		\
	FFMAS("R42", "R22", c) FFMAS("R43", "R23", c)
	multiplying(m, TILES, TAPS("R30") TAPS("R31") TAPS("R32")
	    TAPS("R33"));
}

/* Rows times a vector: each element of a row is used once. */
void
fault_vectors(struct made *m)
{
	multiplying(m, "LDG.E.128 R16,desc[UR4][R2.64] | inst 6400 "
	    "sectors 102400 ideal 102400 line 52\n"
	    "LDS.128 R20[R15] | inst 6400 waves 6400 least 6400 line 52\n",
	    FFMAS("R16", "R20", "R30") FFMAS("R17", "R21", "R30")
	    FFMAS("R18", "R22", "R30") FFMAS("R19", "R23", "R30"));
}

/* Matrices in a kernel that waits for memory. */
void
fault_hidden_matrices(struct made *m)
{
	fault_matrices(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 20;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 15;
}

/* Rows, by blocks of 2 × 128; ${address} in front of the load. */
static void
narrow_rows(struct made *m, uint32_t x, const char *address,
    const char *sectors)
{
	char text[2048];
	struct kernel *k;

	snprintf(text, sizeof(text), INDEX
	    "LDC.64 R2,c[0x0][0x210] | inst 100 line 4\n%s"
	    "IMAD.WIDE R2,R5,0x4,R2 | inst 100 line 4\n"
	    "LDG.E.CONSTANT R8,desc[UR4][R2.64] | inst 6400 sectors %s "
	    "ideal 25600 line 44\n"
	    "LDG.E.CONSTANT R9,desc[UR4][R2.64+0x4] | inst 6400 sectors %s "
	    "ideal 25600 line 44\n"
	    "EXIT | inst 100\n", address, sectors, sectors);
	k = coded(m, 0.3, text);
	k->shape.block_x = x;
	k->shape.block_y = 256 / x;
	k->metric[METRIC_L2_PCT] = 91;
}

void
fault_narrow_rows(struct made *m)
{
	narrow_rows(m, 2, "", "102400");
}

/* Elements from all over memory: as many sectors as lanes in any block. */
void
fault_narrow_gather(struct made *m)
{
	narrow_rows(m, 1, "LDG.E R5,desc[UR4][R2.64] | inst 100 sectors 400 "
	    "ideal 400 line 4\n", "204800");
}
