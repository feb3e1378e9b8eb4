/*
 * launch-bound-graph-candidate: a sequence of kernels repeats, and the GPU
 * waits for the host to launch the next. A CUDA graph launches the sequence at
 * once. The kernels' length does not matter: a host that launches in time
 * leaves only the gap between any two kernels, which a graph has as well.
 *
 * Where Python launches, all sequences that repeat at the same time in one stream are
 * parts of one loop, and one finding: the framework compiles the step, not a part.
 * Functions that repeat in other shapes each time (run->alike) count there, too: the
 * change is to give them one shape.
 *
 * A framework's recurrent layer that a training calls for one position after the other takes
 * all of them in one call: then the loop goes, which saves more than a graph of a turn of it.
 *
 * A loop of few turns that a framework has compiled within another is unrolled: its turns fuse,
 * which saves most launches of a step, where a loop of thousands cannot be unrolled away.
 *
 * An optimizer that launches for each tensor repeats sequences as well, but no compiled
 * model contains it: what waits for its launches is unfused-optimizer's to say.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/engine/same.h"
#include "rules/evidence/accumulated.h"
#include "rules/evidence/closure.h"
#include "rules/evidence/decomposed.h"
#include "rules/evidence/detour.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/grown.h"
#include "rules/evidence/inner.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/little.h"
#include "rules/evidence/operator.h"
#include "rules/evidence/reads.h"
#include "rules/evidence/recurrent.h"
#include "rules/evidence/slope.h"
#include "rules/evidence/steps.h"
#include "rules/evidence/tuning.h"

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
#define WAITS_MOST 3	/* lines with waits that are named: what a sentence holds */
#define WAITS_TOLD 0.1	/* the second and third from so many stacks for each repeat on; stacks
			 * are taken of a part of the calls: of a read in each step, 133 in
			 * 673 steps (a training of Mamba, H200, 2026-11-30) */
#define WAITS_LINES 64	/* lines in one loop among which these are looked for */

/* Sizes come again if most shapes of the function with most of them do: launched so often that a
 * graph pays (min_repeats), and over much of the time in which the sequence repeats. Arithmetic:
 * what is left are the function's other calls; a size of an array that grows through eight sizes
 * (GROWN_SIZES) has an eighth of the time, once. */
#define AGAIN_LEAST 0.75
#define AGAIN_SPAN 0.25
#define AGAIN_OWN 0.5		/* of the function's launches; arithmetic: most */

#define BATCHED_MOST 0.5	/* blocks per SM; arithmetic: of a kernel that
				 * leaves half of the SMs idle two fit at once */

#define GAPS_ALL 0.9	/* from this share of the launches on a gap is in front of all of
			 * them: arithmetic, their product is within a ninth of the sum */

/* A sequence this short that comes so often is the turn of a loop over pieces (rays,
 * positions, samples) rather than a step: larger pieces need fewer. In 30 public programs
 * steps of training had 42 to 851 launches and came 29 to 1,316 times. */
#define SHORT 32
#define OFTEN 1000

/* Two sequences belong to one loop if so much of the shorter one's time is also the
 * other's; arithmetic: most of it. */
#define MEANWHILE 0.5

/* From this share of the launches meanwhile on that repeat, what lies between them is of
 * the same loop, and compiling that shortens it; arithmetic: of less the sequence is a
 * detail. Half of the gaps between are believed, as of other late launches in Python
 * (gpu_idle_gaps.c). */
#define LOOP_LEAST 0.2
#define BETWEEN 0.5
#define PARTS_MOST 0.5	/* arithmetic: if most launches lie between, the repeats
			 * are parts of a step that is never the same */

/* Grids that grow from step to step in so much of the launches, and hardly ever shrink:
 * a sequence or cache that grows; measured: 0.5 and 0.001 (a transformer that samples
 * without a cache, 2026-11-29); arithmetic. */
#define GROWN_LEAST 0.1
#define SHRUNK_MOST 0.1

/* A sequence of an optimizer's launches alone, most of which update single tensors, is its
 * loop; arithmetic: all but what has no site, and most. */
#define OPTIMIZER_LEAST 0.9
#define UPDATES_LEAST 0.5

/* Whether an output of a recurrent layer is the next input, with which the loop over
 * positions has to stay, no record says: of the price so much is certain, and not more than a
 * graph of one turn of the loop saves. Arithmetic: one digit. */
#define RECURRENT_LOW 0.1

/* What is launched for each position of a recurrent layer repeats about as often as the layer is
 * called: in the same loop a tenth of that is enough, of one shape of several (arithmetic: what
 * comes once a step comes less often), elsewhere nearly all; and of its gaps beyond those that
 * are launching for certain nearly all go, if each position has such a gap. */
#define TURNS_OWN 0.1
#define TURNS_LEAST 0.9
#define LONG 0.9

/* A turn of the loop that is forward and backward, each in this share of its launches, is a
 * batch whose gradient is added to others': it may take whole sequences. Arithmetic: forward is
 * a third of a batch; of a loop over positions (192, of an LSTM of three layers) no launch of
 * the forward turns is in backward passes alone, and none the other way round. It comes for at
 * least every second call. */
#define BATCH_LEAST 0.1
#define BATCH_CALLS 0.5

/* Batches for which a larger one costs hardly more: nearly all kernels are small, and most
 * steps have a copy of their own (arithmetic). A few times as much work still fits such
 * kernels: a wave of blocks is 132 SMs, and most of them have less than one. */
#define SMALL_LEAST 0.75
#define BATCH_EACH 0.9
#define BATCH_MORE 8.0		/* "eight" where it is said */

#define EARLY 0.5		/* a loop of Python's that has ended when so much of the run is
				 * over is of a phase: arithmetic, the rest is the larger part */

#define LEADS 0.5		/* of the idle time; arithmetic: most */

struct candidate {
	const struct sequence *s;
	bool alike;			/* in other shapes each time */
	bool python;			/* launched by Python */
	size_t loop;			/* the first of the same loop */
	const struct ceilings *c;
	double kernel_s, gap_s;		/* mean kernel, mean gap */
	double idle_s, gain_s;		/* over all repeats */
	double sure_s;			/* the part of the gain that is
					 * launching for certain */
	double part;			/* the part of the gain that is
					 * believed: slopes */
	double updates;			/* the part of its launches that
					 * updates single tensors */
};

