/*
 * rules/evidence/numbered.h: what a register holds in terms of the thread's number in its
 * block (threadIdx.x), as far as the code before its reader tells: something that is one
 * for the whole block, or that number, with something added that is one. Pure.
 *
 * Other than for the values of affine.h, "one" is the same for all warps of the block,
 * and a bound from memory is told from a constant. Blocks have one dimension.
 */
#ifndef CADV_NUMBERED_H
#define CADV_NUMBERED_H

#include <stdbool.h>
#include <stdint.h>

struct sass;

enum numbered_kind {
	NUMBERED_OTHER,
	NUMBERED_ONE,		/* all threads of the block have the same */
	NUMBERED_THREAD,	/* it grows by 1 from thread to thread */
	NUMBERED_PART		/* some bits of the thread's number */
};

struct numbered {
	enum numbered_kind kind;
	uint32_t bits;		/* of the number itself, or a part: those that may be
				 * set; all, if something was added */
	bool constant;		/* a number in the code */
	bool block;		/* it may differ from block to block */
	uint32_t source;	/* what it comes from: equal for values that were
				 * computed from the same load or parameters; 0 */
};

/* numbered_of(s, at, reg, threads): of the register ${reg} that ${at} reads, in blocks of
 * ${threads}. */
struct numbered numbered_of(const struct sass *s, uint32_t at, int reg,
    uint32_t threads);

/* numbered_address(s, at, threads): of the address of ${at}, without its constant
 * offset. */
struct numbered numbered_address(const struct sass *s, uint32_t at,
    uint32_t threads);

/* Whom a comparison lets through. */
enum numbered_pass {
	PASS_ALL,		/* it is not known to stop any */
	PASS_FEW,		/* one thread, or those up to a constant */
	PASS_ROW		/* those whose number is below a bound that is one for
				 * the block, and not known before it runs */
};

/* numbered_passes(s, at, wanted, threads, source): whom comparison ${at} lets through
 * where its result is ${wanted}; *${source}: of the bound of PASS_ROW. */
enum numbered_pass numbered_passes(const struct sass *s, uint32_t at, bool wanted,
    uint32_t threads, uint32_t *source);

#endif
