/*
 * compare/outcome.h: compares the predictions of one run with the times of a second run
 * after a change, and lists findings that are new in the second. Pure: from documents
 * to documents.
 */
#ifndef CADV_OUTCOME_H
#define CADV_OUTCOME_H

#include <jansson.h>

#include "compare/trial.h"

/*
 * outcome_of(base, target, allowed): Outcome: for each finding of ${base} with a
 * prediction, whether that was kept, partly kept, missed or is unknown, and what limits
 * its kernel now ("moved_to"); and doubts about the results or measurements of
 * ${target} ("doubts"). ${allowed} as in struct trial_ask. New reference, or NULL
 * without memory.
 */
json_t *outcome_of(const struct trial_run *base,
    const struct trial_run *target, uint32_t allowed);

/*
 * outcome_new(base, target, least): findings of ${target} of at least that severity
 * ("low", "medium", "high") that ${base} does not have although their rule was
 * evaluated there: an array, most severe first. New reference, or NULL without memory.
 */
json_t *outcome_new(const struct trial_run *base,
    const struct trial_run *target, const char *least);

struct out;
/* text_outcome(o, outcome): print the document of outcome_of. */
void text_outcome(struct out *o, const json_t *outcome);
/* text_new(o, findings): print the findings of outcome_new, a line each. */
void text_new(struct out *o, const json_t *findings);

#endif
