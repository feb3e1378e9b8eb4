/*
 * relaunch-for-grid-sync: one short kernel with few blocks is launched
 * repeatedly, with nothing in between: the end of a launch only serves as a
 * point where all blocks synchronise. They can do that inside one kernel.
 */
#include <math.h>

#include "rules/engine/same.h"
#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"

#define FINDINGS 8
#define ALWAYS 0.9		/* of the launches: all but the first and last */

/* A grid-wide synchronisation by cooperative groups with one block per SM: the
 * good variant of the reference pair takes 1.2 µs per step on an H200, of which
 * two loads from L2 at once are about 0.3. In a single block: __syncthreads. */
#define GRID_SYNC_S 0.9e-6
#define BLOCK_SYNC_S 0.05e-6

/* One launch shape, or all shapes of one function. */
struct loop {
	const struct sequence *s;
	const struct kernel *k;
	double launches, all_s, idle_s, gaps, sync_s;
	double saved_s;			/* of idle_s: saved */
	double at_once_s;		/* of all_s: saved if the launches were
					 * one grid that fills the GPU */
	const struct kernel **shape;
	struct part *part;		/* the kernels whose launches get shorter */
	size_t shapes, parts;
};

static bool
is_loop(const struct rule_view *x, const struct sequence *s, struct loop *l)
{
	const struct run *run = x->run;
	const struct kernel *k;
	double sms, launch;

	if (s->length != 1 || s->in_graph || s->syncs > 0 ||
	    s->kernel[0] == 0 || s->kernel[0] > run->kernels ||
	    s->device >= run->devices || s->gaps == 0 ||
	    (double)s->repeats < rule_value(x, "min_repeats"))
		return false;
	k = &run->kernel[s->kernel[0] - 1];
	sms = run->device[s->device].limits.sms;
	launch = x->run->device[s->device].ceilings.launch_s;
	*l = (struct loop){ .s = s, .k = k, .launches = (double)s->repeats,
	    .all_s = (double)s->kernel_ns * 1e-9, .gaps = (double)s->gaps,
	    .idle_s = (double)s->idle_ns * 1e-9,
	    .sync_s = rule_blocks(k) > 1 ? GRID_SYNC_S : BLOCK_SYNC_S };
	return k->next == s->kernel[0] && (double)k->next_count >=
	    ALWAYS * (double)k->launches &&
	    !(k->shape.flags & (SIGNATURE_COOPERATIVE |
	    SIGNATURE_COMMUNICATION)) && rule_blocks(k) <= sms &&
	    l->all_s <= rule_value(x, "max_kernel") * launch * l->launches &&
	    l->idle_s >= rule_value(x, "min_idle") *
	    (l->idle_s + l->all_s) &&
	    !library_owns(run, k);
}

/* Adds what one shape's launches save: of the time between them, and of their own. */
static void
add(struct rule_view *x, struct loop *all, const struct loop *l)
{
	static const struct fix none = FIX_NONE;
	const struct load *load = &x->loads[l->s->kernel[0] - 1];
	double more = load->fixed_s - l->sync_s;
	struct part *p;

	all->shape[all->shapes++] = l->k;
	all->saved_s += fmax(0, l->idle_s - l->launches * fmax(0, -more));
	all->at_once_s += l->all_s * (1 - rule_part_of_gpu(x->run, l->k));
	if (l != all) {
		all->launches += l->launches;
		all->all_s += l->all_s;
		all->idle_s += l->idle_s;
		all->gaps += l->gaps;
	}
	if (!(more > 0) || !(load->time_s > 0))
		return;
	p = &all->part[all->parts++];
	p->kernel = l->k;
	p->load = load;
	for (int v = 0; v < VIEWS; v++)
		p->fix[v] = none;
	p->fix[VIEW_MID].whole = fmax(0, 1 - more / load->time_s / 2);
	p->fix[VIEW_HIGH].whole = fmax(0, 1 - more / load->time_s);
}

/* Do both launch the same function, perhaps with other grids (the waves of a
 * matrix's diagonals)? */
static bool
same_loop(const struct loop *a, const struct loop *b)
{
	return a->k->device == b->k->device && a->k->mangled != NULL &&
	    same_text(a->k->mangled, b->k->mangled) &&
	    same_block(a->k, b->k);
}

