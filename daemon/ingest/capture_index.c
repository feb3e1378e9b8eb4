/* What the index of a capture knows besides frames: which signature of which
 * stream is which kernel of the run. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ingest/capture.h"
#include "ingest/capture_index.h"
#include "model/model.h"

uint64_t
capture_shape(uint64_t name, uint32_t device, const struct record_SIGNATURE *r)
{
	const uint32_t shape[] = {
		device, r->grid_x, r->grid_y, r->grid_z, r->block_x,
		r->block_y, r->block_z, r->cluster_x, r->cluster_y,
		r->cluster_z, r->smem_static, r->smem_dynamic, r->regs,
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

int
definitions_note(struct definitions *d, uint64_t stream,
    const struct record *r, struct capture_index *x)
{
	struct definition key, *t;
	struct capture_signature *grown;
	size_t cap;

	memset(&key, 0, sizeof(key));
	key.stream = stream;
	key.id = r->type == RECORD_STRING ? r->u.STRING.id :
	    r->u.SIGNATURE.name;
	HASH_FIND(hh, d->strings, &key.stream, DEFINITION_KEY, t);
	if (r->type == RECORD_STRING) {
		if (t == NULL) {
			if ((t = calloc(1, sizeof(*t))) == NULL)
				return (-1);
			t->stream = key.stream;
			t->id = key.id;
			HASH_ADD(hh, d->strings, stream, DEFINITION_KEY, t);
		}
		t->hash = capture_name(r->u.STRING.text.p,
		    r->u.STRING.text.len);
		return (0);
	}
	if (x->signatures == d->cap) {
		cap = d->cap == 0 ? 256 : 2 * d->cap;
		grown = realloc(x->signature, cap * sizeof(*grown));
		if (grown == NULL)
			return (-1);
		x->signature = grown;
		d->cap = cap;
	}
	x->signature[x->signatures++] = (struct capture_signature){
		stream, r->u.SIGNATURE.id, 0,
		capture_shape(t != NULL ? t->hash : 0, r->u.SIGNATURE.device,
		    &r->u.SIGNATURE)
	};
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

void
capture_index_kernels(struct capture_index *x, const struct run *run)
{
	struct shape_kernel *table = calloc(run->kernels + 1, sizeof(*table)),
	    key, *hit;
	const struct kernel *k;
	size_t i;

	if (table == NULL)
		return;
	for (i = 0; i < run->kernels; i++) {
		k = &run->kernel[i];
		table[i].kernel = k->id;
		table[i].shape = capture_shape(
		    capture_name(k->mangled, strlen(k->mangled)),
		    k->shape.device, &k->shape);
	}
	qsort(table, run->kernels, sizeof(*table), compare_shapes);
	for (i = 0; i < x->signatures; i++) {
		key.shape = x->signature[i].shape;
		hit = bsearch(&key, table, run->kernels, sizeof(*table),
		    compare_shapes);
		x->signature[i].kernel = hit != NULL ? hit->kernel : 0;
	}
	free(table);
}

void
capture_index_clear(struct capture_index *x)
{

	free(x->frame);
	free(x->signature);
	memset(x, 0, sizeof(*x));
}
