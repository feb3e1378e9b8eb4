/*
 * model/lines/source_choose.c: finds the function and cubin of each kernel: the one that
 * was counted, else the one that FUNCTION names, else the only sampled function or
 * captured kernel of that name.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "model/lines/source_state.h"

#define FINDS (1u << 20)	/* look-ups of names in cubins, in all */

static double
counted_work(const struct counted *c)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < c->cells.count; i++)
		if (c->cells.cell[i].what == SOURCE_INST)
			sum += (double)c->cells.cell[i].n;
	return sum;
}

/* The counts of the kernel itself, the latest of them; else those with the most warp
 * instructions: a launch may be counted in functions that it calls as well. */
static const struct counted *
counted_best(const struct model *m, const struct kernel_source *k,
    const char *mangled)
{
	const struct counted *c, *best = NULL, *own = NULL;
	const struct function_state *f = m->source->function;
	double most = -1, work;

	for (c = k->counted; c != NULL; c = c->next) {
		if ((f[c->function].key.name == mangled ||
		    c->function + 1 == k->function) &&
		    (own == NULL || c->serial > own->serial))
			own = c;
		if ((work = counted_work(c)) > most) {
			most = work;
			best = c;
		}
	}
	return own != NULL ? own : best;
}

#define TWICE (IDMAP_NONE - 1)	/* the name is not unique */

/* Map the names of sampled functions to their index, or TWICE. */
static int
sampled_names(const struct source_state *x, struct idmap *names)
{
	uint64_t key;
	uint32_t i;

	for (i = 0; i < x->functions; i++) {
		if (x->function[i].samples.count == 0)
			continue;
		key = (uintptr_t)x->function[i].key.name;
		if (idmap_put(names, key, idmap_get(names, key) ==
		    IDMAP_NONE ? i : TWICE) != 0)
			return -1;
	}
	return 0;
}

/* The kernel of that name if exactly one captured cubin has it; else IDMAP_NONE. */
static uint32_t
captured_function(struct model *m, const char *mangled, uint32_t *finds)
{
	struct source_state *x = m->source;
	const struct cubin_function *f;
	const struct cubin *c;
	const struct cubin_state *found = NULL;
	uint32_t i;

	for (i = 0; i < x->cubins; i++) {
		if (!x->cubin[i].bulk.complete)
			continue;
		if (++*finds > FINDS)
			return IDMAP_NONE;
		if ((c = source_cubin_open(m, &x->cubin[i])) == NULL ||
		    (f = cubin_find(c, mangled, 0)) == NULL || !f->entry)
			continue;
		if (found != NULL)
			return IDMAP_NONE;
		found = &x->cubin[i];
	}
	return found == NULL ? IDMAP_NONE :
	    source_function(m, found->bulk.id, mangled);
}

/* The function of a kernel, index + 1; 0 unknown. */
static uint32_t
choose(struct model *m, uint32_t kernel, const struct idmap *sampled,
    uint32_t *finds)
{
	struct kernel_source *k = &m->source->kernel[kernel];
	const char *mangled = m->kernel[kernel].out.mangled;
	uint32_t f;

	k->best = counted_best(m, k, mangled);
	if (k->best != NULL)
		return k->best->function + 1;
	if (k->function != 0)
		return k->function;
	f = idmap_get(sampled, (uintptr_t)mangled);
	if (f < TWICE)
		return f + 1;
	f = captured_function(m, mangled, finds);
	return f == IDMAP_NONE ? 0 : f + 1;
}

COMPARE(rank_compare, struct kernel_rank,
    ORDER(y->ns, x->ns) ?: ORDER(x->kernel, y->kernel))

struct kernel_rank *
code_rank(const struct model *m)
{
	struct kernel_rank *rank = calloc(m->kernels + 1, sizeof(*rank));
	uint32_t i;

	for (i = 0; rank != NULL && i < m->kernels; i++)
		rank[i] = (struct kernel_rank){ m->run.kernel[i].total_ns, i };
	if (rank != NULL && m->kernels > 1)
		qsort(rank, m->kernels, sizeof(*rank), rank_compare);
	return rank;
}

int
code_choose(struct model *m, const struct kernel_rank *rank)
{
	struct source_state *x = m->source;
	struct idmap sampled = { 0 };
	struct function_state *f;
	struct kernel_source *k;
	uint32_t i, finds = 0, n = 0;

	if (sampled_names(x, &sampled) != 0) {
		idmap_clear(&sampled);
		return -1;
	}
	for (i = 0; i < m->kernels; i++)
		x->kernel[rank[i].kernel].chosen = choose(m, rank[i].kernel,
		    &sampled, &finds);
	idmap_clear(&sampled);
	for (i = 0; i < x->functions; i++)
		x->function[i].kernels = x->function[i].first = 0;
	/* Backwards, so that each list begins with its longest kernel. */
	for (i = m->kernels; i-- > 0;) {
		k = &x->kernel[rank[i].kernel];
		if (k->chosen == 0)
			continue;
		f = &x->function[k->chosen - 1];
		k->next = f->first;
		f->first = rank[i].kernel + 1;
		f->kernels++;
		n++;
	}
	return (int)n;
}
