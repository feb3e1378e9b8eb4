/*
 * rules/evidence/inferred.h: rules about what was not measured of a kernel, inferred from
 * its counters and its code (.inferred in rules.def). The view's kernel must have both.
 */
#ifndef CADV_INFERRED_H
#define CADV_INFERRED_H

#include "rules/engine/rule.h"

rule_function inferred_barriers;

#endif
