#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_util.h"
#include "report/text_util.h"

#include "report/compare_kernels.h"

#define IDS_SHOWN 20

/* Kernels with a smaller share of the time are not matched as the rest. */
#define REST_LEAST 0.01

/* A difference counts beyond three standard errors and beyond 1 %; with few
 * launches, whose spread means little, beyond 10 %. */
#define ERRORS_LEAST 3
#define DIFFERENCE_LEAST 0.01
#define FEW_LAUNCHES 10
#define FEW_DIFFERENCE_LEAST 0.1

static double
or_zero(double v)
{

	return isfinite(v) && v > 0 ? v : 0;
}

/* --- what kernels took ------------------------------------------------------- */

static void
side_add(struct kin_side *s, const json_t *k)
{
	const json_t *time = json_object_get(k, "time");
	double launches = or_zero(field_number(k, "launches"));
	double total = or_zero(field_number(time, "total_ns")) * 1e-9;
	double mean = field_number(time, "mean_ns") * 1e-9;
	double sd = or_zero(field_number(time, "sd_ns")) * 1e-9;

	if (s->ids == NULL)
		s->ids = json_array();
	if (json_array_size(s->ids) < IDS_SHOWN)
		json_array_append(s->ids, json_object_get(k, "id"));
	if (!(mean > 0) && launches > 0)	/* no launch ran undisturbed */
		mean = total / launches;
	mean = or_zero(mean);
	s->measured = s->measured || strcmp(or_unknown(field_text(k,
	    "measured")), "none") != 0;
	s->launches += launches;
	s->total_s += total;
	s->sum += launches * mean;
	s->squares += launches * (mean * mean + sd * sd);
}

static void
side_merge(struct kin_side *into, struct kin_side *from)
{

	if (from->ids == NULL)
		return;
	if (into->ids == NULL)
		into->ids = json_array();
	json_array_extend(into->ids, from->ids);
	into->launches += from->launches;
	into->total_s += from->total_s;
	into->sum += from->sum;
	into->squares += from->squares;
	into->measured = into->measured || from->measured;
	json_decref(from->ids);
	memset(from, 0, sizeof(*from));
}

/* Mean seconds of a launch; NaN. */
static double
mean_of(const struct kin_side *s)
{

	return s->launches > 0 ? s->sum / s->launches : NAN;
}

static double
deviation_of(const struct kin_side *s)
{
	double mean = mean_of(s);

	return sqrt(fmax(0, s->squares / s->launches - mean * mean));
}

double
kin_speedup(const struct kin *k)
{
	const struct kin_side *b = &k->side[BASE], *t = &k->side[TARGET];
	double before = mean_of(b), after = mean_of(t);

	if (k->match != MATCH_SHAPE) {	/* the launches differ */
		before = b->total_s;
		after = t->total_s;
	}
	return k->match != MATCH_NONE && before > 0 && after > 0 ?
	    before / after : NAN;
}

double
kin_saved(const struct kin *k)
{
	double speedup = kin_speedup(k);

	if (k->match == MATCH_NONE)
		return NAN;
	if (k->match != MATCH_SHAPE)
		return k->side[BASE].busy_s - k->side[TARGET].busy_s;
	return isnan(speedup) ? 0 :
	    k->side[BASE].busy_s * (1 - 1 / speedup);
}

/* Is the difference larger than the spread explains? */
static bool
differs(const struct kin *k)
{
	double squared = 0, difference, mean;
	bool few;
	int i;

	if (k->match == MATCH_NONE)
		return false;
	if (k->match != MATCH_SHAPE)
		return fabs(kin_saved(k)) > DIFFERENCE_LEAST *
		    k->side[BASE].busy_s;
	for (i = 0; i < SIDES; i++) {
		if (!(k->side[i].launches > 0))
			return false;
		squared += pow(deviation_of(&k->side[i]), 2) /
		    k->side[i].launches;
	}
	mean = mean_of(&k->side[BASE]);
	difference = fabs(mean - mean_of(&k->side[TARGET]));
	few = fmin(k->side[BASE].launches, k->side[TARGET].launches) <
	    FEW_LAUNCHES;
	return difference > ERRORS_LEAST * sqrt(squared) &&
	    difference > (few ? FEW_DIFFERENCE_LEAST : DIFFERENCE_LEAST) *
	    mean;
}

/* --- matching ---------------------------------------------------------------- */

