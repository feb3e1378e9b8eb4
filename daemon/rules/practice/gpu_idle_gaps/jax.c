/*
 * What JAX makes the GPU wait for: functions called outside of jit, whose operators are launched
 * one by one, callbacks to the host from what runs on the GPU, and loops within what is jitted,
 * whose turns are launched one by one.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/looped.h"
#include "rules/evidence/outside.h"
#include "rules/evidence/reads.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* Of the time in front of operators that JAX launches one by one so much goes with jit: a call
 * of the whole is left, and at worst half of it is calls of what is jitted already. */
static const double launching_goes[VIEWS] = { 0.5, 0.9, 1 };

/* Of the compiler's time for them, as one function of them all is compiled as well: see
 * jit_goes of recompilation. */
static const double compiling_goes[VIEWS] = { 0.25, 0.5, 1 };

/* The GPU's wait for compilations, if they are none of recompilation's: later than the first
 * fifth of the launches, its min_late, or most of the run they are. */
#define EARLY 0.2
#define EARLY_MOST 0.5

static double
compiled_early_s(const struct run *run)
{
	const struct compiling *c = &run->compiling;
	double s = 0;

	for (size_t i = 0; i < c->times; i++) {
		if ((double)c->time[i].at > EARLY * (double)run->launches)
			return 0;
		s += (double)c->time[i].idle_ns * 1e-9;
	}
	return looks_compiling(run) > 0 || s > EARLY_MOST * rule_wall_s(run) ? 0 : s;
}

/* One function that has most of it is what to jit: the advice begins with it, and the line is
 * its own. */
static void
lead_outside(struct rule_view *x, struct draft *d, const struct outside *o)
{
	const struct site_frame *f;

	if (o->function == NULL)
		return;
	f = &o->function->frame[o->function->first];
	d->f.site = o->function;
	d->f.location = "most of it in this function, here more than at its other lines";
	d->lead = arena_format(x->arena, "put @jax.jit on %s() of %s:%u, which calls "
	    "JAX's operators one by one", f->function, text_base_name(f->file), f->line);
}

/* The words of a finding about functions that are called outside of jit, ${s} seconds of the
 * gaps and ${compile_s} of the compiler. */
static void
tell_outside(struct rule_view *x, struct draft *d, const struct outside *o, double s,
    double compile_s)
{
	const struct site *at = o->function != NULL ? o->function : o->site;
	const struct site_frame *f = &at->frame[at->first];

	rule_evidence(x, d, "outside_s", s, "that time",
	    .derived = "looks at its stacks, kernel and API records");
	rule_evidence(x, d, "outside_looks", o->looks, "looks that found it there in such gaps",
	    .measured = "looks at its stacks", .unit = "look");
	if (compile_s > 0)
		rule_evidence(x, d, "outside_compile_s", compile_s, "GPU idle while operators "
		    "of these functions are compiled one by one",
		    .derived = "looks at its stacks, kernel and API records");
	d->f.location = arena_format(x->arena, "%s of it within what this line calls",
	    say_percent(x->arena, o->within));
	lead_outside(x, d, o);
	d->f.summary = arena_format(x->arena, "%s calls functions of JAX's outside of jit: the "
	    "GPU waits %s while their operators are launched one by one%s", f->function ==
	    NULL || strcmp(f->function, "<module>") == 0 ? "the program" :
	    arena_format(x->arena, "%s()", f->function), say_seconds(x->arena, s),
	    !(compile_s > 0) ? "" : arena_format(x->arena, ", and %s while each of them is "
	    "compiled", say_seconds(x->arena, compile_s)));
	d->f.limiter = "Python, which goes through vmap, grad and each operator again at each call";
	d->f.advice = "compile what this function does as a whole, in place of one operator "
	    "after the other";
	d->f.gain_note = compile_s > 0 ? "a call of the whole is left; half of the compiling is, "
	    "too, for the one function, and comes once in a run" :
	    "a call of the whole is left, of what is launched one by one";
}

bool
idle_find_outside(struct rule_view *x, const struct again *a, double idle)
{
	struct outside o = outside_of(x, rule_value(x, "min_gaps"));
	double s = o.share * idle, compile_s;
	struct gain *g;
	struct draft *d;

	if (o.looks == 0 || s < rule_value(x, "min_share") * a->base)
		return false;
	compile_s = fmin(o.compile_s, compiled_early_s(x->run));
	d = rule_found(x, "outside");
	d->variant = "outside";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), { 0, 0, 0 } };
	g = &d->claim[0].s;
	g->low = launching_goes[VIEW_LOW] * s + compiling_goes[VIEW_LOW] * compile_s;
	g->mid = launching_goes[VIEW_MID] * s + compiling_goes[VIEW_MID] * compile_s;
	g->high = launching_goes[VIEW_HIGH] * s + compiling_goes[VIEW_HIGH] * compile_s;
	d->claims = 1;
	d->cause_s = s;
	d->f.site = o.site;
	rule_evidence(x, d, "outside_ratio", s / a->base, "GPU idle while the host goes through "
	    "JAX's operators one by one, part of first to last work without its phases",
	    .derived = "looks at its stacks, kernel and API records", .key = "min_share");
	tell_outside(x, d, &o, s, compile_s);
	reads_doubt_idle(x, d);
	return true;
}

