/*
 * rules/faults_loads.c: kernels that load more than they look at, an index only when
 * it is needed, or an operand for each product; and kernels that come close to it.
 */
#include <stdio.h>

#include "rules/code.h"
#include "rules/faults.h"

#define BODY_S 198.5e-6		/* a launch without its start and end */

/* --- elements wider than their values --------------------------------------- */

static void
combining(struct made *m, const char *work)
{
	code_kernel(m, 0.92, code_text("masks", work));
}

void
fault_masks(struct made *m)
{
	combining(m, code_text("is_set"));
}

/* The stores alone: a third of the traffic. */
void
fault_clamped(struct made *m)
{
	combining(m, code_text("clamped"));
}

void
fault_summed(struct made *m)
{
	combining(m, code_text("summed"));
}

void
fault_asked_for_more(struct made *m)
{
	combining(m, code_text("asked_for_more"));
}

void
fault_masks_hidden(struct made *m)	/* arithmetic is the limit */
{
	struct kernel *k = code_kernel(m, 0.1, code_text("masks",
	    code_text("is_set")));

	k->metric[METRIC_ISSUE_ACTIVE] = 92;
}

void
fault_doubles_for_floats(struct made *m)
{
	code_kernel(m, 0.92, code_text("doubles_read", "FADD R12,R12,R12 | "
	    "inst 1536 line 13\n"));
}

void
fault_doubles_used(struct made *m)
{
	code_kernel(m, 0.92, code_text("doubles_read", "DADD R10,R8,R8 | "
	    "inst 1536 line 13\n"));
}

/* --- indices that could be loaded ahead -------------------------------------- */

static void
walking(struct made *m, const char *turn)
{
	struct kernel *k = code_kernel(m, 0.3, code_text("walk_rows", turn));

	k->metric[METRIC_STALL_LONG_SCOREBOARD] = 30;
	m->code[m->codes - 1]->code.samples.not_issued =
	    m->code[m->codes - 1]->code.samples.all * 9 / 10;
}

void
fault_index_in_turn(struct made *m)
{
	walking(m, code_text("each_turn", 450, 500));
}

void
fault_index_ahead(struct made *m)
{
	walking(m, code_text("a_turn_ahead", 100, 800));
}

void
fault_index_cheap(struct made *m)	/* it is in a cache */
{
	walking(m, code_text("each_turn", 100, 800));
}

void
fault_list(struct made *m)
{
	walking(m, code_text("list_turn", 450, 500));
}

void
fault_index_hidden(struct made *m)	/* DRAM is the limit */
{
	walking(m, code_text("each_turn", 450, 500));
	made_counters(m, &m->kernel[0], 0.95);
}

void
fault_index_unsampled(struct made *m)
{
	walking(m, code_text("each_turn", 45, 50));
}

/* --- operands of the tensor cores --------------------------------------------- */

static void
multiplying(struct made *m, const char *load, const char *multiply,
    double tensor)
{
	struct kernel *k = code_kernel(m, 0.1, code_text("operand_tiles", load,
	    multiply));
	double *v;

	v = k->metric;
	v[METRIC_PIPE_TENSOR] = 100 * tensor;
	v[METRIC_LSU_WAVEFRONTS] = 0.9 * BODY_S * m->ceilings[0].sm_hz * 132;
	v[METRIC_L1_HIT_RATE] = 95;
	v[METRIC_L2_READ] = 0.05 * v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
}

void
fault_tile_a_warp(struct made *m)
{
	multiplying(m, code_text("from_global"), code_text("once"), 0.15);
}

void
fault_tile_of_rows(struct made *m)
{
	multiplying(m, code_text("by_rows"), code_text("once"), 0.15);
}

void
fault_tiles_side_by_side(struct made *m)
{
	multiplying(m, code_text("from_global"), code_text("four_by_four"),
	    0.5);
}

void
fault_tiles_in_shared(struct made *m)
{
	multiplying(m, code_text("from_shared"), code_text("once"), 0.15);
}

void
fault_tensors_busy(struct made *m)
{
	multiplying(m, code_text("from_global"), code_text("once"), 0.7);
}
