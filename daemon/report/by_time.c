#include <stdlib.h>

#include "report/text_util.h"

#include "report/by_time.h"

static double
total_ns(const void *k)
{

	return field_number(json_object_get(*(json_t *const *)k, "time"),
	    "total_ns");
}

static int
compare(const void *a, const void *b)
{
	double x = total_ns(a), y = total_ns(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

json_t **
by_time(const json_t *kernels)
{
	json_t **k = calloc(json_array_size(kernels) + 1, sizeof(*k));
	json_t *v;
	size_t i;

	if (k == NULL)
		return NULL;
	json_array_foreach((json_t *)kernels, i, v)
		k[i] = v;
	qsort(k, json_array_size(kernels), sizeof(*k), compare);
	return k;
}