/* The launches that update single tensors, if unfused-optimizer reports them. */
struct updates {
	const double *share;		/* of each kernel's; NULL: none */
	double launches, idle_s;	/* all, and idle in front of them */
	double dropped_s;		/* idle in sequences that are such loops,
					 * but for that */
	/* And those of small decompositions, which grid-too-small reports: no graph reaches
	 * into the library's call. By kernel index; NULL: none. */
	const bool *decomposed;
	struct decomposed small;
	double origin_ns;		/* a sequence's times are not from there */
};

/* A sequence, and those that repeat beside it. */
struct loop {
	const struct candidate *main;	/* with the largest gain */
	size_t others;
	double launches, idle_s;	/* of all repeats */
	double updates, updates_s;	/* of these, those for single tensors */
	double between_s;		/* idle between them, in the same loop */
	bool parts;			/* most launches lie between */
	const struct recurrent *recurrent;	/* the layer that it calls for
					 * single positions; NULL */
	struct inner inner;		/* loops of few turns in it: most launches */
	struct during during;		/* its repeats lie */
	double inner_s, turns_s;	/* all gaps in front of the loop's launches; of the time
					 * that the GPU was not the program's what goes */
	size_t like;			/* other loops with such, priced here */
	size_t sizes;			/* so often its sequences' grids grow */
	bool told;			/* in the finding about another */
	struct gain gain;
};

/* Is it repeated in order to time it, or while a compiler works? */
static bool
is_trial(const struct rule_view *x, const struct sequence *s)
{
	const struct site *site = lines_launched(x->run, s->kernel[0]);

	return site != NULL && (framework_tunes(site) || (tuning_throughout(x->run) &&
	    framework_launches(x->run, s->kernel[0]) > 0.5));
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

/* Does Python launch the sequence? A backward pass launches from a thread without a line:
 * one launch that has one is enough. */
static bool
by_python(const struct rule_view *x, const struct sequence *s)
{
	const struct site *site = lines_launched(x->run, s->kernel[0]);

	if (site == NULL || !lines_python(x->run))
		return is_python(x, site);
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		site = lines_launched(x->run, s->kernel[i]);
		if (site != NULL && has_python(site))
			return true;
	}
	return false;
}

static struct updates
updates_of(struct rule_view *x)
{
	const struct run *run = x->run;
	double *share = arena_get(x->arena, (run->kernels + 1) * sizeof(*share));
	double *list = arena_get(x->arena, (run->kernels + 1) * sizeof(*list));
	struct updates u = { .share = NULL };

	u.decomposed = decomposed_all(x, &u.small);
	u.origin_ns = (double)run->origin_ns;
	if (share == NULL || list == NULL || !rule_said(x, "unfused-optimizer"))
		return u;
	steps_updates(x, share, list);
	for (size_t i = 0; i < run->kernels; i++) {
		share[i] = fmax(share[i], list[i]);
		u.launches += share[i] * (double)run->kernel[i].launches;
		u.idle_s += share[i] * (double)run->kernel[i].gap_before_ns * 1e-9;
	}
	u.share = share;
	return u;
}

/* Is ${c}, of which it sets the part that updates single tensors, an optimizer's loop over
 * them? */
static bool
is_update(const struct rule_view *x, const struct updates *u, struct candidate *c)
{
	size_t n = steps_length(c->s);
	double all = 0, optimizer = 0;

	for (size_t i = 0; u->share != NULL && i < n; i++) {
		const struct kernel *k = steps_kernel(x, c->s, i);
		double share = k != NULL ? u->share[k - x->run->kernel] : 0;

		all += share;
		optimizer += k != NULL ? fmax(share, steps_in_optimizer(x, k)) : 0;
	}
	c->updates = n > 0 ? all / (double)n : 0;
	return all > UPDATES_LEAST * (double)n &&
	    optimizer >= OPTIMIZER_LEAST * (double)n;
}

/* Are most launches of ${s} those of small decompositions? */
static bool
is_decomposing(const struct rule_view *x, const struct updates *u, const struct sequence *s)
{
	size_t n = steps_length(s), of = 0;

	for (size_t i = 0; u->decomposed != NULL && i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		of += k != NULL && u->decomposed[k - x->run->kernel];
	}
	return 2 * of > n;
}

static bool
is_candidate(const struct rule_view *x, const struct sequence *s, bool alike,
    struct candidate *out)
{
	double launches = (double)s->length * (double)s->repeats;
	double kernels = (double)s->kernel_ns * 1e-9, most;

	if (s->in_graph || s->device >= x->run->devices || s->gaps == 0 ||
	    !(launches > 0) || is_trial(x, s) ||
	    (double)s->repeats < rule_value(x, "min_repeats") ||
	    (double)s->gaps > rule_value(x, "max_gaps") * launches)
		return false;
	out->s = s;
	out->alike = alike;
	out->python = by_python(x, s);
	out->c = &x->run->device[s->device].ceilings;
	out->kernel_s = kernels / launches;
	out->idle_s = (double)s->idle_ns * 1e-9;
	out->gap_s = out->idle_s / (double)s->gaps;
	out->gain_s = out->idle_s -
	    (double)s->gaps * out->c->graph_node_gap_s;
	out->sure_s = fmin(out->gain_s, (double)s->gaps * SURE_LAUNCHES *
	    out->c->launch_s);
	/* A longer gap is the host's own work, but in an interpreter, which takes that long
	 * for a launch with many arguments. */
	most = out->python ? fmax(BRIEF_S, rule_value(x, "max_gap")) :
	    rule_value(x, "max_gap");
	out->part = slope(out->gain_s / (kernels + out->idle_s),
	    rule_value(x, "min_gain") / 2, rule_value(x, "min_gain")) *
	    slope(out->gap_s, 2 * most, most);
	return out->part > 0;
}

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

