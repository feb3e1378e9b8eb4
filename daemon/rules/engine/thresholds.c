/*
 * rules/engine/thresholds.c: overrides of the table's thresholds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/rule.h"

struct thresholds *
thresholds_new(void)
{
	struct thresholds *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->value = calloc(rule_table_size, sizeof(*t->value));
	if (t->value == NULL) {
		free(t);
		return NULL;
	}
	for (size_t r = 0; r < rule_table_size; r++)
		for (size_t i = 0; i < THRESHOLDS_MAX; i++)
			t->value[r][i] = NAN;
	return t;
}

int
thresholds_set(struct thresholds *t, const char *key, double value)
{
	const char *dot = strrchr(key, '.');

	if (dot == NULL || !isfinite(value) || value < 0)
		return -1;
	for (size_t r = 0; r < rule_table_size; r++) {
		const struct rule *rule = &rule_table[r];

		if (strlen(rule->id) != (size_t)(dot - key) ||
		    strncmp(rule->id, key, (size_t)(dot - key)) != 0)
			continue;
		for (size_t i = 0; i < THRESHOLDS_MAX &&
		    rule->threshold[i].key != NULL; i++)
			if (strcmp(rule->threshold[i].key, dot + 1) == 0) {
				t->value[r][i] = value;
				return 0;
			}
	}
	return -1;
}

void
thresholds_free(struct thresholds *t)
{
	if (t == NULL)
		return;
	free(t->value);
	free(t);
}
