/*
 * model/follow.c: which kernel comes after which in its queue.
 *
 * Of each kernel one successor is kept, by majority vote: where one kernel comes
 * after it more often than all others together, that one is found in one pass
 * and in constant memory. Its count is exact from when it was last taken up,
 * which is what the rules need: they ask for pairs that are always there.
 */
#include "model/internal.h"

static void
follow_vote(struct kernel_state *k, uint32_t next)
{

	if (k->out.next == next) {
		k->next_votes++;
		return;
	}
	if (k->next_votes > 0 && --k->next_votes > 0)
		return;
	k->out.next = next;
	k->out.next_count = k->out.next_idle_ns = 0;
	k->next_votes = 1;
}

static void
follow_kernel(struct kernel_state *k, const struct op *op, uint64_t idle,
    struct gap_seen seen, bool null)
{
	uint32_t next = op->index + 1;	/* its id */

	follow_vote(k, next);
	if (k->out.next != next)
		return;
	k->out.next_count++;
	k->out.next_null = null;
	if (idle <= LAUNCH_APART && !seen.ours)
		k->out.next_idle_ns = add_sat(k->out.next_idle_ns, idle);
}

/* ${op} starts, after the GPU was idle for ${idle} ns. */
void
follow_op(struct model *m, const struct op *op, uint64_t idle,
    struct gap_seen seen)
{
	struct queue *q = &m->queue[op->queue];

	/* Two that overlap do not wait for each other. */
	if (op->kind == OP_KERNEL && q->last != 0 && !seen.synced &&
	    op->start >= q->last_end)
		follow_kernel(&m->kernel[q->last - 1], op, idle, seen,
		    q->kind == QUEUE_LEGACY);
	q->last = op->kind == OP_KERNEL ? op->index + 1 : 0;
	q->last_end = op->end;
}
