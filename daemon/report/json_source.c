#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "report/json_util.h"
#include "report/names.h"
#include "rules/engine/finding.h"

#include "report/json.h"
#include "report/json_source.h"

/* Counts are written as integers. */
static json_t *
json_tally(double v)
{

	if (isfinite(v) && v == floor(v) && fabs(v) < 9e15)
		return json_integer((json_int_t)v);
	return json_number(v);
}

static json_t *
json_values(const struct code *c, const double *value)
{
	json_t *o = json_object();
	size_t i;

	for (i = 0; o != NULL && i < SOURCE_COUNT; i++)
		if (source_metric_known(c, i) && value[i] != 0)
			json_object_set_new(o, source_metric_key(i),
			    json_tally(value[i]));
	return o;
}

static json_t *
json_samples(const struct code *c, const struct samples *s)
{
	json_t *stalls;
	size_t i;

	if (!c->sampled)
		return json_null();
	stalls = json_object();
	for (i = 0; stalls != NULL && i < STALL_COUNT; i++)
		if (s->stall[i] > 0)
			json_object_set_new(stalls, stall_table[i].key,
			    json_count(s->stall[i]));
	return json_pack("{s:o, s:o, s:o}",
	    "all", json_count(s->all),
	    "not_issued", json_count(s->not_issued),
	    "stalls", stalls);
}

static json_t *
json_metric_list(const struct code *c)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; list != NULL && i < SOURCE_COUNT; i++)
		if (source_metric_known(c, i))
			json_array_append_new(list, json_pack(
			    "{s:s, s:s, s:s}",
			    "name", source_metric_key(i),
			    "unit", source_metric_table[i].unit,
			    "label", source_metric_table[i].label));
	return list;
}

static json_t *
json_stall(const struct stall_info *info)
{
	const struct stall_group_info *group = &stall_group_table[info->group];

	return json_pack("{s:s, s:s, s:s, s:s}",
	    "name", info->key, "meaning", info->meaning,
	    "group", group->key, "group_label", group->label);
}

/* The meaning of the keys of ${c}'s samples, by group. */
static json_t *
json_stall_list(const struct code *c)
{
	json_t *list = json_array();
	int g, i;

	for (g = 0; list != NULL && c->sampled && g < STALL_GROUPS; g++)
		for (i = 0; i < STALL_COUNT; i++)
			if ((int)stall_table[i].group == g &&
			    c->samples.stall[i] > 0)
				json_array_append_new(list,
				    json_stall(&stall_table[i]));
	return list;
}

static json_t *
json_file_entry(const struct run *r, size_t i)
{
	const struct source_file *f = &r->source_file[i];

	return json_pack("{s:o, s:o, s:b, s:o}",
	    "index", json_count(i),
	    "path", json_text(f->path),
	    "captured", f->text != NULL,
	    "missing", json_text(f->text != NULL ? NULL :
	    f->missing != NULL ? f->missing : "it was not captured"));
}

/* The files with lines of ${c}; the lines are sorted by file. */
static json_t *
json_files_of(const struct run *r, const struct code *c)
{
	json_t *list = json_array();
	uint32_t last = UINT32_MAX, file;
	size_t i;

	for (i = 0; list != NULL && i < c->lines; i++) {
		file = c->line[i].file;
		if (file == last || file >= r->source_files)
			continue;
		last = file;
		json_array_append_new(list, json_file_entry(r, file));
	}
	return list;
}

static bool
names_line(const struct run *r, const struct finding *f,
    const struct source_line *l)
{
	const char *path;
	size_t i;

	if (l->file >= r->source_files ||
	    (path = r->source_file[l->file].path) == NULL)
		return false;
	for (i = 0; i < f->hots && i < HOT_LINES_MAX; i++)
		if (f->hot[i].line == l->line && f->hot[i].file != NULL &&
		    strcmp(f->hot[i].file, path) == 0)
			return true;
	return false;
}

