/*
 * rules/faults_loads.c: kernels that load more bytes than they use, load an index only
 * when it is needed, or load an operand for each product; and kernels that almost do.
 */
#include <stdio.h>

#include "rules/code.h"
#include "rules/faults.h"

#define BODY_S 198.5e-6		/* s, a launch without its start and end */

/* --- elements wider than their values --------------------------------------- */

static void
combining(struct made *m, const char *work)
{
	code_kernel(m, 0.92, code_text("masks", work));
}

FAULT_IS(masks, combining(m, code_text("is_set")))
/* Only the stores are too wide: a third of the traffic. */
FAULT_IS(clamped, combining(m, code_text("clamped")))
FAULT_IS(summed, combining(m, code_text("summed")))
FAULT_IS(asked_for_more, combining(m, code_text("asked_for_more")))

/* The other half of each word is a value, too, or its second byte. */
FAULT_IS(lower_halves, code_kernel(m, 0.92, code_text("halves_read",
    "FADD R12,R12,R12 | inst 1536 line 13\n")))
FAULT_IS(both_halves, code_kernel(m, 0.92, code_text("halves_read",
    "I2F.U16 R12,R8.H1 | inst 1536 line 13\n")))
FAULT_IS(lower_bytes, code_kernel(m, 0.92, code_text("halves_read",
    "I2F.U8 R12,R8.B1 | inst 1536 line 13\n")))
FAULT_IS(upper_bytes, code_kernel(m, 0.92, code_text("halves_read",
    "I2F.U8 R12,R8.B3 | inst 1536 line 13\n")))

FAULT(masks_hidden)	/* arithmetic is the limit */
{
	struct kernel *k = code_kernel(m, 0.1, code_text("masks",
	    code_text("is_set")));

	k->metric[METRIC_ISSUE_ACTIVE] = 92;
}

FAULT_IS(doubles_for_floats,
    code_kernel(m, 0.92, code_text("doubles_read", "FADD R12,R12,R12 | "
    "inst 1536 line 13\n")))
FAULT_IS(doubles_used,
    code_kernel(m, 0.92, code_text("doubles_read", "DADD R10,R8,R8 | "
    "inst 1536 line 13\n")))

/* --- indices that could be loaded ahead -------------------------------------- */

static void
walking(struct made *m, const char *turn)
{
	struct kernel *k = code_kernel(m, 0.3, code_text("walk_rows", turn));

	k->metric[METRIC_STALL_LONG_SCOREBOARD] = 30;
	m->code[m->codes - 1]->code.samples.not_issued =
	    m->code[m->codes - 1]->code.samples.all * 9 / 10;
}

FAULT_IS(index_in_turn, walking(m, code_text("each_turn", 450, 500)))
FAULT_IS(index_ahead, walking(m, code_text("a_turn_ahead", 100, 800)))
/* the index is in a cache */
FAULT_IS(index_cheap, walking(m, code_text("each_turn", 100, 800)))
FAULT_IS(list, walking(m, code_text("list_turn", 450, 500)))

FAULT(index_hidden)	/* DRAM is the limit */
{
	walking(m, code_text("each_turn", 450, 500));
	made_counters(m, &m->kernel[0], 0.95);
}

FAULT_IS(index_unsampled, walking(m, code_text("each_turn", 45, 50)))

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
	v[METRIC_LSU_WAVEFRONTS] = 0.9 * BODY_S * m->device[0].ceilings.sm_hz * 132;
	v[METRIC_L1_HIT_RATE] = 95;
	v[METRIC_L2_READ] = 0.05 * v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
}

FAULT_IS(tile_a_warp, multiplying(m, code_text("from_global"), code_text("once"), 0.15))
FAULT_IS(tile_of_rows, multiplying(m, code_text("by_rows"), code_text("once"), 0.15))
FAULT_IS(tiles_side_by_side,
    multiplying(m, code_text("from_global"), code_text("four_by_four"), 0.5))
FAULT_IS(tiles_in_shared,
    multiplying(m, code_text("from_shared"), code_text("once"), 0.15))
FAULT_IS(tensors_busy, multiplying(m, code_text("from_global"), code_text("once"), 0.7))
FAULT_IS(tensors_in_tf32,
    multiplying(m, code_text("from_shared"), code_text("once_in_tf32"), 0.8))
FAULT_IS(tensors_in_16_bits,
    multiplying(m, code_text("from_shared"), code_text("once"), 0.8))
