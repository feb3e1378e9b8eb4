/*
 * model/lines/source_fold.c: adds subroutines to their kernel. A device function that
 * was not inlined is emitted once per kernel, behind the kernel's code, and the
 * kernel's symbol spans both: counts and samples of the function's name belong to the
 * kernel's code.
 */
#include <stdlib.h>
#include <string.h>

#include "model/lines/source_state.h"

/* The function ${name} within the code of ${kernel}; NULL if it has none. With ${alone}
 * also NULL if several kernels have a function of that name. */
static const struct cubin_function *
subroutine(const struct cubin *c, const struct cubin_function *kernel,
    const char *name, bool alone)
{
	const struct cubin_function *f = cubin_find(c, name, 0), *found = NULL;
	const struct cubin_function *end = c->function + c->functions;
	size_t n = 0;

	if (f == NULL)
		return NULL;
	while (f > c->function && strcmp(f[-1].name, name) == 0)
		f--;
	for (; f < end && strcmp(f->name, name) == 0; f++) {
		n++;
		if (f != kernel && f->section == kernel->section &&
		    f->offset > kernel->offset &&
		    f->offset - kernel->offset < kernel->size)
			found = f;
	}
	return alone && n > 1 ? NULL : found;
}

static int
append(struct cells *to, const struct cells *from, uint32_t shift)
{
	struct cell *grown;
	uint32_t i;

	if (from->count == 0)
		return 0;
	grown = realloc(to->cell, ((size_t)to->count + from->count) *
	    sizeof(*grown));
	if (grown == NULL)
		return -1;
	to->cell = grown;
	for (i = 0; i < from->count; i++) {
		if (from->cell[i].pc > UINT32_MAX - shift)
			continue;
		to->cell[to->count] = from->cell[i];
		to->cell[to->count++].pc += shift;
	}
	to->cap = to->count;
	return 0;
}

int
fold_counts(const struct source_state *x, const struct cubin *c,
    const struct cubin_function *kernel, const struct kernel_source *k,
    struct cells *out)
{
	const struct cubin_function *sub;
	const struct function_state *f;
	const struct counted *i;

	if (append(out, &k->best->cells, 0) != 0)
		return -1;
	for (i = k->counted; i != NULL && kernel != NULL; i = i->next) {
		f = &x->function[i->function];
		if (i == k->best || f->key.cubin !=
		    x->function[k->best->function].key.cubin ||
		    (sub = subroutine(c, kernel, f->key.name, false)) == NULL)
			continue;
		if (append(out, &i->cells, sub->offset - kernel->offset) != 0)
			return -1;
	}
	cells_compact(out);
	return 0;
}

int
fold_samples(const struct source_state *x, const struct cubin *c,
    const struct cubin_function *kernel, const struct function_state *f,
    struct cells *out)
{
	const struct cubin_function *sub;
	const struct function_state *i;

	if (append(out, &f->samples, 0) != 0)
		return -1;
	for (i = x->function; i < x->function + x->functions; i++) {
		if (kernel == NULL || i == f || i->samples.count == 0 ||
		    i->key.cubin != f->key.cubin ||
		    (sub = subroutine(c, kernel, i->key.name, true)) == NULL)
			continue;
		if (append(out, &i->samples, sub->offset - kernel->offset) != 0)
			return -1;
	}
	cells_compact(out);
	return 0;
}
