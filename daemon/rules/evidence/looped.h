/*
 * rules/evidence/looped.h: a loop that a framework has compiled and whose turns the host
 * launches, each as a graph (XLA: jax.lax.scan, command buffers). What is launched is a graph
 * already, and Python does nothing in between: it is at the line that runs the loop. Pure.
 */
#ifndef CADV_LOOPED_H
#define CADV_LOOPED_H

#include "model/model.h"

struct looped {
	const struct site *site;	/* that runs it; NULL: there is none */
	double turns;			/* of the whole run */
	double s;			/* GPU idle while a turn's launch is on its way */
};

/* looped_of(run): the line with most of it, by looks. */
struct looped looped_of(const struct run *run);

#endif
