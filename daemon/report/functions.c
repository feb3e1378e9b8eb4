#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

#include "report/functions.h"

static bool
is_named(const struct kernel *k)
{

	return k->mangled != NULL && k->mangled[0] != '\0' &&
	    k->mangled[0] != '(';	/* "(name lost)" stands for many functions */
}

/* For sorting: by name, those without one last; then in order of appearance. */
static int
by_name(const void *va, const void *vb)
{
	const struct kernel *a = *(const struct kernel *const *)va;
	const struct kernel *b = *(const struct kernel *const *)vb;
	bool named = is_named(a);
	int rc;

	if (named != is_named(b))
		return named ? -1 : 1;
	if (named && (rc = strcmp(a->mangled, b->mangled)) != 0)
		return rc;
	return a->id < b->id ? -1 : a->id > b->id;
}

static bool
is_same(const struct kernel *a, const struct kernel *b)
{

	return is_named(a) && is_named(b) &&
	    strcmp(a->mangled, b->mangled) == 0;
}

static uint64_t
sum_of(uint64_t a, uint64_t b)
{

	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

int
functions_make(struct functions *f, const struct run *r)
{
	const struct kernel **k = calloc(r->kernels + 1, sizeof(*k));
	struct function *last = NULL;
	size_t i;

	memset(f, 0, sizeof(*f));
	f->of = calloc(r->kernels + 1, sizeof(*f->of));
	f->function = calloc(r->kernels + 1, sizeof(*f->function));
	if (k == NULL || f->of == NULL || f->function == NULL) {
		free(k);
		return -1;
	}
	for (i = 0; i < r->kernels; i++)
		k[i] = &r->kernel[i];
	qsort(k, r->kernels, sizeof(*k), by_name);
	for (i = 0; i < r->kernels; i++) {
		if (i == 0 || !is_same(k[i - 1], k[i])) {
			last = &f->function[f->functions++];
			last->id = k[i]->id;
		}
		f->of[k[i] - r->kernel] = f->functions - 1;
		last->shapes++;
		last->launches = sum_of(last->launches, k[i]->launches);
		last->total_ns = sum_of(last->total_ns, k[i]->total_ns);
	}
	free(k);
	return 0;
}

void
functions_free(struct functions *f)
{

	free(f->of);
	free(f->function);
	memset(f, 0, sizeof(*f));
}

size_t
functions_count(const struct run *r)
{
	struct functions f;
	size_t n = functions_make(&f, r) == 0 ? f.functions : r->kernels;

	functions_free(&f);
	return n;
}
