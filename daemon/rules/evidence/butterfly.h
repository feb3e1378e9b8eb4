/*
 * rules/evidence/butterfly.h: a kernel that is launched for each distance of a network
 * in which element i meets element i ^ distance: a bitonic sort, a fast Walsh or
 * Fourier transform, a reduction over a hypercube. Pure.
 */
#ifndef CADV_BUTTERFLY_H
#define CADV_BUTTERFLY_H

#include <stdbool.h>

struct kernel;

struct butterfly {
	double steps;		/* distances that there are: 1, 2 … half of its threads */
	double near;		/* of them, within what a block of 1,024 threads holds */
	double launches;	/* of one network, by how many there were */
	double fused;		/* that would be left, the near ones of each run of
				 * falling distances being one */
};

/* butterfly_of(b, k): does its code show that, without memory that a block shares, and
 * are its launches as many as whole networks need? */
bool butterfly_of(struct butterfly *b, const struct kernel *k);

#endif
