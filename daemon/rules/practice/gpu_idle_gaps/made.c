/*
 * Findings of their own about what a model makes on the CPU within its calls, where that is not
 * most of the late input: the line that makes a tensor and copies it, and what becomes of
 * results between their copies to the host and those back.
 */
#include <math.h>

#include "rules/evidence/inputs.h"
#include "rules/evidence/oncpu.h"
#include "rules/evidence/reads.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* A tensor that is made on the GPU takes a launch: as of kept_goes in input.c. */
static const double line_goes[VIEWS] = { 0.5, 0.9, 1 };

/* What operators do on the GPU in place of NumPy takes launches, perhaps one for each line of
 * it, and a choice among results a wait. Arithmetic: a third of the time at best is believed to
 * go, or all. */
static const double returned_goes[VIEWS] = { 0.33, 0.67, 1 };

/* A finding of its own, with the words ${variant}, about ${s} seconds that go by ${goes}, at
 * ${site}. */
static struct draft *
find(struct rule_view *x, const struct idle_gaps *g, const char *variant, double s,
    const double goes[VIEWS], const struct site *site)
{
	struct draft *d = rule_found(x, variant);

	d->variant = variant;
	d->waits = BAR_WAIT;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), { goes[VIEW_LOW] * s,
	    goes[VIEW_MID] * s, goes[VIEW_HIGH] * s } };
	d->claims = 1;
	d->cause_s = s;
	d->f.site = site;
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "made_ratio", s / g->a.base, "that time, part of first to last work "
	    "without its phases", .derived = "kernel and API records, call stacks",
	    .key = "min_share");
	return d;
}

/* The line that makes a tensor on the CPU. */
static void
find_line(struct rule_view *x, const struct idle_gaps *g, const struct oncpu *o)
{
	struct draft *d = find(x, g, "within", o->s, line_goes, o->site);

	d->f.location = arena_format(x->arena, "%s to the GPU, in front of which the host is at "
	    "this line", say_counted(x->arena, o->copies, "copy"));
	d->f.summary = arena_format(x->arena, "the model makes a tensor on the CPU in each step, "
	    "and copies it: the GPU waits %s while the host is at this line (%s of GPU work and "
	    "the gaps in it, one-off phases excluded)", say_seconds(x->arena, o->s),
	    say_percent(x->arena, o->s / g->a.base));
	d->f.limiter = "the host, which fills the tensor";
	d->f.advice = "make the tensor of this line on the GPU, or once, in front of the loop";
	d->f.gain_note = "the tensor needs nothing of the CPU, as zeros, masks and positions do "
	    "not";
	reads_doubt_idle(x, d);
}

/* What the host does with results of the model's, within its calls, and copies back. */
static void
find_returned(struct rule_view *x, const struct idle_gaps *g, const struct inputs *in, double s)
{
	struct draft *d = find(x, g, "returned", s, returned_goes, gaps_away(x->arena, x->run,
	    0, rule_value(x, "min_gaps"), inputs_within));

	d->f.location = "most of it in front of this line's copies to the GPU";
	rule_evidence(x, d, "results", in->results, "copies to the host within calls of "
	    "modules, of those whose stack was taken", .measured = "call stacks", .unit = "copy");
	d->f.summary = arena_format(x->arena, "the model copies results to the host, works on "
	    "them there, and copies what it makes of them back: the GPU waits %s for it (%s of "
	    "GPU work and the gaps in it, one-off phases excluded)", say_seconds(x->arena, s),
	    say_percent(x->arena, s / g->a.base));
	d->f.limiter = "the host, which works between the model's layers";
	d->f.advice = "do on the GPU what the model does to its results on the host";
	d->f.gain_note = "what operators on the GPU do in its place takes a few launches each";
	reads_doubt_idle(x, d);
}

bool
idle_find_made(struct rule_view *x, struct idle_gaps *g)
{
	struct inputs in = inputs_of(x->run);
	double least = rule_value(x, "min_share") * g->a.base, returned;
	double copied = rule_value(x, "min_gaps");
	struct oncpu o;

	/* If that is most of the late input, it is the cause. */
	if (!g->python || g->brief || in.outside < copied || idle_by_within(x, g))
		return false;
	o = oncpu_of(x->run, idle_looks(x), g->idle + g->late);
	returned = in.results < copied ? 0 : fmin(g->a.input, in.within_s - o.away_s);
	if (o.s >= least && o.copies >= copied) {
		find_line(x, g, &o);
		idle_take_input(g, o.s);
	}
	if (returned >= least) {
		find_returned(x, g, &in, returned);
		idle_take_input(g, returned);
	}
	return o.s >= least || returned >= least;
}
