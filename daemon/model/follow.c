/*
 * model/follow.c: which kernel follows which in its queue.
 *
 * One successor of each kernel is kept, by majority vote (Boyer and Moore): a kernel
 * that follows it more often than all others together is found in one pass and in
 * constant memory. Its count starts when it was last chosen, and is exact from there.
 * That is enough for the rules: they look for pairs that always occur.
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

	/* A kernel that starts before the other one ends does not follow it. */
	if (op->kind == OP_KERNEL && q->last != 0 && !seen.synced &&
	    op->start >= q->last_end)
		follow_kernel(&m->kernel[q->last - 1], op, idle, seen,
		    q->kind == QUEUE_LEGACY);
	q->last = op->kind == OP_KERNEL ? op->index + 1 : 0;
	q->last_end = op->end;
}
