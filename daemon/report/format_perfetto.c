/*
 * A Perfetto trace: a slice for each launch, copy, call and NVTX range, on a
 * track for each stream and thread. Names are written once and then referred to
 * by number. Times are since the run's start; a clock snapshot gives the start.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "perfetto.pb-c.h"
#include "report/text_util.h"
#include "report/tracks.h"

#include "report/format.h"

#define SEQUENCE 1u
#define CLEARED 1u		/* trace_packet.proto: SequenceFlags */
#define NEEDS_STATE 2u
#define REALTIME 1u		/* builtin_clock.proto */
#define BOOTTIME 6u
#define SLICE_BEGIN 1u		/* track_event.proto: TrackEvent.Type */
#define SLICE_END 2u

enum annotation { NOTE_SHAPE = 1, NOTE_BYTES, NOTE_KERNEL, NOTE_DELAY, NOTES };

/* Kernels are numbered from 1 by the model. */
#define KERNELS_MOST (1u << 20)

/* The names of waits, and of operations without a kernel or call. */
static const char *const row_name[ROW_COUNT + 1] = {
	[ROW_KERNEL] = "graph or unknown kernel",
	[ROW_H2D] = "copy host to device", [ROW_D2H] = "copy device to host",
	[ROW_D2D] = "copy on the device", [ROW_MEMSET] = "memset",
	[ROW_SYNC] = "wait", [ROW_API] = "call", [ROW_COUNT] = "range",
};

struct writing {
	ProtobufCBuffer base;	/* append, first: see append() */
	FILE *f;
	const struct report *report;
	const json_t **kernel;	/* by id; NULL: none */
	bool *named;		/* by id: its name is written */
	uint32_t kernels;	/* length of both */
	json_t *processes, *devices;
	struct tracks tracks;
};

static void
append(ProtobufCBuffer *base, size_t len, const uint8_t *data)
{
	struct writing *w = (struct writing *)(void *)base;

	fwrite(data, 1, len, w->f);
}

static void
put(struct writing *w, Perfetto__TracePacket *p, uint32_t flags)
{
	Perfetto__Trace t = PERFETTO__TRACE__INIT;

	p->has_trusted_packet_sequence_id = true;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->has_sequence_flags = true;
	p->sequence_flags = flags;
	t.n_packet = 1;
	t.packet = &p;
	protobuf_c_message_pack_to_buffer(&t.base, &w->base);
}

static char *
borrowed(const char *s)
{

	return (char *)(uintptr_t)s;
}

/* --- names ------------------------------------------------------------------- */

/* The numbers of names: first calls and rows, then kernels. */
static uint64_t
row_iid(enum timeline_row row)
{

	return 1 + (uint64_t)row;
}

static uint64_t
kernel_iid(uint32_t kernel)
{

	return 2 + ROW_COUNT + (uint64_t)kernel;
}

static Perfetto__InternedName *
interned(Perfetto__InternedName *name, uint64_t iid, const char *text)
{

	perfetto__interned_name__init(name);
	name->has_iid = true;
	name->iid = iid;
	name->name = borrowed(text);
	return name;
}

/* The first packet, which all others refer to. */
static void
write_head(struct writing *w)
{
	static const char *const note[NOTES] = { [NOTE_SHAPE] = "shape",
	    [NOTE_BYTES] = "bytes", [NOTE_KERNEL] = "kernel_id",
	    [NOTE_DELAY] = "launch_delay_ns" };
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedName all[3][ROW_COUNT + 1], *list[3][ROW_COUNT + 1];
	enum timeline_row row;
	size_t i, n = 0;

	for (row = 0; row <= ROW_COUNT; row++) {
		if (row_name[row] == NULL)
			continue;	/* the row has no operations */
		list[0][n] = interned(&all[0][n], row_iid(row), row_name[row]);
		list[1][n] = interned(&all[1][n], row_iid(row),
		    row == ROW_COUNT ? "nvtx" : timeline_row_name[row]);
		n++;
	}
	for (i = 1; i < NOTES; i++)
		list[2][i - 1] = interned(&all[2][i - 1], i, note[i]);
	data.n_event_names = data.n_event_categories = n;
	data.event_names = list[0];
	data.event_categories = list[1];
	data.n_debug_annotation_names = NOTES - 1;
	data.debug_annotation_names = list[2];
	p.interned_data = &data;
	put(w, &p, CLEARED);
}

static void
write_clocks(struct writing *w)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ClockSnapshot s = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock clock[2] = {
	    PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT,
	    PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT }, *list[2] = { &clock[0],
	    &clock[1] };

	clock[0].has_clock_id = clock[1].has_clock_id = true;
	clock[0].has_timestamp = clock[1].has_timestamp = true;
	clock[0].clock_id = BOOTTIME;
	clock[0].timestamp = 0;
	clock[1].clock_id = REALTIME;
	clock[1].timestamp = w->report->reader->origin_ns;
	s.n_clocks = 2;
	s.clocks = list;
	p.clock_snapshot = &s;
	put(w, &p, NEEDS_STATE);
}

