#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "model/model.h"
#include "report/roofline.h"
#include "report/functions.h"
#include "report/headline.h"
#include "report/json_roofline.h"
#include "report/json_util.h"
#include "report/names.h"
#include "rules/engine/finding.h"
#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"

#include "report/json.h"

static json_t *
json_time(const struct kernel *k)
{
	const struct distribution *s = &k->time;
	bool any = s->count > 0;

	return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "total_ns", json_count(k->total_ns),
	    "at_least", k->total_least,
	    "mean_ns", any ? json_number(stat_mean(s)) : json_null(),
	    "sd_ns", any ? json_number(stat_deviation(s)) : json_null(),
	    "min_ns", any ? json_count(s->min) : json_null(),
	    "p50_ns", any ? json_number(stat_quantile(s, 0.5)) : json_null(),
	    "p95_ns", any ? json_number(stat_quantile(s, 0.95)) : json_null(),
	    "max_ns", any ? json_count(s->max) : json_null());
}

static json_t *
json_occupancy(const struct kernel *k)
{
	const struct occupancy *o = &k->occupancy;
	const char *limiter = NULL;

	if (o->known && o->limiter < LIMITER_COUNT)
		limiter = limiter_name[o->limiter];
	return json_pack("{s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o},"
	    "s:o, s:o, s:o}",
	    "theoretical_ratio", json_number(o->known ? o->ratio : NAN),
	    "achieved_ratio", json_number(k->metric[METRIC_OCCUPANCY] / 100),
	    "limiter", json_text(limiter),
	    "blocks_per_sm", o->known ? json_count(o->blocks_per_sm) :
	    json_null(),
	    "limits",
	    "warps", json_count(o->limit_blocks[LIMITER_WARPS]),
	    "blocks", json_count(o->limit_blocks[LIMITER_BLOCKS]),
	    "registers", json_count(o->limit_blocks[LIMITER_REGISTERS]),
	    "shared", json_count(o->limit_blocks[LIMITER_SHARED]),
	    "barriers", json_count(o->limit_blocks[LIMITER_BARRIERS]),
	    "waves", json_number(o->known ? o->waves : NAN),
	    "best_block", o->known ? json_count(o->best_block) : json_null(),
	    "best_ratio", json_number(o->known ? o->best_ratio : NAN));
}

static json_t *
json_headline(const struct kernel *k)
{
	struct headline h[HEADLINES];
	json_t *o = json_object();
	size_t i;

	headline_of(h, k);
	for (i = 0; o != NULL && i < HEADLINES; i++)
		json_object_set_new(o, h[i].name,
		    json_pack("{s:o, s:s, s:s, s:o, s:s}",
		    "value", json_number(h[i].value),
		    "unit", "ratio",
		    "source", h[i].source,
		    "reason", json_reason(h[i].reason),
		    "meaning", h[i].meaning));
	return o;
}

/* "cuBLAS, FP32 without tensor cores" */
static json_t *
json_library(const struct run *r, const struct kernel *k)
{
	struct library l;

	if (!library_of(&l, r, k))
		return json_null();
	if (l.precision == NULL)
		return json_string(l.name);
	return json_sprintf("%s, %s%s", l.name, l.precision, l.tensor ?
	    " on tensor cores" : strcmp(l.precision, "FP32") == 0 ?
	    " without tensor cores" : "");
}

/* How much of a launch's time each unit needs at its ceiling. */
static json_t *
json_busy(const struct load *l)
{
	double body = l->time_s - l->fixed_s, v;
	json_t *list = json_array();
	int i;

	for (i = 0; list != NULL && i < RES_COUNT; i++) {
		v = body > 0 ? l->resource_s[i] / body : NAN;
		if (isfinite(v))
			json_array_append_new(list, json_pack("{s:s, s:o}",
			    "unit", resource_name[i], "ratio", json_number(v)));
	}
	return list;
}

/* Of the places that launched ${k} the one with the most launches. */
static json_t *
json_operator(const struct run *r, const struct kernel *k)
{
	char name[OPERATOR_SIZE];

	return operator_name(name, k, lines_launched(r, k->id), NULL) ? json_text(name) :
	    json_null();
}

static json_t *
json_finding_ids(const struct kernel *k, const struct advice *a)
{
	json_t *ids = json_array();
	size_t i;

	for (i = 0; ids != NULL && i < a->findings; i++)
		if (finding_about(&a->finding[i], k))
			json_array_append_new(ids,
			    json_text(a->finding[i].id));
	return ids;
}

/* The function of which the kernel is a launch shape. */
static json_t *
json_function(const struct run *r, const struct kernel *k,
    const struct functions *all)
{
	const struct function *f;

	if (k < r->kernel || k >= r->kernel + r->kernels)
		return json_null();	/* not a kernel of the run */
	f = &all->function[all->of[k - r->kernel]];
	return json_pack("{s:o, s:o, s:o, s:o, s:o}",
	    "id", json_count(f->id),
	    "shapes", json_count(f->shapes),
	    "launches", json_count(f->launches),
	    "total_ns", json_count(f->total_ns),
	    "share_ratio", json_ratio((double)f->total_ns,
	    (double)r->wall_ns));
}

/* For global loads and stores together, if both are known. */
static double
sectors_per_request(const struct load *l)
{
	double requests = l->requests_ld + l->requests_st;

	return requests > 0 ? (l->ld_sectors + l->st_sectors) / requests : NAN;
}

