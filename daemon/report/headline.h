/*
 * report/headline.h: the four metrics that every kernel is shown with. Pure.
 */
#ifndef CADV_HEADLINE_H
#define CADV_HEADLINE_H

#include <stdbool.h>

struct kernel;

enum headline_id {
	HEADLINE_OCCUPANCY,	/* achieved occupancy */
	HEADLINE_COALESCING,	/* bytes used per byte moved, global memory */
	HEADLINE_BANK_CONFLICTS,/* conflicts per shared wavefront */
	HEADLINE_DIVERGENCE,	/* idle lanes in executed instructions */
	HEADLINES
};

struct headline {
	const char *name, *meaning, *source;
	double value;		/* ratio 0..1, or NaN: then ... */
	const struct reason *reason;	/* ... why; else NULL */
	bool applies;		/* false: the kernel has nothing of the kind, so
				 * no measurement can give a value */
};

/* headline_of(h, k): fill ${h}[HEADLINES]. */
void headline_of(struct headline *h, const struct kernel *k);

#endif
