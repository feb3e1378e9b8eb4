/* What ran in a window of a run: sums by kernel and by kind of operation, and single
 * operations up to a limit. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "report/json_util.h"
#include "service/view.h"

#define SUMS_SHOWN 50
#define SUMS_MAX 65536		/* in memory during a request: 4 MiB */

/* What is summed up together: operations of one row and device, kernels by kernel, API
 * calls by call. */
struct sum_key {
	uint32_t row, device, kernel;
	uint32_t pad;
	const char *call;	/* points to static text: equal calls have equal
				 * pointers */
};

struct sum {
	struct sum_key key;
	uint64_t count, busy_ns, bytes;
	UT_hash_handle hh;
};

struct looking {
	const struct capture_index *index;
	uint64_t from, to, origin;
	struct sum *sums;
	size_t kinds;
	uint64_t count;
	size_t limit;
	json_t *items;
	bool failed;
};

static struct sum *
sum_of(struct looking *l, const struct operation *op)
{
	struct sum_key key;
	struct sum *s;

	memset(&key, 0, sizeof(key));
	key.row = op->row;
	key.device = op->host ? UINT32_MAX : op->device;
	key.kernel = op->kernel;
	key.call = op->call;
	HASH_FIND(hh, l->sums, &key, sizeof(key), s);
	if (s != NULL || l->kinds == SUMS_MAX)
		return s;
	if ((s = calloc(1, sizeof(*s))) == NULL)
		return NULL;
	s->key = key;
	HASH_ADD(hh, l->sums, key, sizeof(key), s);
	if (s->hh.tbl == NULL) {
		free(s);
		return NULL;
	}
	l->kinds++;
	return s;
}

static json_t *
id_or_null(uint32_t id, uint32_t none)
{

	return id != none ? json_integer((json_int_t)id) : json_null();
}

static json_t *
item(const struct looking *l, uint64_t stream, const struct operation *op)
{
	char process[20];

	snprintf(process, sizeof(process), "%016" PRIx64, stream);
	return json_pack("{s:s, s:o, s:o, s:s?, s:I, s:I, s:o, s:s, s:o, s:o,"
	    " s:o}",
	    "row", timeline_row_name[op->row],
	    "device", id_or_null(op->host ? UINT32_MAX : op->device,
	    UINT32_MAX),
	    "kernel_id", id_or_null(op->kernel, 0),
	    "call", op->call,
	    "start_ns", (json_int_t)(op->from > l->origin ?
	    op->from - l->origin : 0),
	    "duration_ns", (json_int_t)(op->to - op->from),
	    "stream", op->host ? json_null() :
	    json_integer((json_int_t)op->stream),
	    "process", process,
	    "thread", id_or_null(op->thread, 0),
	    "launch_ns", !op->host && op->launched > l->origin &&
	    op->launched <= op->from ? json_count(op->launched - l->origin) :
	    json_null(),
	    "bytes", op->row >= ROW_H2D && op->row <= ROW_MEMSET ?
	    json_count(op->bytes) : json_null());
}

static int
look(void *arg, uint64_t stream, uint64_t sequence, const struct record *r)
{
	struct looking *l = arg;
	struct operation op;
	struct sum *s;
	uint64_t a, b;

	(void)sequence;
	if (!capture_operation(l->index, stream, r, &op) || op.to < op.from ||
	    op.from >= l->to || op.to < l->from)
		return 0;
	a = op.from > l->from ? op.from : l->from;
	b = op.to < l->to ? op.to : l->to;
	l->count++;
	if ((s = sum_of(l, &op)) != NULL) {
		s->count++;
		s->busy_ns += b - a;
		s->bytes += op.bytes <= UINT64_MAX - s->bytes ? op.bytes : 0;
	}
	if (json_array_size(l->items) < l->limit)
		l->failed |= json_array_append_new(l->items, item(l, stream,
		    &op)) != 0;
	return l->failed;
}

static int
by_busy(const struct sum *a, const struct sum *b)
{

	return a->busy_ns < b->busy_ns ? 1 : -(a->busy_ns > b->busy_ns);
}

