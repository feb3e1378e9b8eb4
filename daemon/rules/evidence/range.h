/*
 * rules/evidence/range.h: the values that a register can have, as far as its code
 * tells, and how many bytes of a loaded value the code depends on. Pure; bounded work.
 *
 * Control flow is taken from the order of the code, as in slice.h; a value that
 * a loop carries from iteration to iteration can be anything.
 */
#ifndef CADV_RANGE_H
#define CADV_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct code;

/* The decoded operands of each instruction of a function, for repeated searches. */
struct ranges;

/* ranges_new(c): NULL without memory, or if the code is too large to search.
 * Release with ranges_free. */
struct ranges *ranges_new(const struct code *c);
void ranges_free(struct ranges *r);

/*
 * range_stored(r, at): bytes that each element of the store at sass instruction
 * ${at} needs; its own width if nothing is known.
 *
 * range_loaded(r, at): the same for a load: bytes that suffice for all that the
 * code does with the element. An element that is only compared with a few constants
 * needs no more than they do: values that are only distinguished can be renumbered.
 *
 * *${bytes} is the present width of an element: 4, or 8 where a double is
 * converted. Both are 0 for accesses of other elements.
 */
unsigned range_stored(struct ranges *r, uint32_t at, unsigned *bytes);
unsigned range_loaded(struct ranges *r, uint32_t at, unsigned *bytes);

#endif
