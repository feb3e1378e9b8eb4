/*
 * rules/evidence/pointwise.h: does each thread of a kernel access only the
 * elements of its own index, in every array? Then it reads nothing that another
 * thread wrote, and can continue where the thread of that index in another such
 * kernel ended. From the code alone; pure.
 */
#ifndef CADV_POINTWISE_H
#define CADV_POINTWISE_H

#include <stdbool.h>
#include <stdint.h>

struct code;
struct record_SIGNATURE;

/* pointwise_bytes(c, shape): bytes of an element of the arrays that the kernel
 * stores to: 4, 16 …; 0: it is no such kernel, or its code does not tell, or
 * there is none (${c} may be NULL). */
uint32_t pointwise_bytes(const struct code *c,
    const struct record_SIGNATURE *shape);

/* pointwise_stored(c, shape): the same of a kernel whose threads store to elements of
 * their own index only, but may load any, as a stencil does, and may exchange values
 * within their block: the same block of another kernel can go on with what is stored. */
uint32_t pointwise_stored(const struct code *c,
    const struct record_SIGNATURE *shape);

/* pointwise_taken(c, shape): bytes of an element of the arrays that each thread loads at
 * its own index; what it loads elsewhere (a table) comes through other pointers among the
 * parameters, and it may store anywhere. 0: as above. *${all}: what a thread loads so, if it
 * executes each load once. */
uint32_t pointwise_taken(const struct code *c,
    const struct record_SIGNATURE *shape, double *all);

/* Of the bytes that a thread loads, and of those that it stores, the shares at an address
 * where it does both: a state that it changes in place. */
struct pointwise_state {
	double loads, stores;
};

/*
 * pointwise_in_place(p, c, shape): fill ${p}; false if no store goes to an address that
 * its thread loads from, or a load may get what another thread stored: all others are of
 * elements of the same index, or of one value for all threads. The state may be several
 * arrays, or fields of a structure.
 */
bool pointwise_in_place(struct pointwise_state *p, const struct code *c,
    const struct record_SIGNATURE *shape);

/* pointwise_copies(c, shape): is it such a kernel, and stores only what it
 * loaded, unchanged? */
bool pointwise_copies(const struct code *c,
    const struct record_SIGNATURE *shape);

#endif
