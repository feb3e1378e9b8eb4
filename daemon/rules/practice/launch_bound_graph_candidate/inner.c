/*
 * rules/practice/launch_bound_graph_candidate/inner.c: a loop of few turns that a framework
 * has compiled within another.
 */
#include <math.h>

#include "rules/evidence/inner.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

/* Of a loop that is compiled already, unrolling removes the counter's launches, and what
 * fuses over steps: library calls in its body do not, and bar a graph. Estimated by two
 * for a loop of ten kernels with two Fourier transforms (JAX-CFD): 10 to 20 % and 20 to 40 %
 * of its launches' time. */
static const double unroll_goes[VIEWS] = { 0.1, 0.25, 1 };

void
bound_unroll(struct gain *g)
{
	g->low *= unroll_goes[VIEW_LOW];
	g->mid *= unroll_goes[VIEW_MID];
	g->high *= unroll_goes[VIEW_HIGH];
}

/* Of an inner loop of few turns the launches of one turn are left, as it fuses with the others:
 * the gaps in front of the rest go, but for some where a turn's result does not fuse into the
 * next. Of their kernels' time the part that each takes however little it does goes, half;
 * arithmetic. (Estimated by an expert for two loops of 243 and 232 launches a step, 204 of them
 * in a loop of 6 turns, JAX MD: 10 to 13 of 21.4 s, of which kernels take 6.3 s.) */
static const double fused_gaps[VIEWS] = { 0.3, 0.9, 1 };
static const double fused_kernels[VIEWS] = { 0, 0.5, 1 };

/* From this share of the launches on the inner loop is what to change. Arithmetic: most. */
#define INNER_LEAST 0.5

/* If most launches of a turn of ${l} are in inner loops that a framework has compiled, prices
 * their unrolling. */
void
bound_price_inner(const struct rule_view *x, struct bound_loop *l, double *gone)
{
	const struct sequence *s = l->main->s;
	double *list = arena_get(x->arena, (x->run->kernels + 1) * sizeof(*list));
	double idle = (double)(s->span_launches > 0 ? s->span_idle_ns : s->idle_ns) * 1e-9;
	struct inner in;

	if (list == NULL || l->main->alike || l->recurrent != NULL)
		return;
	in = inner_of(x, s, list);
	if (in.share < INNER_LEAST)
		return;
	for (size_t i = 0; i < x->run->kernels; i++)
		gone[i] += list[i];
	l->inner = in;
	l->inner_s = idle;
	/* Others have the GPU in turns: of a shorter loop's time they have less. */
	l->turns_s = in.goes * (double)x->run->idle_ns[IDLE_ELSEWHERE] * 1e-9 * fmin(1,
	    (double)s->length * (double)s->repeats / fmax(1, (double)x->run->launches));
	l->parts = false;
	l->gain = (struct gain){ fused_gaps[VIEW_LOW] * in.goes * idle,
	    fused_gaps[VIEW_MID] * in.goes * idle, fused_gaps[VIEW_HIGH] * in.goes * idle };
}

/* All loops with inner ones, of ${n}, are one finding: the one with the largest gain. */
void
bound_join_inner(struct bound_loop *l, size_t n)
{
	struct bound_loop *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (l[i].inner.turns > 0 && (most == NULL || l[i].gain.mid > most->gain.mid))
			most = &l[i];
	for (size_t i = 0; i < n; i++) {
		if (l[i].inner.turns == 0 || &l[i] == most)
			continue;
		most->gain.low += l[i].gain.low;
		most->gain.mid += l[i].gain.mid;
		most->gain.high += l[i].gain.high;
		most->inner_s += l[i].inner_s;
		most->turns_s += l[i].turns_s;
		most->like++;
		l[i].told = true;
	}
}

/* The kernels that go with the turns of an inner loop, ${gone} launches of each. */
static void
shorten_inner(const struct rule_view *x, const double *gone, struct draft *d)
{
	const struct run *run = x->run;
	struct part *part = arena_get(x->arena, (run->kernels + 1) * sizeof(*part));

	if (part == NULL)
		return;
	d->part = part;
	for (size_t i = 0; i < run->kernels; i++) {
		struct part *p = &part[d->parts];

		if (!(gone[i] > 0))
			continue;
		*p = (struct part){ .kernel = &run->kernel[i], .load = &x->loads[i] };
		for (int v = 0; v < VIEWS; v++) {
			p->fix[v] = (struct fix)FIX_NONE;
			p->fix[v].whole = 1 - fused_kernels[v] * fmin(1, gone[i] /
			    fmax(1, (double)run->kernel[i].launches));
		}
		d->parts++;
	}
}

/* The inner loop is what to change, whatever the loop around it waits for. */
void
bound_say_inner(const struct rule_view *x, const struct bound_loop *l, const double *gone,
    struct draft *d)
{
	const struct inner *in = &l->inner;

	d->barred = 0;
	shorten_inner(x, gone, d);
	d->claims = 1;
	d->claim[d->claims++] = (struct claim){ POOL_IDLE(IDLE_ELSEWHERE),
	    { 0, 0, l->turns_s } };
	d->cause_s = l->inner_s;
	if (d->f.site == NULL)
		d->f.site = in->site;
	if (l->like > 0)
		d->f.location = arena_format(x->arena, "%s; likewise in %s", d->f.location,
		    say_counted(x->arena, (double)l->like, "other loop"));
	rule_evidence(x, d, "inner_turns", in->turns, "turns of a compiled loop within the "
	    "sequence", .derived = "kernel records", .unit = "turn");
	rule_evidence(x, d, "inner_body", in->body, "launches of a turn",
	    .derived = "kernel records", .unit = "launch");
	rule_evidence(x, d, "inner_ratio", in->share, "launches of the sequence in such loops",
	    .derived = "kernel records");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "a compiled loop of %s, %s each, is in the step, "
	    "with %s of its launches; of the loop around it %s",
	    say_counted(x->arena, in->turns, "turn"), say_counted(x->arena, in->body, "launch"),
	    say_percent(x->arena, in->share), d->f.summary);
	d->f.gain_note = arena_format(x->arena, "the unrolled turns fuse, so that of each %s the "
	    "launches of one are left: %s of the step's go, with the gaps in front of them, "
	    "and half of their kernels' time; reductions and library calls stay%s",
	    say_counted(x->arena, fmin(in->turns, 16), "turn"),
	    say_percent(x->arena, in->goes), l->turns_s > 0 ? "; at most, in proportion, "
	    "also of the time in which the GPU was not this program's" : "");
}
