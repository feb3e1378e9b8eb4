/*
 * rules/engine/proof.h: what was predicted of each rule's reference pair, and what was
 * achieved: config/predictions.json, compiled in. tests/rules/gains.c makes that
 * file from the captures of the pairs, and fails where it no longer holds.
 */
#ifndef CADV_PROOF_H
#define CADV_PROOF_H

#include <stdbool.h>
#include <stddef.h>

struct proof {
	const char *rule;
	const char *why;	/* there is none; NULL: there is */
	bool of_kernel;		/* gains are speed-ups of a kernel, else
				 * seconds of the run */
	double predicted, low, high, achieved;
	double error;		/* predicted / achieved − 1 */
	const char *gpu, *date;	/* where and when: "NVIDIA H200", "2026-01-31" */
};

/* proof_of(i): of rule ${i} of the table, i < rule_count(). */
const struct proof *proof_of(size_t i);

/* proof_median(n): the median of the errors' sizes; NaN if there are none. How
 * many there are in *${n}. */
double proof_median(size_t *n);

#endif
