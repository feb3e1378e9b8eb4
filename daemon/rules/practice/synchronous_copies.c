/*
 * synchronous-copies: the host waits for a copy, in the call or right after it,
 * and only then launches the next work: the GPU idles meanwhile.
 *
 * Copies to the GPU need no wait, nor do copies from it whose data are read
 * later. But a result of a few bytes is needed before the host can go on: no order
 * of calls hides that copy. The host's computation has to move to the GPU instead.
 */
#include <math.h>

#include "rules/engine/pools.h"
#include "rules/evidence/closure.h"
#include "rules/evidence/counters.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/offloaded.h"
#include "rules/evidence/slope.h"

/* A copy of a cache line or less is a result that the host's next step depends
 * on; one of a page or more is data. */
#define RESULT_BYTES 64
#define DATA_BYTES 4096

/* What a copy of a few bytes to the host costs a loop of kernels of 0 to 50 us,
 * besides its own time: 11 to 19 us per copy, 15 in the median; H200, 2026-11-23. */
#define COPY_TRIP_S 15e-6

/* Of the idle time behind copies that the host needs, as far as it would go without
 * waiting, the share believed to go. A loop that asks whether it may end can ask
 * every 100th time, and one that computes with the result can do so on the device;
 * one whose next grid depends on the result cannot. Of what would go, four loops
 * saved 0.2, 1.2, 1.2 and 1.4. Host computation longer than a turn must move to the
 * GPU. In Python it is mostly a value to be logged (.item(), print), which can wait:
 * two loops of PyTorch saved 0.7 and 1.9 of what lies on both sides of the copies. */
#define NEEDED 0.8
#define COMPUTED 0.2
#define NEEDED_PYTHON 0.7

#define TOLD 0.1	/* of the idle time: a smaller part of the copies alone
			 * is not mentioned */

struct waiting {
	double count, queued;		/* copies waited for; of them, by
					 * asynchronous calls */
	double bytes, idle_s, host_s, exposed_s;
	double input_s;			/* of idle_s: behind copies to the device */
	double needed_s;		/* of idle_s: behind copies that the
					 * host needs */
	double before_s;		/* idle in front of them, not in idle_s */
	double needed_copy_s;		/* exposed time of copies that the host needs */
};

/* How surely the host needs the bytes of such a copy before it goes on, 0..1. */
static double
needed_of(const struct copy_class *c)
{
	if (c->memset || c->kind != COPY_D2H || c->count == 0)
		return 0;
	return slope_log((double)c->bytes / (double)c->count, DATA_BYTES,
	    RESULT_BYTES);
}

static void
collect(const struct run *run, const struct counters *counters, struct waiting *w)
{
	double others = 1 - counters_of_reads(run, counters);

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];
		/* An optimizer's step counters are unfused-optimizer's. */
		double part = counters_single(c) ? others : 1;
		double count = part * (double)(c->async ? c->waits : c->count -
		    c->checked);
		double idle = part * 1e-9 * (double)(c->async ? c->waits_idle_ns :
		    c->idle_waited_ns), turn, need = needed_of(c);

		/* Within the device neither a copy nor a memset blocks the
		 * host, whatever the call. */
		if (!(count > 0) || c->kind == COPY_D2D || (c->memset &&
		    (c->async || (c->dst != MEMORY_PINNED &&
		    c->dst != MEMORY_PAGEABLE && c->dst != MEMORY_MANAGED))))
			continue;
		w->count += count;
		w->queued += c->async ? count : 0;
		w->bytes += (double)c->bytes * count / (double)c->count;
		w->idle_s += idle;
		w->input_s += c->kind == COPY_H2D ? idle : 0;
		w->before_s += (double)c->idle_before_ns * 1e-9 * count /
		    (double)c->count;
		turn = fmin(idle, count * TURN_S);
		w->needed_s += need * turn;
		if (c->kind == COPY_D2H && !c->memset)
			w->needed_s += idle - turn;
		if (c->exposed_ns > 0)
			w->needed_copy_s += need * c->exposed_ns * 1e-9 *
			    count / (double)c->count;
		if (c->async)
			continue;
		w->host_s += part * (double)c->host_ns * 1e-9;
		if (c->exposed_ns > 0)
			w->exposed_s += part * (1 - need) * c->exposed_ns * 1e-9;
	}
}

/* A compiler that tries out variants waits for each, and L-BFGS reads what it decides by: only
 * the rest is the program's. */
