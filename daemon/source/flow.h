/*
 * source/flow.h: the control flow of a function: basic blocks, which of them
 * dominate others, loops, and what registers live on.
 */
#ifndef CADV_SOURCE_FLOW_H
#define CADV_SOURCE_FLOW_H

#include "source/sass.h"

#define FLOW_NONE UINT32_MAX
#define FLOW_BARRIERS 16	/* B0..B15, where threads wait for each other */

struct block {
	uint32_t first, last;	/* indices of instructions */
	uint32_t next[2];	/* blocks behind it; FLOW_NONE */
	uint32_t barrier;	/* it ends in BSYNC of that one; FLOW_NONE: what
				 * follows may be the target of any BSSY of it */
	bool unknown;		/* it may go on anywhere */
};

/* BSSY: where the threads that meet at ${barrier} go on. */
struct meeting {
	uint32_t barrier, block;
};

struct flow {
	struct block *block;
	uint32_t blocks;
	uint32_t *of;		/* block of each instruction */
	struct meeting *meeting;
	uint32_t meetings;
};

/* flow_make(f, s): the blocks of ${s}, whose instructions are parsed. -1
 * without memory. Release with flow_free. */
int flow_make(struct flow *f, const struct sass *s);
void flow_free(struct flow *f);

/* flow_loops(f, s): fill s->loop: backward branches to a place that every way
 * to them passes; blocks that stand out of line and jump back are none. */
int flow_loops(const struct flow *f, struct sass *s);

/* flow_pairs(f, s): fill the pair of each multiply. -1 without memory. */
int flow_pairs(const struct flow *f, struct sass *s);

#endif
