/*
 * compare/statistics.c: see statistics.h.
 */
#include <math.h>

#include "compare/statistics.h"

#define TERMS_MOST 400		/* of the continued fraction: far more than needed */
#define PRECISION 1e-13
#define HALVINGS 200

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated
 * from the front by Lentz's method (DLMF 3.10(iii)). */
static double
beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f, term;
	int m;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (m = 1; m < TERMS_MOST; m++) {
		term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + term * d;
		c = 1 + term / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		term = -(a + m) * (a + b + m) * x / ((a + 2 * m) *
		    (a + 2 * m + 1));
		d = 1 + term * d;
		c = 1 + term / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		if (fabs(c * d - 1) < PRECISION)
			break;
	}
	return f;
}

/* I_x(a, b), DLMF 8.17.2. */
static double
beta_ratio(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
	    b * log1p(-x));
	/* The fraction converges fast on this side; the other is its mirror,
	 * DLMF 8.17.4. */
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a :
	    1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(T > t), Abramowitz and Stegun 26.7.1. */
static double
t_beyond(double t, double freedom)
{

	return beta_ratio(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

double
statistics_t(double p, double freedom)
{
	double low = 0, high = 1, middle;
	int i;

	if (!(p >= 0.5 && p < 1) || !(freedom > 0))
		return NAN;
	while (t_beyond(high, freedom) > 1 - p && high < 1e150)
		high *= 2;
	for (i = 0; i < HALVINGS && high - low > PRECISION * high; i++) {
		middle = (low + high) / 2;
		if (t_beyond(middle, freedom) > 1 - p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static double
mean_of(const double *v, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static double
squares_of(const double *v, size_t n, double mean)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum;
}

void
statistics_difference(struct difference *out, const double *base, size_t n,
    const double *target, size_t m, struct variance_prior prior, double error)
{
	double b = mean_of(base, n), t = mean_of(target, m), freedom, half;

	*out = (struct difference){ NAN, NAN, NAN, NAN };
	if (n == 0 || m == 0)
		return;
	freedom = prior.freedom + (double)(n + m - 2);
	out->about = t - b;
	if (!(freedom > 0))
		return;
	out->deviation = sqrt((prior.freedom * prior.variance +
	    squares_of(base, n, b) + squares_of(target, m, t)) / freedom);
	half = statistics_t(1 - error / 2, freedom) * out->deviation *
	    sqrt(1 / (double)n + 1 / (double)m);
	out->low = out->about - half;
	out->high = out->about + half;
}
