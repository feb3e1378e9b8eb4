/*
 * rules/evidence/passes.h: does a launch read all that there is several times from DRAM?
 * More than all memory in use cannot differ: what is beyond it is read again, by the same
 * threads in several passes, or by block after block. Pure.
 */
#ifndef CADV_PASSES_H
#define CADV_PASSES_H

#include "rules/engine/rule.h"

struct passes {
	double dram;		/* bytes that a launch reads from DRAM */
	double memory;		/* bytes in use: no more can differ */
	double again;		/* dram / memory */
};

/*
 * passes_of(p, x): fill ${p} for the view's kernel. False if it is not limited by DRAM, if
 * either is not known, if not all memory was seen, or if its loads may waste a part of each
 * sector: that is read from DRAM, too. Where the bytes used of a sector were not counted, a
 * request must not take more sectors than a load in a loop of which the code shows that
 * neighbouring threads load neighbouring elements.
 */
bool passes_of(struct passes *p, const struct rule_view *x);

#endif
