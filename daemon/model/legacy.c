/*
 * model/legacy.c: what the legacy default stream keeps apart.
 *
 * Work in the legacy default stream starts after all earlier work of the
 * context's blocking streams has ended, and their later work starts after it.
 * No record says that an operation waited for that. It is taken to have waited
 * for another one if it was called before that one ended, its own queue was
 * empty, and it started right after: then it could have started beside it, had
 * its stream been a non-blocking one. An event between the two streams looks the
 * same, so that what is counted here is no proof.
 *
 * Whether it would have had room there is in the sum: an engine that copies is
 * free while a kernel runs, and a kernel leaves the share of the GPU that its
 * blocks do not fill.
 */
#include "model/internal.h"
#include "model/occupancy.h"

#define READY 5000u	/* ns from the call to the earliest start */
#define AFTER 20000u	/* ns: it started because the other had ended */
#define LEAST 5000u	/* ns: shorter waits are the order of two clocks */

/* CUPTI's flags of a stream. */
#define STREAM_FLAGS 0xffffu
#define STREAM_BLOCKING 1u
#define STREAM_NULL 3u

static uint64_t
stream_key(uint32_t context, uint32_t id)
{

	return (uint64_t)context << 32 | id;
}

/* What kind of stream a queue is; told before or after its first work. */
static int
stream_is(struct model *m, struct stream *s, uint64_t key,
    enum queue_kind kind)
{
	uint32_t i = idmap_get(&s->queue, key);

	if (i != IDMAP_NONE)
		m->queue[i].kind = kind;
	if (idmap_get(&s->kind, key) == IDMAP_NONE) {
		if (m->ids >= MAX_IDS || s->kind.used >= MAX_QUEUES)
			return 0;
		m->ids++;
	}
	return idmap_put(&s->kind, key, kind);
}

int
legacy_stream(struct model *m, struct stream *s, const struct record_STREAM *r)
{
	uint32_t flags = r->flags & STREAM_FLAGS;

	if (flags != STREAM_BLOCKING && flags != STREAM_NULL)
		return 0;
	return stream_is(m, s, stream_key(r->context, r->id),
	    flags == STREAM_NULL ? QUEUE_LEGACY : QUEUE_BLOCKING);
}

int
legacy_context(struct model *m, struct stream *s,
    const struct record_CONTEXT *r)
{

	if (r->destroyed != 0 || r->null_stream == 0)
		return 0;
	return stream_is(m, s, stream_key(r->id, r->null_stream),
	    QUEUE_LEGACY);
}

enum queue_kind
legacy_kind(const struct stream *s, uint32_t context, uint32_t stream)
{
	uint32_t kind = idmap_get(&s->kind, stream_key(context, stream));

	return kind == IDMAP_NONE ? QUEUE_OTHER : (enum queue_kind)kind;
}

/* The share of the GPU that an operation takes: of a copy its engine only. */
static double
fills(struct model *m, const struct op *op)
{
	struct kernel_state *k;
	struct device_state *d;

	if (op->kind == OP_COPY || op->kind == OP_MEMSET)
		return 0;
	if (op->kind != OP_KERNEL)
		return 1;
	k = &m->kernel[op->index];
	d = m->device[k->out.device];
	if (!k->out.occupancy.known && d->complete)
		occupancy_of(&k->out.occupancy, &d->out.limits, &k->out.shape);
	if (!k->out.occupancy.known || !(k->out.occupancy.waves < 1))
		return 1;
	return k->out.occupancy.waves > 0 ? k->out.occupancy.waves : 0;
}

/* How much of ${b} runs beside ${a} if both may start at once. */
static double
beside(struct model *m, const struct op *a, const struct op *b)
{
	double need = fills(m, b), room = 1 - fills(m, a);
	bool copies = a->kind == OP_COPY && b->kind == OP_COPY;

	/* Copies of one direction share their engine. */
	if (copies && a->row == b->row)
		return 0;
	return need <= room ? 1 : room / need;
}

/* ${op} starts: had it waited for ${before} alone? */
static uint64_t
waited(const struct op *op, const struct op *before, uint64_t own_end)
{
	uint64_t ready = add_sat(op->launch, READY);

	ready = max_u64(max_u64(ready, own_end), before->start);
	if (op->launch == 0 || before->end == 0 || op->start < before->end ||
	    op->start - before->end > AFTER)
		return 0;
	return sub_sat(before->end, ready);
}

static void
count(struct model *m, struct legacy *l, struct legacy_side *before,
    const struct op *op, uint64_t own_end)
{
	uint64_t ns = waited(op, &before->last, own_end);
	double saved;

	if (ns < LEAST)
		return;
	saved = (double)min_u64(ns, op->end - op->start) *
	    beside(m, &before->last, op);
	l->waits++;
	l->wait_ns = add_sat(l->wait_ns, ns);
	/* Several that waited for one could run beside each other as well. */
	if (saved <= before->best)
		return;
	if (op->kind == OP_KERNEL && before->last.kind == OP_KERNEL)
		before->kernels += saved - before->best;
	else
		before->copies += saved - before->best;
	before->best = saved;
}

/* ${op} starts on ${d}. */
void
legacy_op(struct model *m, struct device_state *d, const struct op *op)
{
	struct queue *q = &m->queue[op->queue];
	struct legacy *l = &d->legacy;
	struct legacy_side *own, *other;

	if (q->kind == QUEUE_OTHER || (op->flags & OP_PROFILED) != 0)
		return;
	own = q->kind == QUEUE_LEGACY ? &l->null : &l->blocking;
	other = q->kind == QUEUE_LEGACY ? &l->blocking : &l->null;
	if (l->process != q->process)	/* another's streams are no business */
		l->null.last.end = l->blocking.last.end = 0;
	l->process = q->process;
	/* A blocking copy waits by its own nature: synchronous-copies. */
	if ((op->flags & OP_BLOCKING) == 0)
		count(m, l, other, op, q->end);
	q->end = max_u64(q->end, op->end);
	if (op->end >= own->last.end) {
		own->last = *op;
		own->best = 0;
	}
}
