/*
 * rules/evidence/little.h: does a program of a framework give the GPU too little work at
 * a time? Then no kernel is worth a change, and no graph fits: the data are small. Pure.
 */
#ifndef CADV_LITTLE_H
#define CADV_LITTLE_H

#include "rules/engine/rule.h"

struct little {
	double launches;	/* the share of all whose kernels are about as short as
				 * a launch and leave SMs idle, 0..1 */
	double kernel_s;	/* mean time of these */
	double each;		/* launches for each copy that the host waits for */
	double graph;		/* the share of all in the longest of the sequences that
				 * repeat, 0..1 */
};

/* little_is(run, k): is ${k} about as short as a launch, and leaves SMs idle? */
bool little_is(const struct run *run, const struct kernel *k);

/* little_work(run, l): are nearly all launches such ones, does the host wait for copies
 * between few of them, and does no sequence repeat that one graph could launch? */
bool little_work(const struct run *run, struct little *l);

#endif
