/*
 * rules/evidence/turns.c: see turns.h.
 */
#include <stdlib.h>

#include "rules/evidence/turns.h"

/* So many kernels (launch shapes), launched so often, must have been stopped. Measured: 97 of
 * 1,765 shapes beside another process, all but one by 2.4 to 2.5 ms; in six programs
 * alone on their GPU eight, none by more than 1 ms (H200, 2026-11-30). */
#define SHAPES 10
#define LAUNCHES 20

/* A slice is half a millisecond or longer (nvidia-smi compute-policy has 2 ms by default), and
 * a kernel's length is small in comparison: of that the median is right to 9 %. */
#define SLICE_LEAST_NS 500e3
#define SHORT 0.25

/* They agree: most of them, so closely. What takes longer for its data does not. Arithmetic. */
#define ALIKE 0.05
#define MOST 0.67

static int
compare(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/* By how much the longest launch of ${k} took longer than half of them did, ns; 0: it was no
 * slice. */
static double
longer(const struct kernel *k)
{
	double usual, more;

	if (k->time.count < LAUNCHES)
		return 0;
	usual = stat_quantile(&k->time, 0.5);
	more = (double)k->time.max - usual;
	return more >= SLICE_LEAST_NS && usual <= SHORT * more ? more : 0;
}

double
turns_s(const struct run *run)
{
	double *ns = calloc(run->kernels + 1, sizeof(*ns)), slice;
	size_t n = 0, alike = 0;

	if (ns == NULL)
		return 0;
	for (size_t i = 0; i < run->kernels; i++)
		if (longer(&run->kernel[i]) > 0)
			ns[n++] = longer(&run->kernel[i]);
	qsort(ns, n, sizeof(*ns), compare);
	slice = ns[n / 2];
	for (size_t i = 0; i < n; i++)
		alike += ns[i] >= (1 - ALIKE) * slice && ns[i] <= (1 + ALIKE) * slice;
	free(ns);
	return alike >= SHAPES && (double)alike >= MOST * (double)n ? slice * 1e-9 : 0;
}
