/*
 * model/idle.c: why the GPU had nothing to do.
 *
 * A gap lies between the end of all work so far and the start of the next
 * operation. If the host had called for that operation before the gap began,
 * the gap is launch latency. Else the host is what the GPU waited for, until
 * the call; from there on it is launch latency again. The host's part is cut
 * up by what the calling thread did meanwhile: recorded allocations, other
 * recorded calls, synchronisations; the rest is the host's own work. Had that
 * thread been waiting for the GPU when the gap began, it could have worked
 * while the GPU did: as much of the rest as the wait was long counts as
 * AFTER_SYNC. What remains is HOST: it is longer than the work behind which it
 * could have hidden.
 * Our own measuring is taken out before anything else.
 */
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

/* Host and GPU clocks are converted into each other to about a microsecond: a
 * wait may seem to end before the work that it waited for. */
#define CLOCK_SLACK 2000u	/* ns */

/* Without the time of the call, a gap as short as this is launch latency. */
#define LAUNCH_GAP 20000u	/* ns */

/* What was called for this long before a gap stood ready when that began. The
 * way from a call to the GPU's work takes up to 10 us under CUPTI; twice that. */
#define QUEUED 20000u

/* A long gap is the program's own if of so many parts we made one at most: there is
 * always something of ours in it. */
#define TALLIED_LEAST 16

#define GAP_COUNTED 1000u	/* ns: shorter ones are not worth a count */

/* Loading machine code that is there takes less: nvrtc and ptxas take tens of
 * milliseconds for an empty kernel. */
#define COMPILING_LEAST 5000000u	/* ns */

/* A function that is compiled in pieces launches some in between, and so does who tries
 * one piece of code after the other: other kernels. The same one was made anew. */
#define COMPILING_APART 20u	/* launches */

struct gap {
	uint64_t start, host_end, end;
	uint64_t idle[IDLE_CAUSES];
	uint64_t waited;	/* how long the host had been blocked by then */
	uint64_t blocked;	/* of idle[], while it still was */
	uint64_t loads;		/* of code */
	bool synced;		/* a synchronisation lies in it, */
	bool allocated;		/* an allocation or a release */
	const struct wait *sync;/* the last one */
};

/* ${ns} of a call lies in a gap: GPU idle while inside. */
static void
tally_idle(struct model *m, const struct thread *t, const struct wait *w,
    uint64_t ns)
{
	struct stream *s = m->stream[t->process];
	struct call_tally *c = &s->call[w->call];

	if (!w->counted)
		return;
	if (s->launches >= 1 && w->start >= s->launch_1)
		c->idle1 += ns;
	if (s->launches >= HOT_AFTER && w->start >= s->launch_10)
		c->idle10 += ns;
}

static void
gap_sync(struct gap *g, const struct wait *w)
{

	if (add_sat(w->end, CLOCK_SLACK) < g->start)
		return;
	g->allocated = g->allocated || w->kind == WAIT_ALLOCATION;
	if (w->kind != WAIT_SYNC)
		return;
	g->synced = true;
	g->waited = max_u64(g->waited, sub_sat(g->start, w->start));
	if (w->sync != 0 && (g->sync == NULL || w->end >= g->sync->end))
		g->sync = w;
}

/* Cut [g->start, g->host_end) up by what the thread did. */
static void
gap_host(struct model *m, struct gap *g, const struct thread *t)
{
	static const enum idle_cause cause[] = {
		[WAIT_SYNC] = IDLE_AFTER_SYNC,
		[WAIT_ALLOCATION] = IDLE_ALLOCATION, [WAIT_API] = IDLE_API,
	};
	uint64_t done = g->start, from, to, ns, rest;
	const struct wait *w;
	uint32_t i;

	rest = g->host_end - g->start -
	    spans_overlap(&m->overhead, g->start, g->host_end);
	i = t == NULL ? 0 : host_first(t, g->start);
	for (; t != NULL && i < t->count &&
	    t->wait[i].start < g->host_end; i++) {
		w = &t->wait[i];
		gap_sync(g, w);
		g->loads += w->call == CALL_MODULE_LOAD &&
		    w->start >= g->start;
		from = max_u64(w->start, done);
		to = min_u64(w->end, g->host_end);
		if (to <= from)
			continue;
		ns = to - from - spans_overlap(&m->overhead, from, to);
		ns = min_u64(ns, rest);
		g->idle[cause[w->kind]] += ns;
		if (w->kind == WAIT_SYNC)
			g->blocked += ns;
		tally_idle(m, t, w, ns);
		rest -= ns;
		done = to;
	}
	ns = min_u64(rest, g->waited);
	g->idle[IDLE_AFTER_SYNC] += ns;
	g->idle[IDLE_HOST] += rest - ns;
}

