/*
 * rules/engine/proof.c: see proof.h.
 */
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/sort.h"
#include "rules/engine/proof.h"
#include "rules/engine/rule.h"

#ifndef PREDICTIONS_JSON
#error "PREDICTIONS_JSON is the path of config/predictions.json"
#endif

EMBED(cadv_predictions, PREDICTIONS_JSON);

#define PROOFS_MAX 128

static struct proof table[PROOFS_MAX];
/* Owns the strings and is never read again: volatile keeps the optimiser from
 * removing it, so that a leak checker still finds the tree. */
static json_t *volatile root;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *
text(const json_t *pair, const char *key)
{
	const char *s = json_string_value(json_object_get(pair, key));

	return s != NULL ? s : "";
}

static double
number(const json_t *pair, const char *key)
{
	const json_t *v = json_object_get(pair, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static void
fill(struct proof *p, const struct rule *r, const json_t *pair)
{
	*p = (struct proof){ .rule = r->id, .predicted = NAN, .low = NAN,
	    .high = NAN, .achieved = NAN, .error = NAN };
	if (strcmp(r->category, "correctness") == 0) {
		p->why = "it says what is wrong, not what that costs";
		return;
	}
	if (pair == NULL) {
		p->why = "its reference pair has not been run on a GPU yet";
		return;
	}
	p->of_kernel = strcmp(text(pair, "of"), "kernel") == 0;
	p->predicted = number(pair, "predicted");
	p->low = number(pair, "low");
	p->high = number(pair, "high");
	p->achieved = number(pair, "achieved");
	p->error = number(pair, "error_ratio");
	p->gpu = text(pair, "gpu");
	p->date = text(pair, "date");
}

static void
load(void)
{
	const json_t *pairs;

	root = json_loadb(cadv_predictions, (size_t)(cadv_predictions_end -
	    cadv_predictions), JSON_REJECT_DUPLICATES, NULL);
	pairs = json_object_get(root, "pairs");
	for (size_t i = 0; i < rule_table_size && i < PROOFS_MAX; i++) {
		const json_t *pair = NULL, *item;
		size_t k;

		json_array_foreach(pairs, k, item)
			if (strcmp(text(item, "rule"), rule_table[i].id) == 0)
				pair = item;
		fill(&table[i], &rule_table[i], pair);
	}
}

const struct proof *
proof_of(size_t i)
{
	pthread_once(&once, load);
	return i < rule_table_size && i < PROOFS_MAX ? &table[i] : NULL;
}

COMPARE(by_size, double, ORDER(*x, *y))

double
proof_median(size_t *n)
{
	double e[PROOFS_MAX];
	const struct proof *p;
	size_t count = 0;

	for (size_t i = 0; (p = proof_of(i)) != NULL; i++)
		if (isfinite(p->error))
			e[count++] = fabs(p->error);
	*n = count;
	if (count == 0)
		return NAN;
	qsort(e, count, sizeof(*e), by_size);
	return count % 2 ? e[count / 2] :
	    (e[count / 2 - 1] + e[count / 2]) / 2;
}
