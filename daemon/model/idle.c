/*
 * model/idle.c: why the GPU had nothing to do.
 *
 * A gap lies between the end of all work so far and the start of the next
 * operation. If the host launched that operation before the gap began, the whole gap
 * is launch latency. Else the GPU waited for the host until the launch call, and the
 * rest is launch latency. The host's part is split by what the calling thread did in
 * it: recorded allocations, other recorded calls, synchronisations; the rest is the
 * host's own work. If that thread was waiting for the GPU when the gap began, it could
 * have done its work during the wait: as much of the rest as the wait was long counts
 * as AFTER_SYNC. What remains is HOST: it is longer than the GPU's work behind which
 * it could have been hidden. Launch latency that is far longer than any launch takes is
 * ELSEWHERE: the GPU was.
 * The time of our own measuring is subtracted before anything else.
 */
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

/* If the time of the call is not known, a gap as short as this is launch latency. */
#define LAUNCH_GAP 20000u	/* ns */

/* An operation launched this long before a gap was ready in its queue when the gap
 * began. Twice the time from a call to the GPU's work under CUPTI, up to 10 us. */
#define QUEUED 20000u

/* A long gap is counted in gap_class if our measuring takes up to 1/16 of it: every
 * long gap has some of it. */
#define TALLIED_LEAST 16

/* Launch latency from this on is the GPU's time elsewhere: other processes have time slices
 * of about 2 ms. In 21 Python programs, each on a GPU of its own, 0 to 4 launches or
 * copies of 90 to 300,000 took that long; in three on GPUs that five programs shared 820
 * to 3,070 of 100,000, for 17 to 41 % of the time (H200, 2026-11-29). Loading code and
 * allocating take as long: they are told apart. */
#define ELSEWHERE_LEAST 500000u	/* ns */

#define GAP_COUNTED 1000u	/* ns: shorter ones are not worth a count */

/* Loading existing machine code takes less; nvrtc and ptxas take tens of milliseconds
 * for an empty kernel. */
#define COMPILING_LEAST 5000000u	/* ns */

/* Compilations with fewer launches between them count as one: a function compiled in
 * pieces launches some of them in between, and so does a program that tries variants of
 * a kernel. If the same kernel follows as before, it was compiled again. */
#define COMPILING_APART 20u	/* launches */

struct gap {
	uint64_t start, host_end, end;	/* host_end: of the launch call */
	uint64_t idle[IDLE_CAUSES];
	uint64_t waited;	/* ns the host had been blocked when it began */
	uint64_t blocked;	/* of idle[], while the host still was */
	uint64_t loads;		/* module loads */
	bool synced;		/* a synchronisation lies in it, */
	bool allocated;		/* an allocation or a release */
	const struct wait *sync;/* the last synchronisation */
};

/* What the host caused of the gap, other than by allocations and launches. */
static uint64_t
gap_host_ns(const struct gap *g)
{
	return g->idle[IDLE_HOST] + g->idle[IDLE_AFTER_SYNC] + g->idle[IDLE_API];
}

/* Charge call ${w} with ${ns} of a gap: the GPU was idle during the call. */
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

/* Split [g->start, g->host_end) by what the thread did. */
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

	/* Before the first kernel no work waits for a copy. */
	if ((d->last.kind == OP_COPY || d->last.kind == OP_MEMSET) &&
	    d->worked) {
		c = &m->copy[d->last.index].out;
		c->idle_after_ns += idle;
		waited = sub_sat(idle, g->idle[IDLE_HOST] +
		    g->idle[IDLE_ALLOCATION] + g->idle[IDLE_ELSEWHERE]);
		c->idle_waited_ns += waited;
		if (d->phase.open && m->copy[d->last.index].phase == d->phase.serial)
			m->copy[d->last.index].phase_waited += (double)waited;
		if (c->async && g->synced) {
			c->waits++;
			c->waits_idle_ns += waited;
		}
	}
	if (d->last.kind == OP_KERNEL)
		m->kernel[d->last.index].out.gap_after_ns +=
		    g->idle[IDLE_LAUNCH] + g->idle[IDLE_ELSEWHERE] + g->blocked;
	/* A gap behind a copy counts for the copy, not for the synchronisation. */
	if (g->sync == NULL || d->last.kind == OP_COPY)
		return;
	from = min_u64(max_u64(g->sync->start, g->start), g->end);
	near->sync[g->sync->sync].followed++;
	near->sync[g->sync->sync].idle_ns += sub_sat(g->end - from,
	    spans_overlap(&m->overhead, from, g->end) +
	    g->idle[IDLE_ELSEWHERE]);
}

/* Add the gaps of ${from} to ${to}, and clear ${from}. */
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
		to[i].moved_ns = add_sat(to[i].moved_ns, from[i].moved_ns);
		to[i].fed_ns = add_sat(to[i].fed_ns, from[i].fed_ns);
		to[i].output_ns = add_sat(to[i].output_ns, from[i].output_ns);
		to[i].outputs += from[i].outputs;
		to[i].output_bytes = add_sat(to[i].output_bytes,
		    from[i].output_bytes);
		to[i].waited_ns = add_sat(to[i].waited_ns, from[i].waited_ns);
		to[i].waits += from[i].waits;
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

