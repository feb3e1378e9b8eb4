/* unit/noun.h: objects compared with what config/openapi.json says of them. */
#ifndef CADV_UNIT_NOUN_H
#define CADV_UNIT_NOUN_H

#include <jansson.h>

/* ${o} has the fields of ${noun} ("Finding"; "Finding.saves", a part without a
 * name of its own) and no others. */
void assert_noun(const json_t *o, const char *noun);

/* The same without the fields of ${but}, in words: another writer adds them. */
void assert_noun_but(const json_t *o, const char *noun, const char *but);

/* What stands in ${o} under ${path}: keys and places with a dot between them. */
json_t *json_at(const json_t *o, const char *path);

/* A number there; NaN: none. */
double number_at(const json_t *o, const char *path);

#define assert_count(o, path, is)					\
	assert_int_equal(json_integer_value(json_at(o, path)), is)
#define assert_text(o, path, is)					\
	assert_string_equal(json_string_value(json_at(o, path)), is)
#define assert_json_null(o, path) assert_true(json_is_null(json_at(o, path)))
#define assert_json_true(o, path) assert_true(json_is_true(json_at(o, path)))
#define assert_json_false(o, path) assert_true(json_is_false(json_at(o, path)))

#endif
