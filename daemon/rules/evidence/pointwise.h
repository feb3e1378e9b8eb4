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

/* What a kernel with a state in place loads besides, other than its own elements and
 * values for all threads: */
enum pointwise_others {
	OTHERS_NONE,
	OTHERS_GATHERED,	/* of arrays that it does not store to, through the
				 * read-only path, at addresses that are looked up or
				 * computed from values, such as a table's */
	OTHERS_ANY		/* likewise through a pointer of their own, or at a step
				 * from thread to thread: it may be a row or column of
				 * the state itself, whose place the host computes */
};

/* Of the bytes that a thread loads, and of those that it stores, the shares at an address
 * where it does both: a state that it changes in place. Loads from a table count as bytes
 * only where their addresses are known. */
struct pointwise_state {
	double loads, stores;
	enum pointwise_others others;
};

/*
 * pointwise_in_place(p, c, shape): fill ${p}; false if no store goes to an address that
 * its thread loads from, or a load may get what another thread stored. All others are of
 * elements of the same index, or of one value for all threads, or of arrays that this
 * launch does not store to (p->others): neither next to the thread's own element, as those
 * of a stencil are, nor through a pointer that also leads to elements of the same index, as
 * the state of the step before would be. The launch before may have stored to such an array
 * all the same, if the host swaps pointers. The state may be several arrays, or fields of a
 * structure.
 */
bool pointwise_in_place(struct pointwise_state *p, const struct code *c,
    const struct record_SIGNATURE *shape);

/* pointwise_copies(c, shape): is it such a kernel, and stores only what it
 * loaded, unchanged? */
bool pointwise_copies(const struct code *c,
    const struct record_SIGNATURE *shape);

#endif
