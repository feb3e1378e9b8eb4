/*
 * model/lines/source_state.c: looks up the functions, kernels and metrics that records
 * of the source tier refer to.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/lines/source_state.h"

struct function_entry {
	struct function_key key;
	uint32_t index;
	UT_hash_handle hh;
};

uint32_t
source_stream(const struct model *m, const struct stream *s)
{

	return idmap_get(&m->streams, s->id);
}

/* The source data of a kernel; the array grows with that of the kernels. */
struct kernel_source *
source_kernel(struct model *m, uint32_t kernel)
{
	struct source_state *x = m->source;
	struct kernel_source *grown;
	uint32_t want = m->kernels_cap;

	if (kernel < x->kernels)
		return &x->kernel[kernel];
	if (want <= kernel)
		return NULL;
	if ((grown = realloc(x->kernel, want * sizeof(*grown))) == NULL)
		return NULL;
	memset(grown + x->kernels, 0, (want - x->kernels) * sizeof(*grown));
	x->kernel = grown;
	x->kernels = want;
	return &x->kernel[kernel];
}

/* The function called ${name} in ${cubin}; IDMAP_NONE without memory or when
 * there are too many. */
uint32_t
source_function(struct model *m, uint64_t cubin, const char *name)
{
	struct source_state *x = m->source;
	struct function_entry *e;
	struct function_key key;

	memset(&key, 0, sizeof(key));
	key.cubin = cubin;
	key.name = name;
	HASH_FIND(hh, x->function_table, &key, sizeof(key), e);
	if (e != NULL)
		return e->index;
	if (model_grow(&x->function, &x->functions_cap, x->functions,
	    MAX_FUNCTIONS, sizeof(*x->function)) != 0 ||
	    (e = calloc(1, sizeof(*e))) == NULL)
		return IDMAP_NONE;
	e->key = key;
	e->index = x->functions;
	HASH_ADD(hh, x->function_table, key, sizeof(e->key), e);
	if (e->hh.tbl == NULL) {
		free(e);
		return IDMAP_NONE;
	}
	x->function[x->functions].key = key;
	return x->functions++;
}

void
source_functions_free(struct source_state *x)
{
	uint32_t i, j;

	HASH_FREE(x->function_table);
	for (i = 0; i < x->functions; i++) {
		free(x->function[i].samples.cell);
		for (j = 0; j < x->function[i].parts; j++)
			free(x->function[i].part[j].p);
		free(x->function[i].part);
		free(x->function[i].text);
	}
	free(x->function);
}

int
source_metric(struct model *m, struct stream *s, const struct record_METRIC *r)
{
	enum source_metric id = source_metric_find(r->name.p, r->name.len);
	int rc;

	if (id == SOURCE_COUNT)
		return 0;
	if ((rc = model_put(m, &s->source_metric, r->id, id, MAX_QUEUES)) < 0)
		return -1;
	if (rc == 0)
		s->source_mask |= 1u << id;
	s->process.lost[LOSS_TABLE] += rc > 0;
	return 1;
}