/* Of the stream that it is launched into; null: several. */
static json_t *
json_stream_kind(const struct kernel *k)
{
	static const char *const name[] = { [QUEUE_OTHER] = "other",
		[QUEUE_BLOCKING] = "blocking", [QUEUE_LEGACY] = "default" };

	return json_text(k->streams_vary ? NULL : name[k->queue]);
}

json_t *
json_kernel_with(const struct run *r, const struct kernel *k,
    const struct advice *a, const struct functions *f)
{
	const struct record_SIGNATURE *s = &k->shape;
	const char *device = NULL, *bound = NULL;
	json_t *roofline = json_null(), *bandwidth = json_null();
	json_t *busy = NULL;
	double per_request = NAN;
	struct roofline roof;
	struct load load;

	if (k->device < r->devices) {
		const struct device *d = &r->device[k->device];

		device = d->name;
		load_of(&load, k, d);
		bound = load_bound_name(&load);
		busy = json_busy(&load);
		per_request = sectors_per_request(&load);
		roofline_of(&roof, k, &d->ceilings, &load);
		roofline = json_roofline(k, &roof);
		bandwidth = json_bandwidth(&roof, &d->ceilings);
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
	    "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
	    "s:o, s:o, s:o, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "id", json_count(k->id),
	    "name", json_text(k->name),
	    "short_name", json_text(k->short_name),
	    "mangled", json_text(k->mangled),
	    "device", json_text(device),
	    "launches", json_count(k->launches),
	    "time", json_time(k),
	    "exposed_ns", json_number(k->exposed_ns),
	    "share_ratio", json_ratio((double)k->total_ns,
	    (double)r->wall_ns),
	    "grid", json_extent(s->grid_x, s->grid_y, s->grid_z),
	    "grid_rounded", json_boolean((s->flags & SIGNATURE_ROUNDED) != 0),
	    "block", json_extent(s->block_x, s->block_y, s->block_z),
	    "cluster", json_extent(s->cluster_x, s->cluster_y, s->cluster_z),
	    "registers", json_count(s->regs),
	    "shared_static_bytes", json_count(s->smem_static),
	    "shared_dynamic_bytes", json_count(s->smem_dynamic),
	    "local_bytes", json_count(s->local_per_thread),
	    "graph_launches", json_count(k->graph_launches),
	    "stream_kind", json_stream_kind(k),
	    "waited_for", k->last_ns > 0 ? json_boolean(!k->unwaited) :
	    json_null(),
	    "gap_before_ns", json_count(k->gap_before_ns),
	    "occupancy", json_occupancy(k),
	    "headline", json_headline(k),
	    "instructions", json_number(k->metric[METRIC_INST_EXECUTED]),
	    "sectors_per_request", json_number(per_request),
	    "bound", json_text(bound),
	    "roofline", roofline,
	    "bandwidth", bandwidth,
	    "busy", busy != NULL ? busy : json_array(),
	    "metrics_complete", k->metric_complete,
	    "measured", name_measured(measured_of(k)),
	    "measured_launches", json_count(k->metric_launches),
	    "not_measured", json_reason(k->metric_complete ? NULL :
	    reason_skip[k->skip]),
	    "library", json_library(r, k),
	    "operator", json_operator(r, k),
	    "findings", json_finding_ids(k, a),
	    "function", json_function(r, k, f));
}

json_t *
json_kernel(const struct run *r, const struct kernel *k,
    const struct advice *a)
{
	struct functions f;
	json_t *o = NULL;

	if (functions_make(&f, r) == 0)
		o = json_kernel_with(r, k, a, &f);
	functions_free(&f);
	return o;
}

json_t *
json_kernels(const struct run *r, const struct advice *a)
{
	struct functions f;
	json_t *list = NULL;

	if (functions_make(&f, r) == 0)
		list = JSON_LIST(i, r->kernels,
		    json_kernel_with(r, &r->kernel[i], a, &f));
	functions_free(&f);
	return list;
}

/* Appends counters that no rule reads, by the name that CUPTI gives them. */
static void
append_extra(json_t *list, const struct run *r, const struct kernel *k)
{
	size_t i;

	for (i = 0; list != NULL && k->extra != NULL && i < r->extras; i++)
		if (isfinite(k->extra[i]))
			json_array_append_new(list,
			    json_pack("{s:s, s:s, s:o, s:s, s:s, s:n}",
			    "name", r->extra_name[i],
			    "label", r->extra_name[i],
			    "value", json_number(k->extra[i]),
			    "unit", "",
			    "source", "measured",
			    "reason"));
}

json_t *
json_metrics_of(const struct run *r, const struct kernel *k)
{
	json_t *list = json_metrics(k);

	append_extra(list, r, k);
	return list;
}

json_t *
json_metrics(const struct kernel *k)
{
	json_t *list = json_array();
	const struct reason *reason = k->skip != SKIP_NONE ?
	    reason_skip[k->skip] : &reason_row[REASON_NOT_IN_SET];
	size_t i;

	for (i = 0; list != NULL && i < METRIC_COUNT; i++)
		json_array_append_new(list,
		    json_pack("{s:s, s:s, s:o, s:s, s:o, s:o}",
		    "name", metric_table[i].name,
		    "label", metric_table[i].label,
		    "value", json_number(k->metric[i]),
		    "unit", metric_table[i].unit,
		    "source", isfinite(k->metric[i]) ? json_string("measured") :
		    json_null(),
		    "reason", json_reason(isfinite(k->metric[i]) ? NULL :
		    reason)));
	return list;
}