static void
gap_blame(struct model *m, struct device_state *d, const struct gap *g,
    uint64_t idle)
{
	struct gaps_near *near = &d->near[d->nearer];
	struct copy_class *c;
	uint64_t from, waited;

	/* Before the first kernel there is no work that waits. */
	if ((d->last.kind == OP_COPY || d->last.kind == OP_MEMSET) &&
	    d->worked) {
		c = &m->copy[d->last.index].out;
		c->idle_after_ns += idle;
		waited = sub_sat(idle, g->idle[IDLE_HOST] +
		    g->idle[IDLE_ALLOCATION]);
		c->idle_waited_ns += waited;
		if (c->async && g->synced) {
			c->waits++;
			c->waits_idle_ns += waited;
		}
	}
	if (d->last.kind == OP_KERNEL)
		m->kernel[d->last.index].out.gap_after_ns +=
		    g->idle[IDLE_LAUNCH] + g->blocked;
	/* What waited for a copy counts there. */
	if (g->sync == NULL || d->last.kind == OP_COPY)
		return;
	from = min_u64(max_u64(g->sync->start, g->start), g->end);
	near->sync[g->sync->sync].followed++;
	near->sync[g->sync->sync].idle_ns += g->end - from -
	    spans_overlap(&m->overhead, from, g->end);
}

/* Add the gaps of ${from} to ${to}, and forget them. */
static void
gaps_move(struct gap_class *to, struct gap_class *from)
{
	uint32_t i, k;

	for (i = 0; i < GAP_CLASSES; i++) {
		if (from[i].count == 0)
			continue;
		to[i].count += from[i].count;
		for (k = 0; k < IDLE_CAUSES; k++)
			to[i].idle_ns[k] = add_sat(to[i].idle_ns[k],
			    from[i].idle_ns[k]);
		to[i].input_ns = add_sat(to[i].input_ns, from[i].input_ns);
		from[i] = (struct gap_class){ .count = 0 };
	}
}

void
idle_again(const struct device_state *d, struct gap_class out[GAP_CLASSES])
{
	struct gaps_near near[2];

	memcpy(near, d->near, sizeof(near));
	memcpy(out, d->gap, sizeof(d->gap));
	gaps_move(out, near[0].gap);
	gaps_move(out, near[1].gap);
}

void
idle_waits(const struct device_state *d, uint32_t call, struct sync_class *out)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		out->followed += d->near[i].sync[call].followed;
		out->idle_after_ns = add_sat(out->idle_after_ns,
		    d->near[i].sync[call].idle_ns);
	}
}

/* The last gaps are twenty launches old: no code will be loaded behind the older. */
static void
near_step(struct model *m, struct device_state *d, uint64_t launches)
{
	struct gaps_near *old = &d->near[!d->nearer];
	struct sync_class *out;
	uint32_t i;

	if (sub_sat(launches, d->near[d->nearer].launches) < COMPILING_APART)
		return;
	gaps_move(d->gap, old->gap);
	for (i = 0; i < CALL_COUNT; i++) {
		if (old->sync[i].followed == 0)
			continue;
		out = &m->sync[i].out;
		out->followed += old->sync[i].followed;
		out->idle_after_ns = add_sat(out->idle_after_ns,
		    old->sync[i].idle_ns);
		old->sync[i].followed = old->sync[i].idle_ns = 0;
	}
	old->launches = launches;
	d->nearer = !d->nearer;
}

