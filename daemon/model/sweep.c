/*
 * model/sweep.c: GPU work in order of time.
 *
 * Records of one queue come in order, but queues, buffers and processes come
 * interleaved. So operations wait in a bounded buffer; when it is full it is
 * sorted and its older half swept, device by device. An operation that arrives later
 * and starts before the point already swept is late: it is in every count and sum,
 * but not in the timeline and what is derived from it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/host.h"
#include "model/internal.h"

/* For a device without work for this long no host intervals are kept. */
#define STALE (60 * SECOND)

/* --- sorting ----------------------------------------------------------- */

static uint32_t
run_end(const struct op *op, uint32_t from, uint32_t count)
{
	uint32_t i = from + 1;

	while (i < count && op[i].start >= op[i - 1].start)
		i++;
	return i < count ? i : count;
}

/* Merge [a, b) and [b, c) of ${from} into ${to}. */
static void
merge(struct op *to, const struct op *from, uint32_t a, uint32_t b,
    uint32_t c)
{
	uint32_t i = a, j = b, k = a;

	while (i < b && j < c)
		to[k++] = from[j].start < from[i].start ?
		    from[j++] : from[i++];
	memcpy(to + k, from + i, (b - i) * sizeof(*to));
	k += b - i;
	memcpy(to + k, from + j, (c - j) * sizeof(*to));
}

/* A natural merge sort: operations mostly arrive in runs that are in order, from which
 * qsort would not profit. Stable, so that equal captures give equal results. */
static int
ops_sort(struct model *m)
{
	struct op *swap;
	uint32_t a, b, c;

	if (m->ops_sorted == m->ops)
		return 0;
	if (m->op_spare == NULL)
		m->op_spare = malloc(m->ops_cap * sizeof(*m->op_spare));
	if (m->op_spare == NULL)
		return -1;
	while (run_end(m->op, 0, m->ops) < m->ops) {
		for (a = 0; a < m->ops; a = c) {
			b = run_end(m->op, a, m->ops);
			c = b < m->ops ? run_end(m->op, b, m->ops) : b;
			merge(m->op_spare, m->op, a, b, c);
		}
		swap = m->op;
		m->op = m->op_spare;
		m->op_spare = swap;
	}
	m->ops_sorted = m->ops;
	return 0;
}

/* --- one device's walk --------------------------------------------------- */

static void
row_add(struct device_state *d, uint64_t from, uint64_t to)
{
	int row;

	for (row = ROW_KERNEL; row <= ROW_MEMSET; row++)
		if (d->row_active[row] > 0)
			timeline_add(d, (enum timeline_row)row, from, to);
}

static void
account_ways(struct device_state *d, uint64_t ns)
{
	bool up = d->row_active[ROW_H2D] > 0, down = d->row_active[ROW_D2H] > 0;

	if (up)
		d->out.h2d_ns += ns;
	if (down)
		d->out.d2h_ns += ns;
	if (up && down)
		d->out.both_ns += ns;
	else if (up && d->kernels_active == 0)
		d->out.h2d_bare_ns += ns;
	else if (down && d->kernels_active == 0)
		d->out.d2h_bare_ns += ns;
}

static bool
is_kernel(const struct op *op)
{

	return op->kind == OP_KERNEL || op->kind == OP_GRAPH;
}

/* Between ${from} and ${to} the set of active operations does not change. */
static void
account(struct device_state *d, uint64_t from, uint64_t to)
{
	uint64_t ns = to - from;
	uint32_t i, kernels = d->kernels_active, open = 0;
	uint32_t copies = d->actives - kernels;

	if (ns == 0)
		return;
	d->out.busy_ns += ns;
	if (kernels > 0)
		d->out.kernel_ns += ns;
	if (copies > 0)
		d->out.copy_ns += ns;
	if (kernels > 0 && copies > 0)
		d->out.copy_hidden_ns += ns;
	account_ways(d, ns);
	row_add(d, from, to);
	for (i = 0; i < d->actives; i++)
		open += !d->active[i].hidden;
	/* Operations that overlap share the time: without any one of them the
	 * device would have been busy all the same. */
	for (i = 0; i < d->actives; i++) {
		if (!d->active[i].hidden)
			d->active[i].excl += (double)ns / open;
		if (kernels == 1 && is_kernel(&d->active[i].op))
			d->active[i].alone += ns;
	}
}

