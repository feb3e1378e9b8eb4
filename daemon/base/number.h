/*
 * base/number.h: how the daemon and the command print numbers and their units.
 * web/src/format.ts does the same in the page; tests/unit/number.cases.json is the
 * table that both are tested on. Pure; every function that prints returns
 * ${out}.
 *
 * The convention:
 * - Digits: three significant ones, below 1 two, without trailing zeros; a half is
 *   rounded away from 0. A comma separates thousands: 12,300. Below 1e-4 and from 1e15
 *   on there is an exponent: 1.2e-5, 1.23e15. Below 1e-9 it is 0: that is left when two
 *   equal numbers are subtracted.
 * - Unknown (NaN) and infinite: "–".
 * - Prefixes are decimal (k, M, G, T, P), each from where three digits round to 1 of
 *   it: 999 kB, 1 MB.
 * - Time: ns, µs, ms and s likewise; minutes from 2 min on, hours from 2 h. Below 1e-12
 *   s, a thousandth of the resolution of measured times, it is "0 s".
 * - A ratio in percent: one digit after the point below 10 %, none from there on. A
 *   ratio above 0 that rounds to 0 is "<0.1 %".
 * - A count is whole and has all its digits: 20,123; so has a whole value below 100,000
 *   in a unit that is a noun: 1,024 threads. In a narrow column it is compact: 614k,
 *   1.23M.
 * - Values that a user types into code are written as in code: grid 20000 × 4, line
 *   1024.
 */
#ifndef CADV_NUMBER_H
#define CADV_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_SIZE 48

/* "3.9", "11.4", "212", "0.078", "12,300" */
char *number_plain(char out[NUMBER_SIZE], double v);
/* "4.57×": a factor. */
char *number_times(char out[NUMBER_SIZE], double v);
/* "3.9 s", "412 ms", "2.9 µs", "20.7 min" */
char *number_seconds(char out[NUMBER_SIZE], double s);
/* "3.4 to 4.1", in the unit that number_seconds(${about}) takes and without naming it;
 * "" if the bounds are unknown or print alike. Where ${about} is 0, or ${high} ten
 * thousand of its unit, the unit is that of ${high}, and is written. */
char *number_interval(char out[NUMBER_SIZE], double about, double low,
    double high);
/* "61 %", "0.6 %" */
char *number_percent(char out[NUMBER_SIZE], double ratio);
/* "8.39 MB" */
char *number_bytes(char out[NUMBER_SIZE], double bytes);
/* "4.1 TB/s", "33 TFLOP/s": ${unit} with the prefix that fits. */
char *number_rate(char out[NUMBER_SIZE], double v, const char *unit);
/* "212,400" */
char *number_count(char out[NUMBER_SIZE], uint64_t n);
/* The same for a count that is a floating point number. */
char *number_whole(char out[NUMBER_SIZE], double n);
/* "614k", "1.23M": five characters up to 1e18. */
char *number_compact(char out[NUMBER_SIZE], double n);
/* "1 launch", "2 launches", "0 copies": ${noun} is a singular whose last word has a
 * regular plural. */
char *number_of(char out[NUMBER_SIZE], double n, const char *noun);
/* Are the ${len} bytes at ${word} one of the units above: "%", "ms", "GB", "TB/s"? */
bool number_is_unit(const char *word, size_t len);
/* ${v} in ${unit}, the name of a unit in metrics, evidence and thresholds: seconds,
 * bytes and rates with the prefix that fits, "ratio" without a unit. A unit that is a
 * noun, or begins with one ("sector/request"), gets its plural. */
char *number_value(char out[NUMBER_SIZE], double v, const char *unit);
/* "256", "256 × 4": a grid or a block without trailing ones. */
char *number_shape(char out[NUMBER_SIZE], const uint32_t v[3]);

#endif
