/*
 * pageable-host-memory: the driver stages every copy of pageable memory
 * through a pinned buffer of its own; from pinned memory the copy engine reads
 * directly, and the call need not block.
 */
#include <math.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/moved.h"
#include "rules/evidence/offloaded.h"
#include "rules/evidence/slope.h"

/* Pinning a range costs as much as this many of its copies save at this
 * machine's usual pageable rate: cudaMallocHost took 5 ms for 16 MB (measured),
 * of which a copy saves about 1 ms. Most of it is making the pages, which
 * malloc's first touch costs as well. */
#define PIN_COPIES 2
#define PIN_COPIES_MOST 6

/* Making pages while a copy writes them, seconds per byte. Measured on the host
 * of an H200: 16 MB into new memory took 8.5 ms, into memory used before 1.7 ms. */
#define PAGE_S 0.43e-9
/* Copies that take this many times the usual write pages that are not there yet.
 * Arithmetic: clearing and mapping a page takes at least as long as copying it. */
#define FRESH 2

/* Different ranges may be successive buffers, of which one would do, or results
 * that are kept. A few copies (measured: 16 of 18 captured programs make at most 7,
 * in set-up) are no loop: each counts as a buffer of its own where its range is not
 * known. From four times as many on, that one buffer would do is half believed: the
 * pair is predicted 11 % too low with half, 14 % with a quarter, 4 % with all. */
#define LOOP_NONE 10
#define LOOP_SURE 40
#define REUSABLE 0.5

#define SIZE_CLASSES 64		/* floor(log2(bytes)) */

struct direction {
	enum wire_copy kind;
	const char *name;
	uint64_t count, bytes, ranges, located;
	double gpu_s, staged_s, pinned_s, exposed_s;	/* staged_s: at the
							 * usual pageable rate */
	struct { uint64_t count, bytes; } size[SIZE_CLASSES];	/* by their size */
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
		    host != MEMORY_PAGEABLE || c->size_class < INPUTS_STAGED_CLASS ||
		    c->device >= x->run->devices)
			continue;
		t->c = &x->run->device[c->device].ceilings;
		t->count += c->count;
		t->bytes += c->bytes;
		if (c->size_class < SIZE_CLASSES) {
			t->size[c->size_class].count += c->count;
			t->size[c->size_class].bytes += c->bytes;
		}
		t->ranges += c->ranges;
		t->located += c->located;
		t->gpu_s += gpu;
		t->exposed_s += isfinite(e) ? fmin(fmax(e, 0), gpu) : gpu;
		t->pinned_s += (double)c->count * ceilings_copy_s(t->c,
		    c->bytes / c->count, t->kind == COPY_H2D, true);
		t->staged_s += (double)c->count * ceilings_copy_s(t->c,
		    c->bytes / c->count, t->kind == COPY_H2D, false);
	}
}

/* What pinned copies save: against the usual pageable rate (usual_s); and what
 * copies take beyond that rate, for the first copy of each range, which makes
 * its pages (first_s), and for later ones, which then must have met new memory
 * at the same address (again_s). */
struct saving {
	double usual_s, first_s, again_s;
	double ranges;		/* per copy, 0..1 */
	double reused;		/* how far one buffer is believed to do for all */
};

static struct saving
saving_of(const struct rule_view *x, const struct direction *t)
{
	double least = rule_value(x, "min_gain"), part, excess;
	double count = (double)t->count;
	double all = fmax(0, t->gpu_s - t->pinned_s);
	struct saving s;

	s.ranges = fmin(1, ((double)t->ranges + fmin(LOOP_NONE, count -
	    fmin(count, (double)t->located))) / count);
	s.reused = REUSABLE * slope(count, LOOP_NONE, LOOP_SURE);
	/* A gain within the difference of two runs counts as none. */
	part = slope(all / t->gpu_s, least / 2, least) *
	    t->exposed_s / t->gpu_s;
	s.usual_s = fmin(all, fmax(0, t->staged_s - t->pinned_s));
	excess = all - s.usual_s;
	s.first_s = part * fmin(excess, PAGE_S * s.ranges * (double)t->bytes);
	s.again_s = part * excess - s.first_s;
	s.usual_s *= part;
	return s;
}

