/*
 * source/flops.h: the floating-point operations that an instruction does. Pure.
 *
 * As everywhere, an addition or a multiplication is one and a fused
 * multiply-add two; comparisons, conversions and the XU's functions are none.
 * Matrix instructions do 2·m·n·k, their shape stands in the opcode.
 */
#ifndef CADV_SOURCE_FLOPS_H
#define CADV_SOURCE_FLOPS_H

#include "source/sass.h"

enum flop_kind { FLOP_FP16, FLOP_FP32, FLOP_FP64, FLOP_TENSOR, FLOP_KINDS };

struct flops {
	enum flop_kind kind;
	double lane;	/* of each lane whose predicate is true; > 0 */
	double rate;	/* of FLOP_TENSOR: how many a second the tensor cores
			 * do of this type, in units of dense FP16; else 1 */
};

/*
 * flops_of(in, f): 1 and ${f}, 0 if it does none, -1 if it does some and does
 * not say how many (a matrix instruction whose shape is in a descriptor).
 */
int flops_of(const struct sass_instruction *in, struct flops *f);

#endif
