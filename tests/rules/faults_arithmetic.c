/*
 * rules/faults_arithmetic.c: kernels that divide integers, multiply matrices,
 * or read rows in blocks too narrow for them, and kernels that almost do.
 */

#include "rules/code.h"
#include "rules/faults.h"

/* A kernel limited by arithmetic: a load, ${code} from position #8 on, and the end. */
static struct kernel *
computing(struct made *m, const char *code)
{
	struct kernel *k;

	k = code_kernel(m, 0.1, code_text("counting", code));
	k->metric[METRIC_ISSUE_ACTIVE] = 88;
	k->metric[METRIC_PIPE_FMA] = 60;
	return k;
}

/* By one divisor: its reciprocal is computed before the loop. */
FAULT_IS(dividing, computing(m, code_text("dividing")))
/* By a different divisor each time. */
FAULT_IS(dividing_by_each, computing(m, code_text("dividing_by_each")))
/* The same, inside a loop that makes it expensive. */
FAULT_IS(dividing_in_loop, computing(m, code_text("dividing_in_loop")))
/* Before Hopper: the divisor is read from the parameters in constant memory. */
FAULT_IS(dividing_by_parameter, computing(m, code_text("dividing_by_parameter")))
/* The remainder of signed numbers. */
FAULT_IS(remainders, computing(m, code_text("remainders")))
/* 64 bits: nvcc calls a function, here a shorter one. */
FAULT_IS(dividing_long, computing(m, code_text("dividing_long")))
/* Like a division: a multiplication and a shift, and a guarded subtraction of
 * something else. */
FAULT_IS(multiplying, computing(m, code_text("multiplying")))

/* Divisions in a kernel that waits for memory. */
FAULT(hidden_divisions)
{
	fault_dividing_by_each(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 20;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 10;
}

/* A loop of ${body}, after ${loads}, limited by the FMA pipe. */
static struct kernel *
multiplying(struct made *m, const char *loads, const char *body)
{
	struct kernel *k;

	k = computing(m, code_text("multiplying_loop", loads, body));
	k->metric[METRIC_PIPE_FMA] = 85;
	return k;
}

FAULT_IS(matrices, multiplying(m, code_text("tiles"), code_text("matrices")))
/* The operands of the next iteration are loaded after the products. */
FAULT_IS(matrices_ahead, multiplying(m, "", code_text("matrices_ahead")))
/* Each iteration stores as many values as it loads, and uses each four times. */
FAULT_IS(matrices_stored, multiplying(m, code_text("tiles_stored"),
    code_text("matrices")))
/* Factors that are stored as halves and multiplied as floats. */
FAULT_IS(matrices_of_halves, multiplying(m, "LDS.64 R16[R14] | inst 6400 "
    "waves 6400 least 6400 line 52\n"
    "LDS.64 R20[R15] | inst 6400 waves 6400 least 6400 line 52\n",
    code_text("matrices_of_halves")))
FAULT_IS(vectors_of_halves, multiplying(m, "LDG.E R16,desc[UR4][R2.64] | "
    "inst 6400 sectors 25600 ideal 25600 line 52\n"
    "LDS R20[R15] | inst 6400 waves 6400 least 6400 line 52\n",
    code_text("vectors_of_halves")))
FAULT_IS(on_tensor_cores,
    multiplying(m, code_text("tiles"), code_text("on_tensor_cores")))
/* A filter: its coefficients stay in registers. */
FAULT_IS(taps, multiplying(m, code_text("tiles"), code_text("constant_taps")))
/* Rows times a vector: each element of a row is used once. */
FAULT_IS(vectors,
    multiplying(m, "LDG.E.128 R16,desc[UR4][R2.64] | inst 6400 "
    "sectors 102400 ideal 102400 line 52\n"
    "LDS.128 R20[R15] | inst 6400 waves 6400 least 6400 line 52\n",
    code_text("vectors")))

/* Products of matrices in a kernel that waits for memory. */
FAULT(hidden_matrices)
{
	fault_matrices(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 20;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 15;
}

/* Reads rows with blocks of 2 × 128; ${address} precedes the load. */
static void
narrow_rows(struct made *m, uint32_t x, const char *address,
    const char *sectors)
{
	struct kernel *k;

	k = code_kernel(m, 0.3, code_text("narrow_rows", address, sectors, sectors));
	k->shape.block_x = x;
	k->shape.block_y = 256 / x;
	k->metric[METRIC_L2_PCT] = 91;
}

FAULT_IS(narrow_rows, narrow_rows(m, 2, "", "102400"))
/* Elements from all over memory: as many sectors as lanes, whatever the block's
 * shape. */
FAULT_IS(narrow_gather,
    narrow_rows(m, 1, "LDG.E R5,desc[UR4][R2.64] | inst 100 sectors 400 "
    "ideal 400 line 4\n", "204800"))
