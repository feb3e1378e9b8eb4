/*
 * dynamic-parallelism-overhead: a kernel launches so many others that the
 * launches are what it does.
 *
 * CUPTI records no launch that a kernel makes, and nothing of the kernel that is
 * launched. What shows is the code: calls of the device's runtime, by the symbols
 * that it is linked with; how many threads came by there, where instructions were
 * counted; and the time of the kernel that launches, which ends after the last
 * one that it launched.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/lines.h"

/* What a launch by a kernel takes the GPU, with many of them in line: the range
 * that is believed. */
#define LAUNCH_LEAST_S 0.2e-6
#define LAUNCH_S 0.7e-6
#define LAUNCH_MOST_S 2e-6

/* What the work takes all the same, of the time of a kernel that does little but
 * launch. */
#define WORK_LEAST 0.05

struct launches {
	double count;		/* of one launch of the view's kernel */
	bool counted;		/* else: each of its threads one */
	bool called;		/* some in functions that may launch or not */
	double each;		/* seconds of it for each */
};

/* Threads that came by the calls; NaN if they were not counted. */
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

static struct launches
look(const struct rule_view *x, struct mark *m)
{
	const struct kernel *k = x->kernel;
	struct launches l = { .count = NAN };

	l.count = count(k->code, &l.called, m);
	l.counted = isfinite(l.count);
	if (!l.counted)
		l.count = rule_blocks(k) * rule_threads(k);
	l.each = l.count > 0 ? x->load->time_s / l.count : NAN;
	return l;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct launches *l, double share)
{
	rule_evidence(x, d, (struct evidence){ .name = "launch_places",
	    .label = "places in its code that launch a kernel",
	    .value = (double)x->kernel->code->launches, .unit = "place",
	    .source = "attribute", .from = "symbols of its code" }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "device_launches",
	    .label = l->counted ? "launches from it, each time it runs" :
	    "its threads, each of which may launch",
	    .value = l->count, .unit = "launch",
	    .source = l->counted ? "measured" : "attribute",
	    .from = l->counted ? source_metric_table[SOURCE_THREADS_ON].name :
	    "kernel activity record" }, "min_launches");
	rule_evidence(x, d, (struct evidence){ .name = "time_each",
	    .label = "its time for each of them", .value = l->each,
	    .unit = "s", .source = "derived",
	    .from = "kernel activity records" }, "max_each");
	rule_evidence(x, d, (struct evidence){ .name = "time_ratio",
	    .label = "its part of the time from first to last GPU work",
	    .value = share, .unit = "ratio", .source = "measured",
	    .from = "kernel activity records" }, "min_share");
}

/* The part of the time that launches take, if each takes ${s}. */
static struct fix
without(const struct launches *l, double s)
{
	struct fix fix = FIX_NONE;

	fix.whole = fmax(WORK_LEAST, 1 - s / l->each);
	return fix;
}

static enum rule_state
report(struct rule_view *x, const struct launches *l, double share,
    const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);

	if (d == NULL)
		return RULE_NOT_MEASURED;
	d->fix[VIEW_LOW] = without(l, LAUNCH_LEAST_S);
	d->fix[VIEW_MID] = without(l, LAUNCH_S);
	d->fix[VIEW_HIGH] = without(l, LAUNCH_MOST_S);
	/* Its counters hold nothing of what it launches: what other rules say
	 * of it is about a small part of its time. */
	d->leads = l->counted;
	d->f.confidence = l->counted && !l->called ? CONF_MEDIUM : CONF_LOW;
	if (!l->counted)
		d->cap = SEV_LOW;
	d->f.limiter = arena_format(x->arena, "launching is its limit (%s of "
	    "its time for each launch)", say_seconds(x->arena, l->each));
	give_evidence(x, d, l, share);
	d->f.summary = arena_format(x->arena, "%s launches %s%s kernels from "
	    "the device each time it runs, %s of its time for each",
	    x->kernel->short_name != NULL ? x->kernel->short_name : "it",
	    l->counted && !l->called ? "" : "up to ",
	    say_whole(x->arena, l->count), say_seconds(x->arena, l->each));
	d->f.advice = "do the work of the small grids in one: a grid over all "
	    "of their elements, launched by the host, in which each thread "
	    "finds its own by a prefix sum of their sizes; or let the block or "
	    "warp that would launch do the work itself, and launch only where "
	    "there is much of it (from some thousand threads on)";
	d->f.gain_note = l->counted ? "launches from the device are not "
	    "recorded: what one costs is a typical value, and what their "
	    "kernels take is not known" : "how many launches there were was "
	    "not counted: one of each thread is assumed, at a typical cost";
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "SourceCounters --import-source yes");
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rule_dynamic_parallelism_overhead(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double window = rule_window_s(x->run), share;
	enum rule_state state = RULE_CLEAN;
	struct launches l;
	struct mark *m;

	if (!c->launches_known)
		return rule_unmeasured(x, "the captured code has no such "
		    "function");
	share = window > 0 ? (double)x->kernel->total_ns * 1e-9 / window : 0;
	if (c->launches == 0 || share < rule_value(x, "min_share"))
		return RULE_CLEAN;
	if (!(x->load->time_s > 0))
		return rule_unmeasured(x, "none of its launches was timed");
	m = marks_new(x);
	l = look(x, m);
	if (l.count < rule_value(x, "min_launches"))
		state = RULE_CLEAN;
	else if (!l.counted && l.each < LAUNCH_LEAST_S)
		state = rule_unmeasured(x, "how often it launches others was "
		    "not counted");
	else if (l.each <= rule_value(x, "max_each"))
		state = report(x, &l, share, m);
	free(m);
	return state;
}
