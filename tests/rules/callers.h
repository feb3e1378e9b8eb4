/*
 * rules/callers.h: may a practice report a single kernel of a library? The user
 * of the program cannot edit it.
 */
#ifndef TEST_CALLERS_H
#define TEST_CALLERS_H

#include <string.h>

#include "rules/engine/rule.h"

/* True for practices about how the kernel is called, or about where its data lies. */
static inline bool
rule_is_for_callers(const char *id)
{
	for (size_t i = 0; i < rule_table_size; i++)
		if (strcmp(rule_table[i].id, id) == 0)
			return (rule_table[i].needs & NEED_CALLED) ||
			    strcmp(id, "host-memory-access") == 0;
	return false;
}

#endif