static double
saved_s(const struct saving *s)
{
	double each = fmax(0, 1 - PIN_COPIES * s->ranges);

	return s->usual_s * (s->reused + (1 - s->reused) * each) +
	    s->reused * s->first_s + s->again_s;
}

/* Copies may be slow for another reason than new pages, which would slow pinned
 * ones as well: half. */
static double
saved_low_s(const struct saving *s)
{
	return 0.8 * (fmax(0, s->usual_s * (1 - PIN_COPIES_MOST * s->ranges)) +
	    0.5 * s->again_s);
}

static double
saved_high_s(const struct saving *s)
{
	return 1.1 * (s->usual_s + s->first_s + s->again_s);
}

/* Does each copy write pages that are made meanwhile, that is new memory each time? */
static bool
is_fresh(const struct direction *t)
{
	return t->kind == COPY_D2H && t->gpu_s >= FRESH * t->staged_s;
}

static void
advise(struct rule_view *x, struct draft *d, const struct direction *t,
    const struct saving *s)
{
	d->f.limiter = "limited by the CPU core filling the "
	    "staging buffer";
	d->f.advice = t->kind == COPY_H2D ? "allocate the source buffer once "
	    "with cudaMallocHost (or cudaHostRegister it) and reuse it" :
	    "allocate the destination buffer once with cudaMallocHost (or "
	    "cudaHostRegister it) and reuse it";
	d->f.gain_note = saved_s(s) > 0 ? "pinning a buffer "
	    "once costs what two of its copies save" : "pinning a buffer that "
	    "is copied once or twice costs about what it saves";
	if (!is_fresh(t))
		return;
	d->f.limiter = arena_format(x->arena, "pageable copies usually reach "
	    "%s here: what is slow are the pages of new memory, which are made "
	    "while the copy writes them", say_rate(x->arena,
	    (double)t->bytes / t->staged_s));
	d->f.advice = "allocate the destination once, outside of the loop, and "
	    "reuse it: its pages are then there; best with cudaMallocHost";
	d->f.gain_note = "each different buffer is allocated, and pinned, once; "
	    "buffers that live one after the other could be one";
}

/* "2,861 H2D copies of 13.8 MB"; or, where most bytes are in copies of another size, "2,861
 * H2D copies, 1,424 of them of 27.6 MB with 99 % of the bytes,". */
static const char *
say_copies(const struct rule_view *x, const struct direction *t)
{
	const char *all = arena_format(x->arena, t->count == 1 ? "%s %s copy" : "%s %s copies",
	    say_count(x->arena, t->count), t->name);
	double mean = (double)t->bytes / (double)t->count;
	size_t most = 0;

	for (size_t i = 1; i < SIZE_CLASSES; i++)
		if (t->size[i].bytes > t->size[most].bytes)
			most = i;
	if (t->size[most].count == 0 || (mean >= ldexp(1, (int)most) &&
	    mean < ldexp(1, (int)most + 1)))
		return arena_format(x->arena, "%s of %s", all, say_bytes(x->arena, mean));
	return arena_format(x->arena, "%s, %s of them of %s with %s of the bytes,", all,
	    say_count(x->arena, t->size[most].count), say_bytes(x->arena,
	    (double)t->size[most].bytes / (double)t->size[most].count),
	    say_percent(x->arena, (double)t->size[most].bytes / (double)t->bytes));
}

/* Batches that the loop itself takes out of a data set need neither be gathered nor copied if
 * that stays on the GPU. Whether it fits, and whether it is one, is not known of each. */
static void
say_kept(struct rule_view *x, struct draft *d, const struct direction *t)
{
	const struct run *run = x->run;
	double gather = t->kind == COPY_H2D && d->variant == NULL && t->count >= LOOP_SURE ?
	    moved_gathered(run, d->f.site) : 0;
	uint64_t all = run->devices == 1 ? run->device[0].limits.memory_bytes : 0;
	bool fits = run->peak_memory_bytes > 0 && all > run->peak_memory_bytes &&
	    t->bytes <= all - run->peak_memory_bytes;

	if (!(gather > 0))
		return;
	d->claim[0].s.high = fmax(d->claim[0].s.high, t->exposed_s);
	d->claim[1] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), { 0, 0, gather } };
	d->claims = 2;
	rule_evidence(x, d, "gather_s", gather, "the GPU waits in front of copies, while the "
	    "host is at other lines of the function that makes them",
	    .derived = "kernel and API records, call stacks");
	d->more = arena_format(x->arena, "where the batches are taken from a data set that fits "
	    "into the GPU's memory%s, keep it there and index it there: that saves the host's "
	    "gather as well", fits ? " (all that was copied would fit)" : "");
	d->f.gain_note = arena_format(x->arena, "%s; at most the copies go, and the host's "
	    "gather in front of them, as the data stay on the GPU", d->f.gain_note);
}

