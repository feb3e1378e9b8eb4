/* Views of a stored run: the timeline at any width, and the launches of one
 * kernel. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "service/internal.h"
#include "model/model.h"
#include "report/json.h"
#include "service/view.h"

#define LAUNCH_RECORDS 100000	/* decoded for a page of launches, at most */
#define MAX_DEVICES 64

static void
read_row(struct timeline *t, const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "row"));
	const json_t *busy = json_object_get(row, "busy_ratio"),
	    *count = json_object_get(row, "count");
	size_t i;
	int r;

	for (r = 0; name != NULL && r < ROW_COUNT; r++) {
		if (strcmp(name, timeline_row_name[r]) != 0)
			continue;
		for (i = 0; i < t->bins; i++) {
			t->busy_ns[r][i] = (float)(json_number_value(
			    json_array_get(busy, i)) * (double)t->bin_ns);
			t->count[r][i] = (uint32_t)json_integer_value(
			    json_array_get(count, i));
		}
	}
}

static size_t
longest_row(const json_t *rows)
{
	size_t i, n, bins = 0;

	for (i = 0; i < json_array_size(rows); i++) {
		n = json_array_size(json_object_get(json_array_get(rows, i),
		    "count"));
		if (n > bins)
			bins = n;
	}
	return bins < TIMELINE_BINS ? bins : TIMELINE_BINS;
}

/* Converts the stored bins into the model's structures. */
static int
read_timeline(struct run_view *v)
{
	const json_t *devices = json_object_get(v->stored, "devices"), *d,
	    *rows;
	json_int_t bin = json_integer_value(json_object_get(v->stored,
	    "bin_ns")), index;
	size_t n = json_array_size(devices), i, j;

	if (n > MAX_DEVICES)
		n = MAX_DEVICES;
	v->run.timeline = calloc(n + 1, sizeof(*v->run.timeline));
	v->run.device = calloc(MAX_DEVICES, sizeof(*v->run.device));
	if (v->run.timeline == NULL || v->run.device == NULL)
		return -1;
	v->run.timelines = n;
	v->run.devices = MAX_DEVICES;
	v->run.wall_ns = (uint64_t)json_integer_value(json_object_get(
	    v->stored, "to_ns"));
	for (i = 0; i < n; i++) {
		d = json_array_get(devices, i);
		rows = json_object_get(d, "rows");
		index = json_integer_value(json_object_get(d, "device"));
		if (index < 0 || index >= MAX_DEVICES)
			index = 0;
		v->run.timeline[i].device = (uint32_t)index;
		v->run.timeline[i].bin_ns = bin > 0 ? (uint64_t)bin : 1;
		v->run.timeline[i].bins = (uint32_t)longest_row(rows);
		v->run.device[index].name = json_string_value(
		    json_object_get(d, "name"));
		for (j = 0; j < json_array_size(rows); j++)
			read_row(&v->run.timeline[i], json_array_get(rows, j));
	}
	return 0;
}

/* --- the timeline in detail ------------------------------------------------- */

struct detail {
	const struct capture_index *index;
	struct run run;
	uint64_t zero;		/* CLOCK_REALTIME at the window's start */
	bool homeless;		/* a record names a device that has no timeline */
};

static struct timeline *
timeline_of(struct detail *d, uint32_t device)
{
	size_t i;

	for (i = 0; i < d->run.timelines; i++)
		if (d->run.timeline[i].device == device)
			return &d->run.timeline[i];
	return NULL;
}

static void
draw(struct timeline *t, enum timeline_row row, uint64_t zero, uint64_t from,
    uint64_t to)
{
	uint64_t end = zero + t->bins * t->bin_ns, bin, edge;

	if (to <= zero || from >= end)
		return;
	if (from >= zero)
		t->count[row][(from - zero) / t->bin_ns]++;
	from = from < zero ? zero : from;
	to = to > end ? end : to;
	for (bin = (from - zero) / t->bin_ns; from < to && bin < t->bins;
	    bin++) {
		edge = zero + (bin + 1) * t->bin_ns;
		if (edge > to)
			edge = to;
		t->busy_ns[row][bin] += (float)(edge - from);
		from = edge;
	}
}

static int
draw_record(void *arg, uint64_t stream, uint64_t sequence,
    const struct record *r)
{
	struct detail *d = arg;
	struct timeline *t;
	struct operation op;

	(void)sequence;
	if (!capture_operation(d->index, stream, r, &op))
		return 0;
	/* Host times are drawn into the first device's timeline. */
	t = op.host ? &d->run.timeline[0] : timeline_of(d, op.device);
	d->homeless = t == NULL;
	if (t != NULL)
		draw(t, op.row, d->zero, op.from, op.to);
	return d->homeless;
}

