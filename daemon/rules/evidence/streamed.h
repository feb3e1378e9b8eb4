/*
 * rules/evidence/streamed.h: does a kernel go over its arrays once, and load nothing that
 * could be the result of a kernel before it, which left little? From its code, and the
 * counts of its instructions where they are known; pure.
 *
 * A result that is little next to the arrays (a mean, a table, a value for each row or
 * column) has few elements: many threads load the same one, at an address that they share,
 * that was looked up or divided, that is the same in all blocks, or stays where it is while
 * a loop moves on. An element of an array that is loaded once differs from thread to thread,
 * from block to block and from turn to turn.
 */
#ifndef CADV_STREAMED_H
#define CADV_STREAMED_H

#include <stdbool.h>

struct code;
struct record_SIGNATURE;

struct streamed {
	double once;		/* of the bytes loaded, 0..1: those of the loop that loads
				 * most; another loop may load the same again */
	double least;		/* of the bytes loaded, 0..1: those through the pointer
				 * that fewest are loaded through */
};

/* streamed_of(r, c, shape): fill ${r}; false if a load may be of something else, or its
 * code does not tell (${c} may be NULL), or it loads nothing. */
bool streamed_of(struct streamed *r, const struct code *c,
    const struct record_SIGNATURE *shape);

#endif
