/*
 * rules/engine/same.h: are two findings about the same place in the code? Pure.
 */
#ifndef CADV_SAME_H
#define CADV_SAME_H

#include <stdbool.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/model.h"

#include "rules/engine/finding.h"

bool same_text(const char *a, const char *b);	/* NULL is NULL */
bool same_block(const struct kernel *a, const struct kernel *b);
bool same_grid(const struct kernel *a, const struct kernel *b);

/* same_hash(state, name): take in a function's name without the arguments of its
 * template and its own. */
void same_hash(XXH64_state_t *state, const char *name);

/* same_line(a, b): have the findings' lines one in common? */
bool same_line(const struct finding *a, const struct finding *b);

/*
 * same_site(a, b): known, and the same line of the same file.
 * same_caller(a, b): where the program has no line numbers: one function of it, or
 * instances of one template.
 */
bool same_site(const struct site *a, const struct site *b);
bool same_caller(const struct site *a, const struct site *b);

#endif
