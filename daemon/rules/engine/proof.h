/*
 * rules/engine/proof.h: the predicted and achieved gain of each rule's reference
 * pair: config/predictions.json, compiled in. tests/rules/gains.c generates that
 * file from the captures of the pairs, and fails if it is out of date.
 */
#ifndef CADV_PROOF_H
#define CADV_PROOF_H

#include <stdbool.h>
#include <stddef.h>

struct proof {
	const char *rule;
	const char *why;	/* why there is no prediction; NULL: there is one */
	bool of_kernel;		/* the gains are a kernel's speed-up; else
				 * seconds of the run */
	double predicted, low, high, achieved;
	double error;		/* predicted / achieved − 1 */
	const char *gpu, *date;	/* where and when it was achieved: "NVIDIA
				 * H200", "2026-01-31" */
};

/* proof_of(i): for rule ${i} of the table, i < rule_count(). */
const struct proof *proof_of(size_t i);

/* proof_median(n): the median of the absolute errors; NaN if there are none.
 * *${n}: their number. */
double proof_median(size_t *n);

#endif
