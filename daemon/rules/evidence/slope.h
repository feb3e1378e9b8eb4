/*
 * rules/evidence/slope.h: gradual thresholds. A gain must not jump where the value
 * that it depends on hardly changes: between two values it grows from nothing to all.
 */
#ifndef CADV_SLOPE_H
#define CADV_SLOPE_H

/* slope(v, none, all): 0 at ${none}, 1 at ${all} and beyond, linear in between;
 * either may be the larger. 0 if ${v} is NaN. */
double slope(double v, double none, double all);

/* slope_log(v, none, all): the same, linear in the logarithm: for sizes, which
 * differ by factors. All three must be > 0. */
double slope_log(double v, double none, double all);

#endif
