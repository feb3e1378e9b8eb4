#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "report/json_util.h"
#include "report/names.h"

#include "report/json.h"

/* The bandwidth that a class of copies could have reached. */
struct reach {
	double bytes_per_s;	/* NaN: not known */
	const char *source;	/* ceilings_source's */
	const struct reason *missing;	/* why it is not known; else NULL */
};

/* Over the link to the host: what pinned memory reaches. Within the GPU: its
 * DRAM, which a copy reads and writes, and a memset writes. */
static struct reach
reach_of(const struct copy_class *c, const struct ceilings *ceiling)
{
	struct reach to = { NAN, NULL, NULL };

	if (ceiling == NULL) {
		to.missing = &reason_row[REASON_DEVICE_UNKNOWN];
	} else if (c->memset || c->kind == COPY_D2D) {
		to.bytes_per_s = ceiling->dram_bytes_per_s /
		    (c->memset ? 1 : 2);
		to.source = ceilings_source(ceiling,
		    &ceiling->dram_bytes_per_s);
	} else if (c->kind == COPY_H2D || c->kind == COPY_D2H) {
		to.bytes_per_s = ceilings_link(ceiling, c->kind == COPY_H2D);
		to.source = ceiling->copies_measured ? "measured" :
		    "attribute";
	} else {
		to.missing = &reason_row[REASON_NO_LINK_CEILING];
	}
	return to;
}

static json_t *
json_copy_class(const struct run *r, const struct copy_class *c)
{
	const struct device *d = c->device < r->devices ?
	    &r->device[c->device] : NULL;
	struct reach to = reach_of(c, d != NULL ? &d->ceilings : NULL);
	double reached = (double)c->bytes * 1e9 / (double)c->gpu_ns;

	return json_pack("{s:s, s:b, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o,"
	    "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "kind", c->memset ? "memset" : name_copy((int)c->kind),
	    "memset", c->memset,
	    "src", name_memory((int)c->src),
	    "dst", name_memory((int)c->dst),
	    "async", c->async,
	    "device", json_text(d != NULL ? d->name : NULL),
	    "size_class_bytes",
	    json_count((uint64_t)1 << (c->size_class & 63)),
	    "count", json_count(c->count),
	    "bytes", json_count(c->bytes),
	    "gpu_ns", json_count(c->gpu_ns),
	    "exposed_ns", json_number(c->exposed_ns),
	    "host_ns", json_count(c->host_ns),
	    "idle_after_ns", json_count(c->idle_after_ns),
	    "bandwidth_bytes_per_s",
	    json_ratio((double)c->bytes * 1e9, (double)c->gpu_ns),
	    "ceiling_bytes_per_s", json_number(to.bytes_per_s),
	    "ceiling_ratio", json_number(reached / to.bytes_per_s),
	    "ceiling_source", json_text(to.missing != NULL ? NULL :
	    to.source),
	    "ceiling_missing", json_reason(to.missing));
}

json_t *
json_copies(const struct run *r)
{

	return JSON_LIST(i, r->copies, json_copy_class(r, &r->copy[i]));
}

/* The bins of one device to show, and how many of them are merged into one. */
struct window {
	uint32_t first, end, step;
};

/* One row, or NULL if nothing happened in it (and no row is required). */
static json_t *
json_row(const struct timeline *t, int row, const struct window *w)
{
	json_t *busy = json_array(), *count = json_array();
	uint64_t events, all = 0;
	uint32_t i, j;
	double ns, width;

	for (i = w->first; i < w->end; i += w->step) {
		ns = 0;
		events = 0;
		for (j = i; j < i + w->step && j < w->end; j++) {
			ns += (double)t->busy_ns[row][j];
			events += t->count[row][j];
		}
		width = (double)(j - i) * (double)t->bin_ns;
		json_array_append_new(busy,
		    json_number(fmin(ns / width, 1.0)));
		json_array_append_new(count, json_count(events));
		all += events + (ns > 0);
	}
	if (all == 0) {
		json_decref(busy);
		json_decref(count);
		return json_null();
	}
	return json_pack("{s:s, s:o, s:o}", "row", timeline_row_name[row],
	    "busy_ratio", busy, "count", count);
}

static json_t *
json_rows(const struct timeline *t, const struct window *w)
{
	json_t *rows = json_array(), *row;
	int i;

	for (i = 0; rows != NULL && i < ROW_COUNT; i++) {
		row = json_row(t, i, w);
		if (json_is_null(row))
			json_decref(row);
		else
			json_array_append_new(rows, row);
	}
	return rows;
}

static uint64_t
timeline_end(const struct run *r)
{
	uint64_t end = r->wall_ns, covered;
	size_t i;

	for (i = 0; i < r->timelines; i++) {
		covered = r->timeline[i].bins * r->timeline[i].bin_ns;
		if (covered > end)
			end = covered;
	}
	return end;
}

/* The devices share one axis, so the widest of their bins is used. */
static uint64_t
widest_bin(const struct run *r)
{
	uint64_t widest = 1;
	size_t i;

	for (i = 0; i < r->timelines; i++)
		if (r->timeline[i].bin_ns > widest)
			widest = r->timeline[i].bin_ns;
	return widest;
}

json_t *
json_timeline(const struct run *r, uint64_t from_ns, uint64_t to_ns,
    unsigned px)
{
	json_t *devices = json_array();
	const struct timeline *t;
	uint64_t end = timeline_end(r), bin = widest_bin(r), bins, step;
	struct window w;
	size_t i;

	if (to_ns == 0 || to_ns > end)
		to_ns = end;
	if (from_ns > to_ns)
		from_ns = to_ns;
	from_ns -= from_ns % bin;
	if (px == 0)
		px = 1;
	bins = (to_ns - from_ns + bin - 1) / bin;
	step = bins > px ? (bins + px - 1) / px : 1;
	for (i = 0; devices != NULL && i < r->timelines; i++) {
		t = &r->timeline[i];
		if (t->bin_ns == 0)
			continue;
		w.first = (uint32_t)fmin((double)(from_ns / t->bin_ns),
		    t->bins);
		w.end = (uint32_t)fmin((double)((to_ns + t->bin_ns - 1) /
		    t->bin_ns), t->bins);
		w.step = (uint32_t)fmin((double)step *
		    (double)(bin / t->bin_ns), TIMELINE_BINS);
		json_array_append_new(devices, json_pack("{s:o, s:o, s:o}",
		    "device", json_count(t->device),
		    "name", json_text(t->device < r->devices ?
		    r->device[t->device].name : NULL),
		    "rows", json_rows(t, &w)));
	}
	return json_pack("{s:o, s:o, s:o, s:o}",
	    "from_ns", json_count(from_ns),
	    "to_ns", json_count(to_ns),
	    "bin_ns", json_count(step * bin),
	    "devices", devices);
}
