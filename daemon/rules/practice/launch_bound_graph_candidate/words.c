/*
 * rules/practice/launch_bound_graph_candidate/words.c: the finding about a loop.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/detour.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/grown.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"
#include "rules/evidence/reads.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

#define BATCHED_MOST 0.5	/* blocks per SM; arithmetic: of a kernel that
				 * leaves half of the SMs idle two fit at once */

#define EARLY 0.5		/* a loop of Python's that has ended when so much of the run is
				 * over is of a phase: arithmetic, the rest is the larger part */

/* The kernel of the sequence's launch ${at}; NULL. */
static const struct kernel *
kernel_at(const struct rule_view *x, const struct sequence *s, size_t at)
{
	for (size_t i = 0; i < x->run->kernels; i++)
		if (x->run->kernel[i].id == s->kernel[at])
			return &x->run->kernel[i];
	return NULL;
}

/* A library's call repeated with work for a part of the GPU: the name of the
 * call that does many at once; NULL. */
static const char *
batched_of(const struct rule_view *x, const struct sequence *s)
{
	const struct kernel *k = kernel_at(x, s, 0);
	const struct library *l;

	if (k == NULL || k->device >= x->run->devices)
		return NULL;
	l = &x->libraries[k - x->run->kernel];
	return l->name != NULL && rule_blocks(k) <= BATCHED_MOST *
	    x->run->device[k->device].limits.sms ? l->batched : NULL;
}

static const char *
advise(const struct rule_view *x, const struct draft *d,
    const struct sequence *s)
{
	const char *batched = batched_of(x, s);

	if (batched != NULL && !bound_by_python(x, d->f.site))
		return arena_format(x->arena, "%s; where one needs another's "
		    "result, capture a batch of these calls in one graph",
		    batched);
	if (d->variant != NULL && strcmp(d->variant, "recurrent") == 0)
		return "give the recurrent layer the whole sequence at once; the "
		    "loop over positions is only needed where an output is the "
		    "next input";
	if (bound_grows(d->variant))
		return "keep arrays of one size, padded to the longest, or a "
		    "cache of fixed size, from step to step; then launch the step "
		    "as one graph; independent items in one batch share its "
		    "launches";
	if (d->variant != NULL && strcmp(d->variant, "sizes") == 0)
		return "give each step more work, with larger batches; padded to "
		    "one size, or a few, a step can be launched as one graph";
	if (d->variant != NULL && strcmp(d->variant, "coalesced") == 0)
		return "coalesce a sparse matrix once, where it is made, or make it CSR or, if "
		    "small, dense; then launch the step as one graph";
	if (d->variant != NULL && strcmp(d->variant, "parts") == 0)
		return "compile the functions that are called again and again, each "
		    "as one graph; what the host decides in between ends a graph";
	if (bound_by_python(x, d->f.site))
		return "let the framework launch the step as one graph: PyTorch "
		    "torch.compile(mode=\"reduce-overhead\") or "
		    "torch.cuda.graph, CuPy Stream.begin_capture; shapes and "
		    "addresses must stay the same from step to step";
	if ((double)s->syncs >= WAITS_LEAST * (double)s->repeats)
		return "capture what the host launches between two of its waits "
		    "(memsets, kernels, copies) as one graph and launch that each "
		    "time; a graph of several repeats needs a condition that the "
		    "device tests (conditional nodes, CUDA 12.4)";
	return s->length > 1 ? "capture the sequence once "
	    "(cudaStreamBeginCapture … cudaGraphInstantiate) and launch it "
	    "with one cudaGraphLaunch per repeat" : "capture a batch of these "
	    "launches in one graph, or loop inside the kernel (cooperative "
	    "groups if the grid must meet in between)";
}

/* The name of the sequence's launch ${at}: the operator on the stack of ${site}; for a
 * library's kernel what it does, since the kernel's name means nothing to its caller. */
static const char *
name_at(const struct rule_view *x, const struct sequence *s, size_t at,
    const struct site *site)
{
	const struct kernel *k = kernel_at(x, s, at);
	const struct library *l;
	char name[OPERATOR_SIZE];

	if (k == NULL)
		return "an unknown kernel";
	l = &x->libraries[k - x->run->kernel];
	if (l->name != NULL && operator_name(name, k, site, l))
		return arena_format(x->arena, "%s", name);
	if (l->name != NULL && l->operation != NULL)
		return arena_format(x->arena, "%s's %s", l->name, l->operation);
	return k->short_name != NULL ? k->short_name : "an unknown kernel";
}