/* Writes the name and shape of a kernel at its first use. */
static void
write_kernel(struct writing *w, uint32_t id)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedName name = PERFETTO__INTERNED_NAME__INIT,
	    *its = &name;
	Perfetto__InternedString shape = PERFETTO__INTERNED_STRING__INIT,
	    *one = &shape;
	char grid[NUMBER_SIZE], block[NUMBER_SIZE];
	char text[2 * NUMBER_SIZE + 16];
	const json_t *k = w->kernel[id];

	snprintf(text, sizeof(text), "grid %s, block %s",
	    field_shape(grid, k, "grid"), field_shape(block, k, "block"));
	name.has_iid = shape.has_iid = true;
	name.iid = shape.iid = kernel_iid(id);
	name.name = borrowed(or_unknown(field_text(k, "name")));
	shape.has_str = true;
	shape.str.len = strlen(text);
	shape.str.data = (uint8_t *)text;
	data.n_event_names = data.n_debug_annotation_string_values = 1;
	data.event_names = &its;
	data.debug_annotation_string_values = &one;
	p.interned_data = &data;
	put(w, &p, NEEDS_STATE);
	w->named[id] = true;
}

/* --- tracks ------------------------------------------------------------------ */

static const json_t *
process_of(const struct writing *w, uint64_t stream)
{
	char id[20];
	const char *text;
	json_t *p;
	size_t i;

	snprintf(id, sizeof(id), "%016" PRIx64, stream);
	json_array_foreach(w->processes, i, p)
		if ((text = field_text(p, "stream")) != NULL &&
		    strcmp(text, id) == 0)
			return p;
	return NULL;
}

static void
write_track(struct writing *w, Perfetto__TrackDescriptor *d, uint32_t uuid)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

	d->has_uuid = true;
	d->uuid = uuid;
	p.track_descriptor = d;
	put(w, &p, NEEDS_STATE);
}

/* The number of a process's track; a new one is written. */
static uint32_t
process_track(struct writing *w, uint64_t stream, const json_t **of)
{
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process =
	    PERFETTO__PROCESS_DESCRIPTOR__INIT;
	struct track_key key;
	const char *name;
	uint32_t uuid;
	bool fresh;

	memset(&key, 0, sizeof(key));
	key.process = stream;
	key.kind = TRACK_PROCESS;
	*of = process_of(w, stream);
	if ((uuid = tracks_of(&w->tracks, &key, &fresh)) == 0 || !fresh)
		return uuid;
	name = field_text(*of, "exe");
	process.has_pid = true;
	process.pid = (int32_t)field_count(*of, "pid");
	process.process_name = borrowed(name != NULL ? text_base_name(name) :
	    "process");
	d.process = &process;
	write_track(w, &d, uuid);
	return uuid;
}

static void
name_gpu(const struct writing *w, const struct track_key *key, char *out,
    size_t size)
{
	const json_t *device = key->device == UINT32_MAX ? NULL :
	    json_array_get(w->devices, key->device);
	const char *name = field_text(device, "name");
	char of[200];

	if (device == NULL)
		snprintf(out, size, "GPU unknown, stream %" PRIu32,
		    key->stream);
	else
		snprintf(out, size, "GPU %" PRIu32 " (%s), stream %" PRIu32,
		    key->device, text_copy(of, sizeof(of), or_unknown(name)) ==
		    0 ? of : "a GPU", key->stream);
}

static int
describe(struct writing *w, const struct track_key *key, uint32_t uuid)
{
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	const json_t *process;
	uint32_t parent = process_track(w, key->process, &process);
	char name[400];

	if (parent == 0)
		return -1;
	d.has_parent_uuid = true;
	d.parent_uuid = parent;
	d.name = name;
	if (key->kind == TRACK_GPU) {
		name_gpu(w, key, name, sizeof(name));
	} else if (key->kind == TRACK_ACROSS) {
		snprintf(name, sizeof(name), "ranges across threads");
	} else if (key->lane > 0 || key->thread == 0) {
		snprintf(name, sizeof(name), "thread %" PRIu32 ", overlapping",
		    key->thread);
	} else {
		thread.has_pid = thread.has_tid = true;
		thread.pid = (int32_t)field_count(process, "pid");
		thread.tid = key->thread;
		d.thread = &thread;
		d.name = NULL;
	}
	write_track(w, &d, uuid);
	return 0;
}

/* --- slices ------------------------------------------------------------------- */

