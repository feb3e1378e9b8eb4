/*
 * rules/evidence/pointwise.h: does each thread of a kernel touch the elements of its
 * own index alone, in every array? Then it reads nothing that a neighbour wrote, and
 * can go on where the thread of that index in another such kernel ended. From the
 * code alone; pure.
 */
#ifndef CADV_POINTWISE_H
#define CADV_POINTWISE_H

#include <stdbool.h>
#include <stdint.h>

struct code;
struct record_SIGNATURE;

/* pointwise_bytes(c, shape): of an element of the arrays that it stores to: 4, 16 …; 0:
 * it is no such kernel, or its code does not tell, or there is none (${c} may be
 * NULL). */
uint32_t pointwise_bytes(const struct code *c,
    const struct record_SIGNATURE *shape);

/* pointwise_copies(c, shape): does it, and stores only what it loaded, as it was? */
bool pointwise_copies(const struct code *c,
    const struct record_SIGNATURE *shape);

#endif
