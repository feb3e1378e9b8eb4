/*
 * peer-access-off: data goes from one GPU to another through the host, although
 * the first could write it into the memory of the second.
 */
#include <math.h>

#include "rules/evidence/lines.h"

#define BULK_BYTES (64ull << 20)	/* size at which a copy's rate is taken */
#define MOST_RATE 2.0		/* of the host link's rate: both halves at once */

/* The copies between one pair of GPUs. */
struct traffic {
	double bytes, count;
	double now_s;		/* their time, both halves added */
	double less_s;		/* what a direct copy at the host link's rate saves */
	bool untold;		/* the records end before the data arrive */
};

static double
pinned_rate(const struct rule_view *x, const struct peer *p)
{
	double s = ceilings_copy_s(&x->run->device[p->to].ceilings, BULK_BYTES, true,
	    true);

	return s > 0 ? (double)BULK_BYTES / s : NAN;
}

static struct traffic
traffic_of(const struct rule_view *x, const struct peer *p)
{
	double down = (double)p->down_ns * 1e-9, up = (double)p->up_ns * 1e-9;
	double one = (double)p->gpu_ns * 1e-9, rate;
	struct traffic t = { (double)p->staged_bytes, (double)p->staged,
	    down + up, fmin(down, up), false };

	/* Recorded as one copy, but at the rate of two. */
	rate = one > 0 ? (double)p->bytes / one / pinned_rate(x, p) : NAN;
	if (!p->enabled && isfinite(rate) &&
	    rate < rule_value(x, "max_rate")) {
		t.bytes += (double)p->bytes;
		t.count += (double)p->copies;
		t.now_s += one;
		t.less_s += one * (1 - rate);
	}
	/* For copies between H200s the records gave 1.6 TB/s, 30 times the
	 * link's rate. Their time is estimated then: between that of one trip,
	 * if the two overlap, and of both. */
	if (t.now_s > 0 && t.bytes / t.now_s > MOST_RATE * pinned_rate(x, p)) {
		t.untold = true;
		t.now_s = 1.5 * t.bytes / pinned_rate(x, p);
		t.less_s = 0.5 * t.now_s;
	}
	return t;
}

/* If the records of copies end too early, the GPU seems idle between them. */
static struct claim
claim_of(const struct rule_view *x, const struct traffic *t)
{
	double exposure = rule_copy_exposure(x->run);

	if (t->untold)
		return (struct claim){ POOL_COPY | POOL_IDLE(IDLE_LAUNCH) |
		    POOL_IDLE(IDLE_ELSEWHERE) |
		    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_HOST) |
		    POOL_IDLE(IDLE_AFTER_SYNC), { 0.2 * t->less_s, t->less_s,
		    0.95 * t->now_s } };
	return (struct claim){ POOL_COPY, { 0.5 * t->less_s * exposure,
	    t->less_s * exposure, 0.95 * t->now_s * exposure } };
}

static void
found(struct rule_view *x, const struct peer *p, const struct traffic *t)
{
	const struct device *from = &x->run->device[p->from];
	const struct device *to = &x->run->device[p->to];
	struct draft *d = rule_found(x, arena_format(x->arena, "%u %u",
	    p->from, p->to));

	lines_site(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC));
	d->claim[0] = claim_of(x, t);
	d->claims = 1;
	d->f.where = arena_format(x->arena, "copies from GPU %u to GPU %u",
	    from->id, to->id);
	d->f.location = arena_format(x->arena, "%s, %s",
	    say_counted(x->arena, t->count, "copy"), say_bytes(x->arena, t->bytes));
	rule_evidence(x, d, "staged_bytes", t->bytes,
	    "bytes that went through the host", .measured = "copy records",
	    .key = "min_bytes");
	rule_evidence(x, d, "time_ratio", fmin(1, t->now_s /
	    rule_active_s(x->run)),
	    "their time, part of first to last GPU work", .source = t->untold ?
	    "estimated" : "measured", .from = "copy records",
	    .key = "min_share");
	rule_evidence(x, d, "bandwidth_bytes_per_s", t->bytes / t->now_s,
	    "rate reached", .source = t->untold ? "estimated" : "derived",
	    .from = t->untold ?
	    "the host link's rate: the records of these copies end too early" :
	    "copy records");
	rule_evidence(x, d, "peer_enabled", p->enabled,
	    "peer access was switched on (1: yes)",
	    .measured = "cudaDeviceEnablePeerAccess calls", .unit = "");
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s copies, %s, from GPU %u to "
	    "GPU %u go through the host at %s%s, although these two can reach "
	    "each other", say_whole(x->arena, t->count),
	    say_bytes(x->arena, t->bytes), from->id, to->id, t->untold ?
	    "about " : "", say_rate(x->arena, t->bytes / t->now_s));
	d->f.limiter = "two trips over the host's link in place of one "
	    "between the GPUs";
	d->f.advice = p->enabled ? "peer access is on, but not for this "
	    "memory, or not yet: memory of a pool needs "
	    "cudaMemPoolSetAccess, mapped memory cuMemSetAccess" :
	    "call cudaDeviceEnablePeerAccess once, on each of the two for the "
	    "other; memory of a pool needs cudaMemPoolSetAccess";
	d->f.gain_note = "one of the two trips goes away; what a direct link "
	    "(NVLink) gains beyond that is not known here";
}

enum rule_state
rule_peer_access_off(struct rule_view *x)
{
	const struct run *run = x->run;
	bool any = false, unknown = false;

	for (size_t i = 0; i < run->peers; i++) {
		const struct peer *p = &run->peer[i];
		struct traffic t;

		if (p->from >= run->devices || p->to >= run->devices)
			continue;
		t = traffic_of(x, p);
		if (t.bytes < rule_value(x, "min_bytes") || !(t.now_s > 0) ||
		    t.now_s < rule_value(x, "min_share") * rule_active_s(run) ||
		    (p->known && !p->can))
			continue;
		if (!p->known) {
			unknown = true;
			continue;
		}
		found(x, p, &t);
		any = true;
	}
	if (any)
		return RULE_FOUND;
	return unknown ? rule_unmeasured(x, REASON_NO_PEERS) : RULE_CLEAN;
}
