/* What the index of a capture knows besides frames: which signature of which
 * stream is which kernel of the run. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ingest/capture.h"
#include "ingest/capture_index.h"
#include "model/model.h"

/* Two launches are of one kernel if these are equal: the model's own key
 * (model/kernel.c), but for the device. */
uint64_t
capture_shape(uint64_t name, const struct record_SIGNATURE *r)
{
	const uint32_t shape[] = {
		r->grid_x, r->grid_y, r->grid_z,
		r->block_x, r->block_y, r->block_z,
		r->cluster_x, r->cluster_y, r->cluster_z,
		r->regs, r->smem_static, r->smem_dynamic, r->smem_optin,
		r->carveout, r->local_per_thread, r->cache_config,
		r->flags & SIGNATURE_COOPERATIVE,
	};

	return (XXH64(shape, sizeof(shape), name));
}

uint64_t
capture_name(const char *p, size_t len)
{

	return (XXH64(p, len, 0));
}

void
definitions_clear(struct definitions *d)
{
	struct definition *t, *tmp;

	HASH_ITER(hh, d->strings, t, tmp) {
		HASH_DEL(d->strings, t);
		free(t);
	}
}

/* Make room for one more of ${size} bytes in *${items}. */
static int
grow(void **items, size_t used, size_t *cap, size_t size)
{
	size_t more = *cap == 0 ? 64 : 2 * *cap;
	void *grown;

	if (used < *cap)
		return (0);
	if ((grown = realloc(*items, more * size)) == NULL)
		return (-1);
	*items = grown;
	*cap = more;
	return (0);
}

static int
note_string(struct definitions *d, uint64_t stream,
    const struct record_STRING *r)
{
	struct definition key, *t;

	memset(&key, 0, sizeof(key));
	key.stream = stream;
	key.id = r->id;
	HASH_FIND(hh, d->strings, &key.stream, DEFINITION_KEY, t);
	if (t == NULL) {
		if ((t = calloc(1, sizeof(*t))) == NULL)
			return (-1);
		t->stream = stream;
		t->id = r->id;
		HASH_ADD(hh, d->strings, stream, DEFINITION_KEY, t);
	}
	t->hash = capture_name(r->text.p, r->text.len);
	return (0);
}

static int
note_signature(struct definitions *d, uint64_t stream,
    const struct record_SIGNATURE *r, struct capture_index *x)
{
	static const char lost[] = "(name lost)";	/* as the model says */
	struct definition key, *t;
	void *items = x->signature;

	memset(&key, 0, sizeof(key));
	key.stream = stream;
	key.id = r->name;
	HASH_FIND(hh, d->strings, &key.stream, DEFINITION_KEY, t);
	if (grow(&items, x->signatures, &d->cap, sizeof(*x->signature)) != 0)
		return (-1);
	x->signature = items;
	x->signature[x->signatures++] = (struct capture_signature){
		stream, r->id, 0, r->device,
		capture_shape(t != NULL ? t->hash :
		    capture_name(lost, strlen(lost)), r)
	};
	return (0);
}

static int
note_device(struct definitions *d, uint64_t stream,
    const struct record_DEVICE *r, struct capture_index *x)
{
	void *items = x->device;

	if (grow(&items, x->devices, &d->device_cap, sizeof(*x->device)) != 0)
		return (-1);
	x->device = items;
	x->device[x->devices++] = (struct capture_device){
		stream, r->id, UINT32_MAX, capture_name(r->uuid.p, r->uuid.len)
	};
	return (0);
}

int
definitions_note(struct definitions *d, uint64_t stream,
    const struct record *r, struct capture_index *x)
{

	switch (r->type) {
	case RECORD_STRING:
		return (note_string(d, stream, &r->u.STRING));
	case RECORD_SIGNATURE:
		return (note_signature(d, stream, &r->u.SIGNATURE, x));
	case RECORD_DEVICE:
		return (note_device(d, stream, &r->u.DEVICE, x));
	default:
		return (0);
	}
}

