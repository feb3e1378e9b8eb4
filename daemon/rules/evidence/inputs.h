/*
 * rules/evidence/inputs.h: whose work it is that copies to the GPU come late, by the calls
 * in front of which the host made none for a while (struct site, idle_ns). A loader's
 * batch is waited for in front of the first copy of it, by the program's loop. What a
 * model's forward makes on the CPU is copied within its call; and what is done to a
 * batch between the copies of its tensors is the loop's own work: more workers of the
 * loader shorten neither. Pure.
 */
#ifndef CADV_INPUTS_H
#define CADV_INPUTS_H

#include "model/model.h"

/* Copies of pageable memory in smaller classes, below 64 KiB, cost mostly the fixed time:
 * many-small-copies. */
#define INPUTS_STAGED_CLASS 16

struct inputs {
	double s;		/* so waited for in front of copies by lines of Python */
	double within_s;	/* of it, within calls of modules: inputs_within */
	double behind_s;	/* of the rest, between copies of a batch: inputs_behind */
	double outside;		/* copies that are made outside of modules */
	double results;		/* copies of tensors to the host, within calls of modules */
};

/*
 * inputs_of(run): these. A model whose forward itself copies its input waits for the loader
 * there: only what lies behind kernels of a module's own call, and not behind those of
 * an optimizer or backward pass, counts as within.
 */
struct inputs inputs_of(const struct run *run);

/* What modules make on the CPU in their calls, and copy to the GPU. */
struct inputs_made {
	double part;		/* of the copies to the GPU, 0..1 */
	double copy_s;		/* their part of the time by which copies of pageable memory
				 * lengthened the run */
	double idle_s;		/* inputs.within_s */
	const struct site *most;	/* the line that makes most of them */
};

/* inputs_made_of(run, m): is that most of the copies to the GPU, and are batches copied
 * elsewhere, so that these are no inputs? */
bool inputs_made_of(const struct run *run, struct inputs_made *m);

/* inputs_within(s), inputs_behind(s): is it a copy to the GPU that a line of the program
 * makes within the call of a module, and one that is waited for behind the other copies of
 * its batch? */
bool inputs_within(const struct site *s);
bool inputs_behind(const struct site *s);

/* inputs_made(run, s): is it inputs_within, and behind a kernel of a module's: no batch? */
bool inputs_made(const struct run *run, const struct site *s);

#endif