/* If the newer of the two sets of gaps began COMPILING_APART launches ago, the older
 * one is final: any code loaded now is too far behind it. Add it to the sums. */
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

/* How many launches the process of ${next} has made so far. */
static uint64_t
launches_of(const struct model *m, const struct op *next)
{

	return next->thread == IDMAP_NONE ? 0 :
	    m->stream[m->thread[next->thread].process]->launches;
}

/* What the host got of the GPU just before it took ${ns}: the data of a copy, or the
 * end of what it waited for. */
static void
gap_after(const struct device_state *d, struct gap_class *c, const struct gap *g,
    uint64_t ns)
{

	if (d->last.kind == OP_COPY && d->last.row == ROW_D2H) {
		c->output_ns = add_sat(c->output_ns, ns);
		c->outputs++;
		c->output_bytes = add_sat(c->output_bytes, d->last.bytes);
	} else if (d->last.kind == OP_COPY && d->last.row == ROW_H2D) {
		c->fed_ns = add_sat(c->fed_ns, ns);
	} else if (g->sync != NULL && d->last.kind != OP_COPY) {
		c->waited_ns = add_sat(c->waited_ns, ns);
		c->waits++;
	}
}

/* The class of gaps for which the host took ${ns}, not 0. */
static uint32_t
gap_class_of(uint64_t ns)
{
	uint32_t k = 63u - (uint32_t)__builtin_clzll(ns);

	return k < GAP_CLASSES ? k : GAP_CLASSES - 1;
}

/* Gives the looks in the gap its class. */
static void
gap_looks(struct model *m, const struct gap *g, const struct op *next)
{
	uint64_t ns = gap_host_ns(g);
	uint32_t gap = ns > 0 ? LOOK_GAP + gap_class_of(ns) : LOOK_LAUNCH;

	if (next->thread != IDMAP_NONE && g->loads == 0 && g->idle[IDLE_ELSEWHERE] == 0)
		look_gap(m, m->stream[m->thread[next->thread].process], g->start, g->end,
		    (uint8_t)gap);
}

/* Count the gap in the class of gaps for which the host took about as long. Code is
 * compiled, loaded or chosen once for each kernel, not in each iteration: a gap with a
 * module load, and those shortly before it, are dropped again (idle_gap). Returns
 * whether gaps of its class recur. */
static bool
gap_tally(struct device_state *d, const struct gap *g, const struct op *next)
{
	static const enum idle_cause host[] = { IDLE_HOST, IDLE_AFTER_SYNC,
	    IDLE_API };
	struct gaps_near *near = &d->near[d->nearer];
	uint64_t ns = gap_host_ns(g);
	uint32_t i, k;

	if (ns == 0)
		return false;
	k = gap_class_of(ns);
	near->gap[k].count++;
	for (i = 0; i < sizeof(host) / sizeof(host[0]); i++)
		near->gap[k].idle_ns[host[i]] += g->idle[host[i]];
	if (next->kind == OP_COPY && next->row == ROW_H2D)
		near->gap[k].input_ns = add_sat(near->gap[k].input_ns, ns);
	if (next->kind == OP_COPY && next->row == ROW_D2D)
		near->gap[k].moved_ns = add_sat(near->gap[k].moved_ns, ns);
	gap_after(d, &near->gap[k], g, ns);
	return near->gap[k].count + d->near[!d->nearer].gap[k].count +
	    d->gap[k].count >= RECURRING;
}

/* Charge the kernel that ends a recurring gap with the host's part of it: the host's
 * work lay in front of its launch. */
