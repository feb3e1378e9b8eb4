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

bool same_text(const char *a, const char *b);	/* both may be NULL */
/* same_block, same_grid: are the three dimensions equal? */
bool same_block(const struct kernel *a, const struct kernel *b);
bool same_grid(const struct kernel *a, const struct kernel *b);

/* same_hash(state, name): add a function's name to the hash, without the
 * arguments of template and function. */
void same_hash(XXH64_state_t *state, const char *name);

/* same_line(a, b): do the findings have a line in common? */
bool same_line(const struct finding *a, const struct finding *b);

/* same_frame_line(f, g), same_frame_function(f, g): the same line of the same file; the same
 * function of the same file, by names? */
bool same_frame_line(const struct site_frame *f, const struct site_frame *g);
bool same_frame_function(const struct site_frame *f, const struct site_frame *g);

/*
 * same_site(a, b): are both known, and the same line of the same file?
 * same_caller(a, b): for programs without line numbers: the same function, or
 * instances of one template?
 */
bool same_site(const struct site *a, const struct site *b);
bool same_caller(const struct site *a, const struct site *b);

#endif
