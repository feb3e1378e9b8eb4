/*
 * rules/evidence/affine.h: how a kernel's registers differ from thread to thread of a
 * warp, from its code alone. Pure; bounded work.
 *
 * A value is computed forwards, over all ways through the code, from the number
 * of the thread and from what all threads share (parameters, numbers of blocks,
 * what is loaded from a shared address). As long as there are only sums and
 * products with shared values, it grows by a constant from thread to thread;
 * what is loaded from different addresses differs as the data do, and what
 * follows from that does, too. All else is unknown. Of an instruction under a
 * predicate it is taken that most lanes execute it.
 */
#ifndef CADV_AFFINE_H
#define CADV_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

struct code;
struct record_SIGNATURE;

enum affine_kind {
	AFFINE_UNSET,		/* no way leads here */
	AFFINE_STEPS,		/* it grows by x and y: the same for all if both
				 * are 0 */
	AFFINE_LOADED,		/* it rests on what lanes loaded from places of
				 * their own */
	AFFINE_UNKNOWN
};

/* A step that only the running program knows, and that is not 0. */
#define AFFINE_SOME INT32_MAX

struct affine {
	uint8_t kind;		/* enum affine_kind */
	bool constant;		/* the same in the whole launch: x is 0, y is 0,
				 * and it is ${value} */
	int32_t x, y;		/* from a thread to the next in x and in y */
	int32_t value;
};

/* affine_addresses(c, shape): of each sass instruction with an address (behind
 * its offset), what that is, in bytes; else AFFINE_UNSET. NULL without memory.
 * Code with too many branches is unknown. Release with free. */
struct affine *affine_addresses(const struct code *c,
    const struct record_SIGNATURE *shape);

/* affine_is_one(a): the same for a whole block. */
bool affine_is_one(const struct affine *a);

/*
 * What a full warp needs for one access of ${bytes} a lane at ${a}, whose rows of
 * threads are as the block of ${shape}: sectors of global memory, or wavefronts of
 * shared memory; the first lane stands at a sector's or the first bank's start.
 * NaN where ${a} does not tell. affine_sectors of AFFINE_SOME: a sector a lane.
 */
double affine_sectors(const struct affine *a, uint32_t bytes,
    const struct record_SIGNATURE *shape);
double affine_wavefronts(const struct affine *a, uint32_t bytes,
    const struct record_SIGNATURE *shape);

#endif
