/*
 * launch-bound-graph-candidate: a sequence of kernels repeats, and the GPU
 * waits for the host to launch the next. A CUDA graph launches the sequence at
 * once. The kernels' length does not matter: a host that launches in time
 * leaves only the gap between any two kernels, which a graph has as well.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"
#include "rules/evidence/reads.h"
#include "rules/evidence/slope.h"

#define FINDINGS 8	/* sequences; others repeat the same story */

/* Of a gap, this many launch costs are certainly launching. The rest may be work of
 * the host that a graph does not remove: half of it is believed, or all of it in an
 * interpreter, whose framework spends it on each launch. In 145 captures only
 * interpreters had gaps that long: half or twice of BEYOND changes no finding. */
#define SURE_LAUNCHES 2.5
#define BEYOND 0.5

/* If the host waits in at least this share of the repeats, it decides there
 * what comes next, and a graph ends there. Half, since the gap before the first
 * repeats may be classified differently. */
#define WAITS_LEAST 0.5

#define BATCHED_MOST 0.5	/* blocks per SM; arithmetic: of a kernel that
				 * leaves half of the SMs idle two fit at once */

/* A sequence this short that comes so often is the turn of a loop over pieces (rays,
 * positions, samples) rather than a step: larger pieces need fewer. In 30 public programs
 * steps of training had 42 to 851 launches and came 29 to 1,316 times. */
#define SHORT 32
#define OFTEN 1000

struct candidate {
	const struct sequence *s;
	const struct ceilings *c;
	double kernel_s, gap_s;		/* mean kernel, mean gap */
	double idle_s, gain_s;		/* over all repeats */
	double sure_s;			/* the part of the gain that is
					 * launching for certain */
	double part;			/* the part of the gain that is
					 * believed: slopes */
};

/* Is it repeated in order to time it? */
static bool
is_trial(const struct rule_view *x, const struct sequence *s)
{
	const struct site *site = lines_launched(x->run, s->kernel[0]);

	return site != NULL && framework_tunes(site);
}

static bool
is_candidate(const struct rule_view *x, const struct sequence *s,
    struct candidate *out)
{
	double launches = (double)s->length * (double)s->repeats;
	double kernels = (double)s->kernel_ns * 1e-9;

	if (s->in_graph || s->device >= x->run->devices || s->gaps == 0 ||
	    !(launches > 0) || is_trial(x, s) ||
	    (double)s->repeats < rule_value(x, "min_repeats") ||
	    (double)s->gaps > rule_value(x, "max_gaps") * launches)
		return false;
	out->s = s;
	out->c = &x->run->device[s->device].ceilings;
	out->kernel_s = kernels / launches;
	out->idle_s = (double)s->idle_ns * 1e-9;
	out->gap_s = out->idle_s / (double)s->gaps;
	out->gain_s = out->idle_s -
	    (double)s->gaps * out->c->graph_node_gap_s;
	out->sure_s = fmin(out->gain_s, (double)s->gaps * SURE_LAUNCHES *
	    out->c->launch_s);
	out->part = slope(out->gain_s / (kernels + out->idle_s),
	    rule_value(x, "min_gain") / 2, rule_value(x, "min_gain")) *
	    slope(out->gap_s, 2 * rule_value(x, "max_gap"),
	    rule_value(x, "max_gap"));
	return out->part > 0;
}

static bool
has_python(const struct site *s)
{
	for (size_t i = 0; i < s->frames; i++)
		if (s->frame[i].python)
			return true;
	return false;
}

static bool
is_python(const struct rule_view *x, const struct site *s)
{
	return s != NULL ? has_python(s) : lines_python(x->run);
}

/* The kernel that the sequence begins with; NULL. */
static const struct kernel *
first_of(const struct rule_view *x, const struct sequence *s)
{
	for (size_t i = 0; i < x->run->kernels; i++)
		if (x->run->kernel[i].id == s->kernel[0])
			return &x->run->kernel[i];
	return NULL;
}

/* A library's call repeated with work for a part of the GPU: the name of the
 * call that does many at once; NULL. */
