/*
 * model/copy.c: copies and memsets by class, and runs of small copies.
 */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

/* A copy to the device this small returns once the driver has staged it. */
#define STAGED_BYTES (64u << 10)
#define SMALL_APART 1000000u	/* ns */
#define SMALL_RUN 16u		/* copies */

static uint32_t
size_class(uint64_t bytes)
{

	return bytes == 0 ? 0 : 63u - (uint32_t)__builtin_clzll(bytes);
}

/* Find or make the class; *${index} is IDMAP_NONE if there are too many. */
static int
copy_class_of(struct model *m, const struct copy_class *want, uint32_t *index)
{
	uint64_t key = (uint64_t)want->kind | (uint64_t)want->memset << 4 |
	    (uint64_t)want->src << 5 | (uint64_t)want->dst << 9 |
	    (uint64_t)want->async << 13 | (uint64_t)want->size_class << 14 |
	    (uint64_t)want->device << 20;
	uint32_t i = idmap_get(&m->copy_map, key);

	*index = i;
	if (i != IDMAP_NONE || m->copies >= MAX_COPIES)
		return 0;
	if (model_grow(&m->copy, &m->copies_cap, m->copies, MAX_COPIES,
	    sizeof(*m->copy)) != 0 ||
	    idmap_put(&m->copy_map, key, m->copies) != 0)
		return -1;
	m->copy[m->copies].out = *want;
	*index = m->copies++;
	return 0;
}

static enum timeline_row
copy_row(enum wire_copy kind)
{

	if (kind == COPY_H2D)
		return ROW_H2D;
	return kind == COPY_D2H ? ROW_D2H : ROW_D2D;
}