static int
finish(struct model *m, struct device_state *d, uint32_t i)
{
	struct active *a = &d->active[i], done = *a;
	const struct op *op = &done.op;
	struct kernel_state *k;

	if (op->end >= d->frontier) {
		d->frontier = op->end;
		d->last = *op;
	}
	if (is_kernel(op))
		d->kernel = op->kind == OP_KERNEL ? op->index + 1 : 0;
	d->inputs = op->kind == OP_COPY && op->row == ROW_H2D ? d->inputs + 1 : 0;
	d->row_active[op->row]--;
	d->kernels_active -= is_kernel(op);
	*a = d->active[--d->actives];
	if (op->kind == OP_GRAPH)
		return 0;
	if (op->flags & OP_PROFILED) {
		k = &m->kernel[op->index];
		k->profiled_fault_ns = add_sat(k->profiled_fault_ns,
		    unified_fault_in(m, op->start, op->end));
		k->profiled_told_ns = add_sat(k->profiled_told_ns,
		    spans_overlap(&m->overhead, op->start, op->end));
		return 0;
	}
	if (op->kind == OP_KERNEL) {
		k = &m->kernel[op->index];
		k->swept_ns = add_sat(k->swept_ns, op->end - op->start);
		k->alone_ns = add_sat(k->alone_ns, done.alone);
		k->fault_ns = add_sat(k->fault_ns,
		    unified_fault_in(m, op->start, op->end));
	} else
		m->copy[op->index].swept_ns =
		    add_sat(m->copy[op->index].swept_ns, op->end - op->start);
	return burst_end(m, d, &done);
}

/* Let the device run until ${until}. */
static int
advance(struct model *m, struct device_state *d, uint64_t until)
{
	uint32_t i, first;
	uint64_t end;

	while (d->actives > 0) {
		first = 0;
		for (i = 1; i < d->actives; i++)
			if (d->active[i].op.end < d->active[first].op.end)
				first = i;
		end = d->active[first].op.end;
		if (end > until) {
			account(d, d->now, until);
			break;
		}
		account(d, d->now, end);
		d->now = end;
		if (finish(m, d, first) != 0)
			return -1;
	}
	d->now = until;
	return 0;
}

/* A copy that begins and ends while one kernel runs costs no time, nor does a
 * kernel that begins and ends during one copy. */
static bool
is_hidden(const struct device_state *d, const struct op *op)
{
	const struct op *other;
	uint32_t i;

	for (i = 0; i < d->actives; i++) {
		other = &d->active[i].op;
		if (is_kernel(other) != is_kernel(op) &&
		    other->end >= op->end &&
		    (other->end > op->end || other->start < op->start))
			return true;
	}
	return false;
}

static void
activate(struct device_state *d, const struct op *op)
{

	d->active[d->actives] = (struct active){ .op = *op,
	    .hidden = is_hidden(d, op) };
	d->actives++;
	d->row_active[op->row]++;
	d->kernels_active += is_kernel(op);
	timeline_count(d, (enum timeline_row)op->row, op->start);
	d->swept = op->start;
	d->worked = d->worked || op->kind == OP_KERNEL || op->kind == OP_GRAPH;
}

/* MAX_ACTIVE are more than any GPU runs at once: the one that ends first ends now. */
static int
make_room(struct model *m, struct device_state *d)
{
	uint32_t i, first = 0;

	if (d->actives < MAX_ACTIVE)
		return 0;
	for (i = 1; i < d->actives; i++)
		if (d->active[i].op.end < d->active[first].op.end)
			first = i;
	return finish(m, d, first);
}

