/*
 * compare/trial.h: compares two sets of runs of one program, before and after a change:
 * did it become faster or slower, by how much with which confidence interval, and which
 * kernels and counters changed. Pure: from the documents of the runs to one document,
 * Trial.
 *
 * The question is that of a non-inferiority trial: is the difference shown to be
 * beyond ${margin}, shown to be within it, or neither? (Piaggio et al., "Reporting
 * of noninferiority and equivalence randomized trials", JAMA 308(24), 2012.) Noise
 * that is larger than the margin gives "inconclusive", never "slower". The error is that
 * of all intervals of one trial together: it is divided by their number (Bonferroni).
 */
#ifndef CADV_TRIAL_H
#define CADV_TRIAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/compare_kernels.h"

/* One run; borrowed. */
struct trial_run {
	const json_t *run, *findings, *kernels;	/* as struct compare_side */
	const json_t *conditions;		/* conditions_of */
};

struct trial_set {
	const struct trial_run *run;
	size_t runs;				/* at most TRIAL_RUNS */
	/* One more run, of which the counters and findings are used, not the
	 * times; NULL. */
	const struct trial_run *counted;
};
#define TRIAL_RUNS 200

struct trial_ask {
	double margin;		/* ratio of times: a smaller change does not matter */
	double error;		/* of all verdicts together, 0..1 */
	uint32_t allowed;	/* bits of enum condition that may differ */
};
/* Margin 1 %: about what runs of one binary on one GPU differ by. Error 1 %: of 200
 * pairs of sets of equal runs at most 2 may be judged faster or slower. */
#define TRIAL_ASK_INIT { 0.01, 0.01, 0 }

enum trial_verdict { VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER,
	VERDICT_INCONCLUSIVE, VERDICTS };
extern const char *const verdict_name[VERDICTS];

/* trial_judge(set, ask): the document Trial. New reference, or NULL without memory, or if
 * a side has no run or more than TRIAL_RUNS. */
json_t *trial_judge(const struct trial_set set[SIDES],
    const struct trial_ask *ask);

/* trial_compare(base, target, allowed): Compare (report/compare.h) with its "trial", for
 * one run per side. New reference, or NULL without memory. */
json_t *trial_compare(const struct trial_run *base,
    const struct trial_run *target, uint32_t allowed);

/* trial_verdict(trial): the verdict in the document, or in a part of it that has one;
 * VERDICT_INCONCLUSIVE if it has none. */
enum trial_verdict trial_verdict(const json_t *trial);

/* trial_has_reason(doc, code): is ${code} among the "reasons" of ${doc}? */
bool trial_has_reason(const json_t *doc, const char *code);

/* trial_half_width(trial): half of the widest of the intervals that decide, of the GPU's
 * time and of each judged kernel; NaN if there is none. `ab` adds runs until it is
 * small. */
double trial_half_width(const json_t *trial);

struct out;
/* text_reasons(o, doc): print why the runs cannot be compared, for a document with
 * "reasons". */
void text_reasons(struct out *o, const json_t *doc);
/* text_trial(o, trial): print a trial; text_verdict: only its verdict, conditions and
 * totals, without kernels. */
void text_trial(struct out *o, const json_t *trial);
void text_verdict(struct out *o, const json_t *trial);

#endif
