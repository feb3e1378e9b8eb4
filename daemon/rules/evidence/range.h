/*
 * rules/evidence/range.h: which values a register can have, as far as its code
 * tells, and how much of a loaded value the code looks at. Pure; bounded work.
 *
 * Control flow is read from the order of the code, as in slice.h; what a loop
 * carries from turn to turn can be anything.
 */
#ifndef CADV_RANGE_H
#define CADV_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct code;

/* The operands of each instruction of a function: read once, searched often. */
struct ranges;

/* ranges_new(c): NULL without memory, or for code that is too large to search.
 * Release with ranges_free. */
struct ranges *ranges_new(const struct code *c);
void ranges_free(struct ranges *r);

/*
 * range_stored(r, at): bytes that each element of the store at sass instruction ${at}
 * needs; its own width where nothing is known.
 *
 * range_loaded(r, at): the same of a load: bytes of an element that tell all that the
 * code asks about it. An element that is only compared with a few constants needs
 * no more than these do: what is told apart can be numbered.
 *
 * *${bytes} is the width of an element now: 4, or 8 where a double is converted.
 * Accesses of other elements: 0.
 */
unsigned range_stored(const struct ranges *r, uint32_t at, unsigned *bytes);
unsigned range_loaded(const struct ranges *r, uint32_t at, unsigned *bytes);

#endif
