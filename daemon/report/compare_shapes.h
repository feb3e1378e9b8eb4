/*
 * report/compare_shapes.h: what a finding is about, in terms of kernels that two
 * runs have in common: one change may be about many launch shapes.
 */
#ifndef CADV_COMPARE_SHAPES_H
#define CADV_COMPARE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/compare_kernels.h"

/* The kernels of one finding, each once; the first is that of its speaker. None:
 * it is about the run, or its kernel is not known. */
struct kin_set {
	const struct kin **kin;
	size_t kins;
};

/* kin_sets(k, side, findings): one for each of ${findings}, an array of documents,
 * malloced; kin_sets_free with as many. NULL without memory. */
struct kin_set *kin_sets(const struct kinship *k, int side,
    const json_t *findings);
void kin_sets_free(struct kin_set *s, size_t n);

/* kin_sets_meet(a, b): are they about the same function? Which of its shapes
 * speaks differs from run to run; that it is one of the other's shapes does not. */
bool kin_sets_meet(const struct kin_set *a, const struct kin_set *b);

/* Seconds that all of them save, and how many times faster they are together;
 * NaN as kin_saved and kin_speedup. */
double kin_set_saved(const struct kin_set *s);
double kin_set_speedup(const struct kin_set *s);

#endif
