/*
 * gpu-idle-gaps: between its first and last work the GPU waits for the host,
 * and no more specific rule says why. Only gaps that recur count, each for
 * about the same time. Reading the input, checking the results or single phases
 * are no pattern: a program has nothing to overlap them with. Gaps in which we
 * measured do not count either.
 *
 * Here is the choice among the causes, and what all of them report; the folder
 * gpu_idle_gaps has a file for each, which its idle.h lists.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/detour.h"
#include "rules/evidence/reads.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

static const char *
limiter(double host, double api, double sync)
{
	if (host >= sync && host >= api)
		return "the host computes or does I/O while the GPU has "
		    "nothing queued";
	return sync >= api ? "the host queues the next work only after it has "
	    "waited for the GPU" : "the host is inside CUDA calls that launch "
	    "nothing";
}

/* An interpreter works, and nothing that is known of it can go. */
static bool
is_work(const struct rule_view *x, struct idle_gaps *g)
{
	return g->python && !idle_goes(x, g);
}

/* The questions in their order: the first that is answered by yes names the cause. More specific
 * ones come first; none: the general words. */
static const struct {
	const char *variant;
	bool (*is)(const struct rule_view *x, struct idle_gaps *g);
} causes[] = {
	{ "loader", idle_by_loader },
	{ "within", idle_by_within },
	{ "convert", idle_by_convert },
	{ "loader", idle_by_loaded },
	{ "kept", idle_by_kept },
	{ "calls", idle_by_calls },
	{ "own", idle_by_own },
	{ "between", idle_by_between },
	{ "input", idle_by_input },
	{ "little", idle_by_little },
	{ "busy", idle_by_busy },
	{ "rows", idle_by_rows },
	{ "elements", idle_by_elements },
	{ "closure", idle_by_closure },
	{ "launches", idle_by_launches },
	{ "varied", idle_by_varied },
	{ "work", is_work },
};

/* The words for the gaps ${g}; NULL: the general ones. */
static const char *
variant_of(const struct rule_view *x, struct idle_gaps *g)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i].is(x, g))
			return causes[i].variant;
	return NULL;
}

#define OWN_ADVICE "make this function faster: keep what it makes anew each time, vectorise its " \
	"loops, or do on the GPU what it does on the host; or do it ahead, beside the GPU's work"

/* What to do, by variant; the first row for those without a row. */
static const struct {
	const char *variant, *advice;
} advice[] = {
	{ "", "prepare the next step on the host while the GPU works on this one: another "
	    "thread, double buffers, launches enqueued ahead of the work that needs no result; "
	    "or do on the GPU what the host does to its results" },
	{ "kept", "make what does not change once, in front of the loop, and keep it on the "
	    "GPU; what does, make there" },
	{ "own", OWN_ADVICE },
	{ "calls", OWN_ADVICE },
	{ "rows", "do what this does for single rows or elements as one operation on arrays of "
	    "indices, or on the host, and copy the result once" },
	{ "elements", "do the loop over values of the GPU as one operation on arrays, or read "
	    "all of them in front of it, as a list: it reads them one by one" },
	{ "within", "make on the GPU what the model makes on the host and copies, or once, in "
	    "front of the loop" },
	{ "convert", "convert input once, in front of the loop, or on the GPU, behind its copy: "
	    "between the copies the GPU waits for it" },
	{ "between", "prepare the next input in another thread while the GPU works; work on "
	    "its results in another, too, or on the GPU" },
	{ "busy", "let the host run ahead of the GPU: read results a step later, or seldom, and "
	    "copy the next input meanwhile; larger batches or a graph change little" },
};

