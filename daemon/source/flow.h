/*
 * source/flow.h: the control flow of a function: basic blocks, dominators,
 * loops, and live registers.
 */
#ifndef CADV_SOURCE_FLOW_H
#define CADV_SOURCE_FLOW_H

#include "source/callee.h"
#include "source/operand.h"
#include "source/sass.h"

#define FLOW_NONE UINT32_MAX
#define FLOW_BARRIERS 16	/* B0..B15, convergence barriers */

struct block {
	uint32_t first, last;	/* indices of instructions */
	uint32_t next[2];	/* successors; FLOW_NONE */
	uint32_t barrier;	/* it ends in BSYNC of this barrier; FLOW_NONE:
				 * the next block may be the target of any BSSY
				 * of it */
	bool unknown;		/* its successors are unknown */
};

/* BSSY: where the threads that wait at ${barrier} continue. */
struct meeting {
	uint32_t barrier, block;
};

struct flow {
	struct block *block;
	uint32_t blocks;
	uint32_t *of;		/* block of each instruction */
	struct meeting *meeting;
	uint32_t meetings;
	struct internals own;	/* calls of these return behind the call */
	struct written {
		uint64_t registers[REGISTERS / 64];	/* bits */
		uint32_t instructions;
	} written[INTERNALS_MOST];	/* by each of them */
};

/* flow_make(f, s): the blocks of ${s}, whose instructions are parsed. -1
 * without memory. Release with flow_free. */
int flow_make(struct flow *f, const struct sass *s);
void flow_free(struct flow *f);

/* flow_loops(f, s): fill s->loop: backward branches to a block that dominates
 * them; out-of-line blocks that jump back are not loops. */
int flow_loops(const struct flow *f, struct sass *s);

/* flow_pairs(f, s): set the pair of each multiply. -1 without memory. */
int flow_pairs(const struct flow *f, struct sass *s);

#endif
