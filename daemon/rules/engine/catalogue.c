/*
 * rules/engine/catalogue.c: the documentation of a rule. The text is compiled
 * in from config/practices.json; everything else comes from the table.
 */
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "rules/engine/catalogue.h"
#include "base/embed.h"
#include "rules/engine/rule.h"

#ifndef PRACTICES_JSON
#error "PRACTICES_JSON is the path of config/practices.json"
#endif

EMBED(cadv_practices, PRACTICES_JSON);

#define RULES_MAX 128

static struct rule_info catalogue[RULES_MAX];
/* Owns the strings and is never read again: volatile keeps the optimiser from
 * removing it, so that a leak checker still finds the tree. */
static json_t *volatile root;
static pthread_once_t once = PTHREAD_ONCE_INIT;

const char *
catalogue_text(size_t *len)
{
	*len = (size_t)(cadv_practices_end - cadv_practices);
	return cadv_practices;
}

static const char *
text(const json_t *rule, const char *key)
{
	const char *s = json_string_value(json_object_get(rule, key));

	return s != NULL ? s : "";
}

static void
fill(struct rule_info *i, const struct rule *r, const json_t *entry)
{
	i->id = r->id;
	i->category = r->category;
	i->title = r->title;
	i->severity = r->severity;
	if (r->needs & NEED_CHECK)
		i->needs = "tool";
	else if (r->needs & (NEED_SOURCE | NEED_SAMPLES | NEED_LINES))
		i->needs = "source";
	else
		i->needs = r->needs & (NEED_COUNTERS | NEED_CODE | NEED_CUBIN) ?
		    "counters" : "trace";
	i->why = text(entry, "why");
	i->detects = text(entry, "detects");
	i->advice = text(entry, "advice");
	i->bad_code = text(entry, "bad_code");
	i->good_code = text(entry, "good_code");
	i->sources = text(entry, "sources");
	i->gain = text(entry, "gain");
	i->next = text(entry, "next");
	i->pair = r->program != NULL ? r->program : r->id;
	i->checklist = r->checklist;
	i->heat = r->heat;
	for (i->thresholds = 0; i->thresholds < THRESHOLDS_MAX &&
	    r->threshold[i->thresholds].key != NULL; i->thresholds++)
		i->threshold[i->thresholds] = r->threshold[i->thresholds];
}

static void
load(void)
{
	const json_t *rules;
	size_t len;
	const char *json = catalogue_text(&len);

	root = json_loadb(json, len, JSON_REJECT_DUPLICATES, NULL);
	rules = json_object_get(root, "rules");
	for (size_t i = 0; i < rule_table_size && i < RULES_MAX; i++) {
		const json_t *entry = NULL, *item;
		size_t k;

		json_array_foreach(rules, k, item)
			if (strcmp(text(item, "id"), rule_table[i].id) == 0)
				entry = item;
		fill(&catalogue[i], &rule_table[i], entry);
	}
}

size_t
rule_count(void)
{
	return rule_table_size;
}

const struct rule_info *
rule_info(size_t i)
{
	pthread_once(&once, load);
	return i < rule_table_size && i < RULES_MAX ? &catalogue[i] : NULL;
}

const struct rule_info *
rule_find(const char *id)
{
	if (id == NULL)
		return NULL;
	for (size_t i = 0; i < rule_table_size; i++)
		if (strcmp(rule_table[i].id, id) == 0)
			return rule_info(i);
	return NULL;
}