static const char *
batched_of(const struct rule_view *x, const struct sequence *s)
{
	const struct kernel *k = first_of(x, s);
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

	if (batched != NULL && !is_python(x, d->f.site))
		return arena_format(x->arena, "%s; where one needs another's "
		    "result, capture a batch of these calls in one graph",
		    batched);
	if (is_python(x, d->f.site))
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

/* The name of what the sequence begins with: the operator on the stack of
 * ${site}; for a library's kernel what it does, since the kernel's name means
 * nothing to its caller. */
static const char *
name_of_first(const struct rule_view *x, const struct sequence *s,
    const struct site *site)
{
	const struct kernel *k = first_of(x, s);
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

/* The BAR_… that occur in most of the repeats. */
static uint32_t
bars(const struct sequence *s)
{
	double least = WAITS_LEAST * (double)s->repeats;

	return BAR_INPUT | ((double)s->syncs >= least ? BAR_WAIT : 0) |
	    ((double)s->allocations >= least ? BAR_ALLOCATION : 0);
}

/* The line of Python at which the host reads results most often: what the step has to lose
 * before a graph fits it. NULL: none is known. */
static const char *
waits_at(const struct rule_view *x)
{
	const struct site *most = NULL;

	for (size_t i = 0; i < x->run->sites; i++) {
		const struct site *s = &x->run->site[i];

		if (lines_reads(s) && (most == NULL || s->count > most->count))
			most = s;
	}
	return most == NULL ? NULL : arena_format(x->arena, "%s:%" PRIu32,
	    text_base_name(most->frame[most->first].file),
	    most->frame[most->first].line);
}

/* If what the sequence begins with is launched by a thread without a line, such as a
 * backward pass, the place is the first one that has a line of Python. */
static void
place(const struct rule_view *x, struct draft *d, const struct sequence *s)
{
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX &&
	    d->f.site != NULL && lines_python(x->run) &&
	    !has_python(d->f.site); i++) {
		const struct site *site = lines_launched(x->run, s->kernel[i]);

		if (site != NULL && has_python(site))
			d->f.site = site;
	}
}

static void
found(struct rule_view *x, const struct candidate *c)
{
	const struct sequence *s = c->s;
	struct draft *d = rule_found(x, arena_format(x->arena, "%u %u", s->length,
	    s->kernel[0]));
	const struct kernel *k = first_of(x, s);
	const char *first, *waits;
	double beyond;

	d->barred = bars(s);
	lines_launch(x, d, s->kernel[0]);
	place(x, d, s);
	if (is_python(x, d->f.site))
		d->waits = BAR_STEP;
	if ((double)s->syncs >= WAITS_LEAST * (double)s->repeats)
		d->variant = "waits";
	else if (s->length <= SHORT && s->repeats >= OFTEN)
		d->variant = "short";
	first = name_of_first(x, s, lines_launched(x->run, s->kernel[0]));
	beyond = is_python(x, d->f.site) ? 1 : BEYOND;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0.7 * c->part * c->sure_s, 0.95 * c->part * (c->sure_s +
	    beyond * (c->gain_s - c->sure_s)), c->idle_s } };
	d->claims = 1;
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
	waits = d->variant != NULL && strcmp(d->variant, "waits") == 0 ?
	    waits_at(x) : NULL;
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
	d->f.confidence = s->syncs == 0 &&
	    c->gap_s <= 2 * SURE_LAUNCHES * c->c->launch_s ?
	    CONF_HIGH : CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s %s times%s%s; %s each, %s "
	    "between them", s->length == 1 ? "the same kernel starts again and "
	    "again," : arena_format(x->arena, "a sequence of %u kernels repeats",
	    s->length), say_count(x->arena, s->repeats),
	    waits != NULL ? " with waits at " : "",
	    waits != NULL ? waits : "",
	    say_seconds(x->arena, c->kernel_s),
	    say_seconds(x->arena, c->gap_s));
	d->f.limiter = c->gap_s > c->kernel_s ? "the host's launch rate: "
	    "the GPU is done before the next launch arrives" :
	    "the host's launch rate: the GPU waits for the next launch";
	d->f.advice = advise(x, d, s);
	d->f.gain_note = s->allocations > 0 ? "gaps in which the host "
	    "allocates or waits are not counted: no graph reaches over "
	    "cudaMalloc or cudaFree" : s->syncs > 0 ? "gaps at "
	    "synchronisations inside the sequence are not counted" :
	    "gaps shrink to those between nodes of a graph";
	reads_doubt_idle(x, d);
}

enum rule_state
rule_launch_bound_graph_candidate(struct rule_view *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->run->sequences && n < FINDINGS; i++) {
		struct candidate c;

		if (!is_candidate(x, &x->run->sequence[i], &c))
			continue;
		found(x, &c);
		n++;
	}
	return n > 0 ? RULE_FOUND : RULE_CLEAN;
}