static void
note(Perfetto__TrackEvent *e, Perfetto__DebugAnnotation *a,
    enum annotation which, uint64_t value)
{
	Perfetto__DebugAnnotation *x = &a[e->n_debug_annotations];

	perfetto__debug_annotation__init(x);
	x->has_name_iid = true;
	x->name_iid = which;
	if (which == NOTE_SHAPE) {
		x->has_string_value_iid = true;
		x->string_value_iid = value;
	} else {
		x->has_uint_value = true;
		x->uint_value = value;
	}
	e->debug_annotations[e->n_debug_annotations++] = x;
}

static void
annotate(const struct writing *w, Perfetto__TrackEvent *e,
    Perfetto__DebugAnnotation *a, const struct operation *op)
{

	if (op->kernel < w->kernels && w->kernel[op->kernel] != NULL) {
		note(e, a, NOTE_SHAPE, kernel_iid(op->kernel));
		note(e, a, NOTE_KERNEL, op->kernel);
	}
	if (op->row >= ROW_H2D && op->row <= ROW_MEMSET)
		note(e, a, NOTE_BYTES, op->bytes);
	if (!op->host && op->launched != 0 && op->launched <= op->from)
		note(e, a, NOTE_DELAY, op->from - op->launched);
}

static uint64_t
since(const struct writing *w, uint64_t ns)
{
	uint64_t origin = w->report->reader->origin_ns;

	return ns > origin ? ns - origin : 0;
}

static void
write_slice(struct writing *w, const struct operation *op, uint32_t track,
    const char *range)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation a[NOTES], *list[NOTES];
	uint64_t category = row_iid(op->row);
	bool named = op->kernel < w->kernels && w->kernel[op->kernel] != NULL;

	p.has_timestamp = true;
	p.timestamp = since(w, op->from);
	p.track_event = &e;
	e.has_type = true;
	e.type = SLICE_BEGIN;
	e.has_track_uuid = true;
	e.track_uuid = track;
	e.n_category_iids = 1;
	e.category_iids = &category;
	e.debug_annotations = list;
	annotate(w, &e, a, op);
	e.name = borrowed(range != NULL ? range : op->call);
	e.has_name_iid = e.name == NULL;
	e.name_iid = named ? kernel_iid(op->kernel) : row_iid(op->row);
	put(w, &p, NEEDS_STATE);

	perfetto__track_event__init(&e);
	p.timestamp = since(w, op->to);
	e.has_type = true;
	e.type = SLICE_END;
	e.has_track_uuid = true;
	e.track_uuid = track;
	put(w, &p, NEEDS_STATE);
}

static int
write_operation(void *arg, const struct operation *op)
{
	struct writing *w = arg;
	struct track_key key;
	char *range = NULL;
	uint32_t track;
	bool fresh;

	if (op->range != NULL && (range = format_clean(op->range)) == NULL)
		return -1;
	track = tracks_place(&w->tracks, op, &key, &fresh);
	if (track != 0 && fresh && describe(w, &key, track) != 0)
		track = 0;
	if (op->kernel < w->kernels && w->kernel[op->kernel] != NULL &&
	    !w->named[op->kernel])
		write_kernel(w, op->kernel);
	if (track != 0)
		write_slice(w, op, track, range);
	free(range);
	return track != 0 && ferror(w->f) == 0 ? 0 : -1;
}

/* --- the whole ---------------------------------------------------------------- */

static int
know_kernels(struct writing *w)
{
	uint64_t id, most = 0;
	json_t *k;
	size_t i;

	json_array_foreach((json_t *)w->report->kernels, i, k)
		if ((id = field_count(k, "id")) > most && id < KERNELS_MOST)
			most = id;
	w->kernel = calloc(most + 1, sizeof(*w->kernel));
	w->named = calloc(most + 1, sizeof(*w->named));
	if (w->kernel == NULL || w->named == NULL)
		return -1;
	w->kernels = (uint32_t)most + 1;
	json_array_foreach((json_t *)w->report->kernels, i, k)
		if ((id = field_count(k, "id")) > 0 && id <= most)
			w->kernel[id] = k;
	return 0;
}

int
format_perfetto(FILE *f, const struct report *r)
{
	const struct reader *reader = r->reader;
	struct writing w = { .base = { .append = append }, .f = f,
	    .report = r };
	int rc = -1;

	w.processes = reader->document(reader->arg, DOCUMENT_processes);
	w.devices = reader->document(reader->arg, DOCUMENT_devices);
	if (know_kernels(&w) == 0) {
		write_head(&w);
		write_clocks(&w);
		rc = reader->operations(reader->arg, write_operation, &w);
	}
	tracks_clear(&w.tracks);
	free(w.named);
	free(w.kernel);
	json_decref(w.devices);
	json_decref(w.processes);
	return rc;
}