/* Is it one of the variants in which the arrays of a step grow? */
static bool
is_growing(const char *variant)
{
	return variant != NULL && (strcmp(variant, "grows") == 0 ||
	    strcmp(variant, "cache") == 0);
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
	if (d->variant != NULL && strcmp(d->variant, "recurrent") == 0)
		return "give the recurrent layer the whole sequence at once; the "
		    "loop over positions is only needed where an output is the "
		    "next input";
	if (is_growing(d->variant))
		return "keep arrays of one size, padded to the longest, or a "
		    "cache of fixed size, from step to step; then launch the step "
		    "as one graph; independent items in one batch share its "
		    "launches";
	if (d->variant != NULL && strcmp(d->variant, "sizes") == 0)
		return "give each step more work, with larger batches; padded to "
		    "one size, or a few, a step can be launched as one graph";
	if (d->variant != NULL && strcmp(d->variant, "parts") == 0)
		return "compile the functions that are called again and again, each "
		    "as one graph; what the host decides in between ends a graph";
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

/* The frame of Python at ${depth} from the outermost, which is 0; NULL: there are fewer.
 * Those of Python are in front of the native ones. */
static const struct site_frame *
frame_at(const struct site *s, size_t depth)
{
	size_t n = 0;

	while (n < s->frames && s->frame[n].python)
		n++;
	return depth < n ? &s->frame[n - 1 - depth] : NULL;
}

static bool
same_function(const struct site_frame *f, const struct site_frame *g)
{
	return same_text(f->file, g->file) && same_text(f->function, g->function);
}

/* The number of outermost frames of Python that both stacks share, up to lines. */
static size_t
in_common(const struct site *a, const struct site *b)
{
	size_t n = 0;

	for (;; n++) {
		const struct site_frame *f = frame_at(a, n), *g = frame_at(b, n);

		if (f == NULL || g == NULL || f->line != g->line ||
		    !same_function(f, g))
			return n;
	}
}

/* The number of frames, from the outermost on, within which all launches of the sequence
 * lie: those around the function that loops. Kernels may be launched elsewhere, too: of
 * their sites the one nearest to ${at} counts. */
static size_t
loop_depth(const struct rule_view *x, const struct sequence *s, const struct site *at)
{
	size_t depth = SITE_DEPTH;

	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		size_t end, near = 0;
		size_t k = site_launches(x->run->site, x->run->sites,
		    s->kernel[i], &end);
		bool known = false;

		for (; k < end; k++) {
			const struct site *o = &x->run->site[k];
			size_t n;

			if (o->call != CALL_LAUNCH || o->kernel != s->kernel[i] ||
			    !has_python(o))
				continue;
			n = in_common(at, o);
			near = !known || n > near ? n : near;
			known = true;
		}
		depth = known && near < depth ? near : depth;
	}
	/* One line calls a whole step, as TorchScript's interpreter is: it loops at most in
	 * the function of that line. */
	while (depth > 0 && frame_at(at, depth) == NULL)
		depth--;
	return depth;
}

/* Is ${s} called in the function at ${depth} of ${at}, or by it? */
static bool
is_within(const struct site *s, const struct site *at, size_t depth)
{
	const struct site_frame *f = frame_at(at, depth), *g = frame_at(s, depth);

	return f != NULL && g != NULL && in_common(s, at) >= depth &&
	    same_function(f, g);
}

/* A line of Python, how often the loop calls from it and, of a helper that is called at several
 * lines of the program, the line that does so most often in the loop; NULL: one calls it. */
struct called_line {
	const struct site_frame *f, *from;
	double calls;
};

static bool
is_line(const struct site_frame *f, const struct site_frame *g)
{
	return f->line == g->line && same_text(f->file, g->file);
}

/* The line of the program that calls the function in which ${s} is shown; NULL: a package calls
 * it back. */
static const struct site_frame *
caller_of(const struct site *s)
{
	const struct site_frame *f = &s->frame[s->first];

	for (size_t i = s->first + 1; i < s->frames && s->frame[i].python; i++)
		if (site_own(&s->frame[i]) && !same_function(f, &s->frame[i]))
			return site_installed(&s->frame[i]) ? NULL : &s->frame[i];
	return NULL;
}

/* If several lines call what ${l} is a line of, sets the one of most of its calls within ${depth}
 * of ${at}, of the sites for which ${is} is true: the helper's own line does not say which of
 * its calls is meant. */
static void
add_caller(const struct run *run, const struct site *at, size_t depth,
    bool (*is)(const struct site *s), struct called_line *l)
{
	struct called_line all[WAITS_LINES];
	size_t n = 0, most = 0;

	for (size_t i = 0, j; i < run->sites; i++) {
		const struct site *o = &run->site[i];
		const struct site_frame *from;

		if (!is(o) || !is_line(l->f, &o->frame[o->first]) ||
		    (from = caller_of(o)) == NULL)
			continue;
		for (j = 0; j < n && !is_line(all[j].f, from); j++)
			;
		if (j == n && n < WAITS_LINES)
			all[n++] = (struct called_line){ .f = from };
		if (j < n && is_within(o, at, depth))
			all[j].calls += (double)o->count;
	}
	for (size_t i = 1; i < n; i++)
		most = all[i].calls > all[most].calls ? i : most;
	l->from = n > 1 && all[most].calls > 0 ? all[most].f : NULL;
}

/* The lines of the sites in the loop of ${s}, which launches at ${at}, for which ${is} is true,
 * those with the most calls first, into ${to}, of which there are WAITS_MOST. Returns how many
 * there are, up to that. */
static size_t
lines_of(const struct rule_view *x, const struct sequence *s, const struct site *at,
    bool (*is)(const struct site *s), struct called_line *to)
{
	struct called_line all[WAITS_LINES];
	size_t depth = at != NULL ? loop_depth(x, s, at) : 0, n = 0, told = 0;

	for (size_t i = 0, j; i < x->run->sites; i++) {
		const struct site *o = &x->run->site[i];

		if (!is(o) || (at != NULL && !is_within(o, at, depth)))
			continue;
		for (j = 0; j < n && !is_line(all[j].f, &o->frame[o->first]); j++)
			;
		if (j == n && n < WAITS_LINES)
			all[n++] = (struct called_line){ .f = &o->frame[o->first] };
		if (j < n)
			all[j].calls += (double)o->count;
	}
	for (; told < WAITS_MOST && told < n; told++) {
		size_t most = told;
		struct called_line l;

		for (size_t i = told + 1; i < n; i++)
			most = all[i].calls > all[most].calls ? i : most;
		l = all[most];
		all[most] = all[told];
		all[told] = l;
		if (at != NULL)
			add_caller(x->run, at, depth, is, &l);
		to[told] = l;
	}
	return told;
}

/* The lines of Python in that loop at which the host reads results most often or, if it reads
 * none, waits for its copies to the device: what the step has to lose before a graph fits it.
 * Beside the first those at which it often does. NULL: none is known. */
