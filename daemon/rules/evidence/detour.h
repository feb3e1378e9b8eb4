/*
 * rules/evidence/detour.h: a model's graph that goes through the CPU. A tensor that is made on
 * the CPU, and copied to the GPU in the forward pass, has its gradient copied back in each
 * backward pass: the framework's own operator for that waits for it, and what fills the tensor
 * part by part goes the whole way once more, in both directions. What a hook reads, an
 * optimizer on the CPU, or activations that are kept there, copies otherwise. Pure.
 */
#ifndef CADV_DETOUR_H
#define CADV_DETOUR_H

#include "rules/engine/rule.h"

struct detour {
	double gradients;	/* copies to the host with which backward passes give back the
				 * gradient of such a copy, of those whose stack was taken */
	double copies;		/* in both directions and of one size: the forward pass's, and
				 * as many of the backward pass's; 0: the tensor is copied
				 * once, and its gradient each time */
	double s;		/* of these, the GPU idle behind them and in front of those to
				 * it; 0: it is not known that they are the graph's */
	double copy_s;		/* likewise, what the gradients' copies to the host lengthen the
				 * run by */
	const struct site *site;	/* the line that copies it in each forward pass; NULL:
				 * not known which of them */
};

/* detour_of(run, d): is there one, by stacks? */
bool detour_of(const struct run *run, struct detour *d);

/*
 * detour_say(arena, run, d): add it to the advice of ${d}, to launch a step as a graph, if the
 * gradient of what is copied once comes back each time, with the lines that copy. What is
 * copied in each step is a finding.
 */
void detour_say(struct arena *arena, const struct run *run, struct draft *d);

#endif
