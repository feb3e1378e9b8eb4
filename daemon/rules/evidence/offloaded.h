/*
 * rules/evidence/offloaded.h: models that a program moves off the GPU and back. Pure.
 */
#ifndef CADV_OFFLOADED_H
#define CADV_OFFLOADED_H

#include "rules/engine/rule.h"

struct offloaded {
	double count, bytes;	/* copies to the GPU of what had come from it */
	double up_s, down_s;	/* their time, and that of the copies from it before */
	double size;		/* bytes, each buffer once */
};

/* offloaded_of(run, o): does the run move models (torch.nn.Module.to) off the GPU and
 * back? Then what is copied to the host are no results that it works through. */
bool offloaded_of(const struct run *run, struct offloaded *o);

/* offloaded_part(run, is): the part of the copies for which ${is} is true (lines_reads,
 * lines_feeds) that move models, 0..1. */
double offloaded_part(const struct run *run, bool (*is)(const struct site *s));

/* offloaded_results(run): run->results, or nothing where models are moved. */
struct results offloaded_results(const struct run *run);

#endif
