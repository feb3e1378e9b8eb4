/*
 * model/longer.c: sequences that sequence.c cannot see: longer ones, and such in which
 * the same functions repeat, launched in other shapes each time.
 *
 * The method is that of sequence.c, by the functions' names. The ring begins small, and
 * doubles up to RING_MOST while nothing repeats in it, since many programs need none: at
 * most 1.3 MiB for each of MAX_LONGER queues. It holds no totals: the first period of a
 * candidate is not counted. For each period that repeats, the kernels are compared, too:
 * if all are the same it is a sequence, which is counted here if sequence.c cannot hold
 * so long a one; else it is one of run->alike.
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

#define RING_FIRST 2048u	/* launches; powers of two */
#define RING_MOST 65536u	/* a step of a network for images has some thousands */
#define CONTEXT 4u		/* functions that are looked up */
#define MIN_REPEATS 10u
#define MAX_LONGER 32u		/* queues */

#define MOVED (1u << 31)	/* in past_launch.kernel: the device copied before it */

struct past_launch {
	uint32_t kernel, name;
};

struct past_context {
	uint64_t position;
	uint32_t hash;
};

struct longer {
	struct past_launch *ring;
	struct past_context *seen;	/* where the last launches of this hash were */
	uint32_t size;		/* of both */
	uint64_t launches;
	uint64_t repeated;	/* the last of them in a sequence */
	uint32_t period;	/* of the candidate, 0 none */
	uint64_t start, start_ns;	/* its first launch that counts */
	struct total begin, counted;	/* before it; up to what is counted */
	uint64_t same, grown, shrunk;	/* launches since then, by their grids */
	uint32_t sequence;	/* of the table, IDMAP_NONE none yet */
	uint32_t turned;	/* the place in it of the period's first launch */
	bool alike;		/* which of the tables */
};

static const struct past_launch *
at(const struct longer *l, uint64_t position)
{

	return &l->ring[position & (l->size - 1)];
}

static struct past_context *
seen_of(const struct longer *l, uint32_t hash)
{

	return &l->seen[hash & (l->size - 1)];
}

void
longer_free(struct longer *l)
{

	if (l == NULL)
		return;
	free(l->ring);
	free(l->seen);
	free(l);
}

/* Makes the ring one of ${size}; without memory it stays. */
static bool
resize(struct longer *l, uint32_t size)
{
	struct longer new = { .size = size };
	uint64_t i;

	new.ring = calloc(size, sizeof(*new.ring));
	new.seen = calloc(size, sizeof(*new.seen));
	if (new.ring == NULL || new.seen == NULL) {
		free(new.ring);
		free(new.seen);
		return false;
	}
	for (i = sub_sat(l->launches, l->size); i < l->launches; i++)
		new.ring[i & (size - 1)] = *at(l, i);
	for (i = 0; i < l->size; i++)
		*seen_of(&new, l->seen[i].hash) = l->seen[i];
	free(l->ring);
	free(l->seen);
	l->ring = new.ring;
	l->seen = new.seen;
	l->size = size;
	return true;
}

static struct longer *
longer_of(struct model *m, struct queue *q)
{
	struct longer *l;

	if (q->longer != NULL || m->longers == MAX_LONGER)
		return q->longer;
	if ((l = calloc(1, sizeof(*l))) == NULL)
		return NULL;
	if (!resize(l, RING_FIRST)) {
		longer_free(l);
		return NULL;
	}
	m->longers++;
	return q->longer = l;
}

/* A number for the kernel's function, the same in every process. */
static uint32_t
name_of(const struct model *m, uint32_t kernel)
{

	return (uint32_t)(m->kernel[kernel].name >> 32);
}

static uint64_t
blocks_of(const struct model *m, uint32_t kernel)
{
	const struct kernel *k = &m->kernel[kernel].out;

	return (uint64_t)k->shape.grid_x * k->shape.grid_y * k->shape.grid_z;
}

static uint64_t
mix(uint64_t a, uint64_t b)
{

	return ((a + 1) * 0x9e3779b97f4a7c15ull ^ b) * 0xff51afd7ed558ccdull;
}

/* A hash of the period at ${from}, the same wherever it begins: the sum over pairs. */
static uint64_t
period_hash(const struct longer *l, uint64_t from)
{
	uint64_t hash = 0, i;

	for (i = 0; i < l->period; i++) {
		const struct past_launch *a = at(l, from + i);
		const struct past_launch *b = at(l, from + (i + 1) % l->period);
		uint64_t pair = l->alike ? mix(a->name, b->name) :
		    mix(a->kernel & ~MOVED, b->kernel & ~MOVED);

		hash += pair ^ pair >> 32;
	}
	return hash;
}

/* The place in ${s} of the launch at ${from}: where all that ${s} knows is the same. */
static uint32_t
turned_of(const struct longer *l, const struct sequence *s, uint64_t from)
{
	uint32_t known = l->period < SEQUENCE_MAX ? l->period : SEQUENCE_MAX;
	uint32_t i, k;

	for (i = 0; i < l->period; i++) {
		for (k = 0; k < known && (at(l, from + (i + k) % l->period)->kernel &
		    ~MOVED) + 1 == s->kernel[k]; k++)
			;
		if (k == known)
			return (l->period - i) % l->period;
	}
	return 0;
}

