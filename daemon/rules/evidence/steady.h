/*
 * rules/evidence/steady.h: the instructions of a kernel that follows itself which a
 * launch for several steps executes once: what finds the thread's place and its data, and
 * checks the bounds. They are outside of loops, and what they read is the same in each
 * launch: the numbers of threads and blocks, constants, the sizes of the grid, pointers.
 * Arguments of other kinds, and values from memory, may differ.
 *
 * From the order of the code and its loops, as in slice.h. Pure.
 */
#ifndef CADV_STEADY_H
#define CADV_STEADY_H

#include <stdbool.h>

struct code;

struct steady {
	double same;		/* of the executed warp instructions, 0..1 */
	double outside;		/* of these, all that are outside of loops, if there are
				 * loops, and none of them stores to global memory: the
				 * steps may become more turns of such a loop. Else ${same} */
	bool one_turn;		/* there are, and a launch does one turn of them: they
				 * are for several steps, of which it is asked for one */
};

/* steady_of(o, c): false if instructions were not counted (${c} may be NULL). */
bool steady_of(struct steady *o, const struct code *c);

#endif
