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
 * Where products with sparse matrices coalesce these each time, that has to go first: no graph
 * takes it, and it is most of what is launched.
 *
 * A loop of few turns that a framework has compiled within another is unrolled: its turns fuse,
 * which saves most launches of a step, where a loop of thousands cannot be unrolled away.
 *
 * An optimizer that launches for each tensor repeats sequences as well, but no compiled
 * model contains it: what waits for its launches is unfused-optimizer's to say.
 */
#include <math.h>

#include "rules/evidence/decomposed.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/recurrent.h"
#include "rules/evidence/slope.h"
#include "rules/evidence/steps.h"
#include "rules/evidence/tuning.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

#define FINDINGS 8	/* sequences; others repeat the same story */

/* A sequence of an optimizer's launches alone, most of which update single tensors, is its
 * loop; arithmetic: all but what has no site, and most. */
#define OPTIMIZER_LEAST 0.9
#define UPDATES_LEAST 0.5

/* Is it repeated in order to time it, or while a compiler works? */
static bool
is_trial(const struct rule_view *x, const struct sequence *s)
{
	const struct site *site = lines_launched(x->run, s->kernel[0]);

	return site != NULL && (framework_tunes(site) || (tuning_throughout(x->run) &&
	    framework_launches(x->run, s->kernel[0]) > 0.5));
}

/* Does Python launch the sequence? A backward pass launches from a thread without a line:
 * one launch that has one is enough. */
static bool
by_python(const struct rule_view *x, const struct sequence *s)
{
	const struct site *site = lines_launched(x->run, s->kernel[0]);

	if (site == NULL || !lines_python(x->run))
		return bound_by_python(x, site);
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		site = lines_launched(x->run, s->kernel[i]);
		if (site != NULL && bound_has_python(site))
			return true;
	}
	return false;
}

static struct bound_updates
updates_of(struct rule_view *x)
{
	const struct run *run = x->run;
	double *share = arena_get(x->arena, (run->kernels + 1) * sizeof(*share));
	double *list = arena_get(x->arena, (run->kernels + 1) * sizeof(*list));
	struct bound_updates u = { .share = NULL };

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
is_update(const struct rule_view *x, const struct bound_updates *u, struct bound_candidate *c)
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
is_decomposing(const struct rule_view *x, const struct bound_updates *u, const struct sequence *s)
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
    struct bound_candidate *out)
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

/* Lists the candidates among ${n} sequences behind the ${have} in ${out}. */
static size_t
add_candidates(const struct rule_view *x, const struct sequence *s, size_t n,
    bool alike, bool layer, struct bound_updates *u, struct bound_candidate *out, size_t have)
{
	for (size_t i = 0; i < n; i++) {
		struct bound_candidate *c = &out[have];

		if (!is_candidate(x, &s[i], alike, c) || (alike && !c->python) ||
		    is_decomposing(x, u, &s[i]))
			continue;
		if (is_update(x, u, c)) {
			u->dropped_s += (1 - c->updates) * c->idle_s;
			continue;
		}
		c->loop = have;
		for (size_t k = 0; k < have && c->loop == have; k++)
			if (out[k].loop == k && bound_one_loop(&out[k], c, layer))
				c->loop = k;
		have++;
	}
	return have;
}

/* Of the ${n} loops, the one with the largest gain in which sparse matrices are coalesced for
 * each product is the one that is told of them: the seconds are the run's. */
static void
find_coalesced(const struct rule_view *x, struct bound_loop *l, size_t n, struct gone *less)
{
	struct bound_loop *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (!l[i].told && l[i].main->python &&
		    (most == NULL || l[i].gain.mid > most->gain.mid))
			most = &l[i];
	if (most != NULL)
		most->coalesced = coalesced_of(x, most->main->s, less);
}

enum rule_state
rule_launch_bound_graph_candidate(struct rule_view *x)
{
	const struct run *run = x->run;
	struct bound_candidate *c = arena_get(x->arena, (run->sequences + run->alikes + 1) *
	    sizeof(*c));
	struct bound_updates u = updates_of(x);
	struct recurrent r = recurrent_layer(x, rule_value(x, "min_calls"));
	bool layer = r.site != NULL;
	size_t n, around, loops = 0, said = 0;
	double *gone = arena_get(x->arena, (run->kernels + 1) * sizeof(*gone));
	struct gone *less = arena_get(x->arena, (run->kernels + 1) * sizeof(*less));
	bool compiled = bound_loops_itself(run);
	struct bound_loop *l;

	if (c == NULL || gone == NULL || less == NULL)
		return RULE_CLEAN;
	n = add_candidates(x, run->sequence, run->sequences, false, layer, &u, c, 0);
	n = add_candidates(x, run->alike, run->alikes, true, layer, &u, c, n);
	around = bound_recurrent_loop(x, c, n, &r, &u);
	l = arena_get(x->arena, (n + 1) * sizeof(*l));
	for (size_t i = 0; l != NULL && i < n; i++) {
		if (c[i].loop != i)
			continue;
		l[loops] = bound_loop(c, n, i, &u);
		l[loops].sizes = bound_sizes(x, c, n, i);
		if (i == around)
			bound_price_recurrent(x, c, n, i, &r, &l[loops]);
		l[loops].told = bound_is_taken(c, n, i, around, &r);
		if (compiled)
			bound_price_inner(x, &l[loops], gone);
		loops++;
	}
	bound_join_inner(l, loops);
	find_coalesced(x, l, loops, less);
	for (size_t i = 0; i < loops && said < FINDINGS; i++)
		if (!l[i].told) {
			bound_found(x, &l[i], gone, less);
			said++;
		}
	return said > 0 ? RULE_FOUND : RULE_CLEAN;
}
