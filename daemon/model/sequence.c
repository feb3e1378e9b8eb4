/*
 * model/sequence.c: launch sequences that repeat, found in one pass.
 *
 * The last launches of each queue are kept in a ring. A table says where the last
 * four kernels were seen before: that distance is a candidate period. As long
 * as every launch equals the one a period earlier the candidate holds; after
 * ten periods it is a sequence, and each further period extends it. The ring
 * holds running totals, so that the sum over any stretch is a difference. Longer
 * periods are longer.c's.
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

#define RING 2048u		/* launches; a power of two */
#define PERIOD_MAX SEQUENCE_MAX
#define CONTEXT 4u		/* kernels that are looked up */
#define MIN_REPEATS 10u
#define MAX_TRACKERS 256u	/* queues; 112 KiB each */

/* Latency from the end of a kernel to the start of a copy in its stream; 2.4 us in a
 * graph (H200, 2026-11-23). */
#define COPY_WAY 3700u		/* ns */

struct tracker {
	uint32_t kernel[RING];
	struct total total[RING];
	bool moved[RING];	/* the device copied or cleared memory before it */
	struct { uint64_t position; uint32_t hash; } seen[RING];
	uint64_t launches;
	struct total now;
	uint32_t period;	/* of the candidate, 0 none */
	uint64_t start;		/* its first launch */
	uint64_t start_ns;	/* when its second period began */
	uint32_t sequence;	/* of model->sequence, IDMAP_NONE not yet */
	uint32_t turned;	/* the place in it of the period's first launch */
	uint64_t transfers;	/* of the device, before the last launch */
	bool dropped;		/* the table of sequences is full */
	struct total counted;	/* totals up to what the sequence has */
};

static uint32_t
tracker_kernel(const struct tracker *t, uint64_t position)
{

	return t->kernel[position % RING];
}

static struct tracker *
tracker_of(struct model *m, struct queue *q)
{

	if (q->tracker == NULL && m->trackers < MAX_TRACKERS &&
	    (q->tracker = calloc(1, sizeof(*q->tracker))) != NULL)
		m->trackers++;
	return q->tracker;
}

static void
total_idle(struct total *t, uint64_t idle, struct gap_seen seen)
{

	if (seen.synced)
		t->syncs++;
	else if (seen.allocated)
		t->allocations++;
	else if (idle > 0 && idle <= LAUNCH_APART && !seen.ours &&
	    !seen.queued) {
		t->idle_ns += idle;
		t->gaps++;
	}
}

/* Where the lexicographically smallest rotation of the ${n} kernels at ${from} begins. */
static uint32_t
rotation(const struct tracker *t, uint64_t from, uint32_t n)
{
	uint32_t i = 0, j = 1, k = 0, a, b;

	while (i < n && j < n && k < n) {
		a = tracker_kernel(t, from + (i + k) % n);
		b = tracker_kernel(t, from + (j + k) % n);
		if (a == b) {
			k++;
			continue;
		}
		if (a > b)
			i += k + 1;
		else
			j += k + 1;
		j += i == j;
		k = 0;
	}
	return i < j ? i : j;
}

/* A hash that is the same for all rotations of a sequence of kernels, of which the one
 * that begins at ${first} is the smallest. */
static uint64_t
sequence_hash(const struct tracker *t, uint64_t from, uint32_t n, uint32_t first)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	uint32_t i;

	for (i = 0; i < n; i++) {
		hash ^= tracker_kernel(t, from + (first + i) % n);
		hash *= 0x100000001b3ull;
	}
	return hash;
}

static int
sequence_find(struct model *m, struct tracker *t, const struct op *op,
    uint64_t from)
{
	uint32_t first = rotation(t, from, t->period), i;
	bool failed = false;
	uint64_t hash = sequence_hash(t, from, t->period, first);
	struct sequence *s;

	for (i = 0; i < m->sequences; i++) {
		s = &m->sequence[i];
		if (m->sequence_of[i].hash == hash && s->length == t->period &&
		    s->device == op->device)
			break;
	}
	t->sequence = i;
	if (i < m->sequences) {
		t->turned = (m->sequence_of[i].first + t->period - first) %
		    t->period;
		return 0;
	}
	t->turned = 0;
	s = sequence_new(m, false, op, t->period, (struct sequence_of){
	    .hash = hash, .first = first, .queue = op->queue,
	    .launches = t->start, .begin = t->counted }, &failed);
	t->dropped = s == NULL;
	if (s == NULL)
		return failed ? -1 : 0;
	s->first_ns = t->start_ns;
	for (i = 0; i < t->period && i < SEQUENCE_MAX; i++)
		s->kernel[i] = tracker_kernel(t, from + i) + 1;
	return 0;
}

/* The period that ends with the launch at ${position} stands for ${repeats}. */
static void
count_moved(const struct tracker *t, struct sequence *s, uint64_t position,
    uint64_t repeats)
{
	uint64_t from = position + 1 - t->period;
	uint32_t i;

	for (i = 0; i < t->period; i++)
		if (t->moved[(from + i) % RING])
			s->moved[(i + t->turned) % t->period] += repeats;
}

