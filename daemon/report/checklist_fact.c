#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "model/model.h"
#include "report/roofline.h"
#include "report/ending.h"
#include "report/headline.h"
#include "report/names.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

#include "report/checklist_fact.h"

/* Up to a twentieth of the kernel time may be unmeasured, or have no known limit. */
#define MEASURED_LEAST 0.95
#define BOUND_LEAST 0.95

#define WARP_LANES 32

/* The default of a rule's threshold, beyond which the rule applies. */
static double
threshold(const char *rule, const char *key)
{
	const struct rule_info *info = rule_find(rule);
	size_t i;

	for (i = 0; info != NULL && i < info->thresholds; i++)
		if (strcmp(info->threshold[i].key, key) == 0)
			return info->threshold[i].value;
	assert(!"a rule without this threshold");
	return NAN;
}

/* A value that a rule would report is not as it should be, whether or not the
 * rule says that a change gains something. */
static void
should_reach(struct check_fact *f, double least)
{

	if (f->value < least)
		f->state = CHECK_NO_GAIN;
}

static void
should_stay_below(struct check_fact *f, double most)
{

	if (f->value > most)
		f->state = CHECK_NO_GAIN;
}

/* --- means over kernels, weighted by their time ---------------------------- */

/* What is averaged over kernels: one of their headlines, or one of these. */
enum {
	OF_DRAM = HEADLINES,	/* DRAM throughput / ceiling */
	OF_USED,		/* the same, by bytes that threads requested */
	OF_COMPUTE,		/* FLOP/s / the nearest pipe's ceiling */
	OF_MEASURED,		/* 1 if it has all its counters */
	OF_BOUND,		/* 1 if its limit is known */
};

/* The value for one kernel; NaN if it has none. *${reason}: why; NULL if the
 * value does not apply to the kernel. */
static double
value_of(const struct check_view *x, const struct kernel *k, unsigned what,
    const struct reason **reason)
{
	const struct device *d = k->device < x->run->devices ?
	    &x->run->device[k->device] : NULL;
	struct headline h[HEADLINES];
	struct roofline r;
	struct load load;

	*reason = NULL;
	if (what < HEADLINES) {
		headline_of(h, k);
		*reason = h[what].applies ? h[what].reason : NULL;
		return h[what].value;
	}
	if (what == OF_MEASURED)
		return measured_of(k) == MEASURED_FULL;
	if (d == NULL && what == OF_BOUND)
		return 0;
	if (d == NULL) {
		*reason = &reason_row[REASON_DEVICE_UNKNOWN];
		return NAN;
	}
	load_of(&load, k, d);
	roofline_of(&r, k, &d->ceilings, &load);
	if (what == OF_BOUND)
		return r.bound != NULL;
	*reason = what == OF_COMPUTE ? r.no_flops : r.no_bytes;
	return what == OF_COMPUTE ? r.compute_ratio :
	    what == OF_DRAM ? r.dram_ratio :
	    r.used_bytes / r.time_s / d->ceilings.dram_bytes_per_s;
}

static void
mean_of_kernels(struct check_fact *f, const struct check_view *x,
    unsigned what)
{
	const struct run *r = x->run;
	const struct reason *reason;
	double sum = 0, known = 0, lacking = 0, most = 0, v, ns;
	size_t i;

	for (i = 0; i < r->kernels; i++) {
		ns = (double)r->kernel[i].total_ns;
		v = value_of(x, &r->kernel[i], what, &reason);
		if (isfinite(v)) {
			sum += v * ns;
			known += ns;
			continue;
		}
		if (reason == NULL)
			continue;
		lacking += ns;
		if (ns >= most) {
			most = ns;
			f->reason = reason;
		}
	}
	f->of = "kernel time";
	if (known + lacking > 0)
		f->covered = known / (known + lacking);
	if (known > 0) {
		f->value = sum / known;
		f->reason = NULL;
	} else if (f->reason == NULL) {
		f->reason = &reason_row[r->kernels == 0 ? REASON_NO_KERNEL :
		    REASON_NOT_DONE];
		f->covered = NAN;
	}
}

