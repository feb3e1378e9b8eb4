/*
 * rules/evidence/divided.h: can the iterations of a kernel's loops be divided among
 * more threads than now? What an iteration passes to the next decides: a counter that
 * grows by a constant can start anywhere, and a sum (or minimum, or maximum) that the
 * loop only adds to can be computed in parts; what an iteration reads of it, by a scan.
 * Tiles in shared memory, which each iteration stores anew, are no obstacle: other
 * blocks have their own. If an iteration needs another result of the last one, or may
 * read what that stored, they depend on each other. A loop whose iterations the program
 * distributes over its warps can be distributed over more. From the code alone; pure;
 * bounded work. Anything not understood counts as a dependence.
 */
#ifndef CADV_DIVIDED_H
#define CADV_DIVIDED_H

#include <stdbool.h>

#include "rules/engine/rule.h"

/* How the iterations of a loop can be divided, in the order of what it costs. */
enum division {
	DIVIDED_NOT,		/* one needs the last, or nothing is known */
	DIVIDED_FREELY,
	DIVIDED_SUMS,		/* the parts of a sum have to be combined */
	DIVIDED_SCAN		/* an iteration needs the sum of all before it: a
				 * prefix sum, which passes the data twice */
};

struct divided {
	double share;	/* of a warp's executed instructions: those in outermost
			 * loops whose iterations can be divided; 0: none */
	double ways;	/* iterations of such a loop, the most threads that can
			 * share it; 1: none */
	enum division by;	/* of such loops, the costliest */
};

/* divided_of(x): of the view's kernel; 0, 1, DIVIDED_NOT if its code was not
 * disassembled. */
struct divided divided_of(const struct rule_view *x);

/* divided_loop(c, loop): how the iterations of loop ${loop} of ${c} can be divided. */
struct code;
enum division divided_loop(const struct code *c, size_t loop);

#endif