static void
set_advice(struct draft *d)
{
	d->f.advice = advice[0].advice;
	for (size_t i = 1; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (idle_is(d, advice[i].variant))
			d->f.advice = advice[i].advice;
}

/* The gaps that come again, and how long the GPU waits for launches besides. */
static struct idle_gaps
gaps_of(const struct rule_view *x)
{
	struct idle_gaps g = { .python = lines_python(x->run) };

	g.a = gaps_again(x->run, rule_value(x, "min_gaps"), rule_value(x, "min_gap"));
	g.late = idle_leave(x, &g.a);
	/* An interpreter's launches are late for the same reason. */
	g.launching = g.python ? g.late : 0;
	idle_add_loading(x, &g.a);
	idle_weigh(&g);
	return g;
}

/* The values that the finding is taken from: the GPU is idle for ${all} seconds. */
static void
tell_values(struct rule_view *x, struct draft *d, const struct idle_gaps *g, double all)
{
	rule_evidence(x, d, "idle_ratio", all / g->a.base, "GPU idle in gaps "
	    "that come again, part of first to last work without its phases",
	    .measured = "kernel and copy records", .key = "min_share");
	rule_evidence(x, d, "gaps", g->a.gaps,
	    "gaps that come again, about as long",
	    .measured = "kernel and copy records", .unit = "gap",
	    .key = "min_gaps");
	rule_evidence(x, d, "idle_host_s", g->a.host,
	    "idle while the host computed or did I/O",
	    .derived = "kernel and API records");
	if (all > g->idle)
		rule_evidence(x, d, "idle_launching_s", g->launching,
		    "idle until the next launch arrived",
		    .derived = "kernel and API records");
	rule_evidence(x, d, "idle_after_sync_s", g->a.sync,
	    "idle after the host had waited",
	    .derived = "synchronisation records");
	rule_evidence(x, d, "longest_s", (double)x->run->idle_longest_ns * 1e-9,
	    "longest gap of all", .measured = "kernel and copy records");
}

/* What the finding says: ${after} is what precedes the gaps. */
static void
tell(struct rule_view *x, struct draft *d, const struct idle_gaps *g, double all,
    const char *after)
{
	const struct run *run = x->run;
	struct looks_of of = idle_looks(x);
	const char *looked;

	d->f.summary = arena_format(x->arena, "the GPU waits for the host "
	    "again and again, %s in all (%s of GPU work and the gaps in it, one-off phases "
	    "excluded)%s%s",
	    say_seconds(x->arena, all), say_percent(x->arena, all / g->a.base), after,
	    run->unified.host_ns > 0 ? arena_format(x->arena, "; for %s of it "
	    "the host waits for pages of managed memory",
	    say_seconds(x->arena, fmin(g->idle,
	    (double)run->unified.host_ns * 1e-9))) : "");
	d->f.limiter = all > g->idle ? idle_launch_limiter(run, d, all) :
	    limiter(g->a.host, g->a.api, g->a.sync);
	of.apart = idle_is_of(d->variant, IDLE_LOADING);
	looked = looks_say(x, of);
	if (looked != NULL && idle_is_of(d->variant, IDLE_LAUNCHING))
		d->f.summary = arena_format(x->arena, "%s; meanwhile the host is in %s",
		    d->f.summary, looked);
	else if (looked != NULL)
		d->f.limiter = arena_format(x->arena, "meanwhile the host is in %s", looked);
	if (d->f.gain_note == NULL)
		d->f.gain_note = "host work hidden behind GPU work, as far as there "
		    "is GPU work to hide behind; what other findings recover is not "
		    "counted here";
	set_advice(d);
	idle_say_made(x, d, &g->a);
	if (idle_is_of(d->variant, IDLE_LAUNCHING))
		detour_say(x->arena, run, d);
	if (idle_is(d, "little"))
		idle_say_little(x, d, &g->little);
	idle_say_accumulated(x, d, all, g->a.sync);
	idle_say_unit(x, d);
	idle_say_counters(x, d);
}

/* The finding of the gaps ${g}, of the cause ${variant}, ${all} seconds; one that ${barred}
 * names comes first. */
static void
find_host(struct rule_view *x, const struct idle_gaps *g, const char *variant, double all,
    uint32_t barred)
{
	struct draft *d = rule_found(x, "host");
	const char *after;

	d->variant = variant;
	d->barred = barred;
	d->residual = !idle_is_of(variant, IDLE_LAUNCHING) ||
	    idle_in_sequences(x->run, g->a.brief + g->launching);
	d->cause_s = all;
	d->residual_min_s = rule_value(x, "min_share") * g->a.base;
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	after = idle_place(x, d, g);
	idle_say_workers(x, d);
	d->feeds = idle_is_of(d->variant, IDLE_LOADING) || idle_is(d, "input");
	idle_claim(x, d, g);
	tell_values(x, d, g, all);
	tell(x, d, g, all, after);
	reads_doubt_idle(x, d);
}

enum rule_state
rule_gpu_idle_gaps(struct rule_view *x)
{
	struct idle_gaps g = gaps_of(x);
	bool unsteady = gaps_unsteady(x->run);
	double all = g.idle, least = rule_value(x, "min_share") * g.a.base;
	enum rule_state none = RULE_CLEAN;	/* if these gaps are no finding */
	const char *variant;
	uint32_t barred;

	if (g.a.base > 0 && !unsteady && idle_find_rounds(x))
		none = RULE_FOUND;
	if (idle_find_silence(x))
		none = RULE_FOUND;
	if (g.a.base > 0 && idle_find_shapes(x, &g.a))
		none = RULE_FOUND;
	if (!(g.a.base > 0) || g.a.gaps < rule_value(x, "min_gaps") ||
	    g.idle + g.launching < least)
		return none;
	if (unsteady)
		return none == RULE_FOUND ? none :
		    rule_unmeasured_for(x, idle_unsteady(x, &g.a));
	if (idle_find_looped(x, &g))
		none = RULE_FOUND;
	if (idle_find_outside(x, &g.a, g.idle + g.launching))
		none = RULE_FOUND;
	if (idle_find_fetching(x, &g))
		none = RULE_FOUND;
	if (idle_find_made(x, &g))
		none = RULE_FOUND;
	all = g.idle;
	variant = variant_of(x, &g);
	if (idle_is_of(variant, IDLE_LAUNCHING))
		all += g.launching;
	if (all < least)
		return none;
	idle_find_collating(x, &g.a);
	if (!idle_is_of(variant, IDLE_LOADING) && (variant == NULL ||
	    strcmp(variant, "input") != 0))
		idle_find_waited(x, &g.a);
	idle_find_callbacks(x, &g.a);
	barred = idle_find_detour(x, &g.a) && !idle_is_of(variant, IDLE_LOADING) ?
	    BAR_WAIT : 0;
	find_host(x, &g, variant, all, barred);
	return RULE_FOUND;
}
