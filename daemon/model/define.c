/*
 * model/define.c: what the ids in records stand for. A peer may send any number as an
 * id: it is only ever the key of a map.
 */
#include <stdlib.h>
#include <string.h>

#include "facts/chip.h"
#include "model/internal.h"

/* model_put; an id over the limit is counted as lost. */
static int
put(struct model *m, struct stream *s, struct idmap *map, uint64_t id,
    uint32_t value)
{
	int rc = model_put(m, map, id, value, MAX_QUEUES);

	s->process.lost[LOSS_TABLE] += rc > 0;
	return rc < 0 ? -1 : 0;
}

const char *
stream_text(const struct stream *s, uint32_t id)
{
	uint32_t i = idmap_get(&s->string, id);

	return i == IDMAP_NONE ? NULL : s->text[i];
}

int
define_string(struct model *m, struct stream *s,
    const struct record_STRING *r)
{
	const char *text;
	uint32_t i = idmap_get(&s->string, r->id);

	if (i == IDMAP_NONE && (s->texts >= MAX_STRINGS || m->ids >= MAX_IDS)) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if ((text = pool_text(&m->pool, r->text)) == NULL)
		return -1;
	if (i != IDMAP_NONE) {
		s->text[i] = text;
		return 0;
	}
	if (model_grow(&s->text, &s->texts_cap, s->texts, MAX_STRINGS,
	    sizeof(*s->text)) != 0 ||
	    idmap_put(&s->string, r->id, s->texts) != 0)
		return -1;
	s->text[s->texts++] = text;
	m->ids++;
	return 0;
}

static uint32_t
device_add(struct model *m)
{
	struct device_state *d, **grown;

	if (m->devices >= MAX_DEVICES)
		return IDMAP_NONE;
	grown = realloc(m->device, (m->devices + 1) * sizeof(*grown));
	if (grown == NULL)
		return IDMAP_NONE;
	m->device = grown;
	if ((d = calloc(1, sizeof(*d))) == NULL)
		return IDMAP_NONE;
	d->out.name = d->out.chip = d->out.uuid = "";
	d->out.sm = chip_of(0, 0);
	m->device[m->devices] = d;
	return m->devices++;
}

/* The device of an ordinal; made if no DEVICE record described it yet. */
uint32_t
define_device_of(struct model *m, struct stream *s, uint32_t id)
{
	uint32_t i = idmap_get(&s->device, id);

	if (i != IDMAP_NONE)
		return i;
	if ((i = device_add(m)) == IDMAP_NONE)
		return IDMAP_NONE;
	m->device[i]->out.id = id;
	if (idmap_put(&s->device, id, i) != 0)
		return IDMAP_NONE;
	return i;
}

static uint32_t
device_by_uuid(const struct model *m, const char *uuid)
{
	uint32_t i;

	for (i = 0; *uuid != '\0' && i < m->devices; i++)
		if (strcmp(m->device[i]->out.uuid, uuid) == 0)
			return i;
	return IDMAP_NONE;
}

int
define_device(struct model *m, struct stream *s,
    const struct record_DEVICE *r)
{
	struct device_state *d;
	const char *name, *chip, *uuid;
	uint32_t i = idmap_get(&s->device, r->id);

	/* Checked before its names take room in the pool. */
	if (i != IDMAP_NONE && m->device[i]->complete)
		return 0;
	if (s->device.used >= MAX_QUEUES || m->ids >= MAX_IDS) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if ((name = pool_text(&m->pool, r->name)) == NULL ||
	    (chip = pool_text(&m->pool, r->chip)) == NULL ||
	    (uuid = pool_text(&m->pool, r->uuid)) == NULL)
		return -1;
	if (idmap_get(&s->device, r->id) == IDMAP_NONE &&
	    (i = device_by_uuid(m, uuid)) != IDMAP_NONE) {
		m->device[i]->out.hidden = m->device[i]->out.hidden &&
		    (r->flags & DEVICE_HIDDEN) != 0;
		return put(m, s, &s->device, r->id, i);
	}
	if ((i = define_device_of(m, s, r->id)) == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	d = m->device[i];
	if (d->complete)
		return 0;
	d->complete = true;
	d->out.id = r->id;
	d->out.limits = *r;
	d->out.sm = chip_of(r->cc_major, r->cc_minor);
	d->out.hidden = (r->flags & DEVICE_HIDDEN) != 0;
	d->out.name = name;
	d->out.chip = chip;
	d->out.uuid = uuid;
	d->out.limits.name = wire_str_of(name);
	d->out.limits.chip = wire_str_of(chip);
	d->out.limits.uuid = wire_str_of(uuid);
	return 0;
}

int
define_context(struct model *m, struct stream *s,
    const struct record_CONTEXT *r)
{
	uint32_t device;

	model_time(m, r->now_ns, r->now_ns);
	if (r->destroyed != 0) {
		if (s->contexts_gone < s->contexts)
			s->contexts_gone++;
		return 0;
	}
	device = define_device_of(m, s, r->device);
	if (device == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	s->contexts++;
	if (legacy_context(m, s, r) != 0)
		return -1;
	return put(m, s, &s->context, r->id, device);
}

uint32_t
define_context_device(const struct stream *s, uint32_t context)
{

	return idmap_get(&s->context, context);
}

int
define_metric(struct model *m, struct stream *s,
    const struct record_METRIC *r)
{
	uint32_t number;
	int ours = source_metric(m, s, r);

	if (ours != 0)
		return ours < 0 ? -1 : 0;
	number = counters_number(m, r->name);
	if (number == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	return put(m, s, &s->metric, r->id, number);
}

uint32_t
define_queue(struct model *m, struct stream *s, uint32_t device,
    uint32_t context, uint32_t stream)
{
	uint64_t key = (uint64_t)context << 32 | stream;
	uint32_t i = idmap_get(&s->queue, key);

	if (i != IDMAP_NONE && m->queue[i].device == device)
		return i;
	/* At the limit the last queue stands for all further ones. */
	if (m->queues >= MAX_QUEUES)
		return m->queues - 1;
	if (model_grow(&m->queue, &m->queues_cap, m->queues, MAX_QUEUES,
	    sizeof(*m->queue)) != 0 ||
	    idmap_put(&s->queue, key, m->queues) != 0)
		return IDMAP_NONE;
	m->queue[m->queues] = (struct queue){ .stream = stream,
	    .device = device, .process = idmap_get(&m->streams, s->id),
	    .kind = legacy_kind(s, context, stream) };
	return m->queues++;
}
