/*
 * model/burst.c: exposed time, the GPU time that lengthened the run.
 *
 * A burst is GPU work that runs back to back: the host launched each operation
 * before the previous one had ended. If every operation of a burst took no time at
 * all, the run would be shorter by the time that the host waited for the burst, and
 * by no more: GPU time is hidden while the host is busy with something else. So, for
 * each kernel and each class of copies in the burst,
 *
 *   exposed = min(time in which its operations kept the device busy,
 *                 time the host was blocked during the burst)
 *
 * where operations that overlap share their time (account in sweep.c). Making that
 * kernel alone faster saves this at most. Exposed times do not add up: all operations
 * of a burst together cannot save more than the host was blocked, which
 * run->gpu_exposed_ns sums over the bursts.
 *
 * The host is blocked in a synchronisation, in a blocking copy, and in a launch call
 * while the hardware queue is full; added is the time it would have waited longer if
 * we had not held it while the device went on (ahead.c). Several threads may have
 * launched the burst and the operation after it: the longest wait counts. Without
 * launch times the whole burst counts as exposed. So does the last burst if no
 * thread was seen to wait for it, since the run cannot end before its work.
 *
 * What the host does by itself between the last launch of a kernel and the copy that
 * fetches its results prepares for these: memory to hold them is allocated and
 * touched. If that happens once or a few times it is set apart, like the work on the
 * results (results.c): as if the host had waited for the GPU instead. Kernels hidden
 * by it count as exposed, and separately: less is certain of these.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

/* A launch call counts as blocked until the burst ended if the next call follows that
 * end within 1/16 of the time since the launch. By chance that is so for one gap in 16;
 * launches that blocked while kernels were sampled returned within 1/40. */
#define RETURNED_SOON 16

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

/* While the hardware queue is full, a launch call returns only when the GPU has
 * finished an operation: the time between two launches is waiting. How many launches
 * fill the queue is not known, since event records and the like take places too; but
 * when it is full, each launch finds as many operations pending as the one before. */
static int
burst_queue(struct burst *b, const struct op *op)
{
	uint64_t *slot, queued;
	bool full = false;

	b->worked = op->kind != OP_COPY;
	if ((op->flags & OP_IN_GRAPH) != 0)
		return 0;
	if (b->ring == NULL &&
	    (b->ring = calloc(QUEUE_DEPTH, sizeof(*b->ring))) == NULL)
		return -1;
	slot = &b->ring[b->pushed % QUEUE_DEPTH];
	if (b->pushed - b->ended == QUEUE_DEPTH)
		full = *slot >= op->launch;
	while (b->ended < b->pushed && (b->pushed - b->ended == QUEUE_DEPTH ||
	    b->ring[b->ended % QUEUE_DEPTH] <= op->launch))
		b->ended++;
	queued = b->pushed - b->ended;
	full = full || (queued >= QUEUE_LEAST && queued == b->queued);
	b->queued = queued;
	if (full && op->launch > b->last_launch)
		b->full_ns += op->launch - b->last_launch;
	*slot = op->end;
	b->pushed++;
	b->last_launch = max_u64(b->last_launch, op->launch);
	return 0;
}

/* For how long the host did its own work, while the burst ran until ${end}, between its
 * last launch of a kernel and the call that fetches results with ${op}. */
static double
burst_prepared(const struct model *m, const struct burst *b,
    const struct op *op, uint64_t end)
{
	uint64_t from = max_u64(b->start, b->last_launch), ns;

	end = min_u64(end, op->launch);
	if (op->kind != OP_COPY || op->row != ROW_D2H || !b->worked ||
	    b->last_launch == 0 || op->thread == IDMAP_NONE || end <= from)
		return 0;
	ns = sub_sat(end - from, host_wait(&m->thread[op->thread], from, end));
	ns = sub_sat(ns, spans_overlap(&m->held, from, end));
	return ns < PHASE_LEAST ? 0 : (double)ns;
}

bool
burst_prepares(const struct model *m)
{

	return m->preparations <= PHASES_MOST;
}

int
burst_start(const struct model *m, struct device_state *d, const struct op *op)
{
	struct burst *b = &d->burst;

	if (b->open)
		b->prepared += burst_prepared(m, b, op,
		    d->actives > 0 ? op->start : d->frontier);
	if (!b->open) {
		b->open = true;
		b->start = op->start;
		b->pushed = b->ended = b->queued = 0;
		b->last_launch = b->full_ns = b->late_ns = 0;
		b->threads = 0;
		b->unknown = b->worked = false;
	}
	burst_thread(b, op->thread);
	if (op->launch == 0) {
		b->unknown = true;
		return 0;
	}
	return burst_queue(b, op);
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
	return add_sat(longest, add_sat(b->full_ns, b->late_ns));
}

