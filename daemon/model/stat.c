/*
 * model/stat.c: distributions in quarter octaves. A bucket is 4 log2(ns)
 * rounded down, so a quantile is right to about 9 %, and two distributions
 * are merged by adding their buckets.
 */
#include <math.h>
#include <string.h>

#include "model/model.h"

/* The lower three bounds inside an octave: 2^(1/4), 2^(2/4), 2^(3/4), as
 * fractions of 2^32, so that bucketing needs no floating point. */
#define QUARTER_1 0x1306fe0a3ull
#define QUARTER_2 0x16a09e667ull
#define QUARTER_3 0x1ae89f995ull

static unsigned
stat_bucket(uint64_t ns)
{
	unsigned octave, bucket;
	uint64_t mantissa;

	if (ns == 0)
		return 0;
	octave = 63u - (unsigned)__builtin_clzll(ns);
	mantissa = octave >= 32 ? ns >> (octave - 32) : ns << (32 - octave);
	bucket = 4 * octave + (mantissa >= QUARTER_1) +
	    (mantissa >= QUARTER_2) + (mantissa >= QUARTER_3);
	return bucket < STAT_BUCKETS ? bucket : STAT_BUCKETS - 1;
}

/* Sums of hostile values stop at the largest number instead of wrapping. */
static uint64_t
stat_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void
stat_add(struct distribution *s, uint64_t ns)
{
	uint32_t *bucket = &s->bucket[stat_bucket(ns)];

	if (s->count == 0 || ns < s->min)
		s->min = ns;
	if (ns > s->max)
		s->max = ns;
	s->count++;
	s->sum = stat_sum(s->sum, ns);
	s->sum_squares += (double)ns * (double)ns;
	if (*bucket != UINT32_MAX)
		++*bucket;
}

void
stat_merge(struct distribution *into, const struct distribution *from)
{
	unsigned i;

	if (from->count == 0)
		return;
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count = stat_sum(into->count, from->count);
	into->sum = stat_sum(into->sum, from->sum);
	into->sum_squares += from->sum_squares;
	for (i = 0; i < STAT_BUCKETS; i++)
		if (__builtin_add_overflow(into->bucket[i], from->bucket[i],
		    &into->bucket[i]))
			into->bucket[i] = UINT32_MAX;
}

double
stat_quantile(const struct distribution *s, double p)
{
	double total = 0, below = 0, target, ns;
	unsigned i;

	for (i = 0; i < STAT_BUCKETS; i++)
		total += s->bucket[i];
	if (total == 0 || isnan(p))
		return NAN;
	if (p <= 0)
		return (double)s->min;
	if (p >= 1)
		return (double)s->max;
	target = p * total;
	for (i = 0; i < STAT_BUCKETS - 1; i++) {
		if (below + s->bucket[i] >= target)
			break;
		below += s->bucket[i];
	}
	/* Log-linear inside the bucket, and never outside what was seen. */
	ns = exp2((i + (target - below) / s->bucket[i]) / 4);
	if (ns < (double)s->min)
		return (double)s->min;
	return ns > (double)s->max ? (double)s->max : ns;
}

double
stat_mean(const struct distribution *s)
{

	return s->count == 0 ? NAN : (double)s->sum / (double)s->count;
}

double
stat_deviation(const struct distribution *s)
{
	double mean, variance;

	if (s->count == 0)
		return NAN;
	mean = stat_mean(s);
	variance = s->sum_squares / (double)s->count - mean * mean;
	return variance > 0 ? sqrt(variance) : 0;
}
