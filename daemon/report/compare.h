/*
 * report/compare.h: two runs of one program, before and after a change: which
 * kernels took how long, which findings are gone or new, and what became of
 * the predictions. Pure: from the documents of both runs to one document,
 * Compare of config/openapi.json.
 *
 * Kernels are matched by name, grid and block; what then is left over by name,
 * all its shapes together; and where one kernel is left over on either side,
 * those two ("rest"), unless they are of programs that have nothing in common.
 * Launches of one shape are compared one by one, others by what all of them took.
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

/* compare_reads_evidence(e): of a finding's evidence, is it what a comparison looks
 * at? A copy of the finding for one may leave out the rest. */
bool compare_reads_evidence(const json_t *e);

/*
 * compare_runs(base, target, one_program): new reference, or NULL without memory.
 * Missing or wrong members are taken as nothing, never fatal. Where the runs are not
 * of ${one_program}, nor have a kernel in common, nothing is said of what became of
 * the first one's findings, and all of the second are new: no change of one leads to the other.
 */
json_t *compare_runs(const struct compare_side *base,
    const struct compare_side *target, bool one_program);

#endif