/* No record tells why the device was idle: takes the share of the stored bin that
 * contains the middle of each bin of ${t}. ${t} begins at ${from}. */
static void
draw_idle(struct timeline *t, const struct timeline *stored, uint64_t from)
{
	uint64_t at;
	uint32_t i;
	int row;

	for (i = 0; i < t->bins; i++) {
		at = (from + i * t->bin_ns + t->bin_ns / 2) / stored->bin_ns;
		for (row = ROW_IDLE_HOST; row < ROW_COUNT; row++)
			if (at < stored->bins)
				t->busy_ns[row][i] = stored->busy_ns[row][at] /
				    (float)stored->bin_ns * (float)t->bin_ns;
	}
}

/* The window's timeline, drawn from the capture's records; NULL if the run has no
 * timeline or the records cannot be used. For example, if the capture does not define
 * the device of a record, the model made one up, which only the stored bins have. */
static json_t *
detail(const struct run_view *v, uint64_t from, uint64_t to, unsigned px)
{
	struct detail d = { .index = &v->index };
	json_t *out = NULL;
	size_t i;

	d.zero = (uint64_t)v->row.started_ns + from;
	d.run.timelines = v->run.timelines;
	d.run.device = v->run.device;
	d.run.devices = v->run.devices;
	d.run.timeline = calloc(v->run.timelines + 1,
	    sizeof(*d.run.timeline));
	if (d.run.timeline == NULL)
		return NULL;
	for (i = 0; i < d.run.timelines; i++) {
		d.run.timeline[i].device = v->run.timeline[i].device;
		d.run.timeline[i].bin_ns = (to - from + px - 1) / px;
		d.run.timeline[i].bins = (uint32_t)((to - from +
		    d.run.timeline[i].bin_ns - 1) / d.run.timeline[i].bin_ns);
		draw_idle(&d.run.timeline[i], &v->run.timeline[i], from);
	}
	d.run.wall_ns = to - from;
	if (capture_window(v->capture, &v->index, d.zero, d.zero + (to - from),
	    VIEW_RECORDS, draw_record, &d, NULL, NULL) >= 0 && !d.homeless)
		out = json_timeline(&d.run, 0, to - from, px);
	free(d.run.timeline);
	if (out == NULL)
		return NULL;
	json_object_set_new(out, "from_ns", json_integer((json_int_t)from));
	json_object_set_new(out, "to_ns", json_integer((json_int_t)to));
	return out;
}

static json_t *
draw_view(struct service *s, struct run_view *v, uint64_t from, uint64_t to,
    unsigned px)
{
	uint64_t wall = v->run.wall_ns, zero = (uint64_t)v->row.started_ns;
	bool close_up = false;
	json_t *out = NULL;

	if (px == 0)
		px = 1;
	if (px > TIMELINE_BINS)
		px = TIMELINE_BINS;
	if (to == 0 || to > wall)
		to = wall;
	if (from > to)
		from = to;
	if (v->run.timelines > 0 && v->indexed && to > from &&
	    (to - from) / px < v->run.timeline[0].bin_ns &&
	    view_frames(s, v, zero + from, zero + to)) {
		out = detail(v, from, to, px);
		close_up = out != NULL;
	}
	if (out == NULL)
		out = json_timeline(&v->run, from, to, px);
	if (out != NULL)
		json_object_set_new(out, "detail", json_boolean(close_up));
	return out;
}

enum store_status
service_timeline(struct service *s, int64_t number, uint64_t from_ns,
    uint64_t to_ns, unsigned px, json_t **out, struct error *e)
{
	enum store_status st;
	char *text = NULL;
	struct run_view v;

	*out = NULL;
	st = view_open(s, number, &v, e);
	if (st == STORE_OK)
		st = store_doc(s->reader, number, "timeline", "", &text, e);
	if (st != STORE_OK)
		goto out;
	if ((v.stored = json_loads(text, 0, NULL)) == NULL ||
	    read_timeline(&v) != 0 ||
	    (*out = draw_view(s, &v, from_ns, to_ns, px)) == NULL) {
		error_set(e, "the timeline of run %" PRId64 " cannot be drawn",
		    number);
		st = STORE_FAILED;
	}
out:
	free(text);
	view_close(&v);
	return st;
}

/* --- launches of one kernel ------------------------------------------------ */

struct launch_page {
	const struct capture_index *index;
	uint32_t kernel;
	uint64_t origin, from, to;	/* CLOCK_REALTIME; launches that begin in
					 * [from, to) */
	uint64_t stream, after;	/* of the first frame skip this stream's records up
				 * to ${after} */
	bool skipping;
	size_t limit;
	json_t *items;
	uint64_t last_stream, last;	/* the last record that was read */
};

