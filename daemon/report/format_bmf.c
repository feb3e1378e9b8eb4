/* Bencher Metric Format: one benchmark per kernel, with the interval that
 * contains 95 % of its launches if their times are normally distributed. */
#include <math.h>
#include <stdio.h>

#include "report/json_util.h"
#include "report/text_util.h"

#include "report/format.h"

#define NORMAL_95 1.96

int
format_bmf(FILE *f, const struct report *r)
{
	char name[BENCHMARK_SIZE];
	json_t *whole = json_object(), *k, *time;
	double mean, sd;
	size_t i;

	json_array_foreach((json_t *)r->kernels, i, k) {
		time = json_object_get(k, "time");
		mean = field_number(time, "mean_ns");
		sd = field_number(time, "sd_ns");
		if (!(mean > 0))
			continue;
		/* One name may have several launch shapes. */
		json_object_set_new(whole, format_benchmark(name, k), json_pack(
		    "{s:{s:f, s:o, s:o}}", "latency", "value", mean,
		    "lower_value", json_number(fmax(0, mean - NORMAL_95 * sd)),
		    "upper_value", json_number(mean + NORMAL_95 * sd)));
	}
	if (whole == NULL)
		return -1;
	json_dumpf(whole, f, JSON_INDENT(1));
	putc('\n', f);
	json_decref(whole);
	return 0;
}
