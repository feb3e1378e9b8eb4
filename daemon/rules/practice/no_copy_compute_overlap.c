/*
 * no-copy-compute-overlap: copies and kernels take turns although the copy
 * engines could work while the SMs do.
 */
#include <math.h>

#include "rules/evidence/moved.h"

/* If fewer of the copies use pinned memory, or memory worth pinning, that
 * prevents the overlap: pageable-host-memory reports it. */
#define PINNED_LEAST 0.5

/* The share of the host copies' time that can overlap kernels: copies from or
 * to pinned memory, or buffers copied often enough to be worth pinning. */
static double
pinned_share(const struct run *run, size_t device)
{
	double all = 0, can = 0;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];
		enum wire_memory host = c->kind == COPY_H2D ? c->src : c->dst;
		bool often = c->located == 0 ? c->count > 2 :
		    c->located > 2 * c->ranges;

		if (c->device != device || c->memset ||
		    (c->kind != COPY_H2D && c->kind != COPY_D2H))
			continue;
		all += (double)c->gpu_ns;
		if (host != MEMORY_PAGEABLE || often)
			can += (double)c->gpu_ns;
	}
	return all > 0 ? can / all : 0;
}

static const char early_bad[] =
    "for (int i = 0; i < n; i++) {\n"
    "    cudaMemcpyAsync(d, h[i], bytes, cudaMemcpyHostToDevice, s);\n"
    "    work<<<grid, 256, 0, s>>>(d);\n"
    "}";
static const char early_good[] =
    "for (int i = 0; i < n; i++) {\n"
    "    int b = i % 2;\n"
    "    cudaStreamWaitEvent(up, empty[b]);\n"
    "    cudaMemcpyAsync(d[b], h[i], bytes, cudaMemcpyHostToDevice, up);\n"
    "    cudaEventRecord(full[b], up);\n"
    "    cudaStreamWaitEvent(s, full[b]);\n"
    "    work<<<grid, 256, 0, s>>>(d[b]);\n"
    "    cudaEventRecord(empty[b], s);\n"
    "}";

static void
found(struct rule_view *x, size_t i)
{
	const struct device *dev = &x->run->device[i];
	struct draft *d = rule_found(x, arena_format(x->arena, "device %zu",
	    i));
	double copy = (double)dev->copy_ns * 1e-9;
	double kernel = (double)dev->kernel_ns * 1e-9;
	double hidden = (double)dev->copy_hidden_ns * 1e-9;
	double least = (double)dev->cycle_ns * 1e-9;
	double busy = (double)dev->busy_ns * 1e-9;
	double gain = fmax(0, least - hidden);
	double pinned = pinned_share(x->run, i);
	/* Twice as much as chunks would have, or more. */
	bool early = (double)dev->early_ns * 1e-9 > least / 2;

	moved_site(x, d, dev->h2d_ns >= dev->d2h_ns ? COPY_H2D : COPY_D2H, true);
	/* The first chunk in and the last out stay exposed. */
	d->claim[0] = (struct claim){ POOL_COPY,
	    { 0.4 * gain * pinned, 0.75 * gain * pinned, gain } };
	d->claims = 1;
	d->f.where = arena_format(x->arena, "copies on %s", dev->name != NULL ?
	    dev->name : "the GPU");
	d->f.device = dev;
	d->f.location = arena_format(x->arena, "GPU %u", dev->id);
	rule_evidence(x, d, "copy_ratio", copy / busy,
	    "copies, part of the GPU's busy time", .measured = "copy records");
	rule_evidence(x, d, "kernel_ratio", kernel / busy,
	    "kernels, part of the GPU's busy time",
	    .measured = "kernel records");
	rule_evidence(x, d, "cycle_ratio", least / busy, "what of it could run "
	    "at once, chunk by chunk, part of the GPU's busy time",
	    .derived = "order of copy and kernel records", .key = "min_share");
	if (dev->early_ns > 0)
		rule_evidence(x, d, "early_ratio", (double)dev->early_ns * 1e-9 /
		    least, "of that, more than chunks would have: copies to the "
		    "GPU that were called before the kernels in front of them "
		    "had ended", .derived =
		    "copy and kernel records, times of the calls");
	rule_evidence(x, d, "overlap_ratio", hidden / least,
	    "what does / what could", .measured = "copy and kernel records",
	    .key = "max_overlap");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s of copies and %s of kernels, "
	    "of which %s overlaps%s", say_seconds(x->arena, copy),
	    say_seconds(x->arena, kernel), hidden > 0 ?
	    say_seconds(x->arena, hidden) : "nothing", early ? "; copies to the "
	    "GPU were called early and waited for kernels" : "");
	d->f.limiter = "copies and kernels wait for each other";
	d->f.advice = early ? "give the next data a buffer of its own: two buffers "
	    "in turn, each with an event for full and one for empty, and "
	    "cudaMemcpyAsync from pinned memory in a stream of its own, so that "
	    "the next copy runs while kernels work on the data before" :
	    "cut the data into chunks on two or more streams: "
	    "cudaMemcpyAsync from pinned memory for the next chunk while the "
	    "kernel works on this one";
	if (early) {
		d->f.bad_code = early_bad;
		d->f.good_code = early_good;
	}
	d->f.gain_note = early ? "holds if there is memory for a second buffer" :
	    "holds if chunks can be worked on independently";
}

enum rule_state
rule_no_copy_compute_overlap(struct rule_view *x)
{
	bool any = false;

	for (size_t i = 0; i < x->run->devices; i++) {
		const struct device *d = &x->run->device[i];
		double least = (double)d->cycle_ns * 1e-9;

		if (!(least > 0) || d->busy_ns == 0 ||
		    least < rule_value(x, "min_share") *
		    (double)d->busy_ns * 1e-9 ||
		    (double)d->copy_hidden_ns * 1e-9 >=
		    rule_value(x, "max_overlap") * least ||
		    pinned_share(x->run, i) <= PINNED_LEAST)
			continue;
		found(x, i);
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