/* Launches so far of the process that ${next} is of. */
static uint64_t
launches_of(const struct model *m, const struct op *next)
{

	return next->thread == IDMAP_NONE ? 0 :
	    m->stream[m->thread[next->thread].process]->launches;
}

/* Beside gaps for which the host took about as long. What it does to make, load or
 * choose code comes once for each piece of it: neither a gap in which code is loaded
 * nor those shortly before are what a loop does. */
static void
gap_tally(struct device_state *d, const struct gap *g, const struct op *next)
{
	static const enum idle_cause host[] = { IDLE_HOST, IDLE_AFTER_SYNC,
	    IDLE_API };
	struct gaps_near *near = &d->near[d->nearer];
	uint64_t ns = 0;
	uint32_t i, k;

	for (i = 0; i < sizeof(host) / sizeof(host[0]); i++)
		ns += g->idle[host[i]];
	if (ns == 0)
		return;
	k = 63u - (uint32_t)__builtin_clzll(ns);
	if (k >= GAP_CLASSES)
		k = GAP_CLASSES - 1;
	near->gap[k].count++;
	for (i = 0; i < sizeof(host) / sizeof(host[0]); i++)
		near->gap[k].idle_ns[host[i]] += g->idle[host[i]];
	if (next->kind == OP_COPY && next->row == ROW_H2D)
		near->gap[k].input_ns = add_sat(near->gap[k].input_ns, ns);
}

/* Has a kernel of the name of kernel ${index} run? */
static bool
has_run(const struct model *m, uint32_t index)
{
	for (uint32_t i = 0; i < m->kernels; i++)
		if (m->kernel[i].swept_ns > 0 && m->kernel[i].out.mangled ==
		    m->kernel[index].out.mangled)
			return true;
	return false;
}

/* Was code made in it, in the middle of things? */
static void
gap_compiling(const struct model *m, struct device_state *d,
    const struct gap *g, const struct op *next)
{
	uint64_t ns = g->idle[IDLE_HOST] + g->idle[IDLE_API] +
	    g->idle[IDLE_AFTER_SYNC];
	struct compiling *all = &d->compiling;
	const struct stream *s;
	struct compiled *c;

	if (g->loads == 0 || ns < COMPILING_LEAST ||
	    next->thread == IDMAP_NONE)
		return;
	s = m->stream[m->thread[next->thread].process];
	if (s->launches < HOT_AFTER)
		return;
	c = all->times > 0 ? &all->time[all->times - 1] : NULL;
	if (all->times < COMPILING_TIMES && (c == NULL ||
	    sub_sat(s->launches, c->at) >= COMPILING_APART ||
	    (next->kind == OP_KERNEL && c->kernel == next->index + 1))) {
		c = &all->time[all->times++];
		*c = (struct compiled){ .kernel = 0 };
	}
	if (next->kind == OP_KERNEL && c->kernel != next->index + 1) {
		c->kernel = next->index + 1;
		c->known = has_run(m, next->index);
	}
	c->loads += g->loads;
	c->idle_ns = add_sat(c->idle_ns, ns);
	c->at = s->launches;
}

/* ${ns} of the gap would not have been without us. The host would have been
 * earlier: it had all of its calls before it then. */
static void
gap_shorten(struct gap *g, uint64_t ns)
{
	static const enum idle_cause order[] = { IDLE_HOST, IDLE_API,
	    IDLE_ALLOCATION, IDLE_AFTER_SYNC, IDLE_LAUNCH };
	uint64_t part;
	uint32_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		part = min_u64(ns, g->idle[order[i]]);
		g->idle[order[i]] -= part;
		ns -= part;
	}
	g->blocked = min_u64(g->blocked, g->idle[IDLE_AFTER_SYNC]);
}