/*
 * Settle a piece of the burst, during which the host was blocked for ${waited} ns. A
 * host that is far ahead waits for one piece while the next ones already run, so the
 * limit is its wait in all pieces so far. Each item gets the difference to what it got
 * from the earlier pieces.
 */
static void
burst_share(struct model *m, struct burst *b, double waited)
{
	struct burst_item *i;
	double exposed, hidden;
	size_t n;

	b->waited += waited;
	b->before += b->excl;
	for (n = 0; n < b->items; n++) {
		i = &b->item[n];
		exposed = fmin(i->excl, b->waited);
		hidden = fmin(i->excl - exposed, b->prepared);
		if (i->is_copy) {
			m->copy[i->index].exposed += exposed - i->exposed;
		} else {
			m->kernel[i->index].exposed += exposed - i->exposed;
			m->kernel[i->index].hidden += hidden - i->hidden;
		}
		i->exposed = exposed;
		i->hidden = hidden;
	}
	exposed = fmin(b->before, b->waited);
	hidden = fmin(b->before - exposed, b->prepared);
	m->exposed += exposed - b->exposed;
	m->hidden += hidden - b->hidden;
	b->exposed = exposed;
	b->hidden = hidden;
	b->ops = 0;
	b->excl = 0;
	b->full_ns = b->late_ns = 0;
}

static void
burst_forget(struct model *m, struct burst *b)
{

	m->preparations += b->prepared > 0;
	b->items = 0;
	b->before = b->waited = b->exposed = 0;
	b->prepared = b->hidden = 0;
	b->serial = ++m->bursts;
}

/* A wait that no record shows: if the host made no call for a long time, and launched
 * ${next} as soon as the burst had ended, its last launch call blocked until then.
 * Returns the length of that wait, 0 if there was none. */
static uint64_t
burst_returned(const struct burst *b, uint64_t end, const struct op *next)
{
	uint64_t from = max_u64(b->start, b->last_launch), ns = sub_sat(end, from);
	uint32_t i;

	if (next == NULL || next->launch < end || b->last_launch == 0 ||
	    next->launch - end > ns / RETURNED_SOON)
		return 0;
	for (i = 0; i < b->threads; i++)
		if (b->thread[i] == next->thread)
			return ns;
	return 0;
}

static double
burst_blocked(const struct model *m, const struct burst *b, uint64_t end)
{

	return b->unknown ? b->excl : (double)burst_waited(m, b, end);
}

int
burst_end(struct model *m, struct device_state *d, const struct active *a)
{
	bool is_copy = a->op.kind != OP_KERNEL;
	struct burst_place *place = is_copy ? &m->copy[a->op.index].place :
	    &m->kernel[a->op.index].place;
	struct burst *b = &d->burst;

	if (b->ops == BURST_OPS) {
		burst_share(m, b, burst_blocked(m, b, d->now));
		b->start = d->now;
	}
	if (b->serial == 0)
		b->serial = ++m->bursts;
	if (place->serial != b->serial) {
		if (model_grow(&b->item, &b->cap, b->items,
		    MAX_KERNELS + MAX_COPIES, sizeof(*b->item)) != 0)
			return -1;
		*place = (struct burst_place){ b->serial, b->items };
		b->item[b->items++] = (struct burst_item){ a->op.index,
		    is_copy, 0, 0, 0 };
	}
	b->item[place->item].excl += a->excl;
	b->excl += a->excl;
	b->ops++;
	return 0;
}

/* The gap before ${next} does not end the burst: ${next} was launched in time, or would
 * have been without our measuring. The host may have waited before the gap all the
 * same; the time in which we held it is not counted. */
void
burst_go_on(const struct model *m, struct device_state *d,
    const struct op *next)
{
	struct burst *b = &d->burst;
	uint64_t ns = b->open ? burst_returned(b, d->frontier, next) : 0;

	/* Below that the host launched at its usual pace and did not wait. */
	if (ns > LAUNCH_APART)
		b->full_ns = add_sat(b->full_ns, sub_sat(ns, spans_overlap(
		    &m->held, b->last_launch, d->frontier)));
}

void
burst_finish(struct model *m, struct device_state *d, const struct op *next)
{
	struct burst *b = &d->burst;
	double blocked, returned;

	if (!b->open)
		return;
	returned = (double)burst_returned(b, d->frontier, next);
	if (next != NULL) {
		b->prepared += burst_prepared(m, b, next, d->frontier);
		burst_thread(b, next->thread);
	} else {
		ahead_last(m, d);
	}
	blocked = burst_blocked(m, b, d->frontier);
	blocked = blocked > returned ? blocked : returned;
	if (next == NULL && blocked == 0)
		blocked = b->excl;
	burst_share(m, b, blocked);
	burst_forget(m, b);
	b->open = false;
}
