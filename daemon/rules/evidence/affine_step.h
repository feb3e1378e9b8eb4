/*
 * rules/evidence/affine_step.h: the effect of one instruction on the registers,
 * as values that differ between threads (affine.h). Pure.
 */
#ifndef CADV_AFFINE_STEP_H
#define CADV_AFFINE_STEP_H

#include "rules/evidence/affine.h"
#include "source/operand.h"

struct record_SIGNATURE;
struct sass_instruction;

/* The registers' values at one point of the code. */
struct affine_state {
	struct affine reg[REGISTERS];
};

/* affine_step(s, in, shape): execute ${in} in a block of ${shape}, changing
 * ${s}. Returns its address in bytes without the constant offset; AFFINE_UNSET:
 * it has none. */
struct affine affine_step(struct affine_state *s,
    const struct sass_instruction *in, const struct record_SIGNATURE *shape);

#endif
