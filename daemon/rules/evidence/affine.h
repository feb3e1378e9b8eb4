/*
 * rules/evidence/affine.h: how a kernel's register values differ between the
 * threads of a warp, from its code alone. Pure; bounded work.
 *
 * Values are computed by forward data flow over all paths, from the thread's
 * number and from values that all threads share (parameters, grid and block sizes,
 * loads from a shared address). Sums, and products with shared values, grow by a
 * constant from thread to thread. A value loaded from different addresses differs
 * as the data do, and so does what is computed from it. All else is unknown.
 * Predicated instructions are assumed to be executed by most lanes.
 */
#ifndef CADV_AFFINE_H
#define CADV_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

struct code;
struct record_SIGNATURE;

enum affine_kind {
	AFFINE_UNSET,		/* no path leads here */
	AFFINE_STEPS,		/* it grows by x and y: shared by all threads if
				 * both are 0 */
	AFFINE_LOADED,		/* it depends on values that lanes loaded from
				 * different addresses */
	AFFINE_UNKNOWN
};

/* A step that is not 0 and known only at run time. */
#define AFFINE_SOME INT32_MAX

struct affine {
	uint8_t kind;		/* enum affine_kind */
	bool constant;		/* the same in the whole launch: x and y are 0,
				 * and it is ${value} */
	int32_t x, y;		/* difference to the next thread in x, in y */
	int32_t value;
};

/* affine_addresses(c, shape): for each sass instruction with an address, that
 * address in bytes without its constant offset; else AFFINE_UNSET. Unknown in
 * code with too many branches. NULL without memory. Release with free. */
struct affine *affine_addresses(const struct code *c,
    const struct record_SIGNATURE *shape);

/* affine_is_one(a): is it the same for a whole block? */
bool affine_is_one(const struct affine *a);

/*
 * What a full warp needs for one access of ${bytes} per lane at address ${a},
 * with its threads arranged as in a block of ${shape}: sectors of global
 * memory, or wavefronts of shared memory, if the first lane's address is the
 * start of a sector or of the first bank. NaN if ${a} does not tell.
 * affine_sectors of AFFINE_SOME: a sector per lane.
 */
double affine_sectors(const struct affine *a, uint32_t bytes,
    const struct record_SIGNATURE *shape);
double affine_wavefronts(const struct affine *a, uint32_t bytes,
    const struct record_SIGNATURE *shape);

#endif