void
frame_open(struct capture_frame *f, uint64_t stream)
{

	memset(f, 0, sizeof(*f));
	f->stream = stream;
}

void
frame_note(struct capture_frame *f, uint64_t sequence, const struct record *r)
{
	uint64_t from, to;

	if (f->records++ == 0)
		f->sequence = sequence;
	if (!capture_record_time(r, &from, &to))
		return;
	if (f->t_min == 0 || from < f->t_min)
		f->t_min = from;
	if (to > f->t_max)
		f->t_max = to;
}

int
capture_index_add(struct capture_index *x, size_t *cap,
    const struct capture_frame *f)
{
	void *items = x->frame;

	if (grow(&items, x->frames, cap, sizeof(*f)) != 0)
		return (-1);
	x->frame = items;
	x->frame[x->frames++] = *f;
	return (0);
}

struct shape_kernel {
	uint64_t shape;
	uint32_t kernel;
};

static int
compare_shapes(const void *a, const void *b)
{
	const struct shape_kernel *x = a, *y = b;

	return (x->shape < y->shape ? -1 : x->shape > y->shape);
}

static uint64_t
on_device(uint64_t shape, uint32_t device)
{

	return (XXH64(&device, sizeof(device), shape));
}

static void
match_devices(struct capture_index *x, const struct run *run)
{
	const char *uuid;
	size_t i, j;

	for (i = 0; i < x->devices; i++) {
		x->device[i].device = UINT32_MAX;
		for (j = 0; j < run->devices; j++) {
			uuid = run->device[j].uuid;
			if (uuid != NULL && x->device[i].uuid ==
			    capture_name(uuid, strlen(uuid)))
				x->device[i].device = (uint32_t)j;
		}
	}
}

uint32_t
capture_index_device(const struct capture_index *x, uint64_t stream,
    uint32_t ordinal)
{
	size_t i;

	for (i = 0; i < x->devices; i++)
		if (x->device[i].stream == stream &&
		    x->device[i].ordinal == ordinal)
			return (x->device[i].device);
	return (UINT32_MAX);
}

static int
compare_signatures(const void *a, const void *b)
{
	const struct capture_signature *x = a, *y = b;

	if (x->stream != y->stream)
		return (x->stream < y->stream ? -1 : 1);
	return (x->signature < y->signature ? -1 :
	    x->signature > y->signature);
}

const struct capture_signature *
capture_index_signature(const struct capture_index *x, uint64_t stream,
    uint32_t signature)
{
	const struct capture_signature key = { .stream = stream,
	    .signature = signature };

	if (x->signatures == 0)
		return (NULL);
	return (bsearch(&key, x->signature, x->signatures, sizeof(key),
	    compare_signatures));
}

void
capture_index_kernels(struct capture_index *x, const struct run *run)
{
	struct shape_kernel *table = calloc(run->kernels + 1, sizeof(*table)),
	    key, *hit;
	struct capture_signature *s;
	const struct kernel *k;
	size_t i;

	if (table == NULL)
		return;
	match_devices(x, run);
	for (i = 0; i < run->kernels; i++) {
		k = &run->kernel[i];
		table[i].kernel = k->id;
		table[i].shape = on_device(capture_shape(
		    capture_name(k->mangled, strlen(k->mangled)), &k->shape),
		    k->device);
	}
	qsort(table, run->kernels, sizeof(*table), compare_shapes);
	for (i = 0; i < x->signatures; i++) {
		s = &x->signature[i];
		key.shape = on_device(s->shape, capture_index_device(x,
		    s->stream, s->ordinal));
		hit = bsearch(&key, table, run->kernels, sizeof(*table),
		    compare_shapes);
		s->kernel = hit != NULL ? hit->kernel : 0;
	}
	if (x->signatures > 0)
		qsort(x->signature, x->signatures, sizeof(*x->signature),
		    compare_signatures);
	free(table);
}

void
capture_index_clear(struct capture_index *x)
{

	free(x->frame);
	free(x->signature);
	free(x->device);
	memset(x, 0, sizeof(*x));
}
