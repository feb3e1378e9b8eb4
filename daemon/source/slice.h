/*
 * source/slice.h: what an address is made of: the instructions that its
 * registers come from, followed backwards. Pure; bounded work. Control flow is
 * read from the order of the code and its loops, which holds for what compilers
 * make of kernels; where it runs out of steps, known is false.
 */
#ifndef CADV_SLICE_H
#define CADV_SLICE_H

#include <stdbool.h>
#include <stdint.h>

struct sass;

#define SLICE_PARAMETERS 4
#define SLICE_LOADS 4

struct slice {
	bool known;
	unsigned varies;	/* enum operand_varies */
	bool loads;		/* rests on a value from memory, other than the
				 * parameters, or from another lane */
	uint32_t load[SLICE_LOADS];	/* the instructions that brought it */
	int loaded;		/* how many; SLICE_LOADS + 1: more than there is
				 * room for */
	uint32_t parameter[SLICE_PARAMETERS];	/* 64-bit parameters: their
						 * offset in c[0x0] */
	int parameters;
	int64_t scale;		/* the last constant an index was multiplied
				 * by: bytes of an element; 0 none */
	int64_t step;		/* the constant it grows by from one iteration
				 * of its loop to the next; 0 none */
	int64_t outer;		/* the same of a loop around that one; 0 none */
	int pieces;		/* accesses of its loop from the same register, 1 or
				 * more: one, unrolled */
	bool changes;		/* it is computed anew in its loop */
	bool carried;		/* it rests on what a turn of a loop around it
				 * left to the next */
	int64_t lane;		/* bytes from a thread to the next in x, of what
				 * is known; LANE_SOME: a multiple that only the
				 * running program knows */
	bool lane_unknown;	/* the thread gets into it in another way, too */
};

#define LANE_SOME INT64_MAX

/* slice_walks(s): does it go on by no more than a sector an access, in its loop or in
 * one around it: a row, read piece by piece? */
bool slice_walks(const struct slice *s);

/* What each instruction of a function writes: read once, searched often. */
struct slices;

/* slices_new(s): NULL without memory. Release with slices_free. */
struct slices *slices_new(const struct sass *s);
void slices_free(struct slices *t);

/* slice_of(s, t, at): the address of sass instruction ${at}. */
void slice_of(struct slice *s, const struct slices *t, uint32_t at);

/* slice_of_register(s, t, at, reg): the same of a register that ${at} reads. */
void slice_of_register(struct slice *s, const struct slices *t, uint32_t at,
    int reg);

#endif