/* "name\ngrid\nblock" of ${k}, malloced. */
static char *
shape_key(const json_t *k)
{
	static const char *const sides[] = { "grid", "block" };
	long long v[6];
	char *key;
	int i;

	for (i = 0; i < 6; i++)
		v[i] = (long long)json_integer_value(json_array_get(
		    json_object_get(k, sides[i / 3]), (size_t)(i % 3)));
	if (asprintf(&key, "%s\n%lld,%lld,%lld\n%lld,%lld,%lld",
	    or_unknown(field_text(k, "name")), v[0], v[1], v[2], v[3], v[4],
	    v[5]) < 0)
		return NULL;
	return key;
}

/* The index of ${key} in ${map}; added if it is new. -1 without memory. */
static long long
index_of(json_t *map, const char *key, size_t *next)
{
	json_t *found = json_object_get(map, key);

	if (found != NULL)
		return json_integer_value(found);
	if (json_object_set_new(map, key,
	    json_integer((json_int_t)*next)) != 0)
		return -1;
	return (long long)(*next)++;
}

static int
note_id(json_t *of, const json_t *k, long long at)
{
	char id[32];

	snprintf(id, sizeof(id), "%lld",
	    (long long)json_integer_value(json_object_get(k, "id")));
	return json_object_set_new(of, id, json_integer(at));
}

static int
add_side(struct kinship *s, json_t *map, int side, const json_t *kernels)
{
	const json_t *k;
	long long at;
	char *key;
	size_t i;

	json_array_foreach(kernels, i, k) {
		if ((key = shape_key(k)) == NULL)
			return -1;
		at = index_of(map, key, &s->kins);
		free(key);
		if (at < 0 || note_id(s->of[side], k, at) != 0)
			return -1;
		s->kin[at].name = or_unknown(field_text(k, "name"));
		side_add(&s->kin[at].side[side], k);
	}
	return 0;
}

/* Merge ${from} into ${into}; ${moved} forwards its index. */
static void
join(struct kinship *s, size_t into, size_t from, long long *moved)
{
	int i;

	for (i = 0; i < SIDES; i++)
		side_merge(&s->kin[into].side[i], &s->kin[from].side[i]);
	moved[from] = (long long)into;
}

static bool
is_lonely(const struct kin *k)
{

	return (k->side[BASE].ids == NULL) != (k->side[TARGET].ids == NULL);
}

/* Matches all shapes of one name that have no counterpart. */
static int
match_names(struct kinship *s, long long *moved)
{
	json_t *map = json_object();
	size_t i, next;
	long long at;
	json_t *found;

	for (i = 0; map != NULL && i < s->kins; i++) {
		if (!is_lonely(&s->kin[i]))
			continue;
		next = i;
		found = json_object_get(map, s->kin[i].name);
		at = index_of(map, s->kin[i].name, &next);
		if (at < 0) {
			json_decref(map);
			return -1;
		}
		if (found != NULL)
			join(s, (size_t)at, i, moved);
	}
	json_decref(map);
	for (i = 0; i < s->kins; i++)
		if (s->kin[i].match == MATCH_NONE && moved[i] < 0 &&
		    s->kin[i].side[BASE].ids != NULL &&
		    s->kin[i].side[TARGET].ids != NULL)
			s->kin[i].match = MATCH_NAME;
	return map != NULL ? 0 : -1;
}

/* The one kernel of ${side} that has no counterpart and matters; SIZE_MAX if
 * there is none, or more than one. */
static size_t
only_rest(const struct kinship *s, int side, const long long *moved)
{
	size_t only = SIZE_MAX, i;
	double all = 0;

	for (i = 0; i < s->kins; i++)
		all += s->kin[i].side[side].total_s;
	for (i = 0; i < s->kins; i++) {
		if (moved[i] >= 0 || !is_lonely(&s->kin[i]) ||
		    s->kin[i].side[side].ids == NULL ||
		    !(s->kin[i].side[side].total_s > REST_LEAST * all))
			continue;
		if (only != SIZE_MAX)
			return SIZE_MAX;
		only = i;
	}
	return only;
}

static void
match_rest(struct kinship *s, long long *moved)
{
	size_t base = only_rest(s, BASE, moved);
	size_t target = only_rest(s, TARGET, moved);

	if (base == SIZE_MAX || target == SIZE_MAX)
		return;
	join(s, base, target, moved);
	s->kin[base].match = MATCH_REST;
}

