/*
 * rules/evidence/framework.h: which framework submitted something, and what a
 * practice is called there: config/frameworks.json, which is compiled in. Pure.
 */
#ifndef CADV_FRAMEWORK_H
#define CADV_FRAMEWORK_H

#include "rules/engine/rule.h"

/* framework_words(x, d): what to do about ${d}, in the words of the framework that
 * it comes from, where there are some for its rule. */
void framework_words(const struct rule_view *x, struct draft *d);

#endif
