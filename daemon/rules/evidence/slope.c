/*
 * rules/evidence/slope.c: see slope.h.
 */
#include <math.h>

#include "rules/evidence/slope.h"

double
slope(double v, double none, double all)
{
	if (isnan(v))
		return 0;
	if (!(none < all || none > all))
		return v >= all;
	return fmin(1, fmax(0, (v - none) / (all - none)));
}

double
slope_log(double v, double none, double all)
{
	return v > 0 ? slope(log(v), log(none), log(all)) :
	    slope(none < all ? none : all, none, all);
}
