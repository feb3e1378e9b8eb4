#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_shapes.h"

static bool
has(const struct kin_set *s, const struct kin *kin)
{
	size_t i;

	for (i = 0; i < s->kins; i++)
		if (s->kin[i] == kin)
			return true;
	return false;
}

static void
add(struct kin_set *s, const struct kinship *k, int side, const json_t *of)
{
	const json_t *id = json_object_get(of, "kernel_id");
	const struct kin *kin = json_is_integer(id) ?
	    kinship_find(k, side, json_integer_value(id)) : NULL;

	if (kin != NULL && !has(s, kin))
		s->kin[s->kins++] = kin;
}

/* Adds the function's other shapes, which the document does not list. */
static int
add_named(struct kin_set *s, const struct kinship *k)
{
	const struct kin **grown = realloc(s->kin,
	    (s->kins + k->kins + 1) * sizeof(*grown));
	size_t i;

	if (grown == NULL)
		return -1;
	s->kin = grown;
	for (i = 0; i < k->kins && s->kins > 0; i++)
		if (k->kin[i].name != NULL &&
		    strcmp(k->kin[i].name, s->kin[0]->name) == 0 &&
		    !has(s, &k->kin[i]))
			s->kin[s->kins++] = &k->kin[i];
	return 0;
}

/* Documents of older versions name only the shape that represents the finding. */
static int
set_make(struct kin_set *s, const struct kinship *k, int side, const json_t *f)
{
	const json_t *shapes = json_object_get(f, "shapes"), *v;
	const json_t *items = json_object_get(shapes, "items");
	size_t i;

	s->kin = malloc((json_array_size(items) + 1) * sizeof(*s->kin));
	if (s->kin == NULL)
		return -1;
	add(s, k, side, f);
	if (s->kins == 0)
		return 0;
	json_array_foreach(items, i, v)
		add(s, k, side, v);
	return json_integer_value(json_object_get(shapes, "left_out")) > 0 ?
	    add_named(s, k) : 0;
}

struct kin_set *
kin_sets(const struct kinship *k, int side, const json_t *findings)
{
	size_t n = json_array_size(findings), i;
	struct kin_set *s = calloc(n + 1, sizeof(*s));

	for (i = 0; s != NULL && i < n; i++)
		if (set_make(&s[i], k, side, json_array_get(findings, i)) !=
		    0) {
			kin_sets_free(s, n);
			return NULL;
		}
	return s;
}

void
kin_sets_free(struct kin_set *s, size_t n)
{
	size_t i;

	for (i = 0; s != NULL && i < n; i++)
		free(s[i].kin);
	free(s);
}

bool
kin_sets_meet(const struct kin_set *a, const struct kin_set *b)
{

	return a->kins > 0 && b->kins > 0 &&
	    (has(a, b->kin[0]) || has(b, a->kin[0]));
}

double
kin_set_saved(const struct kin_set *s)
{
	double sum = 0, saved;
	size_t known = 0, i;

	for (i = 0; i < s->kins; i++) {
		saved = kin_saved(s->kin[i]);
		if (isnan(saved))
			continue;
		sum += saved;
		known++;
	}
	return known > 0 ? sum : NAN;
}

double
kin_set_speedup(const struct kin_set *s)
{
	double before = 0, after = 0, speedup;
	size_t i;

	if (s->kins == 1)
		return kin_speedup(s->kin[0]);
	for (i = 0; i < s->kins; i++) {
		speedup = kin_speedup(s->kin[i]);
		if (isnan(speedup))
			continue;
		before += s->kin[i]->side[BASE].total_s;
		after += s->kin[i]->side[BASE].total_s / speedup;
	}
	return before > 0 && after > 0 ? before / after : NAN;
}
