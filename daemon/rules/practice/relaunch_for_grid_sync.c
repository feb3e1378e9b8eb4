/*
 * relaunch-for-grid-sync: one short kernel with few blocks is launched again and
 * again, and nothing happens in between: the end of a launch is only the point
 * where all blocks meet. They can meet inside one kernel.
 */
#include <math.h>

#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"

#define FINDINGS 8
#define ALWAYS 0.9		/* of the launches: with the first and last */

/* A grid-wide synchronisation of cooperative groups with one block on each SM:
 * the good variant of the reference pair takes 1.2 µs a step on an H200, of
 * which two loads from L2 at once are about 0.3; __syncthreads in a single
 * block. */
#define GRID_SYNC_S 0.9e-6
#define BLOCK_SYNC_S 0.05e-6

struct loop {
	const struct sequence *s;
	const struct kernel *k;
	double launches, kernel_s, idle_s, sync_s;
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
	launch = x->ceilings[s->device].launch_s;
	*l = (struct loop){ .s = s, .k = k, .launches = (double)s->repeats,
	    .kernel_s = (double)s->kernel_ns * 1e-9 / (double)s->repeats,
	    .idle_s = (double)s->idle_ns * 1e-9,
	    .sync_s = rule_blocks(k) > 1 ? GRID_SYNC_S : BLOCK_SYNC_S };
	return k->next == s->kernel[0] && (double)k->next_count >=
	    ALWAYS * (double)k->launches &&
	    !(k->shape.flags & (SIGNATURE_COOPERATIVE |
	    SIGNATURE_COMMUNICATION)) && rule_blocks(k) <= sms &&
	    l->kernel_s <= rule_value(x, "max_kernel") * launch &&
	    l->idle_s >= rule_value(x, "min_idle") *
	    (l->idle_s + (double)s->kernel_ns * 1e-9) &&
	    !library_owns(run, k);
}

/* What the loop saves of the time between the launches, and of theirs. */
static int
set_gain(struct rule_view *x, struct draft *d, const struct loop *l)
{
	static const struct fix none = FIX_NONE;
	const struct load *load = &x->loads[l->s->kernel[0] - 1];
	double more = load->fixed_s - l->sync_s;
	double idle = l->idle_s - l->launches * fmax(0, -more);
	struct part *p;

	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0.5 * idle, 0.95 * idle, l->idle_s } };
	d->claims = 1;
	if (!(more > 0) || !(load->time_s > 0))
		return idle > 0 ? 0 : 1;
	p = arena_get(x->arena, sizeof(*p));
	if (p == NULL)
		return -1;
	p->kernel = l->k;
	p->load = load;
	for (int v = 0; v < VIEWS; v++)
		p->fix[v] = none;
	p->fix[VIEW_MID].whole = fmax(0, 1 - more / load->time_s / 2);
	p->fix[VIEW_HIGH].whole = fmax(0, 1 - more / load->time_s);
	d->part = p;
	d->parts = 1;
	return 0;
}

static int
found(struct rule_view *x, const struct loop *l)
{
	const char *name = l->k->short_name != NULL ? l->k->short_name :
	    "(unnamed kernel)";
	double gap = l->idle_s / (double)l->s->gaps;
	double launch = x->ceilings[l->s->device].launch_s;
	struct draft *d = rule_found(x, name);
	int rc;

	if (d == NULL)
		return -1;
	if ((rc = set_gain(x, d, l)) != 0) {
		x->drafts--;
		return rc;
	}
	lines_launch(x, d, l->s->kernel[0]);
	d->f.where = name;
	d->f.location = say_shape(x->arena, l->k);
	d->f.location_missing = reason_of(REASON_LINE_NO_SITE);
	rule_evidence(x, d, (struct evidence){ .name = "repeats",
	    .label = "launches in a row", .value = l->launches,
	    .unit = "launch", .source = "measured",
	    .from = "kernel records" }, "min_repeats");
	rule_evidence(x, d, (struct evidence){ .name = "kernel_launch_costs",
	    .label = "mean kernel / cost of a launch",
	    .value = launch > 0 ? l->kernel_s / launch : 0,
	    .unit = "launch cost", .source = "derived",
	    .from = "kernel records" }, "max_kernel");
	rule_evidence(x, d, (struct evidence){ .name = "idle_ratio",
	    .label = "idle part of the loop", .unit = "ratio", .value =
	    l->idle_s / (l->idle_s + (double)l->s->kernel_ns * 1e-9),
	    .source = "measured", .from = "kernel records" }, "min_idle");
	rule_evidence(x, d, (struct evidence){ .name = "gap_s",
	    .label = "mean gap between two launches", .value = gap,
	    .unit = "s", .source = "measured", .from = "kernel records" },
	    NULL);
	rule_evidence(x, d, (struct evidence){ .name = "blocks",
	    .label = "blocks, which all fit on the GPU at once",
	    .value = rule_blocks(l->k), .unit = "block",
	    .source = "attribute", .from = "kernel activity record" }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "sync_s",
	    .label = "for all blocks to meet inside a kernel",
	    .value = l->sync_s, .unit = "s", .source = "estimated",
	    .from = "typical value" }, NULL);
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s is launched %s times in a "
	    "row with nothing else in between; %s each, %s between them", name,
	    say_count(x->arena, l->s->repeats), say_seconds(x->arena,
	    l->kernel_s), say_seconds(x->arena, gap));
	d->f.limiter = "the host's launch rate: the GPU is done before the next "
	    "launch arrives";
	d->f.advice = rule_blocks(l->k) > 1 ? "let one cooperative launch loop "
	    "over the steps, with grid.sync() of cooperative groups where all "
	    "blocks must meet; where launches do not depend on each other, "
	    "one larger grid" : "let the one block loop over the steps, with "
	    "__syncthreads() between them; where launches do not depend on "
	    "each other, one larger grid";
	d->f.gain_note = "the host decides nothing between two launches, as far "
	    "as records show; a graph of a batch of launches saves most of it "
	    "without a change of the kernel";
	d->f.next = say_tool(x->arena, x->run, "nsys profile --trace=cuda");
	return 0;
}

enum rule_state
rule_relaunch_for_grid_sync(struct rule_view *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->run->sequences && n < FINDINGS; i++) {
		struct loop l;
		int rc;

		if (!is_loop(x, &x->run->sequence[i], &l))
			continue;
		rc = found(x, &l);
		if (rc < 0)
			return RULE_NOT_MEASURED;
		n += rc == 0;
	}
	return n > 0 ? RULE_FOUND : RULE_CLEAN;
}
