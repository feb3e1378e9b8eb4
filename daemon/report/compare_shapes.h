/*
 * report/compare_shapes.h: the kernels that a finding is about, as matched
 * between two runs: one change may be about many launch shapes.
 */
#ifndef CADV_COMPARE_SHAPES_H
#define CADV_COMPARE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/compare_kernels.h"

/* The kernels of one finding, each once; first the one that represents it.
 * None: it is about the run, or its kernel is not known. */
struct kin_set {
	const struct kin **kin;
	size_t kins;
};

/* kin_sets(k, side, findings): a set for each of ${findings}, an array of documents;
 * malloced, to be released by kin_sets_free with their number. NULL without memory. */
struct kin_set *kin_sets(const struct kinship *k, int side,
    const json_t *findings);
void kin_sets_free(struct kin_set *s, size_t n);

/* kin_sets_meet(a, b): are they about the same function? Which of its shapes represents
 * the finding differs from run to run, but it is among the other's shapes. */
bool kin_sets_meet(const struct kin_set *a, const struct kin_set *b);

/* kin_set_saved(s): seconds that all of them save; kin_set_speedup(s): their
 * joint speed-up; NaN as in kin_saved and kin_speedup. */
double kin_set_saved(const struct kin_set *s);
double kin_set_speedup(const struct kin_set *s);

#endif