static void
leave_others(const struct run *run, struct waiting *w, uint64_t calls)
{
	double own = (1 - framework_tuned(run, calls)) * (1 - closure_reads(run));

	w->count *= own;
	w->queued *= own;
	w->bytes *= own;
	w->idle_s *= own;
	w->host_s *= own;
	w->exposed_s *= own;
	w->input_s *= own;
	w->needed_s *= own;
	w->before_s *= own;
	w->needed_copy_s *= own;
}

/* Arithmetic: pageable memory moves so many bytes in 0.4 us, at 10 GB/s, and a copy takes
 * COPY_TRIP_S with the host's call: pinned memory gains nothing. */
#define FEW_BYTES 4096

/* The part of the idle time around needed copies that goes: without the copy
 * there is no gap in front of it, either. */
static double
needed_goes(const struct rule_view *x, const struct waiting *w)
{
	uint64_t count = (uint64_t)w->count;
	double turn = rule_turn(w->idle_s, count);

	if (!(w->needed_s > 0))
		return 0;
	if (lines_python(x->run))
		return NEEDED_PYTHON * (w->needed_s + w->needed_s / w->idle_s *
		    w->before_s);
	return w->needed_s / w->idle_s * (NEEDED * turn * rule_unwaited(x->run,
	    w->idle_s + w->before_s, count, count, COPY_TRIP_S) +
	    COMPUTED * (1 - turn) * w->idle_s);
}

/* How long the host was blocked, s: whatever waits are taken out, it gets ahead by no more.
 * A copy of pageable memory blocks in its own call, be it an asynchronous one. */
static double
blocked_s(const struct run *run)
{
	double ns = 0;

	for (size_t i = 0; i < run->syncs; i++)
		ns += (double)run->sync[i].wait_ns;
	for (size_t i = 0; i < run->calls; i++)
		if (run->call[i].call == CALL_MEMCPY_ASYNC)
			ns += (double)run->call[i].total_ns;
	for (size_t i = 0; i < run->copies; i++)
		ns += run->copy[i].async ? 0 : (double)run->copy[i].host_ns;
	return ns > 0 ? ns * 1e-9 : INFINITY;		/* not recorded */
}

/* Sets what reordering the calls saves, and what moving the host's work to the
 * GPU does. */
static void
claim(struct rule_view *x, struct draft *d, const struct waiting *w,
    double part)
{
	uint64_t count = (uint64_t)w->count;
	struct gain g = rule_queued(x->run, w->idle_s, count);
	double free = w->idle_s > 0 ? 1 - w->needed_s / w->idle_s : 0;
	double turn = rule_turn(w->idle_s, count);
	/* Copies can hide behind kernels only. */
	double hidden = fmin(w->exposed_s, pools_kernels_s(x->run));

	double most = blocked_s(x->run);

	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_LAUNCH), { fmin(part * free * g.low, most),
	    fmin(part * (free * (g.mid + 0.5 * turn * w->before_s) +
	    needed_goes(x, w)), most), g.high } };
	d->cause_s = part * w->idle_s;
	d->waits = BAR_WAIT;
	/* With other work queued the copies may be hidden as well, unless the
	 * host computes with them first; if it no longer does, they go. */
	d->claim[1] = (struct claim){ POOL_COPY, { 0, part * turn * (0.5 *
	    hidden + NEEDED * w->needed_copy_s),
	    hidden + w->needed_copy_s } };
	d->claims = 2;
}

