/*
 * cli/verified.h: predicted and achieved savings of the user's own changes:
 * each conclusive `cudadvise verify` is kept in the state directory, and
 * `cudadvise calibrate --report` shows them.
 */
#ifndef CADV_CLI_VERIFIED_H
#define CADV_CLI_VERIFIED_H

#include <jansson.h>

/* verified_add(before, after, outcome): keep the outcome (compare/outcome.h) of
 * two run documents; once per pair of runs. If it cannot be kept, that is no
 * error: verify's answer is the same. */
void verified_add(const json_t *before, const json_t *after,
    const json_t *outcome);

/* verified_load(): all outcomes kept, oldest first: rule, where, state, predicted,
 * achieved, gpu, before, after. New reference; an empty array if there are none. */
json_t *verified_load(void);

#endif