static bool
is_kernel(const struct launch_page *l, uint64_t stream, uint32_t id)
{
	const struct capture_signature *s = capture_index_signature(l->index,
	    stream, id);

	return s != NULL && s->kernel == l->kernel;
}

static json_t *
launch_object(const struct launch_page *l, uint64_t stream,
    const struct record_KERNEL *k)
{
	char process[20];
	json_t *delay = k->launch_ns != 0 && k->launch_ns <= k->start_ns ?
	    json_integer((json_int_t)(k->start_ns - k->launch_ns)) :
	    json_null();

	snprintf(process, sizeof(process), "%016" PRIx64, stream);
	return json_pack("{s:I, s:I, s:I, s:o, s:b, s:s, s:b}",
	    "start_ns", (json_int_t)(k->start_ns - l->origin),
	    "duration_ns", (json_int_t)(k->end_ns - k->start_ns),
	    "stream", (json_int_t)k->stream,
	    "launch_delay_ns", delay,
	    "graph", k->graph != 0,
	    "process", process,
	    "profiled", (k->flags & KERNEL_PROFILED) != 0);
}

static int
list_record(void *arg, uint64_t stream, uint64_t sequence,
    const struct record *r)
{
	struct launch_page *l = arg;

	if (l->skipping && stream == l->stream && sequence <= l->after)
		return 0;
	if (r->type == RECORD_KERNEL && r->u.KERNEL.start_ns >= l->from &&
	    r->u.KERNEL.start_ns < l->to &&
	    r->u.KERNEL.end_ns >= r->u.KERNEL.start_ns &&
	    is_kernel(l, stream, r->u.KERNEL.signature)) {
		/* There are more than requested: stop before this one. */
		if (json_array_size(l->items) >= l->limit)
			return 1;
		json_array_append_new(l->items, launch_object(l, stream,
		    &r->u.KERNEL));
	}
	l->last_stream = stream;
	l->last = sequence;
	return 0;
}

/* Reads "<stream hex>.<sequence>", which names the last record of the page before. */
static int
read_cursor(const char *cursor, struct launch_page *l)
{
	char *end;

	if (strlen(cursor) < 18 || cursor[16] != '.' ||
	    strspn(cursor, "0123456789abcdef") != 16)
		return -1;
	l->stream = strtoull(cursor, &end, 16);
	l->skipping = true;
	return text_u64(cursor + 17, 0, UINT64_MAX, &l->after);
}

enum store_status
service_launches(struct service *s, int64_t number, uint32_t kernel,
    uint64_t from_ns, uint64_t to_ns, const char *cursor, size_t limit,
    json_t **out, char *next, struct error *e)
{
	struct launch_page l = { .kernel = kernel, .limit = limit };
	struct store_frames want = { .records = LAUNCH_RECORDS };
	enum store_status st;
	struct run_view v;
	int64_t given;
	int more = 0;

	*out = NULL;
	next[0] = '\0';
	if ((st = view_open(s, number, &v, e)) != STORE_OK)
		goto out;
	l.origin = (uint64_t)v.row.started_ns;
	l.from = from_ns < INT64_MAX - l.origin ? l.origin + from_ns :
	    INT64_MAX;
	l.to = to_ns != 0 && to_ns < INT64_MAX - l.origin ? l.origin + to_ns :
	    UINT64_MAX;
	want.from = l.from > 0 ? l.from : 1;
	want.to = l.to;
	if (cursor[0] != '\0') {
		st = STORE_NONE;
		if (read_cursor(cursor, &l) != 0)
			goto out;
		want.after = true;
		want.stream = l.stream;
		want.sequence = l.after;
	}
	if (v.indexed && (st = store_frames(s->reader, number, &want,
	    &v.index, e)) != STORE_OK)
		goto out;
	if (!v.indexed) {
		error_set(e, "the run was never analysed whole: its launches "
		    "are not known");
		error_remedy(e, "`cudadvise reanalyze %" PRId64 "`", number);
		st = STORE_NONE;
		goto out;
	}
	st = STORE_FAILED;
	if ((l.items = json_array()) == NULL)
		goto out;
	l.index = &v.index;
	given = capture_window(v.capture, &v.index, want.from, want.to,
	    LAUNCH_RECORDS, list_record, &l, &more, e);
	if (given < 0) {
		json_decref(l.items);
		goto out;
	}
	if (more || json_array_size(l.items) >= limit)
		snprintf(next, STORE_CURSOR_SIZE, "%016" PRIx64 ".%" PRIu64,
		    l.last_stream, l.last);
	*out = l.items;
	st = STORE_OK;
out:
	view_close(&v);
	return st;
}
