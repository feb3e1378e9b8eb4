/*
 * rules/evidence/locks.h: spin locks in global memory: a compare-and-swap that is
 * repeated until it succeeds, and behind it an exchange or a store at the same address
 * that sets it free. A loop that computes a value and swaps it in has no such. Pure.
 */
#ifndef CADV_LOCKS_H
#define CADV_LOCKS_H

#include "rules/evidence/lines.h"

struct locks {
	double acquired;		/* by lanes, in a launch */
	double sectors;			/* of the loads and stores between taking
					 * and freeing */
	double loads;			/* instructions of warps among these */
};

/* locks_of(k, c): those of ${c}, which must be counted and disassembled. False: none. */
bool locks_of(struct locks *k, const struct code *c);

#endif