/* Adds the later sequences of its function to ${l}, which is of sequence ${at}. */
static int
gather(struct rule_view *x, struct loop *l, size_t at, bool *seen)
{
	size_t left = x->run->sequences - at;
	struct loop other;

	l->shape = arena_get(x->arena, left * sizeof(*l->shape));
	l->part = arena_get(x->arena, left * sizeof(*l->part));
	if (l->shape == NULL || l->part == NULL)
		return -1;
	add(x, l, l);
	for (size_t i = at + 1; i < x->run->sequences; i++) {
		if (seen[i] || !is_loop(x, &x->run->sequence[i], &other) ||
		    !same_loop(l, &other))
			continue;
		seen[i] = true;
		add(x, l, &other);
	}
	return 0;
}

static int
found(struct rule_view *x, const struct loop *l)
{
	const char *name = l->k->short_name != NULL ? l->k->short_name :
	    "(unnamed kernel)";
	double gap = l->idle_s / l->gaps, each = l->all_s / l->launches;
	double launch = x->run->device[l->s->device].ceilings.launch_s;
	struct draft *d;

	if (!(l->saved_s > 0) && l->parts == 0)
		return 1;
	d = rule_found(x, name);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0.5 * l->saved_s, 0.95 * l->saved_s, l->idle_s } };
	/* Kernel time is hidden behind the host's launches; without these it
	 * can go as well. */
	d->claim[1] = (struct claim){ POOL_LAUNCHED, { 0, 0, l->at_once_s } };
	d->claims = 2;
	d->part = l->part;
	d->parts = l->parts;
	lines_launch(x, d, l->s->kernel[0]);
	d->f.where = name;
	d->f.location = l->shapes > 1 ? say_shapes(x->arena, l->shape,
	    l->shapes) : say_shape(x->arena, l->k);
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	rule_evidence(x, d, "repeats", l->launches, "launches in a row",
	    .measured = "kernel records", .unit = "launch",
	    .key = "min_repeats");
	rule_evidence(x, d, "kernel_launch_costs", launch > 0 ? each / launch :
	    0, "mean kernel / cost of a launch", .derived = "kernel records",
	    .unit = "launch cost", .key = "max_kernel");
	rule_evidence(x, d, "idle_ratio", l->idle_s / (l->idle_s + l->all_s),
	    "idle part of the loop", .measured = "kernel records",
	    .key = "min_idle");
	rule_evidence(x, d, "gap_s", gap, "mean gap between two launches",
	    .measured = "kernel records");
	rule_evidence(x, d, "blocks", rule_blocks(l->k),
	    "blocks, which all fit on the GPU at once",
	    .attribute = "kernel activity record", .unit = "block");
	rule_evidence(x, d, "sync_s", l->sync_s,
	    "for all blocks to meet inside a kernel",
	    .estimated = "typical value");
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s is launched %s times in a "
	    "row with nothing else in between; %s each, %s between them", name,
	    say_whole(x->arena, l->launches), say_seconds(x->arena,
	    each), say_seconds(x->arena, gap));
	d->f.limiter = "the host's launch rate: the GPU is done before the next "
	    "launch arrives";
	d->f.advice = rule_blocks(l->k) > 1 ? "let one cooperative launch loop "
	    "over the steps, with grid.sync() of cooperative groups where all "
	    "blocks must meet; where launches do not depend on each other, "
	    "one larger grid" : "launch all of them as one grid, a block each "
	    "(its number is in blockIdx.x), where launches do not need each "
	    "other's results; where they do, let the one block loop over the "
	    "steps, with __syncthreads() between them";
	d->f.gain_note = "the host decides nothing between two launches, as far "
	    "as records show; a graph of a batch of launches saves most of it "
	    "without a change of the kernel";
	return 0;
}

enum rule_state
rule_relaunch_for_grid_sync(struct rule_view *x)
{
	const struct run *run = x->run;
	bool *seen = arena_get(x->arena, run->sequences + 1);
	size_t n = 0;

	if (seen == NULL)
		return RULE_NOT_MEASURED;
	for (size_t i = 0; i < run->sequences && n < FINDINGS; i++) {
		struct loop l;
		int rc;

		if (seen[i] || !is_loop(x, &run->sequence[i], &l))
			continue;
		if (gather(x, &l, i, seen) != 0 || (rc = found(x, &l)) < 0)
			return RULE_NOT_MEASURED;
		n += rc == 0;
	}
	return n > 0 ? RULE_FOUND : RULE_CLEAN;
}
