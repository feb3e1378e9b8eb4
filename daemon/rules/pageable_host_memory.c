/*
 * pageable-host-memory: the driver stages every copy of pageable memory
 * through a pinned buffer of its own; from pinned memory the copy engine reads
 * directly, and the call need not block.
 */
#include <math.h>

#include "rules/lines.h"

/* Pinning a range costs as much as so many of its copies save: cudaMallocHost
 * gave 16 MB in 5 ms (measured), of which a copy saves about 1. Most of it are the
 * pages themselves, which malloc's first touch costs as well. */
#define PIN_COPIES 2
#define PIN_COPIES_MOST 6

/* Below it a copy is fixed cost: many-small-copies. */
#define MIN_SIZE_CLASS 16	/* 64 KiB */

struct direction {
	enum wire_copy kind;
	const char *name;
	uint64_t count, bytes, ranges, located;
	double gpu_s, pinned_s, exposed_s;
	const struct ceilings *c;
};

static void
collect(const struct rule_view *x, struct direction *t)
{
	for (size_t i = 0; i < x->run->copies; i++) {
		const struct copy_class *c = &x->run->copy[i];
		enum wire_memory host = t->kind == COPY_H2D ? c->src : c->dst;
		double gpu = (double)c->gpu_ns * 1e-9, e = c->exposed_ns * 1e-9;

		if (c->memset || c->kind != t->kind || c->count == 0 ||
		    host != MEMORY_PAGEABLE || c->size_class < MIN_SIZE_CLASS ||
		    c->device >= x->run->devices)
			continue;
		t->c = &x->ceilings[c->device];
		t->count += c->count;
		t->bytes += c->bytes;
		t->ranges += c->ranges;
		t->located += c->located;
		t->gpu_s += gpu;
		t->exposed_s += isfinite(e) ? fmin(fmax(e, 0), gpu) : gpu;
		t->pinned_s += (double)c->count * ceilings_copy_s(t->c,
		    c->bytes / c->count, t->kind == COPY_H2D, true);
	}
}

/* What is left of the gain when each range is pinned for ${copies} of its
 * copies' worth. Where the ranges are not known, there is one. */
static double
after_pinning(const struct direction *t, double copies)
{
	double ranges = t->located * 2 > t->count ? (double)t->ranges *
	    ((double)t->count / (double)t->located) : 1;

	return fmax(0, 1 - copies * ranges / (double)t->count);
}

static int
found(struct rule_view *x, const struct direction *t)
{
	struct draft *d = rule_found(x, t->name);
	double share = t->exposed_s / t->gpu_s;
	double gain = (t->gpu_s - t->pinned_s) * share;

	if (d == NULL)
		return -1;
	lines_site(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC));
	d->claim[0] = (struct claim){ POOL_COPY, {
	    0.8 * gain * after_pinning(t, PIN_COPIES_MOST),
	    gain * after_pinning(t, PIN_COPIES),
	    fmin(1.1 * gain, t->exposed_s) } };
	d->claims = 1;
	d->f.where = arena_format(x->arena, "%s copies", t->name);
	d->f.location = arena_format(x->arena, "%s, %s",
	    say_counted(x->arena, (double)t->count, "copy"),
	    say_bytes(x->arena, (double)t->bytes));
	d->f.location_missing = "line not known: call sites are not recorded";
	rule_evidence(x, d, (struct evidence){ .name = "pageable_bytes",
	    .label = "bytes from or to pageable memory", .unit = "B",
	    .value = (double)t->bytes, .source = "measured",
	    .from = "copy records" }, "min_bytes");
	rule_evidence(x, d, (struct evidence){ .name = "time_ratio",
	    .label = "their part of the run", .unit = "ratio",
	    .value = t->gpu_s / rule_wall_s(x->run), .source = "measured",
	    .from = "copy records" }, "min_share");
	rule_evidence(x, d, (struct evidence){
	    .name = "bandwidth_bytes_per_s", .label = "rate reached",
	    .value = (double)t->bytes / t->gpu_s, .unit = "B/s",
	    .source = "measured", .from = "copy records" }, NULL);
	rule_evidence(x, d, (struct evidence){
	    .name = "pinned_bytes_per_s", .label = "rate of pinned memory",
	    .value = (double)t->bytes / t->pinned_s, .unit = "B/s",
	    .source = t->c->calibrated ? "measured" : "estimated",
	    .from = t->c->calibrated ? "calibration" : "typical rates" }, NULL);
	if (t->located > 0)
		rule_evidence(x, d, (struct evidence){ .name = "ranges",
		    .label = "different host buffers", .unit = "range",
		    .value = (double)t->ranges, .source = "measured",
		    .from = "addresses of the calls" }, NULL);
	d->f.confidence = t->c->calibrated ? CONF_HIGH : CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s %s of %s at %s; "
	    "pinned, this machine %s %s", say_count(x->arena, t->count),
	    t->count == 1 ? arena_format(x->arena, "%s copy", t->name) :
	    d->f.where, say_bytes(x->arena, (double)t->bytes / (double)t->count),
	    say_rate(x->arena, (double)t->bytes / t->gpu_s),
	    t->c->calibrated ? "reaches" : "should reach",
	    say_rate(x->arena, (double)t->bytes / t->pinned_s));
	d->f.limiter = "the host core that fills the staging buffer";
	d->f.advice = t->kind == COPY_H2D ? "allocate the source buffer once "
	    "with cudaMallocHost (or cudaHostRegister it) and reuse it" :
	    "allocate the destination buffer once with cudaMallocHost (or "
	    "cudaHostRegister it) and reuse it";
	d->f.gain_note = after_pinning(t, PIN_COPIES) > 0 ? "pinning a buffer "
	    "once costs what two of its copies save" : "pinning a buffer that "
	    "is copied once or twice costs about what it saves";
	d->f.next = say_tool(x->arena, x->run,
	    "nsys profile --trace=cuda --stats=true");
	return 0;
}

enum rule_state
rule_pageable_host_memory(struct rule_view *x)
{
	struct direction way[] = {
		{ .kind = COPY_H2D, .name = "H2D" },
		{ .kind = COPY_D2H, .name = "D2H" },
	};
	bool any = false;

	for (size_t i = 0; i < 2; i++) {
		struct direction *t = &way[i];

		collect(x, t);
		if ((double)t->bytes < rule_value(x, "min_bytes") ||
		    t->gpu_s < rule_value(x, "min_share") *
		    rule_wall_s(x->run) || !(t->gpu_s > 0) ||
		    !isfinite(t->pinned_s) ||
		    t->pinned_s > (1 - rule_value(x, "min_gain")) * t->gpu_s)
			continue;
		if (found(x, t) != 0)
			return RULE_NOT_MEASURED;
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
