#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "report/json_util.h"
#include "rules/engine/finding.h"

#include "report/json_source.h"
#include "report/kin.h"
#include "report/json.h"

static json_t *
json_evidence(const struct finding *f)
{
	json_t *list = json_array();
	const struct evidence *e;
	size_t i;

	for (i = 0; list != NULL && i < f->evidences && i < EVIDENCE_MAX; i++) {
		e = &f->evidence[i];
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o,"
		    "s:o, s:o, s:o, s:o}",
		    "name", json_text(e->name),
		    "label", json_text(e->label),
		    "value", json_number(e->value),
		    "unit", json_text(e->unit),
		    "source", json_text(e->source),
		    "from", json_text(e->from),
		    "threshold", json_number(e->threshold),
		    "threshold_origin", json_text(e->threshold_origin)));
	}
	return list;
}

/* Launch shapes listed; those left out save the least. */
#define SHAPES_WRITTEN 100

static json_t *
json_shape_of(const struct finding_shape *s)
{
	const struct kernel *k = s->kernel;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:{s:o, s:o, s:o}}",
	    "kernel_id", json_count(k->id),
	    "grid", json_extent(k->shape.grid_x, k->shape.grid_y,
	    k->shape.grid_z),
	    "block", json_extent(k->shape.block_x, k->shape.block_y,
	    k->shape.block_z),
	    "launches", json_count(k->launches),
	    "total_ns", json_count(k->total_ns),
	    "measured", !s->unmeasured,
	    "saves",
	    "s", json_number(s->saves_s),
	    "low_s", json_number(s->saves_low_s),
	    "high_s", json_number(s->saves_high_s));
}

/* The launch shapes that a finding is about, at least that of its kernel; null:
 * it is about the run. */
static json_t *
json_shapes(const struct finding *f)
{
	const struct finding_shape own = { f->kernel, f->saves_s,
	    f->saves_low_s, f->saves_high_s, false };
	const struct finding_shape *shape = f->shapes > 0 ? f->shape : &own;
	size_t n = f->shapes > 0 ? f->shapes : 1, i;
	uint64_t launches = 0;
	json_t *list;

	if (f->kernel == NULL)
		return json_null();
	list = json_array();
	for (i = 0; i < n; i++) {
		launches += shape[i].kernel->launches;
		if (list != NULL && i < SHAPES_WRITTEN)
			json_array_append_new(list, json_shape_of(&shape[i]));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o}",
	    "count", json_count(n),
	    "measured_ratio", json_number(f->shapes > 0 ? f->measured_ratio :
	    1),
	    "launches", json_count(launches),
	    "left_out", json_count(n > SHAPES_WRITTEN ?
	    n - SHAPES_WRITTEN : 0),
	    "items", list);
}

static json_t *
json_change(const char *advice)
{
	json_t *text;
	char *change;

	if (advice == NULL)
		return json_null();
	if ((change = strndup(advice, kin_change_length(advice))) == NULL)
		return NULL;
	text = json_text(change);
	free(change);
	return text;
}

/* The only GPU that the run used; NULL: several, or none. */
static const struct device *
only_device(const struct run *r)
{
	const struct device *only = NULL;
	size_t i;

	for (i = 0; r != NULL && i < r->devices; i++) {
		if (r->device[i].busy_ns == 0)
			continue;
		if (only != NULL)
			return NULL;
		only = &r->device[i];
	}
	return only;
}

static const struct device *
device_of(const struct run *r, const struct finding *f)
{

	if (f->kernel == NULL)
		return f->device != NULL ? f->device : only_device(r);
	return r != NULL && f->kernel->device < r->devices ?
	    &r->device[f->kernel->device] : NULL;
}

/* The host's line of a finding, from the first frame that json_site shows. */
static json_t *
json_launch_site(const struct site *s)
{
	const struct site_frame *frame;

	if (s == NULL || s->first >= s->frames)
		return json_null();
	frame = &s->frame[s->first];
	return json_pack("{s:o, s:o, s:o}",
	    "file", json_text(frame->file),
	    "line", frame->line > 0 ? json_count(frame->line) : json_null(),
	    "function", json_text(frame->function));
}

static json_t *
json_location(const struct run *r, const struct finding *f)
{
	const struct kernel *k = f->kernel;
	const struct device *d = device_of(r, f);
	const struct hot_line *h = f->hots > 0 && f->hot[0].file != NULL ?
	    &f->hot[0] : NULL;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "text", json_text(f->location),
	    "kernel", json_text(k != NULL ? k->name : NULL),
	    "grid", k != NULL ? json_extent(k->shape.grid_x, k->shape.grid_y,
	    k->shape.grid_z) : json_null(),
	    "block", k != NULL ? json_extent(k->shape.block_x,
	    k->shape.block_y, k->shape.block_z) : json_null(),
	    "file", json_text(h != NULL ? h->file : NULL),
	    "line", h != NULL && h->line > 0 ? json_count(h->line) :
	    json_null(),
	    "function", json_text(h != NULL ? h->function : NULL),
	    "launch_site", json_launch_site(f->site),
	    "device", d != NULL ? json_count(d->id) : json_null(),
	    "stream", k != NULL && !k->streams_vary ? json_count(k->stream) :
	    json_null());
}

