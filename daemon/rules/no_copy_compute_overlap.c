/*
 * no-copy-compute-overlap: copies and kernels take turns although the copy
 * engines could work beside the SMs.
 */
#include <math.h>

#include "rules/lines.h"

static int
found(struct rule_view *x, size_t i)
{
	const struct device *dev = &x->run->device[i];
	struct draft *d = rule_found(x, arena_format(x->arena, "device %zu",
	    i));
	double copy = (double)dev->copy_ns * 1e-9;
	double kernel = (double)dev->kernel_ns * 1e-9;
	double hidden = (double)dev->copy_hidden_ns * 1e-9;
	double least = fmin(copy, kernel), window = rule_window_s(x->run);
	double gain = fmax(0, least - hidden);

	if (d == NULL)
		return -1;
	lines_site(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC));
	/* The first chunk in and the last out stay exposed. */
	d->claim[0] = (struct claim){ POOL_COPY,
	    { 0.4 * gain, 0.75 * gain, gain } };
	d->claims = 1;
	d->f.where = arena_format(x->arena, "copies on %s", dev->name != NULL ?
	    dev->name : "the GPU");
	d->f.location = arena_format(x->arena, "device %u", dev->id);
	d->f.location_missing = "line not known: call sites are not recorded";
	rule_evidence(x, d, (struct evidence){ .name = "copy_ratio",
	    .label = "copies, part of first to last GPU work",
	    .value = copy / window,
	    .unit = "ratio", .source = "measured", .from = "copy records" },
	    "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "kernel_ratio",
	    .label = "kernels, part of first to last GPU work",
	    .value = kernel / window,
	    .unit = "ratio", .source = "measured", .from = "kernel records" },
	    "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "overlap_ratio",
	    .label = "overlap / the smaller of the two",
	    .value = hidden / least, .unit = "ratio", .source = "measured",
	    .from = "copy and kernel records" }, "max_overlap");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s of copies and %s of kernels, "
	    "of which %s at the same time", say_seconds(x->arena, copy),
	    say_seconds(x->arena, kernel), say_seconds(x->arena, hidden));
	d->f.limiter = "copies and kernels take turns";
	d->f.advice = "cut the data into chunks on two or more streams: "
	    "cudaMemcpyAsync from pinned memory for the next chunk while the "
	    "kernel works on this one";
	d->f.gain_note = "holds if chunks can be worked on independently";
	d->f.next = say_tool(x->arena, x->run, "nsys profile --trace=cuda");
	return 0;
}

enum rule_state
rule_no_copy_compute_overlap(struct rule_view *x)
{
	double window = rule_window_s(x->run);
	bool any = false;

	for (size_t i = 0; i < x->run->devices; i++) {
		const struct device *d = &x->run->device[i];
		double copy = (double)d->copy_ns * 1e-9;
		double kernel = (double)d->kernel_ns * 1e-9;
		double least = fmin(copy, kernel);

		if (!(least > 0) || !(window > 0) || least < rule_value(x, "min_share") * window ||
		    (double)d->copy_hidden_ns * 1e-9 >=
		    rule_value(x, "max_overlap") * least)
			continue;
		if (found(x, i) != 0)
			return RULE_NOT_MEASURED;
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
