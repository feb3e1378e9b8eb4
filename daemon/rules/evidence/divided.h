/*
 * rules/evidence/divided.h: may the turns of a kernel's loops be divided among more
 * threads than make them now? What a turn leaves to the next decides it: a counter
 * that grows by the same each time can begin anywhere, and a sum (or a minimum, or
 * a maximum) that the loop only adds to can be made in parts; where a turn needs
 * what the last one computed, or may read what it stored, the turns need each
 * other. A loop whose turns the program deals out to its warps it could deal out to
 * more. From the code alone; pure; bounded work. What is not understood needs the
 * last turn.
 */
#ifndef CADV_DIVIDED_H
#define CADV_DIVIDED_H

#include <stdbool.h>

#include "rules/engine/rule.h"

struct divided {
	double share;	/* of the instructions that a warp executes, in loops whose
			 * turns can be divided, and that are in no loop
			 * themselves; 0 none */
	double ways;	/* turns of such a loop: so many can share it; 1 none */
	bool sums;	/* they meet in a sum: it has to be put together */
};

/* divided_of(x): of the view's kernel. All of it 0, 1, false where its code was not
 * disassembled. */
struct divided divided_of(const struct rule_view *x);

/* divided_loop(c, loop, sums): can the turns of loop ${loop} of ${c} be divided?
 * *${sums}: then as in struct divided. */
struct code;
bool divided_loop(const struct code *c, size_t loop, bool *sums);

#endif