void
fact_coalescing(struct check_fact *f, const struct check_view *x)
{

	f->name = "coalescing_ratio";
	f->label = "of the bytes moved for global memory were used";
	mean_of_kernels(f, x, HEADLINE_COALESCING);
	should_reach(f, 1 / threshold("uncoalesced-global-access",
	    "min_ratio"));
}

void
fact_bank_conflicts(struct check_fact *f, const struct check_view *x)
{

	f->name = "bank_conflicts_ratio";
	f->label = "of the shared-memory wavefronts were bank conflicts";
	mean_of_kernels(f, x, HEADLINE_BANK_CONFLICTS);
	should_stay_below(f, threshold("shared-bank-conflicts",
	    "min_share"));
}

void
fact_divergence(struct check_fact *f, const struct check_view *x)
{

	f->name = "divergence_ratio";
	f->label = "of the lanes of executed instructions were idle";
	mean_of_kernels(f, x, HEADLINE_DIVERGENCE);
	should_stay_below(f, 1 - threshold("warp-divergence", "max_lanes") /
	    WARP_LANES);
}

void
fact_occupancy(struct check_fact *f, const struct check_view *x)
{

	f->name = "occupancy_ratio";
	f->label = "achieved occupancy";
	mean_of_kernels(f, x, HEADLINE_OCCUPANCY);
	should_reach(f, threshold("low-theoretical-occupancy",
	    "min_occupancy"));
}

void
fact_dram(struct check_fact *f, const struct check_view *x)
{

	f->name = "dram_ratio";
	f->label = "of the DRAM bandwidth ceiling was reached";
	mean_of_kernels(f, x, OF_DRAM);
}

void
fact_used(struct check_fact *f, const struct check_view *x)
{

	f->name = "used_ratio";
	f->label = "of that ceiling is the effective bandwidth: bytes that "
	    "threads asked for";
	mean_of_kernels(f, x, OF_USED);
}

void
fact_compute(struct check_fact *f, const struct check_view *x)
{

	f->name = "compute_ratio";
	f->label = "of the nearest pipe's FLOP/s ceiling was reached";
	mean_of_kernels(f, x, OF_COMPUTE);
}

/* --- copies ----------------------------------------------------------------- */

/* The time that the link would have taken / the time that the copies took:
 * small copies and pageable memory both lower it. */
void
fact_copies(struct check_fact *f, const struct check_view *x)
{
	const struct run *r = x->run;
	const struct copy_class *c;
	double could = 0, took = 0, s;
	size_t i;

	f->name = "pinned_ratio";
	f->label = "of the bandwidth that large copies from pinned memory "
	    "reach";
	for (i = 0; i < r->copies; i++) {
		c = &r->copy[i];
		if (c->memset || c->count == 0 || c->device >= r->devices ||
		    (c->kind != COPY_H2D && c->kind != COPY_D2H))
			continue;
		s = (double)c->bytes / ceilings_link(&x->run->device[c->device].ceilings,
		    c->kind == COPY_H2D);
		if (isnan(s))
			continue;
		could += s;
		took += (double)c->gpu_ns * 1e-9;
	}
	if (took > 0)
		f->value = could / took;
	else
		f->reason = &reason_row[REASON_NO_HOST_COPY];
	should_reach(f, 1 - threshold("pageable-host-memory", "min_gain"));
}

static const struct device *
busiest(const struct run *r)
{
	const struct device *d = NULL;
	size_t i;

	for (i = 0; i < r->devices; i++)
		if (d == NULL || r->device[i].busy_ns > d->busy_ns)
			d = &r->device[i];
	return d;
}

void
fact_hidden(struct check_fact *f, const struct check_view *x)
{
	const struct device *d = busiest(x->run);

	f->name = "copy_hidden_ratio";
	f->label = "of the copy time passed while a kernel ran";
	if (d != NULL && d->copy_ns > 0)
		f->value = (double)d->copy_hidden_ns / (double)d->copy_ns;
	else
		f->reason = &reason_row[REASON_NO_COPY];
	should_reach(f, threshold("no-copy-compute-overlap", "max_overlap"));
}

