/*
 * model/burst.c: which GPU time lengthened the run.
 *
 * A burst is work that the GPU does without waiting for the host: each
 * operation was called for before the one before it had ended. If every
 * operation of a burst took no time at all, the run would be shorter by what
 * the host spent waiting for the burst, and by no more: while the host is busy
 * with something else, GPU time is hidden behind it. So
 *
 *   exposed(burst) = min(time in which an operation ran by itself,
 *                        time the host was blocked during the burst)
 *
 * and each operation's share is in proportion to the time it ran by itself.
 * Blocked means: in a synchronisation or a blocking copy, or in a launch call
 * because the hardware queue was full. Of the threads that launched the burst
 * and the one that launched what follows, the longest wait counts. Where the
 * host's calls are not known (no launch times), all of it counts as exposed;
 * so does the last burst if nobody was seen to wait for it, since the run
 * cannot end before its work.
 */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

static void
burst_thread(struct burst *b, uint32_t thread)
{
	uint32_t i;

	if (thread == IDMAP_NONE)
		return;
	for (i = 0; i < b->threads; i++)
		if (b->thread[i] == thread)
			return;
	if (b->threads < BURST_THREADS)
		b->thread[b->threads++] = thread;
}

/* The launch calls of a full queue return when the GPU gets on: the time
 * between them is waiting. */
static int
burst_queue(struct burst *b, const struct op *op)
{
	uint64_t *slot;

	if ((op->flags & OP_IN_GRAPH) != 0)
		return (0);
	if (b->ring == NULL &&
	    (b->ring = calloc(QUEUE_DEPTH, sizeof(*b->ring))) == NULL)
		return (-1);
	slot = &b->ring[b->pushed % QUEUE_DEPTH];
	if (b->pushed >= QUEUE_DEPTH && *slot >= op->launch &&
	    op->launch > b->last_launch)
		b->full_ns += op->launch - b->last_launch;
	*slot = op->end;
	b->pushed++;
	b->last_launch = max_u64(b->last_launch, op->launch);
	return (0);
}

int
burst_start(struct device_state *d, const struct op *op)
{
	struct burst *b = &d->burst;

	if (!b->open) {
		b->open = true;
		b->start = op->start;
		b->pushed = b->last_launch = b->full_ns = 0;
		b->threads = 0;
		b->unknown = false;
	}
	burst_thread(b, op->thread);
	if (op->launch == 0) {
		b->unknown = true;
		return (0);
	}
	return (burst_queue(b, op));
}

static uint64_t
burst_waited(const struct model *m, const struct burst *b, uint64_t end)
{
	uint64_t longest = 0, ns;
	uint32_t i;

	for (i = 0; i < b->threads; i++) {
		ns = host_wait(&m->thread[b->thread[i]], b->start, end);
		longest = max_u64(longest, ns);
	}
	return (add_sat(longest, b->full_ns));
}

static void
burst_share(struct model *m, struct burst *b, double share)
{
	const struct burst_item *i;

	for (i = b->item; share > 0 && i < b->item + b->items; i++) {
		if (i->is_copy)
			m->copy[i->index].exposed += i->excl * share;
		else
			m->kernel[i->index].exposed += i->excl * share;
	}
	b->items = 0;
	b->excl = 0;
	b->full_ns = 0;
}

static double
burst_ratio(const struct model *m, const struct burst *b, uint64_t end)
{
	double waited;

	if (b->unknown || b->excl <= 0)
		return (1);
	waited = (double)burst_waited(m, b, end);
	return (waited < b->excl ? waited / b->excl : 1);
}

int
burst_end(struct model *m, struct device_state *d, const struct active *a)
{
	struct burst *b = &d->burst;

	/* A long burst is settled piece by piece. */
	if (b->items == BURST_ITEMS) {
		burst_share(m, b, burst_ratio(m, b, d->now));
		b->start = d->now;
	}
	if (model_grow(&b->item, &b->cap, b->items, BURST_ITEMS,
	    sizeof(*b->item)) != 0)
		return (-1);
	b->item[b->items++] = (struct burst_item){ a->op.index,
	    a->op.kind != OP_KERNEL, a->excl };
	b->excl += a->excl;
	return (0);
}

void
burst_finish(struct model *m, struct device_state *d, uint32_t next)
{
	struct burst *b = &d->burst;
	double ratio;

	if (!b->open)
		return;
	burst_thread(b, next);
	ratio = burst_ratio(m, b, d->frontier);
	if (next == IDMAP_NONE && ratio == 0)
		ratio = 1;
	burst_share(m, b, ratio);
	b->open = false;
}
