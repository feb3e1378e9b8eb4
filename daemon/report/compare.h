/*
 * report/compare.h: compares two runs of one program, before and after a
 * change: the times of kernels, the findings that are gone or new, and the
 * predictions with what was achieved. Pure: from the documents of both runs to
 * one document, Compare of config/openapi.json.
 *
 * Kernels are matched by name, grid and block; those left by name, with all
 * shapes together; and if one kernel is left on either side, these two are
 * matched ("rest"), unless the programs have nothing in common. Kernels of one
 * shape are compared per launch, others by the time of all launches.
 */
#ifndef CADV_COMPARE_H
#define CADV_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

/* The documents of one run; borrowed. */
struct compare_side {
	const json_t *run;		/* json_run */
	const json_t *findings;		/* json_findings */
	const json_t *kernels;		/* array of json_kernel */
};

/* compare_reads_evidence(e): does a comparison read evidence ${e} of a finding?
 * A copy made for comparing may leave out the rest. */
bool compare_reads_evidence(const json_t *e);

/*
 * compare_runs(base, target, one_program): new reference, or NULL without
 * memory. Missing or wrong members count as empty, never fatal. If the runs are
 * neither of ${one_program} nor have a kernel in common, the fate of the first
 * run's findings is not told, and all findings of the second are new: no change
 * of one program leads to the other.
 */
json_t *compare_runs(const struct compare_side *base,
    const struct compare_side *target, bool one_program);

#endif