/* The short name in the document of kernel ${id} of the run; null if it has none. */
static json_t *
name_of(struct service *s, int64_t number, uint32_t id)
{
	struct error e = ERROR_INIT;
	json_t *kernel = NULL, *name;
	char text[16], *doc = NULL;

	snprintf(text, sizeof(text), "%" PRIu32, id);
	if (id != 0 && store_doc(s->reader, number, "kernel", text, &doc, &e) ==
	    STORE_OK)
		kernel = json_loads(doc, 0, NULL);
	free(doc);
	name = json_object_get(kernel, "short_name");
	name = json_is_string(name) ? json_incref(name) : json_null();
	json_decref(kernel);
	return name;
}

static json_t *
sums_array(struct looking *l, struct service *service, int64_t number)
{
	json_t *out = json_array();
	const struct sum *s;

	HASH_SORT(l->sums, by_busy);
	for (s = l->sums; s != NULL && json_array_size(out) < SUMS_SHOWN;
	    s = s->hh.next)
		json_array_append_new(out, json_pack(
		    "{s:o, s:s, s:o, s:o, s:s?, s:o, s:o, s:o}",
		    "name", name_of(service, number, s->key.kernel),
		    "row", timeline_row_name[s->key.row],
		    "device", id_or_null(s->key.device, UINT32_MAX),
		    "kernel_id", id_or_null(s->key.kernel, 0),
		    "call", s->key.call,
		    "count", json_count(s->count),
		    "busy_ns", json_count(s->busy_ns),
		    "bytes", json_count(s->bytes)));
	return out;
}

/* The result of service_window, without its bounds. NULL without memory, or if the
 * capture cannot be read. */
static json_t *
looked(struct service *s, struct run_view *v, uint64_t from, uint64_t to,
    size_t limit, struct error *e)
{
	uint64_t origin = (uint64_t)v->row.started_ns;
	struct looking l = { .index = &v->index, .origin = origin,
	    .from = origin + from, .to = origin + to, .limit = limit };
	json_t *out = NULL;

	if ((l.items = json_array()) == NULL) {
		error_memory(e);
		return NULL;
	}
	if (capture_window(v->capture, &v->index, l.from, l.to, VIEW_RECORDS,
	    look, &l, NULL, e) >= 0 && !l.failed)
		out = json_pack("{s:n, s:o, s:o, s:I, s:O, s:b}",
		    "reason",
		    "operations", json_count(l.count),
		    "sums", sums_array(&l, s, v->row.number),
		    "sums_left_out", (json_int_t)(l.kinds > SUMS_SHOWN ?
		    l.kinds - SUMS_SHOWN : 0),
		    "items", l.items,
		    "complete", l.count <= limit);
	json_decref(l.items);
	HASH_FREE(l.sums);
	return out;
}

static json_t *
unknown(const char *reason)
{

	return json_pack("{s:s, s:n, s:[], s:i, s:[], s:b}", "reason", reason,
	    "operations", "sums", "sums_left_out", 0, "items", "complete", 0);
}

enum store_status
service_window(struct service *s, int64_t number, uint64_t from_ns,
    uint64_t to_ns, size_t limit, json_t **out, struct error *e)
{
	enum store_status st;
	struct run_view v;
	uint64_t zero;

	*out = NULL;
	st = view_open(s, number, &v, e);
	if (st != STORE_OK)
		goto out;
	zero = (uint64_t)v.row.started_ns;
	if (to_ns > INT64_MAX - zero || zero > INT64_MAX)
		to_ns = zero > INT64_MAX ? 0 : INT64_MAX - zero;
	if (from_ns > to_ns)
		from_ns = to_ns;
	if (!v.indexed)
		*out = unknown("the run is live, or was never analysed whole");
	else if (!view_frames(s, &v, zero + from_ns, zero + to_ns))
		*out = unknown("more operations than are looked at at once: "
		    "choose a shorter window");
	else
		*out = looked(s, &v, from_ns, to_ns, limit, e);
	if (*out == NULL) {
		error_set(e, "what ran in run %" PRId64 " cannot be read",
		    number);
		st = STORE_FAILED;
	} else {
		json_object_set_new(*out, "from_ns", json_count(from_ns));
		json_object_set_new(*out, "to_ns", json_count(to_ns));
	}
out:
	view_close(&v);
	return st;
}