/* Ids of the findings of ${k}; if ${l} is not NULL, of those that name it. */
static json_t *
json_ids(const struct run *r, const struct kernel *k, const struct advice *a,
    const struct source_line *l)
{
	json_t *ids = json_array();
	const struct finding *f;
	size_t i;

	for (i = 0; ids != NULL && i < a->findings; i++) {
		f = &a->finding[i];
		if (finding_about(f, k) &&
		    (l == NULL || names_line(r, f, l)))
			json_array_append_new(ids, json_text(f->id));
	}
	return ids;
}

static json_t *
json_line_index(uint32_t i, size_t lines)
{

	return i < lines ? json_count(i) : json_null();
}

static json_t *
json_lines(const struct run *r, const struct kernel *k,
    const struct advice *a)
{
	const struct code *c = k->code;
	json_t *list = json_array();
	const struct source_line *l;
	size_t i;

	for (i = 0; list != NULL && i < c->lines; i++) {
		l = &c->line[i];
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o,"
		    "s:o, s:o, s:o, s:o, s:o}",
		    "index", json_count(i),
		    "file", json_line_index(l->file, r->source_files),
		    "line", json_count(l->line),
		    "inlined_at", json_line_index(l->inlined_at, c->lines),
		    "function", json_text(l->function),
		    "instructions", json_count(l->instructions),
		    "values", json_values(c, l->value),
		    "samples", json_samples(c, &l->samples),
		    "findings", json_ids(r, k, a, l)));
	}
	return list;
}

const struct reason *
source_missing(const char *level, const char *state)
{

	if (state != NULL && strcmp(state, "live") == 0)
		return &reason_row[REASON_RUN_LIVE];
	if (!level_counts(level_named(level)))
		return &reason_row[REASON_NEEDS_AUTO];
	return &reason_row[REASON_NO_CODE_AT_ALL];
}

/* Why each part of a kernel's source is missing; NULL: it is there. */
struct missing {
	const struct reason *counts, *samples, *lines, *sass;
};

static json_t *
json_missing(const struct missing *m, json_t *of(const struct reason *))
{

	return json_pack("{s:o, s:o, s:o, s:o}",
	    "counts", of(m->counts), "samples", of(m->samples),
	    "lines", of(m->lines), "sass", of(m->sass));
}

json_t *
json_source_none(uint32_t kernel_id, const struct reason *why)
{
	struct missing m = { why, why, why, why };

	return json_pack("{s:o, s:n, s:n, s:b, s:b, s:b, s:b, s:b, s:o, s:o,"
	    "s:[], s:[], s:[], s:[], s:{s:{}, s:n}, s:i, s:n, s:[]}",
	    "kernel_id", json_count(kernel_id),
	    "name", "function",
	    "counted", 0, "sampled", 0, "disassembled", 0, "has_lines", 0,
	    "debug", 0,
	    "missing", json_missing(&m, json_reason),
	    "missing_code", json_missing(&m, json_reason_code),
	    "metrics", "stalls", "files", "lines",
	    "totals", "values", "samples",
	    "samples_shared_by", 0,
	    "sample_period_cycles",
	    "findings");
}

static const struct reason *
why_none(const struct run *r)
{

	return source_missing(name_level((int)r->level),
	    run_state_name[r->state]);
}

static struct missing
missing_of(const struct run *r, const struct code *c)
{
	const struct reason *why = why_none(r);
	struct missing m = { NULL, NULL, NULL, NULL };

	if (!c->counted)
		m.counts = c->uncounted != NULL ? c->uncounted : why;
	if (!c->sampled)
		m.samples = level_samples(r->level) ?
		    &reason_row[REASON_NO_SAMPLE] :
		    &reason_row[REASON_NEEDS_SOURCE];
	if (!c->has_lines)
		m.lines = c->lineless != NULL ? c->lineless : why;
	if (!c->disassembled)
		m.sass = c->no_sass != NULL ? c->no_sass : why;
	return m;
}