/* The index that ${at} was merged into. */
static long long
settled(const long long *moved, long long at)
{

	while (moved[at] >= 0)
		at = moved[at];
	return at;
}

/* Scales the time of kernels that ran at the same time: together they take
 * ${busy_s}. */
static void
share_time(struct kinship *s, int side, double busy_s)
{
	double all = 0, share = 1;
	size_t i;

	for (i = 0; i < s->kins; i++)
		all += s->kin[i].side[side].total_s;
	if (busy_s > 0 && busy_s < all)
		share = busy_s / all;
	for (i = 0; i < s->kins; i++)
		s->kin[i].side[side].busy_s = s->kin[i].side[side].total_s *
		    share;
}

bool
kinship_any(const struct kinship *s)
{
	size_t i;

	for (i = 0; i < s->kins; i++)
		if (s->kin[i].match != MATCH_NONE)
			return true;
	return false;
}

int
kinship_make(struct kinship *s, const json_t *const kernels[SIDES],
    const double busy_s[SIDES], bool one_program)
{
	size_t most = json_array_size(kernels[BASE]) +
	    json_array_size(kernels[TARGET]), i;
	long long *moved = malloc((most + 1) * sizeof(*moved));
	json_t *map = json_object(), *v;
	const char *key;
	int rc = -1, side;

	memset(s, 0, sizeof(*s));
	s->kin = calloc(most + 1, sizeof(*s->kin));
	for (side = 0; side < SIDES; side++)
		s->of[side] = json_object();
	if (moved == NULL || map == NULL || s->kin == NULL ||
	    s->of[BASE] == NULL || s->of[TARGET] == NULL)
		goto out;
	for (i = 0; i <= most; i++)
		moved[i] = -1;
	for (side = 0; side < SIDES; side++)
		if (add_side(s, map, side, kernels[side]) != 0)
			goto out;
	for (i = 0; i < s->kins; i++)
		if (!is_lonely(&s->kin[i]))
			s->kin[i].match = MATCH_SHAPE;
	if (match_names(s, moved) != 0)
		goto out;
	/* A kernel that is alone in another program does other work. */
	if (one_program || kinship_any(s))
		match_rest(s, moved);
	for (side = 0; side < SIDES; side++) {
		json_object_foreach(s->of[side], key, v)
			json_integer_set(v, settled(moved,
			    json_integer_value(v)));
		share_time(s, side, busy_s[side]);
	}
	rc = 0;
out:
	json_decref(map);
	free(moved);
	return rc;
}

void
kinship_release(struct kinship *s)
{
	size_t i;
	int side;

	for (side = 0; side < SIDES; side++) {
		for (i = 0; s->kin != NULL && i < s->kins; i++)
			json_decref(s->kin[i].side[side].ids);
		json_decref(s->of[side]);
	}
	free(s->kin);
	memset(s, 0, sizeof(*s));
}

const struct kin *
kinship_find(const struct kinship *s, int side, json_int_t id)
{
	const json_t *at;
	char key[32];

	snprintf(key, sizeof(key), "%lld", (long long)id);
	at = json_object_get(s->of[side], key);
	return at != NULL ? &s->kin[json_integer_value(at)] : NULL;
}

static json_t *
side_json(const struct kin_side *s)
{

	if (s->ids == NULL)
		return json_null();
	return json_pack("{s:O, s:o, s:o, s:o, s:o, s:o}",
	    "ids", s->ids,
	    "launches", json_count((uint64_t)fmin(s->launches, 9e18)),
	    "total_s", json_number(s->total_s),
	    "mean_s", json_number(mean_of(s)),
	    "sd_s", json_number(deviation_of(s)),
	    "busy_s", json_number(s->busy_s));
}

json_t *
kin_json(const struct kin *k)
{
	static const char *const match[] = { [MATCH_NONE] = NULL,
		[MATCH_SHAPE] = "shape", [MATCH_NAME] = "name",
		[MATCH_REST] = "rest" };

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "name", json_text(k->name),
	    "match", json_text(match[k->match]),
	    "base", side_json(&k->side[BASE]),
	    "target", side_json(&k->side[TARGET]),
	    "speedup_ratio", json_number(kin_speedup(k)),
	    "saved_s", json_number(kin_saved(k)),
	    "significant", k->match == MATCH_NONE ? json_null() :
	    json_boolean(differs(k)));
}
