#include <string.h>

#include "mock_internal.h"

/*
 * The value of a counter: deterministic, different for every metric and kernel,
 * and plausible: percentages are at most 100, sums are integers. The
 * elapsed cycles are the active ones: a range is no longer than its kernel.
 */
double
mock_value(const char *metric, const char *kernel)
{
	uint64_t h;

	if (strcmp(metric, "sm__cycles_elapsed.max") == 0)
		metric = "sm__cycles_active.max";
	h = mock_hash(metric) ^ (mock_hash(kernel) << 1);

	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9u;
	h ^= h >> 32;
	if (strstr(metric, "pct") != NULL)
		return 5.0 + (double)(h % 9000) / 100.0;
	if (strstr(metric, ".ratio") != NULL)
		return 1.0 + (double)(h % 3100) / 100.0;
	return (double)(1000 + h % 1000000);
}
