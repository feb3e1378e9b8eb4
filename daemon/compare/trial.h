/*
 * compare/trial.h: two sets of runs of one program, before and after a change: did
 * it become faster or slower, by how much, how sure is that, and which kernels and
 * counters moved. Pure: from the documents of the runs to one document, Trial.
 *
 * The question is the one of a non-inferiority trial: is the difference shown to be
 * beyond ${margin}, shown to be within it, or neither? (Piaggio et al., "Reporting
 * of noninferiority and equivalence randomized trials", JAMA 308(24), 2012.) Noise
 * that is larger than the margin gives "inconclusive", never "slower". All intervals
 * of one trial hold together: the error is divided by their number (Bonferroni).
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
	/* One more, for what it counted and found, not for its times; NULL. */
	const struct trial_run *counted;
};
#define TRIAL_RUNS 200

struct trial_ask {
	double margin;		/* ratio of times: below it nobody cares */
	double error;		/* of all verdicts together, 0..1 */
	uint32_t allowed;	/* bits of enum condition that may differ */
};
/* 1 %: what runs of one binary on one GPU are told apart by; of 200 pairs of alike
 * runs 2 may be told apart at most. */
#define TRIAL_ASK_INIT { 0.01, 0.01, 0 }

enum trial_verdict { VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER,
	VERDICT_INCONCLUSIVE, VERDICTS };
extern const char *const verdict_name[VERDICTS];

/* trial_judge(set, ask): new reference, or NULL without memory. */
json_t *trial_judge(const struct trial_set set[SIDES],
    const struct trial_ask *ask);

/* trial_compare(base, target, allowed): Compare (report/compare.h) with its "trial",
 * of one run a side. New reference, or NULL without memory. */
json_t *trial_compare(const struct trial_run *base,
    const struct trial_run *target, uint32_t allowed);

/* trial_verdict(trial): of the document. */
enum trial_verdict trial_verdict(const json_t *trial);

/* trial_has_reason(doc, code): is it among the "reasons" of ${doc}? */
bool trial_has_reason(const json_t *doc, const char *code);

/* trial_half_width(trial): half of the widest interval of those that decide: the
 * GPU's time and each kernel's; NaN. `ab` goes on until it is small. */
double trial_half_width(const json_t *trial);

struct out;
/* text_reasons(o, doc): why nothing can be said, of a document with "reasons". */
void text_reasons(struct out *o, const json_t *doc);
/* text_trial(o, trial): for people; text_verdict: of that only whether something
 * changed, and why that is not known. */
void text_trial(struct out *o, const json_t *trial);
void text_verdict(struct out *o, const json_t *trial);

#endif