/* Account for one copy or memset; op->index is its class or IDMAP_NONE. */
static int
copy_account(struct model *m, struct stream *s, struct op *op,
    const struct copy_class *want, uint64_t bytes)
{
	struct copy_class *c;

	if (copy_class_of(m, want, &op->index) != 0)
		return -1;
	if (op->index == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	c = &m->copy[op->index].out;
	c->count++;
	c->bytes = add_sat(c->bytes, bytes);
	if (!model_time(m, op->start, op->end)) {
		s->process.lost[LOSS_TIMESTAMP]++;
		return 0;
	}
	c->gpu_ns = add_sat(c->gpu_ns, op->end - op->start);
	if (op->launch > op->start)
		op->launch = op->start;
	s->work_last = max_u64(s->work_last,
	    op->launch != 0 ? op->launch : op->start);
	/* Its call blocked until its end; there may be no API record of it. */
	if ((op->flags & OP_BLOCKING) != 0 && op->launch != 0 &&
	    host_blocked(m, op->thread, op->launch, op->end) != 0)
		return -1;
	return model_push(m, op);
}

int
copy_feed(struct model *m, struct stream *s, const struct record_COPY *r)
{
	struct copy_class want = {
		.kind = r->kind < COPY_KINDS ? (enum wire_copy)r->kind :
		    COPY_UNKNOWN,
		.src = r->src < MEMORY_KINDS ? (enum wire_memory)r->src :
		    MEMORY_UNKNOWN,
		.dst = r->dst < MEMORY_KINDS ? (enum wire_memory)r->dst :
		    MEMORY_UNKNOWN,
		.async = (r->flags & COPY_ASYNC) != 0,
		.size_class = size_class(r->bytes),
		.device = define_device_of(m, s, r->device),
	};
	struct op op = {
		.start = r->start_ns, .end = r->end_ns, .launch = r->launch_ns,
		.kind = OP_COPY, .row = (uint8_t)copy_row(want.kind),
		.range = IDMAP_NONE,
	};

	if (want.device == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	op.device = (uint8_t)want.device;
	op.bytes = (uint32_t)min_u64(r->bytes, UINT32_MAX);
	if (r->bytes <= SMALL_BYTES)
		op.flags |= OP_SMALL;
	if ((r->flags & COPY_GRAPH) != 0 || r->graph != 0)
		op.flags |= OP_IN_GRAPH;
	else if (!want.async && (want.kind == COPY_D2H ||
	    (want.kind == COPY_H2D && r->bytes > STAGED_BYTES)))
		op.flags |= OP_BLOCKING;
	op.queue = define_queue(m, s, want.device, r->context, r->stream);
	if (op.queue == IDMAP_NONE)
		return -1;
	op.thread = host_thread(m, s, r->tid);
	if (resent_range(m, s, r, &op.range) != 0 ||
	    peer_copy(m, s, r) != 0 ||
	    copy_account(m, s, &op, &want, r->bytes) != 0)
		return -1;
	return copy_correlate(m, s, r->correlation, op.index);
}

int
copy_memset(struct model *m, struct stream *s, const struct record_MEMSET *r)
{
	struct copy_class want = {
		.kind = COPY_UNKNOWN, .memset = true,
		.dst = r->memory < MEMORY_KINDS ? (enum wire_memory)r->memory :
		    MEMORY_UNKNOWN,
		.async = (r->flags & COPY_ASYNC) != 0,
		.size_class = size_class(r->bytes),
		.device = define_device_of(m, s, r->device),
	};
	struct op op = {
		.start = r->start_ns, .end = r->end_ns, .launch = r->launch_ns,
		.kind = OP_MEMSET, .row = ROW_MEMSET,
	};

	if (want.device == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	op.device = (uint8_t)want.device;
	if (r->graph != 0)
		op.flags |= OP_IN_GRAPH;
	op.queue = define_queue(m, s, want.device, r->context, r->stream);
	if (op.queue == IDMAP_NONE)
		return -1;
	op.thread = host_thread(m, s, r->tid);
	if (copy_account(m, s, &op, &want, r->bytes) != 0)
		return -1;
	return copy_correlate(m, s, r->correlation, op.index);
}

static void
count_turn(struct device_state *d, const struct copy_class *c)
{

	if (d->way != 0 && d->way != (uint8_t)c->kind)
		d->out.turns++;
	d->way = (uint8_t)c->kind;
}

static struct small_copies *
small_of(struct model *m, const struct copy_class *c, enum wire_memory host)
{
	struct small_copies *p;
	struct small_apart *a;
	uint32_t i;

	for (i = 0; i < m->smalls; i++) {
		p = &m->small[i];
		if (p->kind == c->kind && p->host == host &&
		    p->device == c->device)
			return p;
	}
	p = realloc(m->small, (m->smalls + 1) * sizeof(*p));
	if (p == NULL)
		return NULL;
	m->small = p;
	a = realloc(m->small_apart, (m->smalls + 1) * sizeof(*a));
	if (a == NULL)
		return NULL;
	m->small_apart = a;
	a[m->smalls] = (struct small_apart){ 0 };
	p += m->smalls++;
	*p = (struct small_copies){ .kind = c->kind, .host = host,
	    .device = c->device };
	return p;
}

/* A run of small copies counts once it has 16, then each further copy is added. */
static int
small_extend(struct model *m, struct small_run *run, const struct op *op,
    const struct copy_class *c, enum wire_memory host)
{
	struct small_copies *total, was;
	uint64_t ns = op->end - op->start, before = run->last;

	run->count++;
	run->bytes += op->bytes;
	run->gpu_ns += ns;
	run->last = max_u64(run->last, op->end);
	if (run->count < SMALL_RUN)
		return 0;
	if ((total = small_of(m, c, host)) == NULL)
		return -1;
	was = *total;
	if (run->count == SMALL_RUN) {
		total->groups++;
		total->copies += run->count;
		total->bytes += run->bytes;
		total->gpu_ns += run->gpu_ns;
		total->span_ns += run->last - run->first;
	} else {
		total->copies++;
		total->bytes += op->bytes;
		total->gpu_ns += ns;
		total->span_ns += run->last - before;
	}
	results_small(m, (uint32_t)(total - m->small), m->device[c->device],
	    (struct small_sum){ (double)(total->groups - was.groups),
	    (double)(total->copies - was.copies), (double)(total->bytes - was.bytes),
	    (double)(total->gpu_ns - was.gpu_ns),
	    (double)(total->span_ns - was.span_ns) });
	return 0;
}

/* A kernel in the same queue ends the run: copies before and after it belong to
 * different work and could not be merged. */
static void
small_break(struct device_state *d, uint32_t queue)
{
	int i, j;

	for (i = COPY_H2D; i <= COPY_D2H; i++)
		for (j = 0; j < MEMORY_KINDS; j++)
			if (d->small[i][j].queue == queue)
				d->small[i][j].count = 0;
}

int
copy_sweep(struct model *m, const struct op *op)
{
	struct device_state *d = m->device[op->device];
	const struct copy_class *c;
	struct small_run *run;
	enum wire_memory host;

	if (op->kind == OP_KERNEL || op->kind == OP_GRAPH) {
		if (d->small_open)
			small_break(d, op->queue);
		return 0;
	}
	c = &m->copy[op->index].out;
	if (c->kind != COPY_H2D && c->kind != COPY_D2H)
		return 0;
	host = c->kind == COPY_H2D ? c->src : c->dst;
	run = &d->small[c->kind][host];
	d->small_open = true;
	if (op->range != IDMAP_NONE && resent_sweep(m, op) != 0)
		return -1;
	if ((op->flags & OP_SMALL) == 0) {
		count_turn(d, c);
		run->count = 0;
		return 0;
	}
	if (run->count == 0 || op->start > add_sat(run->last, SMALL_APART))
		*run = (struct small_run){ .first = op->start,
		    .last = op->start };
	run->queue = op->queue;
	return small_extend(m, run, op, c, host);
}
