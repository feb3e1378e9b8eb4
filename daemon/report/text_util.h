/* report/text_util.h: fields of a JSON object, which may be missing. Borrowed. */
#ifndef CADV_TEXT_UTIL_H
#define CADV_TEXT_UTIL_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

static inline const char *
field_text(const json_t *o, const char *key)
{

	return json_string_value(json_object_get(o, key));
}

static inline double
field_number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static inline uint64_t
field_count(const json_t *o, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(o, key));

	return v > 0 ? (uint64_t)v : 0;
}

/* The location of a finding, or of a comparison's kernel, in words; NULL.
 * Baselines of earlier versions have only that. */
static inline const char *
location_text(const json_t *o)
{
	const json_t *l = json_object_get(o, "location");

	return json_is_string(l) ? json_string_value(l) : field_text(l, "text");
}

static inline bool
field_true(const json_t *o, const char *key)
{

	return json_is_true(json_object_get(o, key));
}

/* "256 × 4", of [256, 4, 1]. */
static inline char *
field_shape(char out[NUMBER_SIZE], const json_t *o, const char *key)
{
	const json_t *of = json_object_get(o, key);
	uint32_t v[3];
	size_t i;

	for (i = 0; i < 3; i++)
		v[i] = (uint32_t)json_integer_value(json_array_get(of, i));
	return number_shape(out, v);
}

static inline const char *
or_unknown(const char *s)
{

	return s != NULL && *s != '\0' ? s : "unknown";
}

#endif
