#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "service/view.h"

void
view_close(struct view *v)
{

	store_run_clear(&v->row);
	capture_index_clear(&v->index);
	free(v->run.timeline);
	free(v->run.device);
	json_decref(v->stored);
}

enum store_status
view_open(struct service *s, int64_t number, struct view *v, struct error *e)
{
	enum store_status st;
	char dir[PATH_MAX], id[32];

	memset(v, 0, sizeof(*v));
	snprintf(id, sizeof(id), "%" PRId64, number);
	st = store_run_find(s->reader, id, &v->row, e);
	if (st != STORE_OK)
		return st;
	if (paths_join(dir, s->runs, v->row.uuid, e) != 0 ||
	    paths_join(v->capture, dir, "capture.cadv", e) != 0)
		return STORE_FAILED;
	st = store_index(s->reader, number, &v->index, e);
	v->indexed = st == STORE_OK;
	return st == STORE_NONE ? STORE_OK : st;
}

bool
view_frames(struct service *s, struct view *v, uint64_t from, uint64_t to)
{
	struct store_frames want = { .from = from, .to = to,
	    .records = VIEW_RECORDS };
	struct error e = ERROR_INIT;
	uint64_t n = 0;
	size_t i;

	if (store_frames(s->reader, v->row.number, &want, &v->index, &e) !=
	    STORE_OK)
		return false;
	for (i = 0; i < v->index.frames; i++)
		n += v->index.frame[i].records;
	return n <= VIEW_RECORDS;
}

static enum timeline_row
copy_row(uint8_t kind)
{

	switch (kind) {
	case COPY_H2D:
		return ROW_H2D;
	case COPY_D2H:
		return ROW_D2H;
	default:
		return ROW_D2D;
	}
}

static bool
kernel_op(const struct capture_index *x, uint64_t stream,
    const struct record_KERNEL *k, struct view_op *op, uint32_t *ordinal)
{
	const struct capture_signature *s = capture_index_signature(x, stream,
	    k->signature);

	if (s == NULL)
		return false;
	op->row = ROW_KERNEL;
	op->kernel = s->kernel;
	op->stream = k->stream;
	*ordinal = s->ordinal;
	return true;
}

bool
view_op(const struct capture_index *x, uint64_t stream, const struct record *r,
    struct view_op *op)
{
	uint32_t ordinal = 0;

	memset(op, 0, sizeof(*op));
	switch (r->type) {
	case RECORD_KERNEL:
		if (!kernel_op(x, stream, &r->u.KERNEL, op, &ordinal))
			return false;
		break;
	case RECORD_GRAPH:
		op->row = ROW_KERNEL;
		op->stream = r->u.GRAPH.stream;
		ordinal = r->u.GRAPH.device;
		break;
	case RECORD_COPY:
		op->row = copy_row(r->u.COPY.kind);
		op->stream = r->u.COPY.stream;
		op->bytes = r->u.COPY.bytes;
		ordinal = r->u.COPY.device;
		break;
	case RECORD_MEMSET:
		op->row = ROW_MEMSET;
		op->stream = r->u.MEMSET.stream;
		op->bytes = r->u.MEMSET.bytes;
		ordinal = r->u.MEMSET.device;
		break;
	case RECORD_SYNC:
		op->row = ROW_SYNC;
		op->host = true;
		break;
	case RECORD_API:
		op->row = ROW_API;
		op->host = true;
		op->call = wire_call_name(r->u.API.call);
		break;
	default:
		return false;
	}
	op->device = op->host ? 0 : capture_index_device(x, stream, ordinal);
	return capture_record_time(r, &op->from, &op->to) != 0;
}
