/*
 * rules/evidence/coalesced.c: see coalesced.h.
 */
#include <math.h>

#include "rules/engine/same.h"
#include "rules/evidence/coalesced.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"

/* From this share of a sequence's launches on it is what to change first: arithmetic, the
 * launches of the product around it go as well. Measured: 0.4 of those of a recurrent network
 * on a graph, 764 products a step (DCRNN, H200, 2026-12-01). */
#define LAUNCHES_LEAST 0.25

/* Or it has so many of the waits; arithmetic: most. */
#define WAITS_LEAST 0.5

/* Of the launches that coalesce nearly all go, as the matrix is there once; whether each use is
 * of the same matrix no record says, hence half at least. Of the rest of the product (its copies
 * of the indices, the conversion to CSR) a dense product or CSR has less: arithmetic, between
 * none and all. */
static const double coalescing_goes[VIEWS] = { 0.5, 0.95, 1 };
static const double around_goes[VIEWS] = { 0, 0.5, 0.9 };

#define LINES 64		/* among which the one with most is looked for */

/* The gradients of an embedding are coalesced, too, but by no product: they are new each time. */
static bool
is_within(const struct site *s)
{
	return framework_coalesces(s) && framework_multiplies_sparse(s);
}

/* Of the launches of kernel ${id} the shares that coalesce, and that are of a product around. */
static void
shares_of(const struct run *run, uint32_t id, double *within, double *around)
{
	size_t end, i = site_launches(run->site, run->sites, id, &end);
	double all = 0;

	*within = *around = 0;
	for (; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != id)
			continue;
		all += (double)s->count;
		if (is_within(s))
			*within += (double)s->count;
		else if (framework_multiplies_sparse(s))
			*around += (double)s->count;
	}
	*within /= fmax(1, all);
	*around /= fmax(1, all);
}

/* The share of the waits' stacks that are within. */
static double
waits_of(const struct run *run)
{
	double all = 0, within = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_STREAM_SYNC && s->call != CALL_DEVICE_SYNC &&
		    s->call != CALL_EVENT_SYNC)
			continue;
		all += (double)s->count;
		within += is_within(s) ? (double)s->count : 0;
	}
	return all > 0 ? within / all : 0;
}

/* Has the stack a line of Python that asks for the product? Not the one that starts a backward
 * pass. */
static bool
has_line(const struct site *s)
{
	return s->first < s->frames && s->frame[s->first].python &&
	    is_within(s) && !framework_waits_for_backward(s);
}

/* The site of the line at which most of that is asked for. */
static const struct site *
most_at(const struct run *run)
{
	const struct site *of[LINES], *most = NULL;
	double n[LINES], best = 0;
	size_t lines = 0, k;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (!has_line(s))
			continue;
		for (k = 0; k < lines && !same_site(of[k], s); k++)
			;
		if (k == LINES)
			continue;
		if (k == lines) {
			of[lines] = s;
			n[lines++] = 0;
		}
		n[k] += (double)s->count;
		if (n[k] > best) {
			best = n[k];
			most = of[k];
		}
	}
	return most;
}

struct coalesced
coalesced_of(const struct rule_view *x, const struct sequence *s, struct gone *gone)
{
	const struct run *run = x->run;
	struct coalesced c = { .found = false };
	size_t n = steps_length(s);

	for (size_t i = 0; i < n; i++) {
		double within, around;

		shares_of(run, s->kernel[i], &within, &around);
		c.share += within / (double)n;
	}
	if (!(c.share > 0))
		return c;
	c.waits = waits_of(run);
	if (c.share < LAUNCHES_LEAST && (c.waits < WAITS_LEAST ||
	    (double)s->syncs < WAITS_LEAST * (double)s->repeats))
		return c;
	c.found = true;
	c.site = most_at(run);
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		double within, around;

		shares_of(run, k->id, &within, &around);
		c.launches += within * (double)k->launches;
		for (int v = 0; v < VIEWS; v++) {
			double goes = coalescing_goes[v] * within + around_goes[v] * around;

			c.idle_s[v] += goes * (double)k->gap_before_ns * 1e-9;
			/* The product's own kernel stays, or is a dense one. */
			if (!library_does(&x->libraries[i], "sparse"))
				gone[i].launches[v] += goes * (double)k->launches;
		}
	}
	return c;
}

void
coalesced_say(const struct rule_view *x, struct draft *d, const struct coalesced *c,
    const struct gone *gone)
{
	struct gain *g = &d->claim[0].s;
	bool graph = g->mid > c->idle_s[VIEW_MID];

	d->barred &= ~BAR_WAIT;
	d->waits = BAR_WAIT;
	d->claim[0].pools |= POOL_IDLE(IDLE_AFTER_SYNC);
	g->low = fmax(g->low, c->idle_s[VIEW_LOW]);
	g->mid = fmax(g->mid, c->idle_s[VIEW_MID]);
	g->high = fmax(g->high, c->idle_s[VIEW_HIGH]);
	steps_parts(x, d, gone);
	if (c->site != NULL)
		d->f.site = c->site;
	rule_evidence(x, d, "coalescing_launches", c->launches, "launches that coalesce sparse "
	    "matrices", .estimated = "kernel records, call sites", .unit = "launch");
	rule_evidence(x, d, "coalescing_ratio", c->share, "of the sequence's launches",
	    .estimated = "kernel records, call sites");
	rule_evidence(x, d, "coalescing_waits_ratio", c->waits, "waits of the host within, part "
	    "of all whose stack was taken", .measured = "call sites");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "a sparse matrix is coalesced anew for each "
	    "product: %s launches sort and add its entries, and the host waits for their "
	    "number; of that loop %s", say_whole(x->arena, c->launches), d->f.summary);
	d->f.gain_note = graph ? "the kernels that coalesce go, and all gaps shrink to those "
	    "between nodes of a graph, which holds the step once no product coalesces" :
	    "the launches that coalesce go, with the gaps in front of them and the waits "
	    "between, and half of the others around each product; what a graph saves of the "
	    "rest is not counted";
}
