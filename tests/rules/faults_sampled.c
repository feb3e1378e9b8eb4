/*
 * rules/faults_sampled.c: kernels that were launched once: sampled, but not counted.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/code.h"
#include "rules/faults.h"

#define WARPS 8			/* warps on a scheduler */
#define SELECTED 2000		/* samples of issuing warps, in total */

/* Distributes samples over ${c} by executions, as if no instruction made warps
 * wait long. */
static void
sample_evenly(struct code *c, double issue)
{
	double all = c->total[SOURCE_INST];

	memset(&c->samples, 0, sizeof(c->samples));
	for (size_t i = 0; i < c->instructions; i++) {
		struct instruction *one = &c->instruction[i];
		uint32_t n = (uint32_t)lround(SELECTED *
		    one->value[SOURCE_INST] / all);
		uint32_t waits = (uint32_t)lround(n * (WARPS / issue - 1));

		memset(&one->samples, 0, sizeof(one->samples));
		one->samples.stall[STALL_SELECTED] = n;
		one->samples.stall[STALL_WAIT] = waits;
		one->samples.all = n + waits;
		c->samples.stall[STALL_SELECTED] += n;
		c->samples.stall[STALL_WAIT] += waits;
		c->samples.all += one->samples.all;
	}
}

void
fault_uncount(struct made *m)
{
	struct kernel *k = &m->kernel[0];
	struct code *c = &m->code[0]->code;

	for (int i = 0; i < METRIC_COUNT; i++)
		k->metric[i] = NAN;
	k->skip = SKIP_TOO_FEW_LAUNCHES;
	k->metric_complete = false;
	c->counted = false;
	c->uncounted = &reason_row[REASON_TOO_FEW_LAUNCHES];
	for (int i = 0; i < SOURCE_COUNT; i++) {
		c->total[i] = NAN;
		for (size_t n = 0; n < c->instructions; n++)
			c->instruction[n].value[i] = NAN;
	}
}

void
fault_sample(struct made *m, double issue)
{
	struct code *c = &m->code[0]->code;

	sample_evenly(c, issue);
	c->samples.not_issued = (uint64_t)lround((1 - issue) *
	    (double)c->samples.all);
	c->sampled = true;
	fault_uncount(m);
}

/* A kernel of ${text}; in the share ${issue} of the samples a warp issued. */
static void
sampled(struct made *m, const char *text, double issue)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 1, 20000000);
	struct code *c = &code_make(m, k, text, 1)->code;

	c->samples.not_issued = (uint64_t)lround((1 - issue) *
	    (double)c->samples.all);
	fault_uncount(m);
}

static void
adding(struct made *m, int selected, double issue)
{
	sampled(m, code_text("sampled_adding", selected, selected, selected), issue);
}

/* All threads add to one address: almost nothing is issued. */
FAULT_IS(sampled_atomics, adding(m, 2, 0.0001))
/* As many atomics as memory can execute. */
FAULT_IS(sampled_atomics_busy, adding(m, 4000, 0.05))

/* A loop with loads from shared memory beside the other instructions; in
 * ${full} samples the queue (MIO) is full. */
static void
loading(struct made *m, const char *other, int full, double issue)
{
	sampled(m, code_text("loading", full, other), issue);
}

/* One load every twelve cycles of an SM, but the queue is full: bank conflicts. */
FAULT_IS(sampled_conflicts, loading(m, "FADD R8,R4,R5", 3000, 0.05))
/* Four loads in five cycles: the most that is possible without conflicts. */
FAULT_IS(sampled_shared, loading(m, "FADD R8,R4,R5", 3000, 0.5))
/* Conversions fill the queue, not loads. */
FAULT_IS(sampled_units, loading(m, "F2I.FTZ.TRUNC.NTZ R8,R4", 3000, 0.25))
/* Warps wait for results, but the queue is not full. */
FAULT_IS(sampled_latency, loading(m, "FADD R8,R4,R5", 100, 0.05))

/* Each thread reads along a row; rows of neighbouring threads are ${stride} apart. */
static void
reading(struct made *m, const char *stride, int waits, double issue)
{
	sampled(m, code_text("reading", stride, waits), issue);
}

FAULT_IS(sampled_rows, reading(m, "IMAD R8,R5,0x200,RZ | inst 1 line 4", 300000, 0.01))
/* The code does not tell how long a row is. */
FAULT_IS(sampled_rows_of, reading(m, "IMAD R8,R5,R7,RZ | inst 1 line 4", 300000, 0.01))
/* Neighbouring threads read neighbouring addresses, but wait as long. */
FAULT_IS(sampled_columns, reading(m, "IADD3 R8,R5,R7,RZ | inst 1 line 4", 300000, 0.01))
/* An object of 64 bytes for each thread. */
FAULT_IS(sampled_objects,
    reading(m, "IMAD.SHL.U32 R8,R5,0x10,RZ | inst 1 line 4", 300000, 0.01))
/* Rows, but the wait is no longer than one access to memory. */
FAULT_IS(sampled_trips, reading(m, "IMAD R8,R5,0x200,RZ | inst 1 line 4", 10000, 0.01))

/* A loop that adds up in place, with the partner at ${partner}; ${between}
 * stands between the loads and the store. */
static void
summing(struct made *m, const char *partner, const char *between)
{
	sampled(m, code_text("summing", partner, between), 0.5);
}

FAULT_IS(sampled_tree, summing(m, "R0", ""))
/* Each iteration adds the same neighbour. */
FAULT_IS(sampled_stencil, summing(m, "R6", ""))
/* All threads must have read before one writes: prefix sums. */
FAULT_IS(sampled_scan,
    summing(m, "R0", "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 1 selected 50 " "line 7\n"))

/* The same tree, unrolled. */
FAULT(sampled_row)
{
	char text[4096] = "S2R R6,SR_TID.X | inst 1 line 3\n"
	    "LEA R5,R6,UR4,0x2 | inst 1 line 3\n";

	for (int apart = 512; apart >= 32; apart /= 2) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n,
		    "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 1 selected 50 line 5\n"
		    "ISETP.GT.U32.AND P0,PT,R6,%1$#x,PT | inst 1 selected 50\n"
		    "@!P0 LDS R3,[R5] | inst 1 selected 50 barrier 90 line 7\n"
		    "@!P0 LDS R2,[R5+%1$#x] | inst 1 selected 50 line 7\n"
		    "@!P0 FADD R4,R3,R2 | inst 1 selected 50 "
		    "short_scoreboard 300 line 7\n"
		    "@!P0 STS [R5],R4 | inst 1 selected 50 line 7\n", apart);
	}
	strcat(text, "EXIT | inst 1 selected 10 wait 300\n");
	sampled(m, text, 0.5);
}
