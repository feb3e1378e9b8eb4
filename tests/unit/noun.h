/* unit/noun.h: compares objects with their description in config/openapi.json. */
#ifndef CADV_UNIT_NOUN_H
#define CADV_UNIT_NOUN_H

#include <jansson.h>

/* ${o} must have exactly the fields of ${noun} ("Finding"; "Finding.saves", a
 * part without a name of its own). */
void assert_noun(const json_t *o, const char *noun);

/* The same without the fields of ${but}, separated by blanks, which another
 * writer adds. */
void assert_noun_but(const json_t *o, const char *noun, const char *but);

/* The value in ${o} at ${path}: keys and indices separated by dots. */
json_t *json_at(const json_t *o, const char *path);

/* The number there; NaN if there is none. */
double number_at(const json_t *o, const char *path);

#define assert_count(o, path, is)					\
	assert_int_equal(json_integer_value(json_at(o, path)), is)
#define assert_text(o, path, is)					\
	assert_string_equal(json_string_value(json_at(o, path)), is)
#define assert_json_null(o, path) assert_true(json_is_null(json_at(o, path)))
#define assert_json_true(o, path) assert_true(json_is_true(json_at(o, path)))
#define assert_json_false(o, path) assert_true(json_is_false(json_at(o, path)))

#endif