/* What comes back is most of the copies to the GPU. Arithmetic. */
#define MOST 0.5
/* All but single numbers move a model: sites have no bytes, and batches are few and large
 * beside hundreds of parameters. */
#define ALL 0.98

/* A model that is moved to the GPU, mostly once, as the program starts, is no batch. */
static void
is_model(const struct rule_view *x, struct draft *d, const struct direction *t)
{

	if (t->kind == COPY_H2D && offloaded_part(x->run, lines_feeds) > ALL)
		d->variant = "created";
}

/* What modules make on the CPU in each step can be made on the GPU: neither the copy is left
 * nor what the host does for it. */
static void
say_made(struct rule_view *x, struct draft *d, const struct direction *t)
{
	struct inputs_made m;

	if (t->kind != COPY_H2D || d->variant != NULL || !inputs_made_of(x->run, &m))
		return;
	d->variant = "made";
	d->f.site = m.most;
	d->claim[0].s = (struct gain){ 0.5 * m.copy_s, 0.9 * m.copy_s, t->exposed_s };
	d->claim[1] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), { 0.5 * m.idle_s,
	    0.9 * m.idle_s, m.idle_s } };
	d->claims = 2;
	d->waits = BAR_WAIT;
	rule_evidence(x, d, "made_ratio", m.part, "of the copies to the GPU, those that "
	    "modules make within their calls, behind kernels of their own",
	    .derived = "kernel and API records, call stacks");
	d->f.limiter = "limited by the host, which makes in each step what it copies";
	d->f.gain_note = "what the copies carry needs nothing of the CPU, as zeros, masks and "
	    "positions do not";
}

static void
found(struct rule_view *x, const struct direction *t)
{
	struct draft *d = rule_found(x, t->name);
	struct saving s = saving_of(x, t);

	moved_site(x, d, t->kind, true);
	d->claim[0] = (struct claim){ POOL_COPY, { saved_low_s(&s), saved_s(&s),
	    fmin(saved_high_s(&s), t->exposed_s) } };
	d->claims = 1;
	d->f.where = arena_format(x->arena, "%s copies", t->name);
	d->f.location = arena_format(x->arena, "%s, %s",
	    say_counted(x->arena, (double)t->count, "copy"),
	    say_bytes(x->arena, (double)t->bytes));
	rule_evidence(x, d, "pageable_bytes", (double)t->bytes,
	    "bytes from or to pageable memory", .measured = "copy records",
	    .key = "min_bytes");
	rule_evidence(x, d, "time_ratio", t->gpu_s / rule_own_s(x->run),
	    "their part of the run", .measured = "copy records",
	    .key = "min_share");
	rule_evidence(x, d, "bandwidth_bytes_per_s", (double)t->bytes /
	    t->gpu_s, "rate reached", .measured = "copy records");
	rule_evidence(x, d, "pinned_bytes_per_s", (double)t->bytes /
	    t->pinned_s, "rate of pinned memory", .source = t->c->calibrated ?
	    "measured" : "estimated", .from = t->c->calibrated ? "calibration" :
	    "typical rates");
	if (t->located > 0)
		rule_evidence(x, d, "ranges", (double)t->ranges,
		    "different host buffers",
		    .measured = "addresses of the calls", .unit = "range");
	d->f.confidence = t->c->calibrated ? CONF_HIGH : CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s at %s; pinned, this machine %s %s",
	    say_copies(x, t), say_rate(x->arena, (double)t->bytes / t->gpu_s),
	    t->c->calibrated ? "reaches" : "should reach",
	    say_rate(x->arena, (double)t->bytes / t->pinned_s));
	advise(x, d, t, &s);
	is_model(x, d, t);
	say_made(x, d, t);
	say_kept(x, d, t);
}

/* The exposed part of the time of the copies of ${t}, 0..1; with those that were taken
 * for results. */
