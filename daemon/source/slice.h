/*
 * source/slice.h: what an address depends on: a backward slice over the instructions
 * that define its registers. Pure; bounded work. Control flow is taken from the order of
 * the code and its loops, which is right for compiled kernels; if the bound is reached,
 * known is false.
 */
#ifndef CADV_SLICE_H
#define CADV_SLICE_H

#include <stdbool.h>
#include <stdint.h>

struct sass;

#define SLICE_PARAMETERS 4
#define SLICE_LOADS 4
#define SLICE_ROW 512		/* bytes: what a warp accesses at most, 16 a lane */

struct slice {
	bool known;
	unsigned varies;	/* enum operand_varies */
	bool loads;		/* it depends on a value from memory, other than
				 * the parameters, or from another lane */
	uint32_t load[SLICE_LOADS];	/* instructions that load such values */
	int loaded;		/* how many; SLICE_LOADS + 1: more than there is
				 * room for */
	uint32_t parameter[SLICE_PARAMETERS];	/* 64-bit parameters: their
						 * offset in c[0x0] */
	int parameters;
	int64_t scale;		/* the last constant an index was multiplied
				 * by: bytes of an element; 0 none */
	int64_t row;		/* the largest constant in bytes that an index was
				 * multiplied by, SLICE_ROW at most: of an element,
				 * or of a row of elements; 0 none */
	int64_t step;		/* bytes it grows by from one iteration of its
				 * loop to the next, if constant; 0 none */
	int64_t outer;		/* the same of a loop around that one; 0 none */
	int pieces;		/* accesses in its loop with the same base
				 * register, 1 or more: one access, unrolled */
	bool changes;		/* its loop computes it anew */
	bool carried;		/* it depends on a value that one iteration of a
				 * loop around it leaves for the next */
	int64_t lane;		/* bytes between threads that are neighbours in
				 * x, as far as known; LANE_SOME: a multiple that
				 * is known at run time only */
	bool lane_unknown;	/* it depends on the thread in another way, too */
};

#define LANE_SOME INT64_MAX

/* slice_walks(s): does the address advance by at most a sector (32 bytes) per access and
 * iteration, of its loop or one around it? Then a row is read piece by piece. */
bool slice_walks(const struct slice *s);

/* What each instruction of a function writes: read once, searched often. */
struct slices;

/* slices_new(s): NULL without memory. Release with slices_free. */
struct slices *slices_new(const struct sass *s);
void slices_free(struct slices *t);

/* slice_of(s, t, at): the slice of the address of instruction ${at}; s->known is false
 * if that has none. */
void slice_of(struct slice *s, const struct slices *t, uint32_t at);

/* slice_of_register(s, t, at, reg): the slice of a register that ${at} reads. */
void slice_of_register(struct slice *s, const struct slices *t, uint32_t at,
    int reg);

#endif
