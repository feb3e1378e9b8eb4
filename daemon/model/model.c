/*
 * model/model.c: streams, and the dispatch of each record to its handler.
 */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

struct model *
model_new(void)
{

	return calloc(1, sizeof(struct model));
}

static void
release_stream(struct stream *s)
{

	idmap_clear(&s->string);
	idmap_clear(&s->signature);
	idmap_clear(&s->context);
	idmap_clear(&s->metric);
	idmap_clear(&s->device);
	idmap_clear(&s->queue);
	idmap_clear(&s->kind);
	idmap_clear(&s->thread);
	idmap_clear(&s->away_site);
	idmap_clear(&s->source_metric);
	idmap_clear(&s->stall);
	free(s->text);
	free(s->away);
	free(s->look);
	free(s->copied);
	free(s->called);
	free(s->halves);
	free(s);
}

static void
outputs_free(struct model *m)
{

#define OUTPUT(type, name, count, room) free(m->run.name);
#define COPIED(type, name, count) free(m->run.name);
#include "model/output.def"
}

static void
device_free(struct device_state *d)
{

	free(d->burst.item);
	free(d->burst.ring);
	free(d->line);
	free(d);
}

void
model_free(struct model *m)
{
	uint32_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->stream_count; i++)
		release_stream(m->stream[i]);
	for (i = 0; i < m->devices; i++)
		device_free(m->device[i]);
	for (i = 0; i < m->queues; i++) {
		sequence_free(m->queue[i].tracker);
		longer_free(m->queue[i].longer);
	}
	for (i = 0; i < m->threads; i++)
		free(m->thread[i].wait);
	free(m->away_sum);
	for (i = 0; i < m->calibrations; i++)
		free((char *)(uintptr_t)m->calibration[i].json);
	kernel_free(m);
	memory_free(m);
	source_free(m);
	idmap_clear(&m->streams);
	idmap_clear(&m->copy_map);
	idmap_clear(&m->range_map);
	idmap_clear(&m->size_map);
	idmap_clear(&m->place_map);
	spans_clear(&m->overhead);
	spans_clear(&m->held);
	spans_clear(&m->faults);
	spans_clear(&m->served);
	spans_clear(&m->host_faults);
	spans_clear(&m->jit);
	pool_clear(&m->pool);
	free(m->stream);
	free(m->device);
	free(m->copy);
	free(m->small);
	free(m->small_apart);
	free(m->range);
	free(m->pair);
	free(m->resize);
	free(m->resent);
	free(m->worked);
	free(m->slide);
	free(m->size);
	free(m->peer);
	free(m->queue);
	free(m->thread);
	free(m->op);
	free(m->op_spare);
	free(m->sequence);
	free(m->sequence_of);
	free(m->alike);
	free(m->alike_of);
	free(m->failure);
	free(m->diagnostic);
	free(m->check);
	free(m->defect);
	free(m->calibration);
	outputs_free(m);
	free(m);
}

static struct stream *
stream_find(struct model *m, uint64_t id)
{
	struct stream *s, **grown;
	uint32_t i;

	if (m->latest != NULL && m->latest->id == id)
		return m->latest;
	if ((i = idmap_get(&m->streams, id)) != IDMAP_NONE)
		return m->latest = m->stream[i];
	if ((s = calloc(1, sizeof(*s))) == NULL)
		return NULL;
	s->id = s->process.stream = id;
	grown = realloc(m->stream, (m->stream_count + 1) * sizeof(*grown));
	if (grown != NULL)
		m->stream = grown;
	if (grown == NULL || idmap_put(&m->streams, id, m->stream_count) != 0) {
		free(s);
		return NULL;
	}
	m->stream[m->stream_count++] = s;
	return m->latest = s;
}

static int
feed_record(struct model *m, struct stream *s, const struct record *r)
{

	switch (r->type) {
#define FEED(name, function)						\
	case RECORD_##name:						\
		return function(m, s, &r->u.name);
#define MEASURED(name, function)					\
	case RECORD_##name:						\
		s->is_process = true;					\
		return function(m, s, &r->u.name);
#include "model/feed.def"
#undef MEASURED
	case RECORD_DISASSEMBLY:
	case RECORD_FRAME:
		/* The daemon writes such records too: its stream is no process. */
		return source_feed(m, s, r);
	default:
		/* A measured process, even if the frame of its HELLO was lost. */
		if (r->type >= RECORD_KERNEL && r->type < RECORD_CLOCK)
			s->is_process = true;
		return source_feed(m, s, r);
	}
}

int
model_feed(struct model *m, uint64_t stream, uint64_t sequence,
    const struct record *r)
{
	struct stream *s;

	if (m->stream_count >= MAX_STREAMS &&
	    idmap_get(&m->streams, stream) == IDMAP_NONE) {
		m->lost++;
		return 0;
	}
	if ((s = stream_find(m, stream)) == NULL)
		return -1;
	if (sequence < s->next)
		return 0;		/* seen before */
	m->run.records++;
	s->process.missing = add_sat(s->process.missing, sequence - s->next);
	s->next = add_sat(sequence, 1);
	s->process.records++;
	return sweep_room(m) != 0 ? -1 : feed_record(m, s, r);
}
