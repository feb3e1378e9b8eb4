/*
 * rules/evidence/stepped.h: a state that the threads of a block advance step by step in
 * a loop with barriers, and keep in global memory: each step stores it where the last
 * one did, or in one of the buffers that take turns. No other block can read it in
 * between, as none is waited for: it belongs into registers and shared memory. Pure.
 */
#ifndef CADV_STEPPED_H
#define CADV_STEPPED_H

#include "rules/evidence/lines.h"

struct stepped_state {
	double part;		/* of the sectors of all global stores: those that a
				 * later step overwrites, 0..1 */
	double bytes;		/* of a thread's state */
};

/* stepped_of(k, c): those of ${c}, which must be counted and disassembled. */
void stepped_of(struct stepped_state *k, const struct code *c);

#endif
