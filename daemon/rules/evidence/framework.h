/*
 * rules/evidence/framework.h: which framework submitted something, and what a
 * practice is called there: config/frameworks.json, which is compiled in. Pure.
 */
#ifndef CADV_FRAMEWORK_H
#define CADV_FRAMEWORK_H

#include "rules/engine/rule.h"

/*
 * framework_of(x, site, l): the name of the framework that calls at ${site}; where
 * that is NULL, the one whose kernel it is (${l}, or NULL); of neither known the
 * one whose kernels take most of the run's kernel time; NULL: none that is known.
 * The name lives as long as the program.
 */
const char *framework_of(const struct rule_view *x, const struct site *site,
    const struct library *l);

/* framework_words(x, d): what to do about ${d}, in the words of the framework that
 * it comes from, where there are some for its rule. */
void framework_words(const struct rule_view *x, struct draft *d);

#endif
