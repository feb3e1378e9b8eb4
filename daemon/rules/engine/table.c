/*
 * rules/engine/table.c: the table of all rules.
 */
#include "rules/engine/coded.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/inferred.h"
#include "rules/engine/rule.h"
#include "rules/engine/sampled.h"

const struct rule rule_table[] = {
#define RULE(function, id, category, scope, severity, needs, title, ...)	\
	{ id, category, scope, severity, needs, title, rule_##function,	\
	    __VA_ARGS__ },
#define FRAMEWORK_RULE(function, ...)					\
	RULE(function, __VA_ARGS__,					\
	    .program = "kernels/frameworks/" #function ".py")
#include "rules/engine/rules.def"
};
const size_t rule_table_size = sizeof(rule_table) / sizeof(rule_table[0]);
