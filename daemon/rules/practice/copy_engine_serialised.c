/*
 * copy-engine-serialised: copies to the device and copies to the host take turns, again
 * and again, although the link is full duplex and the GPU has an engine for each way.
 */
#include <math.h>

#include "rules/evidence/lines.h"

/* What a full-duplex link keeps of each way's rate when both are used at once. */
#define BOTH_RATE 0.85

/* The share of the host copies' time during which the other direction's engine
 * cannot be given work: the call blocks, or the driver stages pageable memory. */
static double
blocking_share(const struct run *run, size_t device)
{
	double all = 0, blocking = 0;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];
		enum wire_memory host = c->kind == COPY_H2D ? c->src : c->dst;

		if (c->memset || c->device != device ||
		    (c->kind != COPY_H2D && c->kind != COPY_D2H))
			continue;
		all += (double)c->gpu_ns;
		if (!c->async || host == MEMORY_PAGEABLE)
			blocking += (double)c->gpu_ns;
	}
	return all > 0 ? blocking / all : 0;
}

static void
advise(struct draft *d, bool blocking)
{
	if (!blocking) {
		d->f.advice = "put the copies to the host on a stream of their "
		    "own, so that the next chunk's copy to the device "
		    "overlaps them: two buffers, an event between kernel "
		    "and copy";
		d->f.limiter = "one direction of the link is used at a time";
		d->f.gain_note = "holds if a chunk's results need not be back "
		    "before the next chunk goes out";
		return;
	}
	d->f.confidence = CONF_LOW;
	d->f.advice = "first cudaMemcpyAsync with pinned memory, which these "
	    "copies do not use; then a stream for each direction";
	d->f.limiter = "calls that block, or pageable memory: one copy at a "
	    "time";
	d->f.gain_note = "nothing before the copies are asynchronous and "
	    "pinned; and where the host works on what came before it sends "
	    "the next, they cannot overlap";
}

static void
found(struct rule_view *x, size_t i)
{
	const struct device *dev = &x->run->device[i];
	struct draft *d = rule_found(x, arena_format(x->arena, "device %zu",
	    i));
	double up = (double)dev->h2d_ns * 1e-9;
	double down = (double)dev->d2h_ns * 1e-9;
	double both = (double)dev->both_ns * 1e-9;
	double bare = (double)(dev->h2d_bare_ns < dev->d2h_bare_ns ?
	    dev->h2d_bare_ns : dev->d2h_bare_ns) * 1e-9;
	bool blocking = blocking_share(x->run, i) > 0.5;

	lines_site(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC));
	d->claim[0] = (struct claim){ POOL_COPY, { 0.4 * bare,
	    BOTH_RATE * bare, bare } };
	if (blocking)
		d->claim[0].s.low = d->claim[0].s.mid = 0;
	d->claims = 1;
	d->f.where = arena_format(x->arena, "copies on %s", dev->name != NULL ?
	    dev->name : "the GPU");
	d->f.device = dev;
	d->f.location = arena_format(x->arena, "GPU %u", dev->id);
	rule_evidence(x, d, "smaller_ratio", fmin(up, down) /
	    ((double)dev->busy_ns * 1e-9),
	    "the smaller way, part of the GPU's busy time",
	    .measured = "copy records", .key = "min_share");
	rule_evidence(x, d, "overlap_ratio", both / fmin(up, down),
	    "both at once / the smaller of the two", .measured = "copy records",
	    .key = "max_overlap");
	rule_evidence(x, d, "turns", (double)dev->turns, "changes of direction",
	    .measured = "copy records", .unit = "turn", .key = "min_turns");
	rule_evidence(x, d, "bare_s", bare,
	    "the smaller way alone, with no kernel beside it",
	    .measured = "copy and kernel records");
	rule_evidence(x, d, "engines", dev->limits.async_engines,
	    "copy engines of the GPU", .attribute = "device record",
	    .unit = "");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s to the device and %s from "
	    "it, with %s changes of direction; %s of it overlaps",
	    say_seconds(x->arena, up), say_seconds(x->arena, down),
	    say_count(x->arena, dev->turns), both > 0 ?
	    say_seconds(x->arena, both) : "nothing");
	advise(d, blocking);
}

enum rule_state
rule_copy_engine_serialised(struct rule_view *x)
{
	bool any = false;

	for (size_t i = 0; i < x->run->devices; i++) {
		const struct device *d = &x->run->device[i];
		double up = (double)d->h2d_ns * 1e-9;
		double down = (double)d->d2h_ns * 1e-9;
		double least = fmin(up, down);

		/* With one engine they must; 0: the number of engines is not known. */
		if (d->limits.async_engines == 1 || !(least > 0) ||
		    d->busy_ns == 0 ||
		    least < rule_value(x, "min_share") *
		    (double)d->busy_ns * 1e-9 ||
		    (double)d->both_ns * 1e-9 >=
		    rule_value(x, "max_overlap") * least ||
		    (double)d->turns < rule_value(x, "min_turns"))
			continue;
		found(x, i);
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
