/*
 * rules/evidence/butterfly.h: a kernel that is launched once for each distance of
 * a network in which element i is combined with element i ^ distance: a bitonic
 * sort, a fast Walsh or Fourier transform, a reduction over a hypercube. Pure.
 */
#ifndef CADV_BUTTERFLY_H
#define CADV_BUTTERFLY_H

#include <stdbool.h>

struct kernel;

struct butterfly {
	double steps;		/* the distances: 1, 2 … half of its threads */
	double near;		/* of them, those within the elements of a block
				 * of 1,024 threads */
	double launches;	/* of one network, inferred from their number */
	double fused;		/* launches left if the near distances of each
				 * descending run are one launch */
};

/* butterfly_of(b, k): fills ${b}. Does the code of ${k} combine elements so,
 * without shared memory, and is the number of its launches that of whole networks? */
bool butterfly_of(struct butterfly *b, const struct kernel *k);

#endif
