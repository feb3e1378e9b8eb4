#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "capture/capture_index.h"

#include "capture/operation.h"

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
kernel_operation(const struct capture_index *x, uint64_t stream,
    const struct record_KERNEL *k, struct operation *op, uint32_t *ordinal)
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

/* Which process and thread launched it, and when. */
static void
add_origin(struct operation *op, uint64_t stream, const struct record *r)
{

	op->process = stream;
	switch (r->type) {
#define LAUNCHED(type)							\
	case RECORD_##type:						\
		op->launched = r->u.type.launch_ns;			\
		op->thread = r->u.type.tid;				\
		break
	LAUNCHED(KERNEL);
	LAUNCHED(GRAPH);
	LAUNCHED(COPY);
	LAUNCHED(MEMSET);
#undef LAUNCHED
	case RECORD_SYNC:
		op->thread = r->u.SYNC.tid;
		break;
	case RECORD_API:
		op->thread = r->u.API.tid;
		break;
	default:
		break;
	}
}

bool
capture_operation(const struct capture_index *x, uint64_t stream,
    const struct record *r, struct operation *op)
{
	uint32_t ordinal = 0;

	memset(op, 0, sizeof(*op));
	switch (r->type) {
	case RECORD_KERNEL:
		if (!kernel_operation(x, stream, &r->u.KERNEL, op, &ordinal))
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
	add_origin(op, stream, r);
	op->device = op->host ? 0 : capture_index_device(x, stream, ordinal);
	return capture_record_time(r, &op->from, &op->to) != 0;
}

/* --- all of them ------------------------------------------------------------- */

/* A STRING record of one process. */
struct text {
	struct {
		uint64_t stream, id;
	} key;
	UT_hash_handle hh;
	char text[];
};

struct walk {
	const struct capture_index *index;
	operation_visit *visit;
	void *arg;
	struct text *texts;
	size_t bytes;		/* of the texts in memory */
	bool failed;		/* no memory */
};

#define TEXT_BYTES (64u << 20)	/* limit of all texts; further ones print as "?" */

static void
keep_text(struct walk *w, uint64_t stream, const struct record_STRING *r)
{
	struct text *t, *old;

	if (r->text.len > TEXT_BYTES - w->bytes)
		return;
	if ((t = calloc(1, sizeof(*t) + r->text.len + 1)) == NULL) {
		w->failed = true;
		return;
	}
	t->key.stream = stream;
	t->key.id = r->id;
	memcpy(t->text, r->text.p, r->text.len);
	HASH_FIND(hh, w->texts, &t->key, sizeof(t->key), old);
	if (old != NULL) {
		HASH_DEL(w->texts, old);
		w->bytes -= strlen(old->text);
		free(old);
	}
	HASH_ADD(hh, w->texts, key, sizeof(t->key), t);
	if (t->hh.tbl == NULL) {
		free(t);
		w->failed = true;
		return;
	}
	w->bytes += strlen(t->text);
}

static const char *
text_of(const struct walk *w, uint64_t stream, uint32_t id)
{
	struct text *t, key;

	memset(&key, 0, sizeof(key));
	key.key.stream = stream;
	key.key.id = id;
	HASH_FIND(hh, w->texts, &key.key, sizeof(key.key), t);
	return t != NULL ? t->text : "?";
}

static bool
range_operation(const struct walk *w, uint64_t stream, const struct record *r,
    struct operation *op)
{

	memset(op, 0, sizeof(*op));
	op->row = ROW_COUNT;
	op->host = true;
	op->thread = r->u.RANGE.tid;
	op->across = op->thread == 0;
	op->range = r->u.RANGE.name != 0 ?
	    text_of(w, stream, r->u.RANGE.name) : "(unnamed range)";
	op->domain = r->u.RANGE.domain != 0 ?
	    text_of(w, stream, r->u.RANGE.domain) : NULL;
	return capture_record_time(r, &op->from, &op->to) != 0;
}

static int
walk_record(void *arg, uint64_t stream, uint64_t sequence,
    const struct record *r)
{
	struct walk *w = arg;
	struct operation op;
	bool known;

	(void)sequence;
	if (r->type == RECORD_STRING) {
		keep_text(w, stream, &r->u.STRING);
		return w->failed;
	}
	known = r->type == RECORD_RANGE ? range_operation(w, stream, r, &op) :
	    capture_operation(w->index, stream, r, &op);
	if (!known || op.to < op.from)
		return 0;
	if (r->type == RECORD_RANGE)
		op.process = stream;
	return w->visit(w->arg, &op);
}

struct stopping {
	struct walk walk;
	int rc;			/* of the last visit */
};

static int
walk_until(void *arg, uint64_t stream, uint64_t sequence,
    const struct record *r)
{
	struct stopping *s = arg;

	return s->rc = walk_record(&s->walk, stream, sequence, r);
}

int
capture_operations(const char *path, const struct capture_index *x,
    operation_visit *visit, void *arg, struct error *e)
{
	struct stopping s = { .walk = { .index = x, .visit = visit,
	    .arg = arg } };
	int rc = 0;

	if (capture_window(path, x, 0, UINT64_MAX, UINT64_MAX, walk_until, &s,
	    NULL, e) < 0)
		rc = -1;
	else if (s.walk.failed)
		rc = error_memory(e);
	HASH_FREE(s.walk.texts);
	return rc != 0 ? rc : s.rc;
}