/* The time that the rules of its line examine: without start-up, and without
 * the host's longest phase. */
void
fact_busy(struct check_fact *f, const struct check_view *x)
{
	const struct device *d = busiest(x->run);
	double rest;

	f->name = "window_busy_ratio";
	f->label = "of the time from first to last GPU work, without the "
	    "longest gap, the GPU was busy";
	rest = rule_active_s(x->run) - (double)x->run->idle_longest_ns * 1e-9;
	if (d != NULL && d->busy_ns > 0 && rest > 0)
		f->value = fmin(1, (double)d->busy_ns * 1e-9 / rest);
	else
		f->reason = &reason_row[REASON_NO_GPU];
	should_reach(f, 1 - threshold("gpu-idle-gaps", "min_share"));
}

/* --- how well the run was measured ------------------------------------------ */

/* The line's state follows from a share of the kernel time. */
static void
answer_share(struct check_fact *f, double least)
{

	f->covered = NAN;
	f->of = NULL;
	if (isnan(f->value))
		f->state = CHECK_NOT_MEASURED;
	else if (f->value < least)
		f->state = CHECK_FAILED;
}

void
fact_measured(struct check_fact *f, const struct check_view *x)
{

	f->name = "kernels_measured_ratio";
	f->label = "of the kernel time is of kernels with all their counters";
	mean_of_kernels(f, x, OF_MEASURED);
	answer_share(f, MEASURED_LEAST);
}

void
fact_bound(struct check_fact *f, const struct check_view *x)
{

	f->name = "bound_known_ratio";
	f->label = "of the kernel time has a known limit";
	mean_of_kernels(f, x, OF_BOUND);
	answer_share(f, BOUND_LEAST);
}

void
fact_record(struct check_fact *f, const struct check_view *x)
{
	const struct run *r = x->run;
	double all = (double)r->records + (double)r->lost;

	f->name = "records_ratio";
	f->label = "of the records arrived";
	if (!(all > 0)) {
		f->state = CHECK_NOT_MEASURED;
		f->reason = &reason_row[REASON_NO_RECORD];
		return;
	}
	f->value = (double)r->records / all;
	if (r->state == RUN_LIVE) {
		f->state = CHECK_NOT_MEASURED;
		f->reason = &reason_row[REASON_STILL_RUNNING];
	} else if (r->lost > 0 || r->state != RUN_FINISHED ||
	    unended_processes(r) > 0) {
		f->state = CHECK_FAILED;
		if (r->state != RUN_FINISHED || unended_processes(r) > 0)
			f->label = "of the records arrived, and the record "
			    "ends early";
	}
}

void
fact_overhead(struct check_fact *f, const struct check_view *x)
{
	const struct run *r = x->run;

	f->name = "overhead_ratio";
	f->label = "of the run is what measuring cost";
	if (r->wall_ns == 0 || !(r->budget > 0)) {
		f->state = CHECK_NOT_MEASURED;
		f->reason = &reason_row[REASON_NO_BUDGET];
		return;
	}
	f->value = (double)r->overhead_total_ns / (double)r->wall_ns;
	if (f->value > r->budget)
		f->state = CHECK_FAILED;
}

void
fact_ceilings(struct check_fact *f, const struct check_view *x)
{

	f->name = "calibrated";
	f->unit = "";
	f->label = "ceilings are not this GPU's own: cudadvise calibrate "
	    "measures them";
	if (x->run->devices == 0) {
		f->state = CHECK_NOT_MEASURED;
		f->reason = &reason_row[REASON_NO_GPU];
		return;
	}
	f->value = x->run->ceilings->calibrated;
	if (x->run->ceilings->calibrated)
		f->label = x->run->ceilings->from;
	else
		f->state = CHECK_FAILED;
}
