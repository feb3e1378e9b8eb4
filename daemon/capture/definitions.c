/* The definitions that the index of a run needs: names of kernels, signatures, devices.
 * Ids and their number come from the measured process: both are arbitrary. */
#include <stdlib.h>
#include <string.h>

#include "capture/capture_index.h"

/* The number of a stream; IDMAP_NONE if there are too many streams, or without memory,
 * and then *${rc} is -1. */
static uint32_t
number_of(struct definitions *d, uint64_t stream, int *rc)
{
	uint32_t n = idmap_get(&d->streams, stream);

	if (n != IDMAP_NONE || d->streams.used >= DEFINITION_STREAMS)
		return n;
	if (d->count == NULL)
		d->count = calloc(DEFINITION_STREAMS, sizeof(*d->count));
	n = d->streams.used;
	if (d->count == NULL || idmap_put(&d->streams, stream, n) != 0) {
		*rc = -1;
		return IDMAP_NONE;
	}
	return n;
}

static uint64_t
key_of(uint32_t number, uint32_t id)
{

	return (uint64_t)number << 32 | id;
}

static int
note_string(struct definitions *d, uint32_t number,
    const struct record_STRING *r)
{
	uint64_t key = key_of(number, r->id);
	uint32_t i = idmap_get(&d->strings, key);
	void *items = d->string;

	if (i != IDMAP_NONE) {
		d->string[i] = capture_name(r->text.p, r->text.len);
		return 0;
	}
	if (d->count[number].strings >= DEFINITION_STRINGS ||
	    d->used >= DEFINITION_MOST)
		return 0;
	if (capture_grow(&items, d->used, &d->string_cap,
	    sizeof(*d->string)) != 0)
		return -1;
	d->string = items;
	if (idmap_put(&d->strings, key, (uint32_t)d->used) != 0)
		return -1;
	d->string[d->used++] = capture_name(r->text.p, r->text.len);
	d->count[number].strings++;
	return 0;
}

static int
note_signature(struct definitions *d, uint64_t stream, uint32_t number,
    const struct record_SIGNATURE *r, struct capture_index *x)
{
	static const char lost[] = "(name lost)";	/* as in the model */
	uint32_t name = idmap_get(&d->strings, key_of(number, r->name));
	const struct capture_signature s = { stream, r->id, 0, r->device,
	    capture_shape(name != IDMAP_NONE ? d->string[name] :
	    capture_name(lost, strlen(lost)), r) };
	uint64_t key = key_of(number, r->id);
	uint32_t i = idmap_get(&d->signatures, key);
	void *items = x->signature;

	if (i != IDMAP_NONE) {
		x->signature[i] = s;
		return 0;
	}
	if (d->count[number].signatures >= DEFINITION_SIGNATURES ||
	    x->signatures >= DEFINITION_MOST)
		return 0;
	if (capture_grow(&items, x->signatures, &d->cap, sizeof(s)) != 0)
		return -1;
	x->signature = items;
	if (idmap_put(&d->signatures, key, (uint32_t)x->signatures) != 0)
		return -1;
	x->signature[x->signatures++] = s;
	d->count[number].signatures++;
	return 0;
}

static int
note_device(struct definitions *d, uint64_t stream, uint32_t number,
    const struct record_DEVICE *r, struct capture_index *x)
{
	const struct capture_device v = { stream, r->id, UINT32_MAX,
	    capture_name(r->uuid.p, r->uuid.len) };
	uint64_t key = key_of(number, r->id);
	void *items = x->device;

	/* The first description of a device counts, as in the model. */
	if (idmap_get(&d->devices, key) != IDMAP_NONE ||
	    d->count[number].devices >= DEFINITION_DEVICES)
		return 0;
	if (capture_grow(&items, x->devices, &d->device_cap, sizeof(v)) != 0)
		return -1;
	x->device = items;
	if (idmap_put(&d->devices, key, (uint32_t)x->devices) != 0)
		return -1;
	x->device[x->devices++] = v;
	d->count[number].devices++;
	return 0;
}

int
definitions_note(struct definitions *d, uint64_t stream,
    const struct record *r, struct capture_index *x)
{
	uint32_t number;
	int rc = 0;

	x->ranges += r->type == RECORD_RANGE;
	if (r->type != RECORD_STRING && r->type != RECORD_SIGNATURE &&
	    r->type != RECORD_DEVICE)
		return 0;
	if ((number = number_of(d, stream, &rc)) == IDMAP_NONE)
		return rc;
	if (r->type == RECORD_STRING)
		return note_string(d, number, &r->u.STRING);
	if (r->type == RECORD_SIGNATURE)
		return note_signature(d, stream, number, &r->u.SIGNATURE, x);
	return note_device(d, stream, number, &r->u.DEVICE, x);
}

void
definitions_clear(struct definitions *d)
{

	idmap_clear(&d->streams);
	idmap_clear(&d->strings);
	idmap_clear(&d->signatures);
	idmap_clear(&d->devices);
	free(d->count);
	free(d->string);
	memset(d, 0, sizeof(*d));
}