static const char *
waits_at(const struct rule_view *x, const struct sequence *s, const struct site *at)
{
	struct called_line l[WAITS_MOST];
	size_t n = lines_of(x, s, at, lines_reads, l);
	const char *all = NULL;

	if (n == 0 && at != NULL)
		n = lines_of(x, s, at, lines_feeds, l);
	while (n > 1 && l[n - 1].calls < WAITS_TOLD * (double)s->repeats)
		n--;
	for (size_t i = 0; i < n; i++) {
		const char *base = text_base_name(l[i].f->file);

		all = i == 0 ? arena_format(x->arena, "%s:%" PRIu32, base, l[i].f->line) :
		    same_text(l[i].f->file, l[i - 1].f->file) ?
		    arena_format(x->arena, "%s, :%" PRIu32, all, l[i].f->line) :
		    arena_format(x->arena, "%s, %s:%" PRIu32, all, base, l[i].f->line);
		/* Behind the last of those that one line calls. */
		if (l[i].from != NULL && (i + 1 == n || l[i + 1].from == NULL ||
		    !is_line(l[i].from, l[i + 1].from)))
			all = arena_format(x->arena, "%s (called from %s:%" PRIu32 ")", all,
			    text_base_name(l[i].from->file), l[i].from->line);
	}
	return all;
}

/* If what the sequence begins with is launched by a thread without a line, such as a
 * backward pass, or by an optimizer, the place is the first one that has a line of Python
 * and is the model's: where a step begins in the sequence is chance, and its line is what
 * compiling begins with. If there is none, the first that has a line. Returns which launch
 * of the sequence that is. */
static size_t
place(const struct rule_view *x, struct draft *d, const struct sequence *s)
{
	const struct site *any = NULL;
	size_t at = 0;

	if (d->f.site == NULL || !lines_python(x->run) ||
	    (has_python(d->f.site) && !steps_by_optimizer(d->f.site)))
		return 0;
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		const struct site *site = lines_launched(x->run, s->kernel[i]);

		if (site == NULL || !has_python(site))
			continue;
		at = any == NULL ? i : at;
		any = any == NULL ? site : any;
		if (!steps_by_optimizer(site)) {
			d->f.site = site;
			return i;
		}
	}
	d->f.site = any != NULL ? any : d->f.site;
	return at;
}

/* The calls but launches, as far as their stacks are known, that share more than ${depth} frames
 * from the outermost on with ${at}: of launches only the first few have stacks. */
static double
calls_beyond(const struct run *run, const struct site *at, size_t depth)
{
	double calls = 0;

	for (size_t i = 0; i < run->sites; i++)
		if (run->site[i].call != CALL_LAUNCH && in_common(at, &run->site[i]) > depth)
			calls += (double)run->site[i].count;
	return calls;
}

/* The site of launch ${i} of ${s} that the sequence repeats at, in place of ${at}: what reports
 * once in 50 steps calls the same functions. There only some of the launches are, and fewer
 * calls; where ${at} and the other part, all are with the other. */
static const struct site *
repeated_at(const struct rule_view *x, const struct sequence *s, size_t i, const struct site *at)
{
	const struct site *best = at;
	const struct site_frame *outer = at != NULL ? frame_at(at, 0) : NULL;
	size_t end, k, depth;

	if (outer == NULL)
		return at;
	depth = loop_depth(x, s, at);
	k = site_launches(x->run->site, x->run->sites, s->kernel[i], &end);
	for (; k < end; k++) {
		const struct site *o = &x->run->site[k];
		const struct site_frame *f = frame_at(o, 0);
		size_t shared;

		/* Another thread's stack, as of a backward pass, has no line of the program. */
		if (o->call != CALL_LAUNCH || o->kernel != s->kernel[i] || f == NULL ||
		    !same_function(outer, f) ||
		    (best != at && o->count <= best->count))
			continue;
		shared = in_common(at, o);
		if (depth <= shared && loop_depth(x, s, o) > shared &&
		    calls_beyond(x->run, o, shared) > calls_beyond(x->run, at, shared))
			best = o;
	}
	return best;
}

/* Has a framework compiled loops, which the host runs launch by launch? */
static bool
loops_itself(const struct run *run)
{
	for (size_t i = 0; i < run->sites; i++)
		if (framework_loops(&run->site[i]))
			return true;
	return false;
}

/* What grows with each step: the cache of a package's model, which the package also has with a
 * fixed size, if the run trains nothing; or whatever the program lets grow. */
static const char *
growing_of(const struct run *run, const struct sequence *s)
{
	bool caches = false;

	for (size_t i = 0; i < run->sites; i++)
		if (framework_differentiates(&run->site[i]))
			return "grows";
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		const struct site *site = lines_launched(run, s->kernel[i]);

		caches |= site != NULL && framework_caches(site);
	}
	return caches ? "cache" : "grows";
}

/* What is wrong with the step beside the launches; NULL: nothing. */
static const char *
variant_of(const struct run *run, const struct loop *l)
{
	const struct candidate *c = l->main;
	const struct sequence *s = c->s;
	double launches = (double)s->length * (double)s->repeats;
	struct inputs_made made;

	if (l->recurrent != NULL)
		return "recurrent";
	if (l->inner.turns > 0)
		return "inner";
	if (c->alike)
		return (double)s->grown >= GROWN_LEAST * launches &&
		    (double)s->shrunk <= SHRUNK_MOST * (double)s->grown ?
		    growing_of(run, s) : "sizes";
	if (l->sizes > 0)
		return growing_of(run, s);
	if (l->parts)
		return "parts";
	if ((double)s->syncs >= WAITS_LEAST * (double)s->repeats)
		return closure_called(run) ? "closure" : inputs_made_of(run, &made) ?
		    "made" : "waits";
	if (loops_itself(run))
		return "looping";
	return s->length <= SHORT && s->repeats >= OFTEN ? "short" : NULL;
}

/* Of a loop that is compiled already, unrolling removes the counter's launches, and what
 * fuses over steps: library calls in its body do not, and bar a graph. Estimated by two
 * for a loop of ten kernels with two Fourier transforms (JAX-CFD): 10 to 20 % and 20 to 40 %
 * of its launches' time. */
static const double unroll_goes[VIEWS] = { 0.1, 0.25, 1 };

