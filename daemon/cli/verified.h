/*
 * cli/verified.h: what became of the predictions of the person's own changes: each
 * `cudadvise verify` that could tell is kept in the state directory, and `cudadvise
 * calibrate --report` shows it.
 */
#ifndef CADV_CLI_VERIFIED_H
#define CADV_CLI_VERIFIED_H

#include <jansson.h>

/* verified_add(before, after, outcome): of two run documents, and their outcome
 * (compare/outcome.h); once for a pair of runs. What cannot be kept is not: verify's
 * answer is the same. */
void verified_add(const json_t *before, const json_t *after,
    const json_t *outcome);

/* verified_load(): all that is kept, oldest first: rule, where, state, predicted,
 * achieved, gpu, before, after. New reference; an empty array if there is nothing. */
json_t *verified_load(void);

#endif