/* ${same_as}: the rank of the finding whose change fixes this one too; 0: none. */
static json_t *
finding_json(const struct run *r, const struct finding *f, size_t rank,
    size_t same_as)
{
	double wall_s = r != NULL ? (double)r->wall_ns / 1e9 : 0;
	const struct rule_info *rule = rule_find(f->rule);
	/* The host's line is known. */
	const struct reason *missing = f->kernel == NULL && f->site != NULL ?
	    NULL : f->location_missing;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:b, s:o, s:o,"
	    "s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}, s:o, s:o,"
	    "s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:o}",
	    "id", f->id,
	    "rank", json_count(rank),
	    "same_as", same_as > 0 ? json_count(same_as) : json_null(),
	    "rule", json_text(f->rule),
	    "title", json_text(f->title),
	    "category", json_text(f->category),
	    "severity", severity_name[f->severity],
	    "confidence", confidence_name[f->confidence],
	    "worth_it", f->worth_it,
	    "kernel_id", f->kernel != NULL ? json_count(f->kernel->id) :
	    json_null(),
	    "shapes", json_shapes(f),
	    "where", json_text(f->where),
	    "location", json_location(r, f),
	    "location_missing", json_reason(missing),
	    "location_missing_code", json_reason_code(missing),
	    "saves",
	    "s", json_number(f->saves_s),
	    "low_s", json_number(f->saves_low_s),
	    "high_s", json_number(f->saves_high_s),
	    "share_ratio", json_ratio(f->saves_s, wall_s),
	    "kernel_speedup_ratio", json_number(f->kernel_speedup),
	    "left_s", json_number(f->left_s),
	    "after", f->after > 0 ? json_count(f->after) : json_null(),
	    "behind", f->behind > 0 ? json_count(f->behind) : json_null(),
	    "note", json_text(f->gain_note),
	    "summary", json_text(f->summary),
	    "limiter", json_text(f->limiter),
	    "advice", json_text(f->advice),
	    "change", json_change(f->advice),
	    "example",
	    "bad", json_text(f->bad_code),
	    "good", json_text(f->good_code),
	    "next", json_text(f->next),
	    "evidence", json_evidence(f),
	    "hot_lines", json_hot_lines(f),
	    "heat", json_text(rule != NULL ? rule->heat : NULL),
	    "site", json_site(f->site));
}

json_t *
json_finding(const struct finding *f, size_t rank)
{

	return finding_json(NULL, f, rank, 0);
}

/* ${first}: of kin_of; NULL without memory. */
static json_t *
finding_at(const struct run *r, const struct advice *a, size_t at,
    const size_t *first)
{

	return finding_json(r, &a->finding[at], at + 1,
	    first != NULL && first[at] != at ? first[at] + 1 : 0);
}

json_t *
json_finding_of(const struct run *r, const struct advice *a, size_t at)
{
	size_t *first = kin_of(a);
	json_t *o = finding_at(r, a, at, first);

	free(first);
	return o;
}

static json_t *
json_verdicts(const struct advice *a)
{
	json_t *list = json_array();
	const struct verdict *v;
	size_t i;

	for (i = 0; list != NULL && i < a->verdicts; i++) {
		v = &a->verdict[i];
		json_array_append_new(list, json_pack("{s:o, s:s, s:o, s:o,"
		    "s:o, s:o, s:o}",
		    "rule", json_text(v->rule),
		    "state", rule_state_name[v->state],
		    "found", json_count(v->found),
		    "clean", json_count(v->clean),
		    "not_measured", json_count(v->not_measured),
		    "reason", json_reason(v->reason),
		    "reason_code", json_reason_code(v->reason)));
	}
	return list;
}

json_t *
json_findings(const struct run *r, const struct advice *a)
{
	size_t *first = kin_of(a);
	json_t *items = JSON_LIST(i, a->findings, finding_at(r, a, i, first));

	free(first);
	return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:b, s:o, s:o}",
	    "items", items,
	    "together_s", json_number(a->together_s),
	    "overlap", a->overlap,
	    "active_s", json_number(a->active_s),
	    "noise_s", json_number(a->noise_s),
	    "unmeasured", json_text(a->unmeasured),
	    "calibrated", r->ceilings->calibrated,
	    "ceilings_from", json_text(r->ceilings->from),
	    "rules", json_verdicts(a));
}

static json_t *
json_thresholds(const struct rule_info *r)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; list != NULL && i < r->thresholds && i < THRESHOLDS_MAX;
	    i++)
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}",
		    "key", json_text(r->threshold[i].key),
		    "value", json_number(r->threshold[i].value),
		    "unit", json_text(r->threshold[i].unit),
		    "origin", json_text(r->threshold[i].origin)));
	return list;
}

/* Links to the documents that ${sources} names. */
static json_t *
json_manuals(const char *sources)
{
	static const char *const manual[][2] = {
#define MANUAL(title, url) { title, url },
#include "report/manual.def"
	};
	json_t *list = json_array();
	size_t i;

	for (i = 0; list != NULL && sources != NULL &&
	    i < sizeof(manual) / sizeof(manual[0]); i++)
		if (strstr(sources, manual[i][0]) != NULL)
			json_array_append_new(list, json_pack("{s:s, s:s}",
			    "title", manual[i][0], "url", manual[i][1]));
	return list;
}

json_t *
json_rule(const struct rule_info *r)
{

	return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:{s:o,"
	    "s:o}, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "id", json_text(r->id),
	    "category", json_text(r->category),
	    "title", json_text(r->title),
	    "needs", json_text(r->needs),
	    "severity", severity_name[r->severity],
	    "why", json_text(r->why),
	    "detects", json_text(r->detects),
	    "advice", json_text(r->advice),
	    "example",
	    "bad", json_text(r->bad_code),
	    "good", json_text(r->good_code),
	    "sources", json_text(r->sources),
	    "manuals", json_manuals(r->sources),
	    "gain", json_text(r->gain),
	    "next", json_text(r->next),
	    "pair", json_text(r->pair),
	    "thresholds", json_thresholds(r));
}

json_t *
json_rules(void)
{

	return JSON_LIST(i, rule_count(), json_rule(rule_info(i)));
}