static void
unroll(struct gain *g)
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
static void
price_inner(const struct rule_view *x, struct loop *l, double *gone)
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
static void
join_inner(struct loop *l, size_t n)
{
	struct loop *most = NULL;

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
static void
say_inner(const struct rule_view *x, const struct loop *l, const double *gone, struct draft *d)
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

/* "19.2 µs between them"; where work was queued in front of some launches, the mean gap is
 * not that of all. */
static const char *
say_gaps(const struct rule_view *x, const struct candidate *c)
{
	double part = (double)c->s->gaps /
	    ((double)c->s->length * (double)c->s->repeats);

	return part < GAPS_ALL ? arena_format(x->arena, "%s before %s of them",
	    say_seconds(x->arena, c->gap_s), say_percent(x->arena, part)) :
	    arena_format(x->arena, "%s between them",
	    say_seconds(x->arena, c->gap_s));
}

/* The layer is the place, and what is said: the loop is around its line, and the sequence
 * with the most gaps may be another part of the loop's body. */
static void
say_recurrent(const struct rule_view *x, const struct recurrent *r, struct draft *d)
{
	d->f.site = r->site;
	/* One call does not wait between positions. */
	d->barred &= ~BAR_WAIT;
	d->claim[0].pools |= POOL_IDLE(IDLE_AFTER_SYNC);
	d->f.location = arena_format(x->arena, "the recurrent layer, called %s times in "
	    "each step of the optimizer", say_count(x->arena, (uint64_t)(r->calls + 0.5)));
	rule_evidence(x, d, "calls_per_step", r->calls, "calls of the layer for each step "
	    "of the optimizer", .estimated = "kernel records, call sites",
	    .unit = "call", .key = "min_calls");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "the framework's recurrent layer is called for "
	    "one position after the other, %s times a step; of that loop %s",
	    say_count(x->arena, (uint64_t)(r->calls + 0.5)), d->f.summary);
	d->f.gain_note = "the inputs of all positions are known in front of the loop, so that "
	    "one call takes them, and what follows takes all of its outputs";
}

/* Are batches copied to the GPU, one at least for each repeat of ${s}, and are nearly all
 * of its kernels so small that a larger batch takes them hardly longer? */
static bool
has_small_batches(const struct rule_view *x, const struct sequence *s)
{
	size_t n = steps_length(s), known = 0, small = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		known += k != NULL;
		small += k != NULL && little_is(x->run, k);
	}
	return small > 0 && (double)small >= SMALL_LEAST * (double)known &&
	    inputs_of(x->run).outside >= BATCH_EACH * (double)s->repeats;
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

/* Is it the variant in which each repeat has other sizes? */
static bool
has_sizes(const struct draft *d)
{
	return d->variant != NULL && strcmp(d->variant, "sizes") == 0;
}

/* The line at which the step waits most; NULL: it is none of a variant with waits. */
static const char *
say_waits(const struct rule_view *x, struct draft *d, const struct sequence *s)
{
	if (d->variant == NULL)
		return NULL;
	if (strcmp(d->variant, "made") == 0)
		return take_made(x, d);
	if (strcmp(d->variant, "waits") != 0 && (!has_sizes(d) ||
	    (double)s->syncs < WAITS_LEAST * (double)s->repeats))
		return NULL;
	return waits_at(x, s, is_python(x, d->f.site) ? d->f.site : NULL);
}

/* A function that a sequence launches, and its shapes while that repeats. */
struct shapes {
	size_t all, again;		/* again: those that come again and again */
	double launches, own;		/* of all shapes; of these the sequence's */
};

static struct shapes
shapes_of(const struct rule_view *x, const struct sequence *s, const struct kernel *k)
{
	double origin = (double)x->run->origin_ns, from = (double)s->first_ns - origin;
	double to = (double)s->last_ns - origin;
	struct shapes n = { .all = 0 };

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *o = &x->run->kernel[i];
		double span = fmin((double)o->last_ns, to) - fmax((double)o->first_ns, from);

		if (o->device != k->device || !same_text(o->mangled, k->mangled) || span < 0)
			continue;
		n.all++;
		n.again += (double)o->launches >= rule_value(x, "min_repeats") &&
		    span >= AGAIN_SPAN * (to - from);
		n.launches += (double)o->launches;
	}
	for (size_t i = 0; i < steps_length(s); i++) {
		const struct kernel *o = steps_kernel(x, s, i);

		n.own += o != NULL && same_text(o->mangled, k->mangled) ? (double)s->repeats : 0;
	}
	return n;
}

/* In how many sizes the function of ${s} with most of them comes, again and again; 0: in others,
 * too, or it is not known, as other parts of the program launch the function as well. */
static size_t
sizes_again(const struct rule_view *x, const struct sequence *s)
{
	struct shapes most = { .all = 1 };

	for (size_t i = 0; i < steps_length(s); i++) {
		const struct kernel *k = steps_kernel(x, s, i);
		struct shapes n;

		if (k == NULL || k->mangled == NULL)
			continue;
		n = shapes_of(x, s, k);
		most = n.all > most.all ? n : most;
	}
	return most.again > 1 && (double)most.again >= AGAIN_LEAST * (double)most.all &&
	    most.own >= AGAIN_OWN * most.launches ? most.again : 0;
}

static void
add_more(const struct rule_view *x, struct draft *d, const char *text)
{
	d->more = d->more != NULL ? arena_format(x->arena, "%s; %s", d->more, text) : text;
}

/* Beside one size for all: sizes that come ${again} may have a graph each, and none contains the
 * waits at the lines ${waits}, in the loop of ${s}. */
static void
offer_sizes(const struct rule_view *x, struct draft *d, const struct sequence *s,
    const char *waits, size_t again)
{
	struct called_line l[WAITS_MOST];

	if (again > 0)
		add_more(x, d, "the same sizes come again and again: a graph for each of them, "
		    "captured once, fits as well, or all are padded to the largest");
	if (waits == NULL)
		return;
	add_more(x, d, arena_format(x->arena, lines_of(x, s, is_python(x, d->f.site) ?
	    d->f.site : NULL, lines_reads, l) > 0 ? "no graph contains the waits at %s: a value "
	    "that the host reads there in each turn, of an array that does not change, becomes "
	    "a number of Python's once, in front of the loop" : "no graph contains the waits at "
	    "%s: what is copied to the GPU there, and does not change, is copied once, in "
	    "front of the loop", waits));
}

/* Is ${s} made within a model's forward pass? */
static bool
is_forward(const struct site *s)
{
	for (size_t i = 0; i < s->frames && s->frame[i].python; i++)
		if (s->frame[i].function != NULL && strcmp(s->frame[i].function, "forward") == 0)
			return true;
	return framework_calls_module(s);
}

