/*
 * dynamic-parallelism-overhead: a kernel launches so many others that launching
 * is most of what it does.
 *
 * CUPTI records neither launches made by a kernel nor anything of the launched
 * kernels. Three things show: the code, which calls the device runtime (by the
 * symbols that it is linked with); how many threads executed those calls, where
 * instructions were counted; and time: the kernel's own, and the time after it
 * during which the GPU seems idle though the next work was queued or the host
 * waited. A kernel ends only when all that it launched have ended.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"

/* Time of one launch by a kernel, with many queued. Measured: 1.0 us on the
 * reference pair's bad (H200), of which 4 % is work. */
#define LAUNCH_LEAST_S 0.3e-6
#define LAUNCH_S 0.95e-6
#define LAUNCH_MOST_S 2e-6

/* The share of the time that the work still takes, for a kernel that does
 * little but launch. */
#define WORK_LEAST 0.05
#define WORK_HIGH 0.02

/* The maximum number of findings in a run. */
#define FINDINGS 8

struct launches {
	double count;		/* launches by one launch of the kernel */
	bool counted;		/* false: one per thread is assumed */
	bool called;		/* some are in functions that need not launch */
	double own_s, after_s;	/* of all launches of the kernel; GPU idle after them */
	double own, share;	/* own_s, and own_s + after_s, of the time from
				 * first to last GPU work */
	double each;		/* (own_s + after_s) for each launch by the kernel, s */
};

/* Threads that executed the calls; NaN if they were not counted. */
static double
count(const struct code *c, bool *called, struct mark *m)
{
	double sum = 0, n;

	for (size_t i = 0; i < c->launches; i++) {
		size_t at = inst_at(c, c->launch[i].pc);

		n = NAN;
		if (at != SIZE_MAX)
			n = inst_value(c, at, SOURCE_THREADS_ON);
		if (at != SIZE_MAX && m != NULL)
			m[at].weight = isnan(n) ? 1 : n;
		*called |= !c->launch[i].direct;
		sum += n;
	}
	return sum;
}

static void
look_time(const struct rule_view *x, const struct kernel *k,
    struct launches *l)
{
	double active = rule_active_s(x->run);

	l->own_s = (double)k->total_ns * 1e-9;
	l->after_s = (double)k->gap_after_ns * 1e-9;
	l->own = active > 0 ? fmin(1, l->own_s / active) : 0;
	l->share = active > 0 ? fmin(1, (l->own_s + l->after_s) / active) : 0;
}

static void
look_code(const struct kernel *k, struct launches *l, struct mark *m)
{
	l->count = count(k->code, &l->called, m);
	l->counted = isfinite(l->count);
	if (!l->counted)
		l->count = rule_blocks(k) * rule_threads(k);
	l->each = l->count > 0 && k->launches > 0 ? (l->own_s + l->after_s) /
	    (double)k->launches / l->count : NAN;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct launches *l, const struct kernel *k)
{
	rule_evidence(x, d, "launch_places", (double)k->code->launches,
	    "places in its code that launch a kernel",
	    .attribute = "symbols of its code", .unit = "place");
	rule_evidence(x, d, "device_launches", l->count, l->counted ?
	    "launches from it, each time it runs" :
	    "its threads, each of which may launch", .source = l->counted ?
	    "measured" : "attribute", .from = l->counted ?
	    source_metric_table[SOURCE_THREADS_ON].name :
	    "kernel activity record", .unit = "launch", .key = "min_launches");
	rule_evidence(x, d, "time_each", l->each,
	    "its time, and the GPU's after it, for each of them",
	    .derived = "kernel activity records", .unit = "s",
	    .key = "max_each");
	rule_evidence(x, d, "time_ratio", l->share,
	    "both, of the time from first to last GPU work",
	    .measured = "kernel activity records", .key = "min_share");
}

/* The share of the time that launches take, if each takes ${s} seconds. */
static double
part_of(const struct launches *l, double s, double work)
{
	return fmin(1 - work, s / l->each);
}