/* What a function on the host takes for which the GPU's program waits goes with it; at worst
 * half does: it may be called half as often, or the program needs what it returns. */
static const double callback_goes[VIEWS] = { 0.5, 0.95, 1 };

void
idle_find_callbacks(struct rule_view *x, const struct again *a)
{
	double gaps, s = fmin(gaps_away_s(x->run, framework_calls_back, &gaps),
	    a->host + a->api + a->sync);
	struct draft *d;

	if (gaps < rule_value(x, "min_gaps") || s < rule_value(x, "min_share") * a->base)
		return;
	d = rule_found(x, "callback");
	d->variant = "callback";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { callback_goes[VIEW_LOW] * s, callback_goes[VIEW_MID] * s,
	    callback_goes[VIEW_HIGH] * s } };
	d->claims = 1;
	d->cause_s = s;
	d->f.site = gaps_away(x->arena, x->run, 0, 1, framework_calls_back);
	d->f.location = arena_format(x->arena, "%s, in callbacks to the host from what "
	    "this line runs on the GPU", say_counted(x->arena, gaps, "gap"));
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "callback_s", s, "GPU idle while a function on the host that "
	    "its program calls was not done", .derived = "kernel and API records");
	rule_evidence(x, d, "callbacks", gaps, "gaps in which one was called",
	    .measured = "API records", .unit = "gap", .key = "min_gaps");
	d->f.summary = arena_format(x->arena, "the program on the GPU calls functions on "
	    "the host and waits for them, %s in all, %s each (%s of GPU work and the gaps "
	    "in it, one-off phases excluded)", say_seconds(x->arena, s),
	    say_seconds(x->arena, s / gaps), say_percent(x->arena, fmin(1, s / a->base)));
	d->f.limiter = "the GPU has nothing to do until the host's function is done";
	d->f.advice = "take the callbacks to the host out of the program, call them "
	    "seldom, or return what they report and do it after the run";
	d->f.gain_note = "what the callbacks do goes with them; it need not hide behind "
	    "the GPU's work";
	reads_doubt_idle(x, d);
}

/* Of the time in front of each turn of a compiled loop so much goes if eight turns are one: the
 * launches of seven. At worst a quarter, as half of a launch's time is for what is in the graph,
 * and the graph is longer (arithmetic; as of unroll_goes, launch_bound_graph_candidate.c: what
 * XLA does for each turn beside the launch is not known). Measured once: an iteration with a loop
 * of 1,000 turns took 21.0 ms in place of 28.2 (evojax's cart pole, H200, 2026-12-01). */
static const double unrolled_goes[VIEWS] = { 0.25, 0.5, 0.875 };

bool
idle_find_looped(struct rule_view *x, struct idle_gaps *g)
{
	struct looped l = looped_of(x->run);
	double s = fmin(l.s, g->late);
	struct draft *d;

	if (l.site == NULL || s < rule_value(x, "min_share") * g->a.base)
		return false;
	d = rule_found(x, "looping");
	d->variant = "looping";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH), { unrolled_goes[VIEW_LOW] * s,
	    unrolled_goes[VIEW_MID] * s, unrolled_goes[VIEW_HIGH] * s } };
	d->claims = 1;
	d->f.site = l.site;
	d->f.location = "in the loop that this line runs";
	rule_evidence(x, d, "looping_ratio", s / g->a.base, "GPU idle until a turn of the loop "
	    "arrived, part of first to last work without its phases",
	    .derived = "looks at its stacks, kernel and API records", .key = "min_share");
	rule_evidence(x, d, "turns", l.turns, "graphs of one turn that are launched",
	    .measured = "kernel records", .unit = "launch");
	d->f.summary = arena_format(x->arena, "the host launches each of %s turns of a compiled "
	    "loop: the GPU waits %s for these launches, %s each (%s of GPU work and the gaps in "
	    "it, one-off phases excluded)", say_count(x->arena, l.turns),
	    say_seconds(x->arena, s), say_seconds(x->arena, s / l.turns),
	    say_percent(x->arena, fmin(1, s / g->a.base)));
	d->f.limiter = "what the host takes to launch a turn's graph";
	d->f.advice = "do more in each turn of the loop";
	d->f.gain_note = "eight turns in one take a launch in place of eight, of a graph eight "
	    "times as long; the loop is compiled already, and jit around it changes nothing";
	g->late -= s;
	g->launching = fmax(0, g->launching - s);
	g->a.base -= s;
	idle_weigh(g);
	reads_doubt_idle(x, d);
	return true;
}