static void
gap_before(struct model *m, const struct gap *g, const struct op *next)
{
	struct kernel *k;

	if (next->kind != OP_KERNEL || g->loads > 0)
		return;
	k = &m->kernel[next->index].out;
	k->host_before_ns = add_sat(k->host_before_ns, gap_host_ns(g));
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

/* Record the gap if the host compiled code in it, after the program's warm-up. */
static void
gap_compiling(const struct model *m, struct device_state *d,
    const struct gap *g, const struct op *next)
{
	uint64_t ns = gap_host_ns(g);
	struct compiling *all = &d->compiling;
	const struct stream *s;
	struct compiled *c;

	if (next->thread == IDMAP_NONE)
		return;
	s = m->stream[m->thread[next->thread].process];
	c = all->times > 0 ? &all->time[all->times - 1] : NULL;
	/* Memory is often cleared or filled in front of what was compiled. */
	if (c != NULL && c->kernel == 0 && next->kind == OP_KERNEL &&
	    sub_sat(s->launches, c->at) < COMPILING_APART) {
		c->kernel = next->index + 1;
		c->known = has_run(m, next->index);
	}
	if (g->loads == 0 || ns < COMPILING_LEAST || s->launches < HOT_AFTER)
		return;
	if (c == NULL)
		d->compiling_ns = g->start;
	all->span_ns = sub_sat(g->end, d->compiling_ns);
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

/* Subtract the ${ns} of the gap that are due to us. Without us the host would have been
 * earlier: its own work is shortened first, its calls next, launch latency last. */
static void
gap_shorten(struct gap *g, uint64_t ns)
{
	static const enum idle_cause order[] = { IDLE_HOST, IDLE_API,
	    IDLE_ALLOCATION, IDLE_AFTER_SYNC, IDLE_LAUNCH, IDLE_ELSEWHERE };
	uint64_t part;
	uint32_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		part = min_u64(ns, g->idle[order[i]]);
		g->idle[order[i]] -= part;
		ns -= part;
	}
	g->blocked = min_u64(g->blocked, g->idle[IDLE_AFTER_SYNC]);
}

/* Draw the gap into the timeline, one cause after the other: where in the gap each
 * cause lay is not kept. */
static void
gap_draw(struct device_state *d, const struct gap *g, uint64_t ours)
{
	static const enum timeline_row row[IDLE_CAUSES] = {
		[IDLE_AFTER_SYNC] = ROW_IDLE_SYNC, [IDLE_HOST] = ROW_IDLE_HOST,
		[IDLE_ALLOCATION] = ROW_IDLE_CALL, [IDLE_API] = ROW_IDLE_CALL,
		[IDLE_LAUNCH] = ROW_IDLE_LAUNCH,
		[IDLE_ELSEWHERE] = ROW_IDLE_LAUNCH,
	};
	static const enum idle_cause order[] = { IDLE_AFTER_SYNC, IDLE_HOST,
	    IDLE_ALLOCATION, IDLE_API, IDLE_LAUNCH, IDLE_ELSEWHERE };
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

/* Did we measure in the gap, or hold the host so shortly before it that its next
 * launches are slow because of that? */
static bool
gap_disturbed(const struct model *m, const struct device_state *d,
    uint64_t ours)
{

	return ours > 0 || spans_overlap(&m->held,
	    sub_sat(d->frontier, LAUNCH_APART), d->frontier) > 0;
}

/* Keep the gap, without our measuring ${idle} ns, if it is one of the longest. The shortest
 * of those that are kept is the first: most gaps are shorter, and cost one comparison. */
static void
pause_keep(const struct model *m, struct device_state *d, const struct gap *g,
    const struct op *next, uint64_t idle, uint32_t site)
{
	struct pause *p = d->pause, first;
	uint32_t i, least = 0;

	if (d->pauses < PAUSES_MOST)
		p += d->pauses++;
	else if (p->idle_ns >= idle)
		return;
	*p = (struct pause){ .start_ns = g->start, .end_ns = g->end, .idle_ns = idle,
	    .host_ns = gap_host_ns(g), .busy_ns = d->out.busy_ns,
	    .launches = launches_of(m, next), .number = site,
	    .stream = next->thread == IDMAP_NONE ? 0 :
	    m->thread[next->thread].process };
	for (i = 1; i < d->pauses; i++)
		least = d->pause[i].idle_ns < d->pause[least].idle_ns ? i : least;
	first = d->pause[0];
	d->pause[0] = d->pause[least];
	d->pause[least] = first;
}

bool
idle_gap(struct model *m, struct device_state *d, const struct op *next,
    struct gap_seen *seen)
{
	struct gap g = { .start = d->frontier, .end = next->start };
	uint64_t idle, ours, before = 0;
	bool dry, none = false;
	uint32_t site = 0;
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
	if (next->launch != 0 && ours == 0 && g.loads == 0 && !g.allocated &&
	    g.idle[IDLE_LAUNCH] >= ELSEWHERE_LEAST) {
		g.idle[IDLE_ELSEWHERE] = g.idle[IDLE_LAUNCH];
		g.idle[IDLE_LAUNCH] = 0;
	}
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
		d->idle_longest_kernel = next->kind == OP_KERNEL ?
		    m->kernel[next->index].out.id : 0;
	}
	if (next->thread != IDMAP_NONE && dry)
		site = away_gap(m, m->stream[m->thread[next->thread].process],
		    g.start, g.host_end, gap_host_ns(&g), g.loads == 0);
	if (site != 0 && g.loads == 0)
		away_behind(m, m->stream[m->thread[next->thread].process], site,
		    gap_host_ns(&g), d->inputs, d->kernel);
	d->idle_gaps += idle > GAP_COUNTED;
	d->out.idle_near_ns = add_sat(d->out.idle_near_ns,
	    min_u64(idle, LAUNCH_APART));
	near_step(m, d, launches_of(m, next));
	gap_looks(m, &g, next);
	if (g.loads == 0 && idle > LAUNCH_APART && ours <= idle / TALLIED_LEAST)
		pause_keep(m, d, &g, next, idle, site);
	if ((ours == 0 || (idle > LAUNCH_APART && ours <= idle / TALLIED_LEAST)) &&
	    gap_tally(d, &g, next))
		gap_before(m, &g, next);
	if (next->kind == OP_COPY && idle <= LAUNCH_APART && ours == 0) {
		m->copy[next->index].out.idle_before_ns += idle;
		if (d->phase.open && m->copy[next->index].phase == d->phase.serial)
			m->copy[next->index].phase_before += (double)idle;
	}
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