/* Does a model launch some of ${s}, within ${depth} of ${at}, or does the run differentiate one? */
static bool
has_model(const struct rule_view *x, const struct sequence *s, const struct site *at,
    size_t depth)
{
	const struct run *run = x->run;

	for (size_t i = 0; i < run->sites; i++)
		if (framework_differentiates(&run->site[i]))
			return true;
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		size_t end, k = site_launches(run->site, run->sites, s->kernel[i], &end);

		for (; k < end; k++)
			if (run->site[k].kernel == s->kernel[i] &&
			    run->site[k].call == CALL_LAUNCH &&
			    is_within(&run->site[k], at, depth) && is_forward(&run->site[k]))
				return true;
	}
	return is_forward(at);
}

/* What to compile where no model launches ${s}, which is at ${at}: the program's function within
 * which all of its launches are. NULL: it is a model, or not known. */
static const char *
function_of(const struct rule_view *x, const struct sequence *s, const struct site *at)
{
	const struct site_frame *f;
	size_t depth;

	if (at == NULL || !has_python(at))
		return NULL;
	depth = loop_depth(x, s, at);
	if (has_model(x, s, at, depth))
		return NULL;
	while ((f = frame_at(at, depth)) != NULL && (!site_own(f) || site_installed(f)) &&
	    depth > 0)
		depth--;
	if (f == NULL || !site_own(f) || site_installed(f) || f->file == NULL)
		return NULL;
	return f->function == NULL || f->function[0] == '<' ?
	    arena_format(x->arena, "a function with what the loop at %s:%" PRIu32 " does in a "
	    "turn", text_base_name(f->file), f->line) :
	    arena_format(x->arena, "the function that launches the sequence (%s at %s:%" PRIu32 ")",
	    f->function, text_base_name(f->file), f->line);
}

/* In place of several batches ${a} whose gradients are added up, one. If the loop has most of
 * the idle time, no other finding says so before. */
static void
one_batch(const struct rule_view *x, const struct loop *l, const struct accumulated *a,
    struct draft *d)
{
	double idle = l->idle_s + l->between_s, goes = accumulated_goes(a) * a->goes * idle;
	double all = 0;

	for (int c = IDLE_HOST; c <= IDLE_API; c++)
		all += (double)x->run->idle_ns[c] * 1e-9;
	d->claim[0].s.high = fmax(d->claim[0].s.high, goes);
	accumulated_say(x, d, a);
	if (idle < LEADS * all) {
		d->more = arena_format(x->arena, "gradients are added up over %u batches: with "
		    "larger ones there are fewer launches", a->over);
		return;
	}
	d->lead = accumulated_advice(x, a);
	d->claim[0].s.mid = fmax(d->claim[0].s.mid, BETWEEN * goes);
}

/* Beside the graph, a larger batch: it takes the gaps of a step for more at a time. In front
 * of it where a step adds up the gradients of several: then the larger one is the same. */
static void
offer_batches(const struct rule_view *x, const struct loop *l, struct draft *d)
{
	const struct candidate *c = l->main;
	bool fits = d->variant == NULL || strcmp(d->variant, "waits") == 0 ||
	    strcmp(d->variant, "short") == 0;
	struct accumulated a;

	if (!c->python || !fits)
		return;
	if (accumulated_of(x, &a)) {
		one_batch(x, l, &a, d);
		return;
	}
	if (!has_small_batches(x, c->s))
		return;
	d->more = arena_format(x->arena, "where the batch may be larger, that saves as much "
	    "or more, and needs no graph: at %s these kernels do not fill the GPU, so "
	    "that a step of eight times the batch takes hardly longer, and there is an "
	    "eighth of the steps", say_seconds(x->arena, c->kernel_s));
	d->claim[0].s.high = fmax(d->claim[0].s.high, (1 - 1 / BATCH_MORE) *
	    (l->idle_s + l->between_s));
}

/* Does the loop ${l} end long before the run, as a warm-up does? */
static bool
is_early(const struct run *run, const struct loop *l)
{
	return l->main->python && l->during.to_ns > 0 &&
	    (double)l->during.to_ns < EARLY * (double)run->wall_ns;
}

static void
found(struct rule_view *x, const struct loop *l, const double *gone)
{
	const struct candidate *c = l->main;
	const struct sequence *s = c->s;
	struct draft *d = rule_found(x, arena_format(x->arena, "%u %u", s->length,
	    s->kernel[0]));
	const struct kernel *k = kernel_at(x, s, 0);
	const char *first, *waits, *others;
	size_t at, again;

	d->barred = bars(x->run, s);
	lines_launch(x, d, s->kernel[0]);
	at = place(x, d, s);
	d->f.site = repeated_at(x, s, at, d->f.site);
	d->variant = variant_of(x->run, l);
	first = name_at(x, s, at, d->f.site);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API), l->gain };
	d->claims = 1;
	d->during = l->during;
	if (d->variant != NULL && strcmp(d->variant, "looping") == 0)
		unroll(&d->claim[0].s);
	offer_batches(x, l, d);
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
	again = has_sizes(d) ? sizes_again(x, s) : 0;
	if (has_sizes(d))
		offer_sizes(x, d, s, waits, again);
	d->function = function_of(x, s, d->f.site);
	d->with_waits = c->python;
	others = l->others > 0 ? arena_format(x->arena, ", beside %s of the same loop%s",
	    say_counted(x->arena, (double)l->others, "other sequence"),
	    l->sizes > 0 && is_growing(d->variant) ? " with ever larger grids" : "") : "";
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
	    !c->alike ? "" : is_growing(d->variant) ?
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
	if (is_python(x, d->f.site))
		detour_say(x->arena, x->run, d);
	d->f.gain_note = (d->barred & BAR_ALLOCATION) != 0 ? "gaps in which the host "
	    "allocates or waits are not counted: no graph reaches over "
	    "cudaMalloc or cudaFree" : s->syncs > 0 ? "gaps at "
	    "synchronisations inside the sequence are not counted" :
	    "gaps shrink to those between nodes of a graph";
	if (l->recurrent != NULL)
		say_recurrent(x, l->recurrent, d);
	if (l->inner.turns > 0)
		say_inner(x, l, gone, d);
	reads_doubt_idle(x, d);
}