/* A whole number of periods ends with the launch at ${position}. */
static int
sequence_count(struct model *m, struct tracker *t, const struct op *op,
    uint64_t position, uint64_t repeats)
{
	struct sequence *s;

	if (t->sequence == IDMAP_NONE && !t->dropped) {
		if (sequence_find(m, t, op, position + 1 - t->period) != 0)
			return -1;
	} else
		repeats = 1;
	if (t->dropped)
		return 0;
	s = &m->sequence[t->sequence];
	count_moved(t, s, position, repeats);
	sequence_total(s, &m->sequence_of[t->sequence], op, repeats, position + 1,
	    t->counted, t->now);
	t->counted = t->now;
	return 0;
}

static uint32_t
context_hash(const struct tracker *t, uint64_t position)
{
	uint64_t hash = 0;
	uint32_t i;

	for (i = 0; i < CONTEXT; i++)
		hash = (hash + tracker_kernel(t, position - i) + 1) *
		    0x9e3779b97f4a7c15ull;
	return (uint32_t)(hash >> 32);
}

static bool
same_context(const struct tracker *t, uint64_t a, uint64_t b)
{
	uint32_t i;

	for (i = 0; i < CONTEXT; i++)
		if (tracker_kernel(t, a - i) != tracker_kernel(t, b - i))
			return false;
	return true;
}

/* If the last CONTEXT launches were seen before, a candidate period begins there. */
static void
candidate(struct tracker *t, const struct op *op, uint64_t position, uint32_t hash)
{
	uint64_t before = t->seen[hash % RING].position;
	uint64_t first;

	t->period = 0;
	if (t->seen[hash % RING].hash != hash || before + 1 < CONTEXT ||
	    before >= position || position - before > PERIOD_MAX ||
	    !same_context(t, before, position))
		return;
	t->period = (uint32_t)(position - before);
	t->start = before + 1 - CONTEXT;
	t->start_ns = op->start;
	t->sequence = IDMAP_NONE;
	t->dropped = false;
	/* The gap before the first launch is not part of the sequence. */
	first = t->start % RING;
	t->counted = t->total[first];
	t->counted.kernel_ns = t->start == 0 ? 0 :
	    t->total[(t->start - 1) % RING].kernel_ns;
}

int
sequence_launch(struct model *m, const struct op *op, uint64_t idle,
    struct gap_seen seen)
{
	struct tracker *t = tracker_of(m, &m->queue[op->queue]);
	const struct device_state *d = m->device[op->device];
	uint64_t position, length;
	uint32_t hash;
	int rc = 0;

	if (t == NULL)
		return 0;
	position = t->launches++;
	total_idle(&t->now, idle, seen);
	t->now.kernel_ns = add_sat(t->now.kernel_ns, kernel_length(m, op));
	t->now.nodes += (op->flags & OP_IN_GRAPH) != 0;
	t->kernel[position % RING] = op->index;
	t->total[position % RING] = t->now;
	t->moved[position % RING] = t->transfers != d->transfers;
	t->transfers = d->transfers;
	if (longer_launch(m, op, t->now, t->moved[position % RING]) != 0)
		return -1;
	if (t->period != 0 &&
	    tracker_kernel(t, position - t->period) != op->index)
		t->period = 0;
	if (position + 1 < CONTEXT)
		return 0;
	hash = context_hash(t, position);
	if (t->period == 0)
		candidate(t, op, position, hash);
	t->seen[hash % RING].hash = hash;
	t->seen[hash % RING].position = position;
	if (t->period == 0)
		return 0;
	length = position + 1 - t->start;
	if (length % t->period == 0 && length / t->period >= MIN_REPEATS)
		rc = sequence_count(m, t, op, position, length / t->period);
	return rc;
}

/* The tracker for the gap before copy ${op}: of its queue; if that has no kernels, of
 * the queue of the kernel that ended last, whose next launch waits for the copy. */
static struct tracker *
tracker_before(const struct model *m, const struct op *op, const struct op *last)
{
	struct tracker *t = m->queue[op->queue].tracker;

	return t == NULL && last->kind == OP_KERNEL && last->end != 0 ?
	    m->queue[last->queue].tracker : t;
}

void
sequence_idle(struct model *m, const struct op *op, uint64_t idle,
    struct gap_seen seen, const struct op *last)
{
	struct tracker *t = m->queue[op->queue].tracker;

	if (op->kind == OP_COPY && op->row == ROW_H2D &&
	    (op->flags & OP_SMALL) != 0) {
		t = tracker_before(m, op, last);
		idle = sub_sat(idle, COPY_WAY);
	} else if (op->kind == OP_COPY) {
		idle = 0;
	}
	if (t != NULL)
		total_idle(&t->now, idle, seen);
}

uint64_t
sequence_before(const struct model *m, const struct op *op)
{
	const struct tracker *t = m->queue[op->queue].tracker;
	uint64_t at;

	if (t == NULL || t->period == 0 || t->launches < t->period + 2)
		return 0;
	at = t->launches - 1 - t->period;
	return t->total[at % RING].kernel_ns -
	    t->total[(at - 1) % RING].kernel_ns;
}

void
sequence_free(struct tracker *t)
{

	free(t);
}
