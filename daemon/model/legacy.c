/*
 * model/legacy.c: work that the legacy default stream serialises.
 *
 * Work in the legacy default stream starts after all earlier work of the context's
 * blocking streams has ended, and their later work starts after it. These are the two
 * sides. No record shows that an operation waited for the other side. It is taken to
 * have waited for an operation there if it was called before that one ended, its own
 * queue was empty, and it started right after the end. With a non-blocking stream the
 * two could have overlapped. An event between the two streams looks the same, so the
 * counts here are no proof.
 *
 * The operation waited for may itself have waited for work of another stream of the
 * first side. Then operations of that side took turns because of it, and could have
 * overlapped with each other as well.
 *
 * The time saved depends on the room there would have been: a copy engine is free while
 * a kernel runs, and a kernel leaves the share of the GPU that its blocks do not fill.
 */
#include "model/internal.h"
#include "model/occupancy.h"

#define READY 5000u	/* ns from the call to the earliest start */
#define AFTER 20000u	/* ns from the other's end to the start, at most */
#define LEAST 5000u	/* ns: shorter waits may be an error of the clocks */

/* CUPTI's flags of a stream. */
#define STREAM_FLAGS 0xffffu
#define STREAM_BLOCKING 1u
#define STREAM_NULL 3u

static uint64_t
stream_key(uint32_t context, uint32_t id)
{

	return (uint64_t)context << 32 | id;
}

/* Note what kind of stream a queue is; its record comes before or after its first
 * work. */
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

double
legacy_fills(struct model *m, const struct op *op)
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

/* The fraction of ${b} that can overlap with ${a} if both may start at once. */
static double
beside(struct model *m, const struct op *a, const struct op *b)
{
	double need = legacy_fills(m, b), room = 1 - legacy_fills(m, a);
	bool copies = a->kind == OP_COPY && b->kind == OP_COPY;

	/* Copies of one direction share their engine. */
	if (copies && a->row == b->row)
		return 0;
	return need <= room ? 1 : room / need;
}

/* ${op} of the side ${own} starts: since when had it waited for the side ${before} only?
 * Includes the time that ${before} waited in turn for another stream of ${own}. */
static uint64_t
waits_since(const struct op *op, const struct legacy_side *before,
    const struct legacy_side *own, uint64_t own_end)
{
	uint64_t ready = max_u64(add_sat(op->launch, READY), own_end);
	uint64_t since = max_u64(ready,
	    sub_sat(before->last.start, before->waited));

	return own->last.end > since ? since :
	    max_u64(ready, before->last.start);
}

static uint64_t
waited(const struct op *op, const struct op *before, uint64_t ready)
{
	if (op->launch == 0 || before->end == 0 || op->start < before->end ||
	    op->start - before->end > AFTER)
		return 0;
	return sub_sat(before->end, ready);
}

/* For ${ns} ns ${op} took turns with operations of its own side, the last of them
 * ${other}. Overlapping, they would all take as long as one of them: of the time since
 * the end of the work before ${op} in its stream, own / all would remain. */
static double
turned(struct model *m, const struct op *op, const struct op *other,
    uint64_t own_end, uint64_t ns)
{
	double own = (double)(op->end - op->start);
	double all = (double)(op->end - max_u64(own_end, op->launch));

	return (double)ns * (1 - own / all) * beside(m, other, op);
}

/* ${op}, on the side ${own}, starts: count its wait for ${before}; returns its ns. */
static uint64_t
count(struct model *m, struct legacy *l, struct legacy_side *before,
    const struct legacy_side *own, const struct op *op, uint64_t own_end)
{
	uint64_t ready = waits_since(op, before, own, own_end);
	uint64_t ns = waited(op, &before->last, ready), length;
	double saved;

	if (ns < LEAST)
		return 0;
	length = min_u64(ns, op->end - op->start);
	saved = (double)length * beside(m, &before->last, op);
	if (ready < before->last.start)
		saved = turned(m, op, &own->last, own_end, length);
	l->waits++;
	l->wait_ns = add_sat(l->wait_ns, ns);
	/* Several that waited for one could overlap: only the best counts. */
	if (saved <= before->best)
		return ns;
	if (op->kind == OP_KERNEL && before->last.kind == OP_KERNEL)
		before->kernels += saved - before->best;
	else
		before->copies += saved - before->best;
	before->best = saved;
	return ns;
}

/* ${op} starts on ${d}. */
void
legacy_op(struct model *m, struct device_state *d, const struct op *op)
{
	struct queue *q = &m->queue[op->queue];
	struct legacy *l = &d->legacy;
	struct legacy_side *own, *other;
	uint64_t ns = 0;

	if (q->kind == QUEUE_OTHER || (op->flags & OP_PROFILED) != 0)
		return;
	own = q->kind == QUEUE_LEGACY ? &l->null : &l->blocking;
	other = q->kind == QUEUE_LEGACY ? &l->blocking : &l->null;
	if (l->process != q->process)	/* its streams do not wait for these */
		l->null.last.end = l->blocking.last.end = 0;
	l->process = q->process;
	/* The rule synchronous-copies judges blocking copies. */
	if ((op->flags & OP_BLOCKING) == 0)
		ns = count(m, l, other, own, op, q->end);
	q->end = max_u64(q->end, op->end);
	if (op->end >= own->last.end) {
		own->last = *op;
		own->waited = ns;
		own->best = 0;
	}
}