static int
set_gain(struct rule_view *x, struct draft *d, const struct launches *l,
    const struct kernel *k)
{
	static const struct fix none = FIX_NONE;
	struct part *p = arena_get(x->arena, sizeof(*p));
	double saved[VIEWS];

	if (p == NULL)
		return -1;
	saved[VIEW_LOW] = part_of(l, LAUNCH_LEAST_S, WORK_LEAST);
	saved[VIEW_MID] = part_of(l, LAUNCH_S, WORK_LEAST);
	saved[VIEW_HIGH] = part_of(l, LAUNCH_MOST_S, WORK_HIGH);
	p->kernel = k;
	p->load = &x->loads[k - x->run->kernel];
	for (int v = 0; v < VIEWS; v++) {
		p->fix[v] = none;
		p->fix[v].whole = 1 - saved[v];
	}
	d->part = p;
	d->parts = 1;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_ELSEWHERE),
	    { saved[VIEW_LOW] * l->after_s, saved[VIEW_MID] * l->after_s,
	    saved[VIEW_HIGH] * l->after_s } };
	d->claims = 1;
	return 0;
}

static int
report(struct rule_view *x, const struct launches *l, const struct kernel *k,
    const struct mark *m)
{
	const char *name = k->short_name != NULL ? k->short_name :
	    "(unnamed kernel)";
	bool sure = l->counted && !l->called;
	struct draft *d = rule_found(x, name);

	if (set_gain(x, d, l, k) != 0)
		return -1;
	d->f.confidence = sure ? CONF_MEDIUM : CONF_LOW;
	if (!l->counted)
		d->cap = SEV_LOW;
	d->f.where = name;
	d->f.location = say_shape(x->arena, k);
	d->f.limiter = arena_format(x->arena, "limited by launching: %s for "
	    "each launch", say_seconds(x->arena, l->each));
	give_evidence(x, d, l, k);
	d->f.summary = arena_format(x->arena, "%s launches %s%s kernels from "
	    "the device each time it runs: %s for each", name, sure ? "" :
	    "up to ", say_whole(x->arena, l->count),
	    say_seconds(x->arena, l->each));
	d->f.advice = "do the work of the small grids in one that the host "
	    "launches: a grid over all of their elements, in which each thread "
	    "finds its own by a prefix sum of their sizes; or let the block or "
	    "warp that would launch do the work itself, and launch only where "
	    "there is much of it (from some thousand threads on)";
	d->f.gain_note = l->counted ? "launches from the device are not "
	    "recorded: what one costs is a typical value, and what their "
	    "kernels take is not known" : "how many launches there were was "
	    "not counted: one of each thread is assumed, at a typical cost";
	d->f.next = say_ncu(x->arena, x->run, k, "--section SourceCounters "
	    "--import-source yes");
	x->kernel = k;
	lines_fill(x, d, m, NULL);
	lines_finish(x, d);
	x->kernel = NULL;
	return 1;
}

/* Returns 1: found; 0: not found; -1: not measured, with x->reason set. */
static int
judge(struct rule_view *x, const struct kernel *k)
{
	struct launches l = { .count = NAN };
	struct mark *m;
	int rc = 0;

	look_time(x, k, &l);
	if (l.share < rule_value(x, "min_share"))
		return 0;
	x->kernel = k;
	x->reason = inst_lacks(x, NEED_CUBIN);
	if (x->reason == NULL && library_owns(x->run, k))
		x->reason = &reason_row[REASON_LIBRARY];
	if (x->reason == NULL && !k->code->launches_known)
		x->reason = &reason_row[REASON_NO_FUNCTION];
	m = x->reason == NULL && k->code->launches > 0 ? marks_new(x) : NULL;
	x->kernel = NULL;
	if (x->reason != NULL)	/* idle time after any kernel is unreliable here */
		return l.own < rule_value(x, "min_share") ? 0 : -1;
	if (k->code->launches == 0)
		return 0;
	look_code(k, &l, m);
	if (!l.counted && l.each < LAUNCH_LEAST_S) {
		x->reason = &reason_row[REASON_LAUNCHES_UNCOUNTED];
		rc = -1;
	} else if (l.count >= rule_value(x, "min_launches") &&
	    l.each <= rule_value(x, "max_each"))
		rc = report(x, &l, k, m);
	free(m);
	return rc;
}

enum rule_state
rule_dynamic_parallelism_overhead(struct rule_view *x)
{
	const struct reason *reason = NULL;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < x->run->kernels && n < FINDINGS; i++) {
		rc = judge(x, &x->run->kernel[i]);
		n += rc > 0;
		if (rc < 0 && reason == NULL)
			reason = x->reason;
	}
	x->reason = NULL;
	if (n == 0 && reason != NULL)
		return rule_unmeasured_for(x, reason);
	return n > 0 ? RULE_FOUND : RULE_CLEAN;
}
