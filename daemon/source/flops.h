/*
 * source/flops.h: the floating-point operations of an instruction. Pure. An
 * addition or a multiplication is one and a fused multiply-add two;
 * comparisons, conversions and the XU's functions are none. Matrix instructions
 * do 2·m·n·k, with the shape in the opcode.
 */
#ifndef CADV_SOURCE_FLOPS_H
#define CADV_SOURCE_FLOPS_H

#include "source/sass.h"

enum flop_kind { FLOP_FP16, FLOP_FP32, FLOP_FP64, FLOP_TENSOR, FLOP_KINDS };

struct flops {
	enum flop_kind kind;
	double lane;	/* per lane whose predicate is true; > 0 */
	double rate;	/* of FLOP_TENSOR: throughput of the tensor cores for
			 * this type, relative to dense FP16; else 1 */
};

/*
 * flops_of(in, f): 1 and ${f}; 0 if it does none; -1 if the number is unknown
 * (a matrix instruction whose shape is in a descriptor).
 */
int flops_of(const struct sass_instruction *in, struct flops *f);

#endif
