/* Number formatting, by the table that the page is also tested with. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/number.h"

#include "unit/test.h"

/* null: unknown; a string: a value that JSON cannot represent. */
static double
value(const json_t *row, size_t i)
{
	const json_t *v = json_array_get(row, i);

	return json_is_string(v) ? strtod(json_string_value(v), NULL) :
	    json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *
unit(const json_t *row)
{

	return json_string_value(json_array_get(row, 1));
}

#define OF_ONE(name) \
	static char * \
	as_##name(char out[NUMBER_SIZE], const json_t *row) \
	{ \
 \
		return number_##name(out, value(row, 0)); \
	}
#define OF_UNIT(name) \
	static char * \
	as_##name(char out[NUMBER_SIZE], const json_t *row) \
	{ \
 \
		return number_##name(out, value(row, 0), unit(row)); \
	}

OF_ONE(plain)
OF_ONE(times)
OF_ONE(seconds)
OF_ONE(percent)
OF_ONE(bytes)
OF_ONE(whole)
OF_ONE(compact)
OF_UNIT(rate)
OF_UNIT(of)
OF_UNIT(value)

static char *
as_interval(char out[NUMBER_SIZE], const json_t *row)
{

	return number_interval(out, value(row, 0), value(row, 1),
	    value(row, 2));
}

static char *
as_shape(char out[NUMBER_SIZE], const json_t *row)
{
	const json_t *of = json_array_get(row, 0);
	uint32_t v[3];
	size_t i;

	for (i = 0; i < 3; i++)
		v[i] = (uint32_t)json_integer_value(json_array_get(of, i));
	return number_shape(out, v);
}

static const struct {
	const char *name;
	char *(*text)(char out[NUMBER_SIZE], const json_t *row);
} quantities[] = {
	{ "plain", as_plain }, { "times", as_times }, { "seconds", as_seconds },
	{ "percent", as_percent }, { "bytes", as_bytes }, { "rate", as_rate },
	{ "count", as_whole }, { "compact", as_compact }, { "counted", as_of },
	{ "measure", as_value }, { "interval", as_interval },
	{ "shape", as_shape },
};
#define QUANTITIES (sizeof(quantities) / sizeof(quantities[0]))

TEST(table)
{
	json_error_t e;
	json_t *cases = json_load_file(TEST_DIR "/unit/number.cases.json",
	    JSON_DECODE_ANY, &e);
	const json_t *rows, *row;
	char out[NUMBER_SIZE];
	const char *want;
	size_t i, r;

	assert_non_null(cases);
	assert_int_equal(json_object_size(cases), QUANTITIES);
	for (i = 0; i < QUANTITIES; i++) {
		rows = json_object_get(cases, quantities[i].name);
		assert_true(json_array_size(rows) > 0);
		json_array_foreach(rows, r, row) {
			want = json_string_value(json_array_get(row,
			    json_array_size(row) - 1));
			quantities[i].text(out, row);
			if (want == NULL || strcmp(out, want) != 0)
				fail_msg("%s, row %zu: \"%s\", wanted \"%s\"",
				    quantities[i].name, r, out,
				    want != NULL ? want : "a text");
		}
	}
	json_decref(cases);
}

/* Cases that the page, with doubles and unlimited texts, does not have. */
TEST(only_here)
{
	char a[NUMBER_SIZE];

	assert_string_equal(number_count(a, 212400), "212,400");
	assert_string_equal(number_count(a, UINT64_MAX),
	    "18,446,744,073,709,551,615");
	assert_string_equal(number_of(a, 2, ""), "2 ");
	assert_string_equal(number_of(a, 2, "word that is longer than any that "
	    "we would think of here"), "2");
	assert_string_equal(number_value(a, 2, NULL), "2");
}
