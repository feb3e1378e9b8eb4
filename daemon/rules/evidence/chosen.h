/*
 * rules/evidence/chosen.h: values that lanes choose by what they compare, as the bounds of
 * a binary search: a slice (source/slice.h) follows registers, not predicates. Pure.
 */
#ifndef CADV_CHOSEN_H
#define CADV_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

struct sass;
struct slices;

struct choosing {
	const struct sass *sass;
	const struct slices *slices;
	int looked;		/* slices, for all questions together */
};

/*
 * chosen_by_lane(c, at, reg): does a register that instruction ${at} reads rest on one that
 * is written under a predicate, or by a select, which lanes of a warp decide differently? A
 * comparison is that, of numbers that they loaded from addresses of their own, or of floats
 * computed from their number. Integers that count threads are not: their bound splits one
 * warp. False if it is not known.
 */
bool chosen_by_lane(struct choosing *c, uint32_t at, int reg);

#endif