/* Finds or makes the sequence whose period begins at ${from}. -1 without memory. */
static int
find(struct model *m, struct longer *l, const struct op *op, uint64_t from)
{
	const struct sequence_of *of = l->alike ? m->alike_of : m->sequence_of;
	uint32_t n = l->alike ? m->alikes : m->sequences, i;
	struct sequence *s = l->alike ? m->alike : m->sequence;
	uint64_t hash = period_hash(l, from);
	bool failed = false;

	for (i = 0; i < n; i++)
		if (of[i].hash == hash && s[i].length == l->period &&
		    s[i].device == op->device)
			break;
	l->sequence = i;
	l->turned = 0;
	if (i < n) {
		if (!l->alike)
			l->turned = turned_of(l, &s[i], from);
		return 0;
	}
	s = sequence_new(m, l->alike, op, l->period, (struct sequence_of){
	    .hash = hash, .queue = op->queue, .launches = l->start,
	    .begin = l->begin }, &failed);
	if (s == NULL) {
		l->sequence = IDMAP_NONE;
		return failed ? -1 : 0;
	}
	s->first_ns = l->start_ns;
	for (i = 0; i < l->period && i < SEQUENCE_MAX; i++)
		s->kernel[i] = (at(l, from + i)->kernel & ~MOVED) + 1;
	return 0;
}

/* ${repeats} whole periods end with the launch at ${position}. */
static int
count(struct model *m, struct longer *l, const struct op *op, uint64_t position,
    uint64_t repeats, struct total now)
{
	uint64_t from = position + 1 - l->period;
	bool alike = l->same < repeats * l->period;
	struct sequence *s;
	uint32_t i, place;

	if (alike != l->alike)
		l->sequence = IDMAP_NONE;
	l->alike = alike;
	if (!alike && l->period <= SEQUENCE_MAX)
		goto out;
	if (l->sequence == IDMAP_NONE && find(m, l, op, from) != 0)
		return -1;
	if (l->sequence == IDMAP_NONE)
		goto out;
	s = alike ? &m->alike[l->sequence] : &m->sequence[l->sequence];
	for (i = 0; i < l->period && !alike; i++) {
		place = (i + l->turned) % l->period;
		if (place < SEQUENCE_MAX && at(l, from + i)->kernel & MOVED)
			s->moved[place] += repeats;
	}
	s->grown += l->grown;
	s->shrunk += l->shrunk;
	sequence_total(s, alike ? &m->alike_of[l->sequence] :
	    &m->sequence_of[l->sequence], op, repeats, position + 1, l->counted,
	    now);
out:
	l->counted = now;
	l->same = l->grown = l->shrunk = 0;
	return 0;
}

static uint32_t
context_hash(const struct longer *l, uint64_t position)
{
	uint64_t hash = 0;
	uint32_t i;

	for (i = 0; i < CONTEXT; i++)
		hash = mix(hash, at(l, position - i)->name);
	return (uint32_t)(hash >> 32);
}

/* If the functions launched last were seen before, a candidate begins behind them. */
static void
candidate(struct longer *l, const struct op *op, uint64_t position, uint32_t hash,
    struct total now)
{
	const struct past_context *seen = seen_of(l, hash);
	uint64_t before = seen->position;
	uint32_t i;

	l->period = 0;
	if (seen->hash != hash || before + 1 < CONTEXT || before >= position ||
	    position - before > l->size / 2)
		return;
	for (i = 0; i < CONTEXT; i++)
		if (at(l, before - i)->name != at(l, position - i)->name)
			return;
	l->period = (uint32_t)(position - before);
	l->start = position + 1;
	l->start_ns = op->end;
	l->begin = l->counted = now;
	l->same = l->grown = l->shrunk = 0;
	l->sequence = IDMAP_NONE;
}

/* Compares the launch with the one a period earlier. False: another function. */
static bool
go_on(const struct model *m, struct longer *l, uint64_t position)
{
	const struct past_launch *a = at(l, position - l->period), *b = at(l, position);
	uint32_t was = a->kernel & ~MOVED, is = b->kernel & ~MOVED;

	if (a->name != b->name)
		return false;
	l->same += was == is;
	if (was != is) {
		l->grown += blocks_of(m, is) > blocks_of(m, was);
		l->shrunk += blocks_of(m, is) < blocks_of(m, was);
	}
	return true;
}

int
longer_launch(struct model *m, const struct op *op, struct total now, bool moved)
{
	struct longer *l = longer_of(m, &m->queue[op->queue]);
	uint64_t position, length, repeats;
	uint32_t hash;
	bool found;

	if (l == NULL)
		return 0;
	if (l->launches - l->repeated >= l->size && l->size < RING_MOST)
		resize(l, 2 * l->size);
	position = l->launches++;
	l->ring[position & (l->size - 1)] = (struct past_launch){
	    .kernel = op->index | (moved ? MOVED : 0),
	    .name = name_of(m, op->index) };
	if (l->period != 0 && !go_on(m, l, position))
		l->period = 0;
	if (position + 1 < CONTEXT)
		return 0;
	hash = context_hash(l, position);
	found = l->period != 0;
	if (!found)
		candidate(l, op, position, hash, now);
	*seen_of(l, hash) = (struct past_context){ .position = position, .hash = hash };
	if (!found || l->period == 0)
		return 0;
	length = position + 1 - l->start;
	repeats = length / l->period;
	if (length % l->period != 0 || repeats < MIN_REPEATS)
		return 0;
	l->repeated = position;
	return count(m, l, op, position, repeats > MIN_REPEATS ? 1 : repeats, now);
}
