/*
 * legacy-default-stream: work in other streams and in the legacy default stream
 * takes turns, because the legacy stream waits for all others and they wait for it.
 */
#include <math.h>

#include "rules/evidence/lines.h"

static void
found(struct rule_view *x, size_t i)
{
	const struct device *dev = &x->run->device[i];
	double copies = fmax(0, dev->legacy_copies_ns) * 1e-9;
	double kernels = fmax(0, dev->legacy_kernels_ns) * 1e-9;
	double room = copies + kernels, window = rule_window_s(x->run);
	double wait = (double)dev->legacy_wait_ns * 1e-9;
	struct draft *d = rule_found(x, arena_format(x->arena, "device %zu",
	    i));

	lines_site(x, d, CALL_BIT(LAUNCH) | CALL_BIT(MEMCPY) |
	    CALL_BIT(MEMCPY_ASYNC) | CALL_BIT(MEMSET));
	d->claim[0] = (struct claim){ POOL_COPY, { 0.3 * copies, 0.8 * copies,
	    copies } };
	d->claim[1] = (struct claim){ POOL_TURNS, { 0.3 * kernels,
	    0.8 * kernels, kernels } };
	d->claims = 2;
	if (kernels > 0)
		d->waits = BAR_TURNS;
	d->f.where = arena_format(x->arena, "streams on %s", dev->name != NULL &&
	    *dev->name ? dev->name : "the GPU");
	d->f.device = dev;
	d->f.location = arena_format(x->arena, "GPU %u, %s operations that "
	    "waited", dev->id, say_count(x->arena, dev->legacy_waits));
	rule_evidence(x, d, "waits", (double)dev->legacy_waits,
	    "operations that started when the other side ended",
	    .derived = "kernel, copy and stream records", .unit = "operation",
	    .key = "min_waits");
	rule_evidence(x, d, "room_ratio", room / window, "of what they waited, "
	    "had room beside it, part of first to last GPU work",
	    .derived = "kernel, copy and stream records", .key = "min_share");
	rule_evidence(x, d, "wait_s", wait, "waited in all",
	    .derived = "kernel, copy and stream records");
	rule_evidence(x, d, "copies_s", copies,
	    "of that with room: copies and kernels",
	    .derived = "kernel, copy and stream records");
	rule_evidence(x, d, "kernels_s", kernels, "and kernels beside kernels",
	    .derived = "kernel, copy and stream records");
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s operations of the legacy "
	    "default stream and of streams that wait for it started only when "
	    "the other side had ended; %s of that could overlap",
	    say_count(x->arena, dev->legacy_waits),
	    say_seconds(x->arena, room));
	d->f.limiter = "the legacy default stream waits for all blocking "
	    "streams, and they for it";
	d->f.advice = "make the other streams with cudaStreamCreateWithFlags("
	    "…, cudaStreamNonBlocking), or build with --default-stream "
	    "per-thread, and order by events what depends on each other";
	d->f.gain_note = "holds if the two do not depend on each other: an "
	    "event between the streams would look the same";
}

enum rule_state
rule_legacy_default_stream(struct rule_view *x)
{
	double window = rule_window_s(x->run);
	bool any = false;

	for (size_t i = 0; i < x->run->devices; i++) {
		const struct device *d = &x->run->device[i];
		double room = (fmax(0, d->legacy_copies_ns) +
		    fmax(0, d->legacy_kernels_ns)) * 1e-9;

		if (!(window > 0) || (double)d->legacy_waits <
		    rule_value(x, "min_waits") ||
		    !(room >= rule_value(x, "min_share") * window))
			continue;
		found(x, i);
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
