/*
 * Gaps in front of copies to the GPU for which no loader is the cause: input that the program
 * makes late itself, within its model, between the copies of a batch, or again and again though
 * it stays the same.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/inputs.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* Of what is made and copied each time, but stays the same, so much goes with the copies:
 * of the copies half must be the same, by comparison of their bytes (arithmetic). So it
 * does of what is made or converted on the CPU, and can be on the GPU. */
static const double kept_goes[VIEWS] = { 0.5, 0.9, 1 };

/* Is most of what is copied to the GPU what is there already? */
static bool
copies_again(const struct run *run)
{
	double all = 0, same = 0;

	for (size_t i = 0; i < run->copies; i++)
		all += run->copy[i].kind == COPY_H2D && !run->copy[i].memset ?
		    (double)run->copy[i].bytes : 0;
	for (size_t i = 0; i < run->resents; i++)
		same += run->resent[i].kind == RESENT_SAME ||
		    run->resent[i].kind == RESENT_PART ?
		    (double)run->resent[i].bytes : 0;
	return same > 0.5 * all;
}

/* Late input whose place says that no loader is the cause of most of it: what a model makes
 * within its calls, if batches are copied elsewhere, or what the loop does between the
 * copies of a batch. NULL: neither, or too little of it is known. */
static const char *
made_late(const struct rule_view *x, const struct again *a)
{
	struct inputs in = inputs_of(x->run);

	if (!lines_python(x->run) || in.s < 0.5 * a->input)
		return NULL;
	if (in.within_s > 0.5 * in.s && in.outside >= rule_value(x, "min_gaps"))
		return "within";
	return in.behind_s > 0.5 * in.s ? "convert" : NULL;
}

/* Is most of the time in front of copies to the GPU, and is made_late that ${variant}? */
static bool
is_made_late(const struct rule_view *x, const struct idle_gaps *g, const char *variant)
{
	const char *made = g->input ? made_late(x, &g->a) : NULL;

	return made != NULL && strcmp(made, variant) == 0;
}

bool
idle_by_within(const struct rule_view *x, struct idle_gaps *g)
{
	return is_made_late(x, g, "within");
}

bool
idle_by_convert(const struct rule_view *x, struct idle_gaps *g)
{
	return is_made_late(x, g, "convert");
}

bool
idle_by_kept(const struct rule_view *x, struct idle_gaps *g)
{
	return g->input && copies_again(x->run);
}

bool
idle_by_between(const struct rule_view *x, struct idle_gaps *g)
{
	(void)x;
	return g->input && g->a.between > 0.5 * g->idle;
}

bool
idle_by_input(const struct rule_view *x, struct idle_gaps *g)
{
	(void)x;
	return g->input;
}

/* The seconds of late input in gaps ${a} that go with what the program makes of it itself;
 * 0: none. */
static double
made_s(const struct run *run, const struct draft *d, const struct again *a)
{
	struct inputs in;

	if (!idle_is_of(d->variant, IDLE_MADE))
		return 0;
	in = inputs_of(run);
	return fmin(a->input, idle_is(d, "within") ? in.within_s : in.behind_s);
}

struct gain
idle_input_gain(const struct rule_view *x, const struct draft *d, const struct idle_gaps *g,
    struct gain hidden)
{
	double input = g->a.input, made = made_s(x->run, d, &g->a);

	if (idle_is(d, "kept"))
		return (struct gain){ fmax(hidden.low, kept_goes[VIEW_LOW] * input),
		    fmax(hidden.mid, kept_goes[VIEW_MID] * input),
		    fmax(g->idle + g->late, hidden.high) };
	if (idle_is_of(d->variant, IDLE_MADE))	/* the rest is as it was */
		return (struct gain){ kept_goes[VIEW_LOW] * made, kept_goes[VIEW_MID] * made,
		    kept_goes[VIEW_HIGH] * input };
	return hidden;
}

/* The place of late input: the line of Python that copies it. Where a thread of the
 * framework does (XLA), the line that launches most is that of the step which it feeds. */
static void
place_input(const struct rule_view *x, struct draft *d)
{
	const struct site *copies;

	lines_site_of(x, d, IDLE_COPIES, idle_to_gpu);
	lines_site_asked(x, d, lines_feeds);
	copies = d->f.site;
	if (copies == NULL || idle_from_python(copies))
		return;
	lines_site_of(x, d, CALL_BIT(LAUNCH) | CALL_BIT(GRAPH_LAUNCH), idle_from_python);
	if (!idle_from_python(d->f.site))
		d->f.site = copies;
	else
		d->f.location = arena_format(x->arena, "%s for the steps that "
		    "this line launches", d->f.location);
}

/* Where gaps ${a} begin that end in front of copies to the GPU: "between copies to the host
 * in show() at run.py:27 and". */
static const char *
say_between(const struct rule_view *x, const struct again *a)
{
	const struct site *at = idle_site_after(x, true, a->outputs);
	const struct site_frame *f;

	if (at == NULL)
		return "between copies to the host and";
	f = &at->frame[at->first];
	return arena_format(x->arena, f->function != NULL && f->line > 0 ?
	    "between copies to the host at %s:%u in %s() and" : f->line > 0 ?
	    "between copies to the host at %s:%u and" :
	    "between copies to the host in %s and", text_base_name(f->file), f->line,
	    f->function);
}

/* In front of which copies the gaps of ${d} lie. */
static const char *
say_where(const struct rule_view *x, const struct draft *d, const struct again *a)
{
	if (idle_is(d, "between"))
		return say_between(x, a);
	return idle_is(d, "within") ? "within calls of modules, in front of" :
	    idle_is(d, "convert") ? "between a batch's" : "in front of";
}

void
idle_input_place(const struct rule_view *x, struct draft *d, const struct idle_gaps *g)
{
	double least = rule_value(x, "min_gaps");

	d->f.location = arena_format(x->arena, "%s, most of it %s copies to the GPU",
	    d->f.location, say_where(x, d, &g->a));
	d->f.site = idle_is_of(d->variant, IDLE_MADE) ?
	    gaps_away(x->arena, x->run, 0, least, idle_is(d, "within") ?
	    inputs_within : inputs_behind) :
	    gaps_away(x->arena, x->run, AWAY_TOLD * g->idle, least, idle_to_gpu);
	if (d->f.site == NULL)
		place_input(x, d);
}

void
idle_say_made(struct rule_view *x, struct draft *d, const struct again *a)
{
	double s = made_s(x->run, d, a);

	if (idle_is(d, "within"))
		rule_evidence(x, d, "within_s", s, "GPU idle in front of copies to it that "
		    "are made within calls of modules, behind such kernels",
		    .derived = "kernel and API records, call stacks");
	if (idle_is(d, "convert"))
		rule_evidence(x, d, "between_copies_s", s, "GPU idle between a batch's "
		    "copies to it", .derived = "kernel and API records, call stacks");
}
