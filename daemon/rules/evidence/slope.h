/*
 * rules/evidence/slope.h: a threshold that is a slope. What is priced must not jump where
 * what it depends on hardly changes: between two values the price grows from none
 * of it to all.
 */
#ifndef CADV_SLOPE_H
#define CADV_SLOPE_H

/* slope(v, none, all): 0 at ${none}, 1 at ${all} and beyond, in a straight line
 * between; either may be the larger. 0 where ${v} is not known. */
double slope(double v, double none, double all);

/* slope_log(v, none, all): the same in a straight line of the logarithm: for
 * sizes, which differ by factors. All three are > 0. */
double slope_log(double v, double none, double all);

#endif
