/*
 * model/sequence_table.c: the tables of repeated sequences, which sequence.c and longer.c
 * fill, and the totals of each.
 */
#include <stdlib.h>

#include "model/internal.h"

/* Tenths of the launches; arithmetic: nearly all. XLA makes a graph of each part of a loop's
 * body that may be one, and launches the rest by itself. */
#define GRAPH_LEAST 9u

struct sequence *
sequence_new(struct model *m, bool alike, const struct op *op, uint32_t length,
    struct sequence_of begin, bool *failed)
{
	struct sequence **all = alike ? &m->alike : &m->sequence;
	struct sequence_of **of = alike ? &m->alike_of : &m->sequence_of;
	uint32_t *count = alike ? &m->alikes : &m->sequences;
	struct sequence *s;

	if (*count == MAX_SEQUENCES)
		return NULL;
	if (*all == NULL)
		*all = calloc(MAX_SEQUENCES, sizeof(**all));
	if (*of == NULL)
		*of = calloc(MAX_SEQUENCES, sizeof(**of));
	if (*all == NULL || *of == NULL) {
		*failed = true;
		return NULL;
	}
	(*of)[*count] = begin;
	s = &(*all)[(*count)++];
	s->device = op->device;
	s->stream = m->queue[op->queue].stream;
	s->length = length;
	return s;
}

void
sequence_total(struct sequence *s, const struct sequence_of *of,
    const struct op *op, uint64_t repeats, uint64_t launches, struct total from,
    struct total now)
{

	s->repeats += repeats;
	s->kernel_ns += now.kernel_ns - from.kernel_ns;
	s->idle_ns += now.idle_ns - from.idle_ns;
	s->gaps += now.gaps - from.gaps;
	s->syncs += now.syncs - from.syncs;
	s->allocations += now.allocations - from.allocations;
	s->nodes += now.nodes - from.nodes;
	s->in_graph = s->nodes >= GRAPH_LEAST * s->repeats * s->length / 10;
	if (op->queue != of->queue)
		return;
	s->last_ns = op->end;
	s->span_launches = launches - of->launches;
	s->span_kernel_ns = now.kernel_ns - of->begin.kernel_ns;
	s->span_idle_ns = now.idle_ns - of->begin.idle_ns;
	s->span_gaps = now.gaps - of->begin.gaps;
}
