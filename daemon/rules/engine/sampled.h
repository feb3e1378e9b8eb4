/*
 * rules/engine/sampled.h: what is found of a kernel without counters, by its PC samples
 * and its code. rules.def says which rules do.
 */
#ifndef CADV_SAMPLED_H
#define CADV_SAMPLED_H

#include "rules/engine/rule.h"

/*
 * sampled_ask(x): ask the view's rule about the view's kernel once more, with
 * estimates (estimate.h) in the place of what was not counted. RULE_FOUND, with
 * drafts that say that they rest on estimates and promise less; else
 * RULE_NOT_MEASURED: that nothing is there samples do not tell.
 */
enum rule_state sampled_ask(struct rule_view *x);

/* What an estimate's evidence comes from. */
#define SAMPLED_FROM "PC samples and code"

/* Of evidence that the samples themselves are: it is measured, and stays so. */
extern const char sampled_counted[];

/* sampled_speaks(rule): is it one of those? */
bool sampled_speaks(const struct rule *rule);

/* Rules that samples tell in another way than counters do; on a view of which the
 * kernel has estimates. */
rule_function sampled_bank_conflicts, sampled_global_atomics, sampled_strides,
    sampled_tree;

#endif