/* The BAR_… that occur in most of the repeats. Input that is late for few of them comes from
 * outside: the graph is of what is between. */
static uint32_t
bars(const struct run *run, const struct sequence *s)
{
	double least = WAITS_LEAST * (double)s->repeats;

	return (gaps_inputs(run, GAPS_LATE_S) >= least ? BAR_INPUT : 0) |
	    ((double)s->syncs >= least ? BAR_WAIT : 0) |
	    ((double)s->allocations >= least ? BAR_ALLOCATION : 0);
}

/* "19.2 µs between them"; where work was queued in front of some launches, the mean gap is
 * not that of all. */
static const char *
say_gaps(const struct rule_view *x, const struct bound_candidate *c)
{
	double part = (double)c->s->gaps /
	    ((double)c->s->length * (double)c->s->repeats);

	return part < GAPS_ALL ? arena_format(x->arena, "%s before %s of them",
	    say_seconds(x->arena, c->gap_s), say_percent(x->arena, part)) :
	    arena_format(x->arena, "%s between them",
	    say_seconds(x->arena, c->gap_s));
}

/* Copies of what the step's modules make on the CPU go with the change that a graph needs. */
static const char *
take_made(const struct rule_view *x, struct draft *d)
{
	struct inputs_made m;
	const struct site_frame *f;

	if (!inputs_made_of(x->run, &m))
		return NULL;
	if (d->claims < CLAIMS_MAX)
		d->claim[d->claims++] = (struct claim){ POOL_COPY, { 0, 0.9 * m.copy_s,
		    m.copy_s } };
	f = &m.most->frame[m.most->first];
	return arena_format(x->arena, "%s:%" PRIu32, text_base_name(f->file), f->line);
}

/* The line at which the step waits most; NULL: it is none of a variant with waits. */
static const char *
say_waits(const struct rule_view *x, struct draft *d, const struct sequence *s)
{
	if (d->variant == NULL)
		return NULL;
	if (strcmp(d->variant, "made") == 0)
		return take_made(x, d);
	if (strcmp(d->variant, "waits") != 0 && (!bound_has_sizes(d) ||
	    (double)s->syncs < WAITS_LEAST * (double)s->repeats))
		return NULL;
	return bound_waits(x, s, bound_by_python(x, d->f.site) ? d->f.site : NULL);
}

/* Does the loop ${l} end long before the run, as a warm-up does? */
static bool
is_early(const struct run *run, const struct bound_loop *l)
{
	return l->main->python && l->during.to_ns > 0 &&
	    (double)l->during.to_ns < EARLY * (double)run->wall_ns;
}

