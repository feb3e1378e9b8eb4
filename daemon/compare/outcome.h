/*
 * compare/outcome.h: what a change brought against what was promised, and what is
 * found after it that was not before. Pure: from documents to documents.
 */
#ifndef CADV_OUTCOME_H
#define CADV_OUTCOME_H

#include <jansson.h>

#include "compare/trial.h"

/*
 * outcome_of(base, target, allowed): Outcome: of each finding of ${base} with a
 * prediction whether it was kept, partly kept, missed or cannot be told, where the
 * time went instead ("moved_to"), and what cannot be true of ${target}
 * ("doubts"). ${allowed} as of trial_ask. New reference, or NULL without memory.
 */
json_t *outcome_of(const struct trial_run *base,
    const struct trial_run *target, uint32_t allowed);

/*
 * outcome_new(base, target, least): findings of ${target} worth a change, of at
 * least that severity ("low", "medium", "high"), that ${base} has not although
 * their rule was checked there: an array, most severe first. New reference, or NULL.
 */
json_t *outcome_new(const struct trial_run *base,
    const struct trial_run *target, const char *least);

struct out;
void text_outcome(struct out *o, const json_t *outcome);
/* Of outcome_new: a line each. */
void text_new(struct out *o, const json_t *findings);

#endif