static double
exposed_part(const struct direction *t, double apart_s)
{
	return t->gpu_s > 0 ? fmin(1, (t->exposed_s + apart_s) / t->gpu_s) : 0;
}

/* Models that leave the GPU and come back: all of that time goes where they stay. Those
 * that did not come back before the end may have left for good. */
static void
found_offloaded(struct rule_view *x, const struct offloaded *o,
    const struct direction *up, const struct direction *down)
{
	const struct run *run = x->run;
	struct draft *d = rule_found(x, down->name);
	double out = exposed_part(down, (double)run->results.copy_ns * 1e-9);
	double back = o->up_s * exposed_part(up, 0), left = fmax(0, down->gpu_s -
	    o->down_s);
	double mid = out * o->down_s + back;

	lines_site_of(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC),
	    framework_moves);
	d->claim[0] = (struct claim){ POOL_COPY, { 0.8 * mid, mid, mid + out * left } };
	/* What the host does for each tensor: it makes the pages, and waits. */
	d->claim[1] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), { 0, 0.5 *
	    (double)run->results.host_ns * 1e-9, (double)run->results.host_ns * 1e-9 } };
	d->claims = 2;
	d->variant = "offloaded";
	d->f.where = "model weights";
	d->f.location = arena_format(x->arena, "%s from the GPU, %s, and %s back, %s",
	    say_counted(x->arena, (double)down->count, "copy"),
	    say_bytes(x->arena, (double)down->bytes),
	    say_whole(x->arena, o->count), say_bytes(x->arena, o->bytes));
	rule_evidence(x, d, "pageable_bytes", (double)down->bytes,
	    "bytes from or to pageable memory", .measured = "copy records",
	    .key = "min_bytes");
	rule_evidence(x, d, "time_ratio", (o->down_s + o->up_s) / rule_own_s(run),
	    "of what left and came back, part of the run",
	    .measured = "copy records", .key = "min_share");
	rule_evidence(x, d, "size_bytes", o->size, "different buffers among them",
	    .measured = "addresses of the calls");
	rule_evidence(x, d, "peak_bytes", (double)run->peak_memory_bytes,
	    "memory of the GPU that was taken at most",
	    .measured = "allocation records");
	d->f.confidence = CONF_HIGH;
	d->f.summary = arena_format(x->arena, "models leave the GPU and come back: "
	    "%s in %s, %s of them again in %s", say_bytes(x->arena,
	    (double)down->bytes), say_seconds(x->arena, down->gpu_s),
	    say_bytes(x->arena, o->bytes), say_seconds(x->arena, o->up_s));
	if (run->peak_memory_bytes > 0 && run->devices > 0)
		d->f.limiter = arena_format(x->arena, "the GPU has %s, at most %s "
		    "of it were taken", say_bytes(x->arena, (double)
		    run->device[0].limits.memory_bytes), say_bytes(x->arena,
		    (double)run->peak_memory_bytes));
	d->f.advice = "leave on the GPU what is used there again, if it fits";
	d->f.gain_note = "all models fit into the GPU's memory at once";
}

enum rule_state
rule_pageable_host_memory(struct rule_view *x)
{
	struct offloaded o;
	struct direction way[] = {
		{ .kind = COPY_H2D, .name = "H2D" },
		{ .kind = COPY_D2H, .name = "D2H" },
	};
	bool any = false;

	for (size_t i = 0; i < 2; i++)
		collect(x, &way[i]);
	if (offloaded_of(x->run, &o) && o.bytes >= rule_value(x, "min_bytes") &&
	    way[1].count > 0 && o.up_s + o.down_s >= rule_value(x, "min_share") *
	    rule_own_s(x->run)) {
		found_offloaded(x, &o, &way[0], &way[1]);
		any = true;
	}
	for (size_t i = 0; i < 2; i++) {
		struct direction *t = &way[i];

		/* What is moved was judged already. */
		if (any && (t->kind == COPY_D2H ||
		    o.bytes > MOST * (double)t->bytes))
			continue;
		if ((double)t->bytes < rule_value(x, "min_bytes") ||
		    t->gpu_s < rule_value(x, "min_share") *
		    rule_own_s(x->run) || !(t->gpu_s > 0) ||
		    !isfinite(t->pinned_s) ||
		    t->pinned_s > (1 - rule_value(x, "min_gain") / 2) *
		    t->gpu_s)
			continue;
		found(x, t);
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