void
bound_found(struct rule_view *x, const struct bound_loop *l, const double *gone,
    const struct gone *less)
{
	const struct bound_candidate *c = l->main;
	const struct sequence *s = c->s;
	struct draft *d = rule_found(x, arena_format(x->arena, "%u %u", s->length,
	    s->kernel[0]));
	const struct kernel *k = kernel_at(x, s, 0);
	const char *first, *waits, *others;
	size_t at, again;

	d->barred = bars(x->run, s);
	lines_launch(x, d, s->kernel[0]);
	at = bound_place(x, d, s);
	d->f.site = bound_repeated(x, s, at, d->f.site);
	d->variant = bound_variant(x->run, l);
	first = name_at(x, s, at, d->f.site);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API), l->gain };
	d->claims = 1;
	d->during = l->during;
	if (d->variant != NULL && strcmp(d->variant, "looping") == 0)
		bound_unroll(&d->claim[0].s);
	bound_offer_batches(x, l, d);
	/* A library's calls batched into one fill the GPU. */
	if (k != NULL && batched_of(x, s) != NULL)
		d->claim[d->claims++] = (struct claim){ POOL_LAUNCHED, { 0, 0,
		    (double)s->kernel_ns * 1e-9 *
		    (1 - rule_part_of_gpu(x->run, k)) } };
	d->f.device = &x->run->device[s->device];
	d->f.location = s->length == 1 ? arena_format(x->arena, "%s, launched "
	    "%s times", first, say_count(x->arena, s->repeats)) :
	    arena_format(x->arena, "%u launches, beginning with %s, %s times",
	    s->length, first, say_count(x->arena, s->repeats));
	waits = say_waits(x, d, s);
	again = bound_has_sizes(d) ? bound_sizes_again(x, s) : 0;
	if (bound_has_sizes(d))
		bound_offer_sizes(x, d, s, waits, again);
	d->function = bound_function(x, s, d->f.site);
	d->with_waits = c->python;
	others = l->others > 0 ? arena_format(x->arena, ", beside %s of the same loop%s",
	    say_counted(x->arena, (double)l->others, "other sequence"),
	    l->sizes > 0 && bound_grows(d->variant) ? " with ever larger grids" : "") : "";
	if (l->others > 0)
		d->f.location = arena_format(x->arena, "%s%s", d->f.location, others);
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	rule_evidence(x, d, "repeats", (double)s->repeats,
	    "repeats of the sequence", .measured = "kernel records",
	    .unit = "repeat", .key = "min_repeats");
	rule_evidence(x, d, "kernel_launch_costs", c->kernel_s / c->c->launch_s,
	    "mean kernel / cost of a launch", .derived = "kernel records",
	    .unit = "launch cost");
	rule_evidence(x, d, "gap_s", c->gap_s, "mean gap between its kernels",
	    .measured = "kernel records", .key = "max_gap");
	rule_evidence(x, d, "gain_ratio", c->gain_s / (c->idle_s +
	    (double)s->kernel_ns * 1e-9), "part of the sequence in which the "
	    "GPU waits for a launch, longer than in a graph",
	    .derived = "kernel records", .key = "min_gain");
	rule_evidence(x, d, "launch_s", c->c->launch_s,
	    "cost of a launch on the host", .source = c->c->calibrated ?
	    "measured" : "estimated", .from = c->c->calibrated ? "calibration" :
	    "typical value");
	if (c->alike)
		rule_evidence(x, d, "grown_ratio", (double)s->grown /
		    ((double)s->length * (double)s->repeats), "launches with a "
		    "larger grid than a step before",
		    .derived = "kernel records");
	if (l->sizes > 0)
		rule_evidence(x, d, "sizes", (double)l->sizes, "times that grids of such "
		    "sequences become larger", .derived = "kernel records", .unit = "time");
	d->f.confidence = s->syncs == 0 && !c->alike && l->others == 0 &&
	    c->gap_s <= 2 * SURE_LAUNCHES * c->c->launch_s ?
	    CONF_HIGH : CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s %s times%s%s%s%s; %s each, %s",
	    s->length == 1 ? "the same kernel starts again and "
	    "again," : arena_format(x->arena, "a sequence of %u kernels repeats",
	    s->length), say_count(x->arena, s->repeats),
	    !c->alike ? "" : bound_grows(d->variant) ?
	    " with ever larger grids" : again == 0 ? " in other sizes each time" :
	    arena_format(x->arena, " in other sizes each time (the same %s again and again)",
	    say_count(x->arena, again)),
	    waits != NULL ? " with waits at " : "",
	    waits != NULL ? waits : "", others,
	    say_seconds(x->arena, c->kernel_s), say_gaps(x, c));
	if (l->parts && l->between_s > 0)
		d->f.summary = arena_format(x->arena, "%s; %s in gaps between these "
		    "repeats", d->f.summary, say_seconds(x->arena, l->between_s));
	if (is_early(x->run, l))
		d->f.summary = arena_format(x->arena, "%s; until %s of the run, and not "
		    "later", d->f.summary, say_seconds(x->arena, (double)l->during.to_ns * 1e-9));
	d->f.limiter = c->gap_s > c->kernel_s ? "the host's launch rate: "
	    "the GPU is done before the next launch arrives" :
	    "the host's launch rate: the GPU waits for the next launch";
	d->f.advice = advise(x, d, s);
	if (bound_by_python(x, d->f.site))
		detour_say(x->arena, x->run, d);
	d->f.gain_note = (d->barred & BAR_ALLOCATION) != 0 ? "gaps in which the host "
	    "allocates or waits are not counted: no graph reaches over "
	    "cudaMalloc or cudaFree" : s->syncs > 0 ? "gaps at "
	    "synchronisations inside the sequence are not counted" :
	    "gaps shrink to those between nodes of a graph";
	if (l->recurrent != NULL)
		bound_say_recurrent(x, l->recurrent, d);
	if (l->inner.turns > 0)
		bound_say_inner(x, l, gone, d);
	else if (l->recurrent == NULL && l->coalesced.found)
		coalesced_say(x, d, &l->coalesced, less);
	reads_doubt_idle(x, d);
}
