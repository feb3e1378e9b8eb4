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
 */
#include "model/internal.h"

static void
cycle_close(struct cycle *c)
{

	c->sum_ns = add_sat(c->sum_ns, min_u64(c->copy_ns, c->kernel_ns));
	c->copy_ns = c->kernel_ns = 0;
	c->graph = false;
}

uint64_t
cycle_total(const struct cycle *c)
{

	return add_sat(c->sum_ns, min_u64(c->copy_ns, c->kernel_ns));
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
cycle_kernel(struct model *m, struct cycle *c, const struct op *op)
{
	struct kernel_state *k;

	cycle_stage(m, c, CYCLE_WORK);
	if ((op->flags & OP_PROFILED) != 0)
		return;
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
	c->copy_ns = add_sat(c->copy_ns, op->end - op->start);
}
