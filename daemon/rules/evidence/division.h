/*
 * rules/evidence/division.h: integer divisions in a kernel's code. No GPU has
 * an instruction for them: the compiler generates a reciprocal in floating
 * point, a multiplication by it, and corrections of an error of one. Pure.
 */
#ifndef CADV_DIVISION_H
#define CADV_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"

/* Of a launch, in executed warp instructions or executions by warps. */
struct divisions {
	double quotients;	/* 32-bit quotients or remainders */
	double reciprocals;	/* computed for them; not in each iteration of a
				 * loop with a constant divisor */
	double wide;		/* 64-bit divisions */
	double inst;		/* instructions of all of these */
	double saved;		/* of them: saved by what division.c says to write */
	double units;		/* of them, on the XU pipe */
};

/* divisions_count(d, c, m): count all divisions of ${c} into ${d}, and add their
 * instructions to the weights of ${m}, which has a mark for each instruction. */
void divisions_count(struct divisions *d, const struct code *c,
    struct mark *m);

/* division_begins(c, s): does the compiler's own 64-bit division begin at sass
 * instruction ${s}? */
bool division_begins(const struct code *c, uint32_t s);

#endif