static void
advise(struct rule_view *x, struct draft *d, const struct waiting *w)
{
	d->f.limiter = "the host waits for the copy before it goes on";
	d->f.advice = "use cudaMemcpyAsync on a stream with pinned memory and "
	    "enqueue the next work behind it; wait once, where the host "
	    "needs the data";
	d->f.gain_note = "holds as far as the next work does not depend on "
	    "what the host read";
	if (w->input_s > 0.5 * w->idle_s)
		d->variant = w->bytes < FEW_BYTES * w->count ? "few" : "input";
	if (d->variant != NULL)
		lines_site_asked(x, d, lines_feeds);
	if (d->f.site != NULL && framework_moves(d->f.site) &&
	    offloaded_of(x->run, &(struct offloaded){ 0 })) {
		d->variant = "offloaded";
		return;
	}
	if (!(w->needed_s > 0.5 * w->idle_s))
		return;
	/* Not what a framework reads by itself, as sizes in a backward pass. */
	lines_site_asked(x, d, counters_other);
	d->f.limiter = "the host goes on only when it has read the result";
	d->f.gain_note = "what the host does with the result is done on the GPU, "
	    "or later; how much of it can be is not known";
	d->f.advice = lines_python(x->run) ? "keep the value on the device: no "
	    ".item(), .cpu(), .tolist() or print of a tensor, and no if that "
	    "asks one, in the loop; add losses up on the device and log them "
	    "every 100 steps; torch.where and masked_fill choose without the host" :
	    "move the host's work to the GPU: let a kernel test or reduce the "
	    "result and the next one read that on the device; or look at it "
	    "after several steps only (a conditional node of a graph loops "
	    "without the host)";
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct waiting *w, double active)
{
	rule_evidence(x, d, "blocking_copies", w->count,
	    "copies that the host waits for", .measured = "copy records",
	    .unit = "copy", .key = "min_count");
	rule_evidence(x, d, "idle_after_ratio", w->idle_s / active,
	    "GPU idle after them, part of first to last GPU work",
	    .measured = "copy and kernel records", .key = "min_share");
	rule_evidence(x, d, "idle_each_s", w->idle_s / w->count,
	    "GPU idle after each", .derived = "copy and kernel records");
	if (w->needed_s > 0)
		rule_evidence(x, d, "needed_s", w->needed_s, "of it, behind "
		    "results that the host computes with or decides by",
		    .estimated = "sizes of copies, gaps");
	if (w->host_s > 0)
		rule_evidence(x, d, "host_s", w->host_s, "host blocked in them",
		    .measured = "API records");
}

enum rule_state
rule_synchronous_copies(struct rule_view *x)
{
	const struct run *run = x->run;
	double active = rule_active_s(run), least, part, all;
	struct counters counters = counters_of(run);
	struct waiting w = { 0 };
	struct draft *d;
	uint64_t calls;
	bool named;

	collect(run, &counters, &w);
	named = w.queued > 0.5 * w.count;
	calls = named ? CALL_BIT(MEMCPY_ASYNC) | CALL_BIT(STREAM_SYNC) |
	    CALL_BIT(EVENT_SYNC) : CALL_BIT(MEMCPY) | CALL_BIT(MEMSET);
	leave_others(run, &w, calls);
	least = rule_value(x, "min_count");
	/* Copies with few gaps behind them end a phase of the host's own. */
	all = w.idle_s;
	w.idle_s = fmin(all, gaps_s(run, least, INFINITY));
	w.needed_s *= all > 0 ? w.idle_s / all : 0;
	w.input_s *= all > 0 ? w.idle_s / all : 0;
	w.before_s = fmin(w.before_s, fmax(0, (double)(run->idle_ns[
	    IDLE_AFTER_SYNC] + run->idle_ns[IDLE_LAUNCH]) * 1e-9 - w.idle_s));
	/* As few copies as programs make in set-up (see rules.def) do not count. */
	part = slope(w.count, 0.7 * least, least);
	if (!(part > 0) || w.idle_s < rule_value(x, "min_share") * active)
		return RULE_CLEAN;
	d = rule_found(x, "blocking");
	lines_site_of(x, d, calls, counters.copies > 0 ? counters_other : lines_moves);
	claim(x, d, &w, part);
	d->f.where = "blocking copies";
	d->f.location = arena_format(x->arena, "%s %s, %s",
	    say_whole(x->arena, w.count), named ? "copies that the host "
	    "waits for" : "blocking copies", say_bytes(x->arena, w.bytes));
	give_evidence(x, d, &w, active);
	d->f.summary = arena_format(x->arena, "%s %s leave the "
	    "GPU idle for %s after each, %s in all%s%s", say_whole(x->arena,
	    w.count), named ? "copies (asynchronous, and waited for at once)" :
	    "blocking copies", say_seconds(x->arena, w.idle_s / w.count),
	    say_seconds(x->arena, w.idle_s), w.before_s > TOLD * w.idle_s ?
	    arena_format(x->arena, ", and for %s in front of them",
	    say_seconds(x->arena, w.before_s)) : "",
	    w.exposed_s > TOLD * w.idle_s ?
	    arena_format(x->arena, "; for %s the copies overlap no other "
	    "work", say_seconds(x->arena, w.exposed_s)) : "");
	advise(x, d, &w);
	return RULE_FOUND;
}
