/*
 * report/json_util.h: the basic values of all nouns. All return a new
 * reference, or NULL without memory, as json_pack's "o" expects them.
 */
#ifndef CADV_JSON_UTIL_H
#define CADV_JSON_UTIL_H

#include <jansson.h>
#include <stdint.h>

#include "facts/reason.h"

/* Text of any origin: NULL becomes null, bytes that are not UTF-8 become U+FFFD. */
json_t *json_text(const char *s);
/* The text of a reason, and its code: NULL becomes null. */
json_t *json_reason(const struct reason *r);
json_t *json_reason_code(const struct reason *r);
/* NaN and infinities, which JSON lacks, become null. */
json_t *json_number(double v);
/* part / whole; null if ${whole} is 0. */
json_t *json_ratio(double part, double whole);
/* 64-bit counts and times; larger values become INT64_MAX. */
json_t *json_count(uint64_t v);
/* Nanoseconds, as seconds. */
json_t *json_seconds(uint64_t ns);
/* [x, y, z]: a grid, a block. */
json_t *json_extent(uint32_t x, uint32_t y, uint32_t z);
/* A 64-bit id: 16 hex digits in a string. */
json_t *json_id(uint64_t v);

/* An array of ${n}: ${item}, an expression of ${i}, for each. */
#define JSON_LIST(i, n, item) __extension__ ({				\
	json_t *list_ = json_array();					\
	for (size_t i = 0; list_ != NULL && i < (n); i++)		\
		json_array_append_new(list_, item);			\
	list_;								\
})

#endif
