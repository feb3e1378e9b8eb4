/*
 * model/released.c: work of several streams that takes turns because memory is
 * released or allocated in between.
 *
 * cudaFree, and now and then cudaMalloc, returns only when all work of the device has
 * ended, of whatever stream: what a program puts into another stream behind it could
 * have run beside the work before. A kernel is taken to have waited if the work before
 * it was of another stream, and the thread that launched it was inside such a call when
 * that work ended. What follows it in its own stream belongs to it. How many could
 * run at once depends on the number of streams and on what one leaves of the GPU.
 */
#include "model/host.h"
#include "model/internal.h"

/* Was the thread of ${op} inside a call that allocates or releases when the work before
 * it ended at ${end}, and launched ${op} after that call? */
static bool
was_inside(const struct model *m, const struct op *op, uint64_t end)
{
	const struct thread *t = &m->thread[op->thread];

	for (uint32_t i = host_first(t, end); i < t->count &&
	    t->wait[i].start < end; i++)
		if (t->wait[i].kind == WAIT_ALLOCATION &&
		    !call_is_object(t->wait[i].call) &&
		    t->wait[i].end >= end && t->wait[i].end <= op->launch)
			return true;
	return false;
}

void
released_op(struct model *m, struct device_state *d, const struct op *op)
{
	struct released *r = &d->released;
	const struct op *last = &d->last;
	double ns;

	if (op->kind != OP_KERNEL || op->launch == 0 ||
	    op->thread == IDMAP_NONE)
		return;
	/* The last work of the device has ended: d->last is all that ran. */
	if (d->actives > 0 || last->end == 0)
		r->waits = r->waits && last->queue == op->queue;
	else if (last->queue != op->queue)
		r->waits = m->queue[last->queue].process ==
		    m->queue[op->queue].process && was_inside(m, op, last->end);
	if (!r->waits)
		return;
	ns = (double)kernel_length(m, op);
	r->ns += ns;
	r->filled_ns += ns * legacy_fills(m, op);
	r->streams |= 1ull << m->queue[op->queue].stream % 64;
}

double
released_saved(const struct released *r)
{
	double ways = __builtin_popcountll(r->streams);

	if (r->filled_ns * ways > r->ns)
		ways = r->ns / r->filled_ns;
	return ways > 1 ? r->ns * (1 - 1 / ways) : 0;
}
