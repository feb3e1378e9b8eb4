/*
 * report/number.h: numbers as people read them: at most three significant
 * digits, a unit that fits. Pure; every function returns ${out}.
 */
#ifndef CADV_NUMBER_H
#define CADV_NUMBER_H

#include <stdint.h>

#define NUMBER_SIZE 48

/* 3.9, 11.4, 212, 0.078; of 12345 the first three: 12300. */
char *number_plain(char out[NUMBER_SIZE], double v);
/* With its unit; of seconds, nanoseconds and bytes one that fits. A "ratio" has
 * none. A unit that is a noun, or begins with one ("sector/request"), is put into
 * the plural where it should be. */
char *number_value(char out[NUMBER_SIZE], double v, const char *unit);
/* "3.9 s", "412 ms", "2.9 µs", "20.7 min"; NaN is "–". */
char *number_seconds(char out[NUMBER_SIZE], double s);
/* "3.4 to 4.1" in the unit that number_seconds(${about}) takes; "" if the
 * bounds are unknown or say no more than ${about} itself. */
char *number_interval(char out[NUMBER_SIZE], double about, double low,
    double high);
/* "61 %", "0.6 %"; NaN is "–". */
char *number_percent(char out[NUMBER_SIZE], double ratio);
/* "8.39 MB", decimal. */
char *number_bytes(char out[NUMBER_SIZE], double bytes);
/* "4.1 TB/s", "33 TFLOP/s": ${unit} with a prefix that fits; NaN is "–". */
char *number_rate(char out[NUMBER_SIZE], double v, const char *unit);
/* "212,400" */
char *number_count(char out[NUMBER_SIZE], uint64_t n);
/* "1 launch", "2 launches", "0 copies": ${noun} is the singular, its last word
 * regular. */
char *number_of(char out[NUMBER_SIZE], uint64_t n, const char *noun);

#endif
