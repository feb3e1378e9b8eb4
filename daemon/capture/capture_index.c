/* The index of a capture: where its frames are, and which kernel of the run each
 * signature of a stream stands for. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/sort.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/capture_index.h"
#include "model/model.h"

/* A hash of a kernel's name and launch shape: the model's key of a kernel
 * (model/kernel.c) without the device. */
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

	return XXH64(shape, sizeof(shape), name);
}

/* A hash of the name as the model stores it (pool_text), with bytes that are not valid
 * text replaced; otherwise such a name would match no kernel of the run. */
uint64_t
capture_name(const char *p, size_t len)
{
	char *clean = text_dup_clean(p, len);
	uint64_t hash = clean != NULL ? XXH64(clean, strlen(clean), 0) :
	    XXH64(p, len, 0);

	free(clean);
	return hash;
}

int
capture_grow(void **items, size_t used, size_t *cap, size_t size)
{
	size_t more = *cap == 0 ? 64 : 2 * *cap;
	void *grown;

	if (used < *cap)
		return 0;
	if ((grown = realloc(*items, more * size)) == NULL)
		return -1;
	*items = grown;
	*cap = more;
	return 0;
}

void
frame_open(struct capture_frame *f, uint64_t stream)
{

	memset(f, 0, sizeof(*f));
	f->stream = stream;
}

int
capture_record_time(const struct record *r, uint64_t *from, uint64_t *to)
{

	switch (r->type) {
#define SPAN(type)							\
	case RECORD_##type:						\
		*from = r->u.type.start_ns;				\
		*to = r->u.type.end_ns;					\
		break
	SPAN(KERNEL);
	SPAN(COPY);
	SPAN(MEMSET);
	SPAN(SYNC);
	SPAN(API);
	SPAN(UVM);
	SPAN(JIT);
	SPAN(GRAPH);
	SPAN(RANGE);
	SPAN(OVERHEAD);
#undef SPAN
	case RECORD_MEMORY:
		*from = *to = r->u.MEMORY.now_ns;
		break;
	case RECORD_FAILURE:
		*from = *to = r->u.FAILURE.now_ns;
		break;
	default:
		return 0;
	}
	if (*from == 0)
		return 0;
	if (*to < *from)
		*to = *from;
	return 1;
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

	if (capture_grow(&items, x->frames, cap, sizeof(*f)) != 0)
		return -1;
	x->frame = items;
	x->frame[x->frames++] = *f;
	return 0;
}

struct shape_kernel {
	uint64_t shape;
	uint32_t kernel;
};

COMPARE(compare_shapes, struct shape_kernel, ORDER(x->shape, y->shape))

static uint64_t
on_device(uint64_t shape, uint32_t device)
{

	return XXH64(&device, sizeof(device), shape);
}

static void
match_devices(struct capture_index *x, const struct run *run)
{
	uint64_t uuid[256];
	size_t i, j, n = 0;

	for (; n < run->devices && n < sizeof(uuid) / sizeof(*uuid); n++)
		uuid[n] = run->device[n].uuid == NULL ? 0 :
		    capture_name(run->device[n].uuid,
		    strlen(run->device[n].uuid));
	for (i = 0; i < x->devices; i++) {
		x->device[i].device = UINT32_MAX;
		for (j = 0; j < n; j++)
			if (run->device[j].uuid != NULL &&
			    x->device[i].uuid == uuid[j])
				x->device[i].device = (uint32_t)j;
	}
}

COMPARE(compare_devices, struct capture_device,
    ORDER(x->stream, y->stream) ?: ORDER(x->ordinal, y->ordinal))

uint32_t
capture_index_device(const struct capture_index *x, uint64_t stream,
    uint32_t ordinal)
{
	const struct capture_device key = { .stream = stream,
	    .ordinal = ordinal }, *d = NULL;

	if (x->devices > 0)
		d = bsearch(&key, x->device, x->devices, sizeof(key),
		    compare_devices);
	return d != NULL ? d->device : UINT32_MAX;
}

COMPARE(compare_signatures, struct capture_signature,
    ORDER(x->stream, y->stream) ?: ORDER(x->signature, y->signature))

const struct capture_signature *
capture_index_signature(const struct capture_index *x, uint64_t stream,
    uint32_t signature)
{
	const struct capture_signature key = { .stream = stream,
	    .signature = signature };

	if (x->signatures == 0)
		return NULL;
	return bsearch(&key, x->signature, x->signatures, sizeof(key),
	    compare_signatures);
}

void
capture_index_sort(struct capture_index *x)
{

	if (x->devices > 0)
		qsort(x->device, x->devices, sizeof(*x->device),
		    compare_devices);
	if (x->signatures > 0)
		qsort(x->signature, x->signatures, sizeof(*x->signature),
		    compare_signatures);
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
	capture_index_sort(x);
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
