/*
 * rules/evidence/division.h: integer divisions in a kernel's code. No GPU has an
 * instruction for them: the compiler makes a reciprocal in floating point, one
 * multiplication by it, and steps that put right what is off by one. Pure.
 */
#ifndef CADV_DIVISION_H
#define CADV_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"

/* Of a launch, in executed warp instructions, or how often by a warp. */
struct divisions {
	double quotients;	/* of 32 bits, or their remainders */
	double reciprocals;	/* ahead of them; not in every turn of a loop
				 * whose divisor stays */
	double wide;		/* of 64 bits */
	double inst;		/* instructions of all of these */
	double saved;		/* of them, without: see division.c */
	double units;		/* of them for the XU pipe */
};

/* divisions_count(d, c, m): all of them; their weight is added to ${m}, one
 * mark an instruction. */
void divisions_count(struct divisions *d, const struct code *c,
    struct mark *m);

/* division_begins(c, s): is sass instruction ${s} the begin of the compiler's
 * own function for divisions of 64 bits? */
bool division_begins(const struct code *c, uint32_t s);

#endif
