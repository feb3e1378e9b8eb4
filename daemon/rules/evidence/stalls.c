/*
 * rules/evidence/stalls.c: see stalls.h.
 */
#include <math.h>

#include "rules/evidence/stalls.h"

/* With fewer samples, a share of a fifth is not known to within 3 points. */
#define SAMPLES_LEAST 200

const struct reason *
stalls_of(struct stalls *s, const struct rule_view *x, uint32_t mask)
{
	const struct code *c = x->kernel->code;
	double all = (double)c->samples.all;

	if (all < SAMPLES_LEAST)
		return &reason_row[REASON_FEW_SAMPLES];
	s->share = inst_waiting(c, mask);
	s->unissued = fmin(1, (double)c->samples.not_issued / all);
	s->most = fmin(s->share, s->unissued);
	return NULL;
}

bool
stalls_limit(const struct rule_view *x)
{
	return x->load->limit >= 0 && x->load->bound < 0.5;
}

double
stalls_warps(const struct rule_view *x)
{
	return x->load->occupancy * x->device->limits.max_warps_per_sm /
	    x->device->sm->schedulers;
}

void
stalls_evidence(const struct rule_view *x, struct draft *d,
    const struct stalls *s, const char *label)
{
	rule_evidence(x, d, "stall_ratio", s->share, label,
	    .measured = "PC samples", .key = "min_stall");
	rule_evidence(x, d, "unissued_ratio", s->unissued,
	    "samples at which no warp could issue", .measured = "PC samples");
}

const char *
stalls_barrier_advice(const struct rule_view *x)
{
	if (x->kernel->occupancy.known &&
	    x->kernel->occupancy.blocks_per_sm == 1)
		return "one block fills an SM, so that nobody works while its "
		    "warps wait: smaller blocks; __syncwarp() or shuffles where "
		    "data goes between lanes of one warp only; two buffers in "
		    "turn, so that one barrier a step is enough";
	return "where data goes between lanes of one warp only, exchange it by "
	    "shuffles or behind __syncwarp(); use two buffers in turn, so that "
	    "one barrier a step is enough; give the warps of a block equal "
	    "work between barriers, or make the blocks smaller";
}

/* The largest saving of the earlier findings about this kernel. */
static double
best_cause(const struct rule_view *x, const struct draft *but)
{
	double best = 0;

	for (size_t i = 0; i < x->drafts; i++) {
		const struct draft *d = &x->draft[i];

		if (d != but && d->f.kernel == rule_kernel(x) && d->f.worth_it &&
		    d->f.saves_s > best)
			best = d->f.saves_s;
	}
	return best;
}

enum rule_state
stalls_settle(struct rule_view *x, struct draft *d)
{
	double own = gain_of(x->load, x->kernel, d->fix).mid;

	if (best_cause(x, d) < own / 2)
		return rule_settle(x, d);
	rule_drop(x, d);
	return RULE_CLEAN;
}
