/*
 * rules/engine/sampled.h: findings about a kernel without counters, from its PC
 * samples and its code. rules.def says which rules can be asked so.
 */
#ifndef CADV_SAMPLED_H
#define CADV_SAMPLED_H

#include "rules/engine/rule.h"

/*
 * sampled_ask(x): ask the view's rule about the view's kernel once more, with
 * estimates (estimate.h) for what was not counted. Returns RULE_FOUND, with
 * drafts that say that they rest on estimates and claim less; else
 * RULE_NOT_MEASURED: samples do not prove that there is nothing.
 */
enum rule_state sampled_ask(struct rule_view *x);

/* The origin of estimated evidence. */
#define SAMPLED_FROM "PC samples and code"

/* The origin of evidence that samples count directly: it stays "measured". */
extern const char sampled_counted[];

/* sampled_speaks(rule): can the rule be asked so? */
bool sampled_speaks(const struct rule *rule);

/* Rules that are evaluated differently from samples than from counters; the
 * view's kernel must have estimates. */
rule_function sampled_bank_conflicts, sampled_global_atomics, sampled_strides,
    sampled_tree;

#endif
