/*
 * rules/evidence/framework.h: which framework submitted the work of a finding, and what
 * the practice is called there: config/frameworks.json, which is compiled in. Pure.
 */
#ifndef CADV_FRAMEWORK_H
#define CADV_FRAMEWORK_H

#include "rules/engine/rule.h"

/* framework_words(x, d): put the advice of ${d} into the words of the framework
 * that it comes from, where that has words for the rule. */
void framework_words(const struct rule_view *x, struct draft *d);

#endif