json_t *
json_source(const struct run *r, const struct kernel *k,
    const struct advice *a)
{
	const struct code *c = k->code;
	struct missing missing;
	json_t *o;

	if (c == NULL) {
		o = json_source_none(k->id, why_none(r));
		if (o == NULL)
			return NULL;
		json_object_set_new(o, "name", json_text(k->name));
		json_object_set_new(o, "function", json_text(k->mangled));
		json_object_set_new(o, "findings", json_ids(r, k, a, NULL));
		return o;
	}
	missing = missing_of(r, c);
	return json_pack("{s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:o, s:o,"
	    "s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o}",
	    "kernel_id", json_count(k->id),
	    "name", json_text(k->name),
	    "function", json_text(c->function),
	    "counted", c->counted,
	    "sampled", c->sampled,
	    "disassembled", c->disassembled,
	    "has_lines", c->has_lines,
	    "debug", c->debug,
	    "missing", json_missing(&missing, json_reason),
	    "missing_code", json_missing(&missing, json_reason_code),
	    "metrics", json_metric_list(c),
	    "stalls", json_stall_list(c),
	    "files", json_files_of(r, c),
	    "lines", json_lines(r, k, a),
	    "totals",
	    "values", json_values(c, c->total),
	    "samples", json_samples(c, &c->samples),
	    "samples_shared_by", json_count(c->sample_kernels),
	    "sample_period_cycles", c->sample_period > 0 ?
	    json_count(c->sample_period) : json_null(),
	    "findings", json_ids(r, k, a, NULL));
}

static json_t *
json_file(const struct run *r, size_t i)
{
	json_t *o = json_file_entry(r, i);

	if (o != NULL)
		json_object_set_new(o, "size_bytes",
		    json_count(r->source_file[i].size));
	return o;
}

json_t *
json_source_files(const struct run *r)
{

	return JSON_LIST(i, r->source_files, json_file(r, i));
}

json_t *
json_source_file(const struct run *r, size_t index)
{
	json_t *o;

	if (index >= r->source_files)
		return NULL;
	if ((o = json_file(r, index)) != NULL)
		json_object_set_new(o, "text",
		    json_text(r->source_file[index].text));
	return o;
}

static json_t *
json_line_number(uint32_t line)
{

	return line > 0 ? json_count(line) : json_null();
}

static json_t *
json_frames(const struct site *s)
{
	json_t *list = json_array();
	const struct site_frame *f;
	size_t i;

	for (i = 0; list != NULL && i < s->frames; i++) {
		f = &s->frame[i];
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o,"
		    "s:b, s:b, s:b}",
		    "function", json_text(f->function),
		    "file", json_text(f->file),
		    "line", json_line_number(f->line),
		    "module", json_text(f->module),
		    "python", f->python,
		    "inlined", f->inlined,
		    "nearest", f->nearest));
	}
	return list;
}

json_t *
json_site(const struct site *s)
{
	static const struct site_frame nothing;
	const struct site_frame *f = &nothing;

	if (s == NULL)
		return json_null();
	if (s->first < s->frames)
		f = &s->frame[s->first];
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "call", wire_call_name(s->call),
	    "kernel_id", s->kernel > 0 ? json_count(s->kernel) : json_null(),
	    "count", json_count(s->count),
	    "idle_s", json_number(s->idle_ns * 1e-9),
	    "idle_gaps", json_number(round(s->idle_gaps)),
	    "function", json_text(f->function),
	    "file", json_text(f->file),
	    "line", json_line_number(f->line),
	    "module", json_text(f->module),
	    "first", s->first < s->frames ? json_count(s->first) :
	    json_null(),
	    "frames", json_frames(s));
}

json_t *
json_sites(const struct run *r)
{

	return JSON_LIST(i, r->sites, json_site(&r->site[i]));
}

json_t *
json_hot_lines(const struct finding *f)
{
	json_t *list = json_array();
	const struct hot_line *h;
	size_t i;

	for (i = 0; list != NULL && i < f->hots && i < HOT_LINES_MAX; i++) {
		h = &f->hot[i];
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o,"
		    "s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		    "file", json_text(h->file),
		    "line", json_line_number(h->line),
		    "function", json_text(h->function),
		    "called_file", json_text(h->called_file),
		    "called_line", json_line_number(h->called_line),
		    "pc", json_count(h->pc),
		    "sass", json_text(h->sass),
		    "text", json_text(h->text),
		    "share_ratio", json_number(h->share),
		    "value", json_number(h->value),
		    "what", json_text(h->what)));
	}
	return list;
}