/* Draw the gap, one cause after the other: where in it each was is not kept. */
static void
gap_draw(struct device_state *d, const struct gap *g, uint64_t ours)
{
	static const enum timeline_row row[IDLE_CAUSES] = {
		[IDLE_AFTER_SYNC] = ROW_IDLE_SYNC, [IDLE_HOST] = ROW_IDLE_HOST,
		[IDLE_ALLOCATION] = ROW_IDLE_CALL, [IDLE_API] = ROW_IDLE_CALL,
		[IDLE_LAUNCH] = ROW_IDLE_LAUNCH,
	};
	static const enum idle_cause order[] = { IDLE_AFTER_SYNC, IDLE_HOST,
	    IDLE_ALLOCATION, IDLE_API, IDLE_LAUNCH };
	uint64_t at = g->start, ns;
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		ns = min_u64(g->idle[order[i]], g->end - at);
		if (ns > 0)
			timeline_add(d, row[order[i]], at, at + ns);
		at += ns;
	}
	ns = min_u64(ours, g->end - at);
	if (ns > 0)
		timeline_add(d, ROW_IDLE_MEASURING, at, at + ns);
}

/* Did we hold the host in the gap, or so shortly before that its next launches
 * are slow because of it? */
static bool
gap_disturbed(const struct model *m, const struct device_state *d,
    uint64_t ours)
{

	return ours > 0 || spans_overlap(&m->held,
	    sub_sat(d->frontier, LAUNCH_APART), d->frontier) > 0;
}

bool
idle_gap(struct model *m, struct device_state *d, const struct op *next,
    struct gap_seen *seen)
{
	struct gap g = { .start = d->frontier, .end = next->start };
	uint64_t idle, ours, before = 0;
	bool dry, none = false;
	int i;

	ours = spans_overlap(&m->overhead, g.start, g.end);
	idle = g.end - g.start - ours;
	if (next->launch != 0)
		g.host_end = max_u64(next->launch, g.start);
	else
		g.host_end = idle <= LAUNCH_GAP ? g.start : g.end;
	dry = g.host_end > g.start;
	if (dry)
		gap_host(m, &g, next->thread == IDMAP_NONE ? NULL :
		    &m->thread[next->thread]);
	g.idle[IDLE_LAUNCH] = g.end - g.host_end -
	    spans_overlap(&m->overhead, g.host_end, g.end);
	if (dry)
		before = ahead_gap(m, d, next, &none);
	if (idle - before <= LAUNCH_APART && gap_disturbed(m, d, ours + before))
		before = idle;
	gap_shorten(&g, min_u64(before, idle));
	ours += min_u64(before, idle);
	idle -= min_u64(before, idle);
	for (i = 0; i < IDLE_CAUSES; i++)
		d->idle[i] += g.idle[i];
	d->out.idle_fault_ns = add_sat(d->out.idle_fault_ns,
	    min_u64(unified_host_in(m, g.start, g.host_end),
	    g.idle[IDLE_HOST] + g.idle[IDLE_AFTER_SYNC]));
	d->idle_overhead += ours;
	if (g.end - g.start > GAP_COUNTED)
		gap_draw(d, &g, ours);
	if (idle > d->idle_longest) {
		d->idle_longest = idle;
		memcpy(d->idle_longest_by, g.idle, sizeof(g.idle));
	}
	d->idle_gaps += idle > GAP_COUNTED;
	d->out.idle_near_ns = add_sat(d->out.idle_near_ns,
	    min_u64(idle, LAUNCH_APART));
	near_step(m, d, launches_of(m, next));
	if (ours == 0 || (idle > LAUNCH_APART && ours <= idle / TALLIED_LEAST))
		gap_tally(d, &g, next);
	if (next->kind == OP_COPY && idle <= LAUNCH_APART && ours == 0)
		m->copy[next->index].out.idle_before_ns += idle;
	gap_compiling(m, d, &g, next);
	gap_blame(m, d, &g, idle);
	if (g.loads > 0)
		memset(d->near, 0, sizeof(d->near));
	*seen = (struct gap_seen){ .synced = g.synced,
	    .allocated = g.allocated, .ours = ours > 0,
	    .queued = next->launch != 0 &&
	    add_sat(next->launch, QUEUED) < g.start,
	    .host_ns = g.idle[IDLE_HOST] + g.idle[IDLE_AFTER_SYNC] };
	return dry && !none;
}