/* Do both repeat at the same time? */
static bool
is_meanwhile(const struct sequence *a, const struct sequence *b)
{
	double from = (double)(a->first_ns > b->first_ns ? a->first_ns : b->first_ns);
	double to = (double)(a->last_ns < b->last_ns ? a->last_ns : b->last_ns);

	return a->device == b->device && a->last_ns > a->first_ns &&
	    b->last_ns > b->first_ns && to - from >= MEANWHILE *
	    fmin((double)(a->last_ns - a->first_ns),
	    (double)(b->last_ns - b->first_ns));
}

/* Do both repeat in one stream at the same time, launched by Python? With a recurrent
 * ${layer} streams do not count: cuDNN launches it in several of its own. */
static bool
is_one_loop(const struct candidate *c, const struct candidate *d, bool layer)
{
	return c->python && d->python && (layer || c->s->stream == d->s->stream) &&
	    is_meanwhile(c->s, d->s);
}

/* The small decompositions of ${u} that a loop contains whose span is that of ${s}; without
 * launches if there are none. */
static struct decomposed
small_in(const struct updates *u, const struct sequence *s)
{
	static const struct decomposed none = { .most = NULL };
	const struct kernel *k = u->small.most;
	double first = (double)s->first_ns - u->origin_ns, last = (double)s->last_ns -
	    u->origin_ns;

	return k != NULL && last > first && fmin((double)k->last_ns, last) -
	    fmax((double)k->first_ns, first) >= MEANWHILE * (last - first) ?
	    u->small : none;
}

/* Adds what lies between the repeats of ${l}, whose span is that of ${s}, but for an
 * optimizer's ${u} and small decompositions. */
static void
add_between(const struct candidate *c, const struct sequence *s,
    const struct updates *u, struct loop *l)
{
	struct decomposed small = small_in(u, s);
	double idle = (double)s->span_idle_ns * 1e-9;
	double between = fmax(0, idle - l->idle_s - u->dropped_s - small.gap_s -
	    fmax(0, u->idle_s - l->updates_s));
	double launches = (double)s->span_launches - small.launches -
	    fmax(0, u->launches - l->updates);
	double share = l->idle_s > 0 ? fmin(1, idle / l->idle_s) : 1;

	/* Sequences within sequences: their gaps count once. */
	if (s->span_launches > 0 && share < 1) {
		l->gain.low *= share;
		l->gain.mid *= share;
		l->gain.high *= share;
	}
	/* A graph ends at a call that reads back what it did. */
	l->parts = small.launches > 0;
	if (l->launches < LOOP_LEAST * launches)
		return;
	l->parts |= l->launches < PARTS_MOST * launches;
	l->between_s = between;
	between *= c->idle_s > 0 ? c->gain_s / c->idle_s : 0;
	l->gain.mid += BETWEEN * c->part * between;
	l->gain.high += between;
}

static bool
is_no_backward(const struct site *s)
{
	return !framework_differentiates(s);
}

/* Is ${s} a batch, with its backward pass, of which a step of ${r}'s takes several? The
 * layer's own launches are in streams of their own, or of both passes. */
static bool
is_batch(const struct rule_view *x, const struct sequence *s, const struct recurrent *r)
{
	size_t n = steps_length(s);
	double all = 0, forward = 0, back = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		if (k == NULL || r->of[k - x->run->kernel])
			continue;
		all++;
		forward += steps_all(x->run, k, is_no_backward);
		back += steps_all(x->run, k, framework_differentiates);
	}
	return (double)s->repeats >= BATCH_CALLS * r->calls * r->steps && all > 0 &&
	    fmin(forward, back) >= BATCH_LEAST * all;
}

/* Does candidate ${i} of ${c} come with the positions of ${r}, in the loop of ${first}? Of that
 * loop, if it is Python's, what does not come once a step; what other threads launch, as the
 * backward pass, if it comes about as often meanwhile. */
static bool
is_turn(const struct candidate *c, size_t i, size_t first, const struct recurrent *r)
{
	bool own = c[i].loop == first && c[i].python;

	return (double)c[i].s->repeats >= (own ? TURNS_OWN : TURNS_LEAST) * r->calls * r->steps &&
	    (own || is_meanwhile(c[i].s, c[first].s));
}

/* The gaps in front of the launches of ${s}, seconds, of kernels of which ${launches}, by index,
 * are counted already. */
static double
turns_s(const struct rule_view *x, const struct sequence *s, double *launches)
{
	size_t n = steps_length(s);
	double gaps = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);
		double more;

		if (k == NULL || k->launches == 0)
			continue;
		more = fmin((double)s->repeats, (double)k->launches -
		    launches[k - x->run->kernel]);
		launches[k - x->run->kernel] += more;
		gaps += more / (double)k->launches * (double)k->gap_before_ns * 1e-9;
	}
	return gaps;
}

/* Does each repeat of ${s} have a gap that is too long to be counted, or is after a wait? The
 * others were counted, so that no launch was in the queue. */
static bool
has_long_gaps(const struct sequence *s)
{
	double n = (double)s->repeats, all = (double)s->length * n, gaps = (double)s->gaps;

	return s->length > 1 && gaps >= GAPS_ALL * (all - n) &&
	    fmax(all - gaps, (double)s->syncs) >= GAPS_ALL * n;
}

/* If the loop ${l} of candidate ${first} launches the layer of ${r}, prices one call in place
 * of ${r}'s: of all that is launched for each position, once for all. The gaps in front of
 * these launches go with them, also longer ones and those after waits. Nearly all of these are
 * believed where each position has one, else half: some are the host's own work for all
 * positions. Arithmetic. */
static void
price_recurrent(const struct rule_view *x, const struct candidate *c, size_t n, size_t first,
    const struct recurrent *r, struct loop *l)
{
	const struct run *run = x->run;
	double *launches = arena_get(x->arena, (run->kernels + 1) * sizeof(*launches));
	double goes = 1 - 1 / r->calls, mid = 0, most = 0;
	bool layer = false;

	if (launches == NULL)
		return;
	for (size_t i = 0; i < n; i++) {
		double gaps, sure;

		if (c[i].loop == first && is_batch(x, c[i].s, r))
			return;
		if (!is_turn(c, i, first, r) || is_batch(x, c[i].s, r))
			continue;
		gaps = fmax(turns_s(x, c[i].s, launches), c[i].idle_s);
		sure = fmin(0.95 * c[i].part * c[i].gain_s, gaps);
		mid += sure + (has_long_gaps(c[i].s) ? LONG : BETWEEN) * (gaps - sure);
		most += gaps;
	}
	for (size_t i = 0; i < run->kernels; i++)
		layer |= launches[i] > 0 && r->of[i];
	if (!layer)
		return;
	l->recurrent = r;
	l->gain.mid = goes * mid;
	l->gain.high = goes * most;
	l->gain.low = fmin(l->gain.low, RECURRENT_LOW * l->gain.mid);
}