static int
sweep_op(struct model *m, struct op *op)
{
	struct device_state *d = m->device[op->device];
	const struct queue *q = &m->queue[op->queue];
	uint64_t idle = 0;
	struct gap_seen seen = { .host_ns = 0 };

	if (d->used && op->start < d->swept) {
		m->run.late++;
		return 0;
	}
	if (kernel_disturbed(m, op))
		op->flags |= OP_PROFILED;
	if (advance(m, d, op->start) != 0)
		return -1;
	ahead_op(m, d, op);
	if (!d->used) {
		d->used = true;
		d->out.first_ns = op->start;
	} else if (d->actives == 0 && op->start > d->frontier) {
		idle = op->start - d->frontier;
		if (idle_gap(m, d, op, &seen))
			burst_finish(m, d, op);
		else
			burst_go_on(m, d, op);
	}
	/* Operations of all devices come here in order of their start. */
	if (op->row == ROW_KERNEL && op->end > m->gpus_until) {
		m->gpus_busy = add_sat(m->gpus_busy,
		    op->end - max_u64(op->start, m->gpus_until));
		m->gpus_until = op->end;
	}
	released_op(m, d, op);
	if (burst_start(m, d, op) != 0 || make_room(m, d) != 0)
		return -1;
	activate(d, op);
	if (op->flags & OP_PROFILED)
		ahead_longer(d, op->end - op->start - kernel_length(m, op));
	follow_op(m, op, idle, seen);
	results_op(m, d, op, seen);
	legacy_op(m, d, op);
	cycle_op(m, d, op);
	if (op->kind == OP_KERNEL) {
		m->kernel[op->index].out.gap_before_ns += idle;
		host_launched(m->stream[q->process],
		    op->launch != 0 ? op->launch : op->start);
		if (sequence_launch(m, op, idle, seen) != 0)
			return -1;
		if ((op->flags & OP_PROFILED) == 0)
			repeat_add(&m->kernel[op->index].repeat,
			    op->end - op->start, sequence_before(m, op));
	} else
		sequence_idle(m, op, idle, seen, &d->last);
	d->transfers += op->kind == OP_COPY || op->kind == OP_MEMSET;
	return copy_sweep(m, op);
}

/* --- when ----------------------------------------------------------------- */

static void
forget(struct model *m)
{
	uint64_t before = UINT64_MAX, latest = 0;
	const struct device_state *d;
	uint32_t i;

	for (i = 0; i < m->devices; i++)
		latest = max_u64(latest, m->device[i]->now);
	for (i = 0; i < m->devices; i++) {
		d = m->device[i];
		if (!d->used || add_sat(d->now, STALE) < latest)
			continue;
		before = min_u64(before, min_u64(d->frontier, d->now));
		if (d->burst.open)
			before = min_u64(before, d->burst.start);
	}
	if (latest > 0) {
		host_prune(m, before);
		away_prune(m, before);
	}
}

static int
sweep_first(struct model *m, uint32_t count)
{
	uint32_t i;

	if (count == 0)
		return 0;
	host_sort(m);
	away_sort(m);
	look_sort(m);
	for (i = 0; i < count; i++)
		if (sweep_op(m, &m->op[i]) != 0)
			return -1;
	m->ops -= count;
	memmove(m->op, m->op + count, m->ops * sizeof(*m->op));
	m->ops_sorted = m->ops;
	forget(m);
	return 0;
}

int
sweep_room(struct model *m)
{

	if (m->ops < MAX_OPS && m->waits < MAX_WAITS)
		return 0;
	/* Sweeping the older half frees most host intervals. */
	if (ops_sort(m) != 0 || sweep_first(m, m->ops / 2) != 0)
		return -1;
	if (m->waits >= MAX_WAITS)
		host_evict(m);
	return 0;
}

int
sweep_until(struct model *m, uint64_t until)
{

	if (ops_sort(m) != 0)
		return -1;
	return sweep_first(m, (uint32_t)FIRST_NOT(mid, 0, m->ops,
	    m->op[mid].start < until));
}

int
sweep_all(struct model *m)
{
	struct device_state *d;
	uint32_t i;

	if (sweep_until(m, UINT64_MAX) != 0)
		return -1;
	host_sort(m);
	away_sort(m);
	look_sort(m);
	for (i = 0; i < m->devices; i++) {
		d = m->device[i];
		if (!d->used)
			continue;
		if (advance(m, d, UINT64_MAX) != 0)
			return -1;
		d->now = d->frontier;
		burst_finish(m, d, NULL);
	}
	host_prune(m, UINT64_MAX);
	away_prune(m, UINT64_MAX);
	return 0;
}
