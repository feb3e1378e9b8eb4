/*
 * model/cycle.c: how long copies and kernels could overlap.
 *
 * A cycle brings data to the GPU, works on it and takes it back: copies to the device,
 * kernels, copies from the device, in this order; an operation that is out of order
 * begins the next cycle. If the data is cut into chunks, copies and kernels can overlap
 * for as long as the shorter of the two takes. A kernel that is launched again in a
 * cycle works on data that is there already, so each kernel counts once. A measured
 * launch ran alone because we measured it, and does not count. Small copies are
 * parameters and flags: they do not separate cycles.
 *
 * Or the data of the next cycle comes while the kernels work on that of this one, in a
 * buffer of its own: all of their time counts, each launch. That its data did not depend on
 * them is known of a copy that was called before they ended. It waited for them in the same
 * queue, or by an event. Over the whole run the longer of both counts.
 */
#include "model/internal.h"

/* In chunks, those of the open cycle included. */
static uint64_t
chunks(const struct cycle *c)
{

	return add_sat(c->sum_ns, min_u64(c->copy_ns, c->kernel_ns));
}

uint64_t
cycle_total(const struct cycle *c)
{

	return max_u64(chunks(c), c->early_ns);
}

uint64_t
cycle_early(const struct cycle *c)
{

	return sub_sat(c->early_ns, chunks(c));
}

static void
cycle_close(struct cycle *c)
{

	c->sum_ns = chunks(c);
	c->copy_ns = c->kernel_ns = 0;
	c->graph = false;
}

/* The cycle continues with ${stage}; if it was past that, the next one begins. */
static void
cycle_stage(struct model *m, struct cycle *c, uint8_t stage)
{

	if (stage < c->stage) {
		cycle_close(c);
		c->serial = 0;
	}
	if (c->serial == 0)
		c->serial = ++m->cycles;
	c->stage = stage;
}

static void
add_work(struct cycle *c, const struct op *op)
{

	if (!c->begun)
		return;		/* it works on no data that was copied */
	if (c->fed || c->work_ns == 0) {
		c->work_ns = 0;
		c->work_first = op->start;
		c->work_last = op->end;
	}
	c->fed = false;
	c->work_ns = add_sat(c->work_ns, op->end - op->start);
	c->work_last = max_u64(c->work_last, op->end);
}

/* Copy ${op} could have run beside the kernels that ran after its call. */
static void
add_early(struct cycle *c, const struct op *op)
{
	uint64_t from = max_u64(op->launch, c->work_first), ns;

	c->fed = c->begun = true;
	if (op->launch == 0 || from >= c->work_last)
		return;
	ns = (uint64_t)((double)c->work_ns * (double)(c->work_last - from) /
	    (double)(c->work_last - c->work_first));
	ns = min_u64(ns, op->end - op->start);
	c->early_ns = add_sat(c->early_ns, ns);
	c->work_ns -= ns;
}

static void
cycle_kernel(struct model *m, struct cycle *c, const struct op *op)
{
	struct kernel_state *k;

	cycle_stage(m, c, CYCLE_WORK);
	if ((op->flags & OP_PROFILED) != 0)
		return;
	add_work(c, op);
	if (op->kind == OP_GRAPH) {
		if (c->graph)
			return;
		c->graph = true;
	} else {
		k = &m->kernel[op->index];
		if (k->cycle == c->serial)
			return;
		k->cycle = c->serial;
	}
	c->kernel_ns = add_sat(c->kernel_ns, op->end - op->start);
}

void
cycle_op(struct model *m, struct device_state *d, const struct op *op)
{
	struct cycle *c = &d->cycle;

	if (op->kind == OP_KERNEL || op->kind == OP_GRAPH) {
		cycle_kernel(m, c, op);
		return;
	}
	if (op->kind != OP_COPY || (op->flags & OP_SMALL) != 0 ||
	    (op->row != ROW_H2D && op->row != ROW_D2H))
		return;
	cycle_stage(m, c, op->row == ROW_H2D ? CYCLE_UP : CYCLE_DOWN);
	if (op->row == ROW_H2D)
		add_early(c, op);
	c->copy_ns = add_sat(c->copy_ns, op->end - op->start);
}