/* Is most of the loop of candidate ${first} a part of the one around the positions of ${r}, of
 * ${around}? */
static bool
is_taken(const struct candidate *c, size_t n, size_t first, size_t around,
    const struct recurrent *r)
{
	double all = 0, taken = 0;

	if (around >= n || first == around)
		return false;
	for (size_t i = first; i < n; i++)
		if (c[i].loop == first) {
			all += c[i].idle_s;
			taken += is_turn(c, i, around, r) ? c[i].idle_s : 0;
		}
	return 2 * taken > all;
}

/* Adds to ${w} when ${s} repeats, in a run that began at ${origin}. */
static void
add_when(struct during *w, const struct sequence *s, double origin)
{
	struct during of = { (uint64_t)fmax(0, (double)s->first_ns - origin),
	    (uint64_t)fmax(0, (double)s->last_ns - origin) };

	w->from_ns = w->to_ns > 0 && w->from_ns < of.from_ns ? w->from_ns : of.from_ns;
	w->to_ns = w->to_ns > of.to_ns ? w->to_ns : of.to_ns;
}

/* The loop of candidate ${first} among ${n} of them. */
static struct loop
loop_of(const struct candidate *c, size_t n, size_t first, const struct updates *u)
{
	struct loop l = { .main = &c[first] };
	const struct sequence *longest = c[first].s;

	for (size_t i = first; i < n; i++) {
		const struct sequence *s = c[i].s;

		if (c[i].loop != first)
			continue;
		l.others += i != first;
		add_when(&l.during, s, u->origin_ns);
		l.main = c[i].gain_s > l.main->gain_s ? &c[i] : l.main;
		longest = s->span_launches > longest->span_launches ? s : longest;
		l.launches += (double)s->length * (double)s->repeats;
		l.idle_s += c[i].idle_s;
		l.updates += c[i].updates * (double)s->length * (double)s->repeats;
		l.updates_s += c[i].updates * c[i].idle_s;
		l.gain.low += 0.7 * c[i].part * c[i].sure_s;
		l.gain.mid += 0.95 * c[i].part * (c[i].sure_s +
		    (c[i].python ? 1 : BEYOND) * (c[i].gain_s - c[i].sure_s));
		l.gain.high += c[i].idle_s;
	}
	if (l.main->python)
		add_between(l.main, longest, u, &l);
	return l;
}

/* How often the grids of the sequences of the loop of candidate ${first} grow, launched by Python:
 * what grows there is an array of the program's. */
static size_t
sizes_of(const struct rule_view *x, const struct candidate *c, size_t n, size_t first)
{
	const struct sequence **s = arena_get(x->arena, (n + 1) * sizeof(const struct sequence *));
	size_t have = 0;

	for (size_t i = first; s != NULL && i < n; i++)
		if (c[i].loop == first && c[i].python && !c[i].alike)
			s[have++] = c[i].s;
	return grown_sizes(x, s, have);
}

/* The loop around the positions of ${r}: of those that launch its kernels the one with the
 * largest gain; others evaluate. ${n}: none. */
static size_t
recurrent_loop(const struct rule_view *x, const struct candidate *c, size_t n,
    const struct recurrent *r, const struct updates *u)
{
	double most = 0;
	size_t at = n;

	for (size_t i = 0; r->site != NULL && i < n; i++) {
		struct loop l;

		if (c[i].loop != i)
			continue;
		l = loop_of(c, n, i, u);
		price_recurrent(x, c, n, i, r, &l);
		if (l.recurrent != NULL && l.gain.mid > most) {
			most = l.gain.mid;
			at = i;
		}
	}
	return at;
}

/* Lists the candidates among ${n} sequences behind the ${have} in ${out}. */
static size_t
add_candidates(const struct rule_view *x, const struct sequence *s, size_t n,
    bool alike, bool layer, struct updates *u, struct candidate *out, size_t have)
{
	for (size_t i = 0; i < n; i++) {
		struct candidate *c = &out[have];

		if (!is_candidate(x, &s[i], alike, c) || (alike && !c->python) ||
		    is_decomposing(x, u, &s[i]))
			continue;
		if (is_update(x, u, c)) {
			u->dropped_s += (1 - c->updates) * c->idle_s;
			continue;
		}
		c->loop = have;
		for (size_t k = 0; k < have && c->loop == have; k++)
			if (out[k].loop == k && is_one_loop(&out[k], c, layer))
				c->loop = k;
		have++;
	}
	return have;
}

enum rule_state
rule_launch_bound_graph_candidate(struct rule_view *x)
{
	const struct run *run = x->run;
	struct candidate *c = arena_get(x->arena, (run->sequences + run->alikes + 1) *
	    sizeof(*c));
	struct updates u = updates_of(x);
	struct recurrent r = recurrent_layer(x, rule_value(x, "min_calls"));
	bool layer = r.site != NULL;
	size_t n, around, loops = 0, said = 0;
	double *gone = arena_get(x->arena, (run->kernels + 1) * sizeof(*gone));
	bool compiled = loops_itself(run);
	struct loop *l;

	if (c == NULL || gone == NULL)
		return RULE_CLEAN;
	n = add_candidates(x, run->sequence, run->sequences, false, layer, &u, c, 0);
	n = add_candidates(x, run->alike, run->alikes, true, layer, &u, c, n);
	around = recurrent_loop(x, c, n, &r, &u);
	l = arena_get(x->arena, (n + 1) * sizeof(*l));
	for (size_t i = 0; l != NULL && i < n; i++) {
		if (c[i].loop != i)
			continue;
		l[loops] = loop_of(c, n, i, &u);
		l[loops].sizes = sizes_of(x, c, n, i);
		if (i == around)
			price_recurrent(x, c, n, i, &r, &l[loops]);
		l[loops].told = is_taken(c, n, i, around, &r);
		if (compiled)
			price_inner(x, &l[loops], gone);
		loops++;
	}
	join_inner(l, loops);
	for (size_t i = 0; i < loops && said < FINDINGS; i++)
		if (!l[i].told) {
			found(x, &l[i], gone);
			said++;
		}
	return said > 0 ? RULE_FOUND : RULE_CLEAN;
}
