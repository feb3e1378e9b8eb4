/*
 * many-small-copies: a group of small copies pays the fixed cost of a copy for each.
 */
#include <math.h>

#include "rules/evidence/counters.h"
#include "rules/evidence/moved.h"

#define HOST_COPY_BYTES_PER_S 8e9	/* gathering into one buffer, one core */

static const char *
direction(enum wire_copy kind)
{
	return kind == COPY_H2D ? "H2D" : kind == COPY_D2H ? "D2H" :
	    kind == COPY_D2D ? "D2D" : "other";
}

static double
gather_s(const struct small_copies *s)
{
	if (s->kind != COPY_H2D && s->kind != COPY_D2H)
		return 0;
	return (double)s->bytes / HOST_COPY_BYTES_PER_S;
}

/* Seconds for one bulk copy per group instead. */
static double
bulk_s(const struct rule_view *x, const struct small_copies *s)
{
	const struct ceilings *c = &x->run->device[s->device].ceilings;
	uint64_t bytes = s->bytes / s->groups;
	double one;

	if (s->kind != COPY_H2D && s->kind != COPY_D2H)
		one = c->copy_fixed_s + 2 * (double)bytes / c->dram_bytes_per_s;
	else
		one = ceilings_copy_s(c, bytes, s->kind == COPY_H2D,
		    s->host == MEMORY_PINNED);
	return one * (double)s->groups;
}

/* The share of the groups' time that the host spends in calls that copy. Where nothing
 * waits for the GPU, these calls take the time, and each copy saved saves one. */
static double
issuing(const struct run *run, const struct small_copies *s)
{
	double count = 0, total = 0;

	for (size_t i = 0; i < run->calls; i++)
		if (run->call[i].call == CALL_MEMCPY ||
		    run->call[i].call == CALL_MEMCPY_ASYNC) {
			count += (double)run->call[i].count;
			total += (double)run->call[i].total_ns;
		}
	return count > 0 && s->span_ns > 0 ? fmin(1, total / count *
	    (double)s->copies / (double)s->span_ns) : 0;
}

static void
found(struct rule_view *x, const struct small_copies *s)
{
	const char *way = direction(s->kind);
	struct draft *d = rule_found(x, arena_format(x->arena, "%s %u %u", way,
	    s->host, s->device));
	double gpu = (double)s->gpu_ns * 1e-9, span = (double)s->span_ns * 1e-9;
	double exposure = rule_copy_exposure(x->run);
	double counts = exposure + (1 - exposure) * issuing(x->run, s);
	double bulk = bulk_s(x, s), gap = fmax(0, span - gpu);
	double copy = fmax(0, gpu - bulk) * counts;
	double left = fmax(0, bulk - gpu);	/* a longer bulk copy fills the gaps */
	double gather = gather_s(s) * counts;

	moved_site(x, d, s->kind, false);
	gap = fmax(0, gap - left) * fmax(counts, 0.1);
	d->claim[0] = (struct claim){ POOL_COPY | POOL_ISSUED, { fmax(0, copy - gather),
	    fmax(0, copy - gather / 2), copy } };
	d->claim[1] = (struct claim){ POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_LAUNCH), { 0.5 * gap, 0.9 * gap, gap } };
	d->claims = 2;
	d->f.where = arena_format(x->arena, "%s copies", way);
	d->f.location = arena_format(x->arena, "%s copies in %s group%s",
	    say_count(x->arena, s->copies), say_count(x->arena, s->groups),
	    s->groups == 1 ? "" : "s");
	rule_evidence(x, d, "copies_per_group", (double)s->copies /
	    (double)s->groups, "copies in a row", .measured = "copy records",
	    .unit = "copy", .key = "min_copies");
	rule_evidence(x, d, "mean_bytes", (double)s->bytes / (double)s->copies,
	    "bytes a copy", .measured = "copy records");
	rule_evidence(x, d, "span_s", span, "from first to last of the groups",
	    .measured = "copy records");
	rule_evidence(x, d, "bulk_s", bulk, "one copy a group instead",
	    .estimated = x->run->device[s->device].ceilings.calibrated ?
	    "calibration" : "typical rates");
	d->f.confidence = CONF_HIGH;
	d->f.summary = arena_format(x->arena, "%s %s copies of %s take %s; one "
	    "copy a group would take %s", say_count(x->arena, s->copies), way,
	    say_bytes(x->arena, (double)s->bytes / (double)s->copies),
	    say_seconds(x->arena, span), say_seconds(x->arena, bulk));
	d->f.limiter = arena_format(x->arena, "the fixed cost of a copy: they "
	    "run at %s", say_rate(x->arena, span > 0 ?
	    (double)s->bytes / span : NAN));
	d->variant = s->kind == COPY_D2H ? "results" : NULL;
	d->waits = s->kind == COPY_D2H ? BAR_WAIT : 0;
	d->f.advice = "gather the pieces in one buffer and copy that once; "
	    "cudaMemcpy2D for the rows of a matrix, or let the kernel gather";
	d->f.gain_note = "gathering the pieces on the host is counted half: they may "
	    "lie together already";
}

/* How many copies in a row of ${s} are there besides an optimizer's step counters? These are
 * unfused-optimizer's. */
static double
in_a_row(const struct small_copies *s, const struct counters *c)
{
	return (double)s->copies / (double)s->groups * (s->kind == COPY_D2H && c->copies > 0 ?
	    1 - c->part : 1);
}

enum rule_state
rule_many_small_copies(struct rule_view *x)
{
	struct counters c = counters_of(x->run);
	bool any = false;

	for (size_t i = 0; i < x->run->smalls; i++) {
		const struct small_copies *s = &x->run->small[i];

		if (s->groups == 0 || s->copies == 0 ||
		    s->device >= x->run->devices ||
		    in_a_row(s, &c) < rule_value(x, "min_copies"))
			continue;
		found(x, s);
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
