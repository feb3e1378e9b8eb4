/* customSmallerIsBetter of github-action-benchmark. */
#include <stdio.h>

#include "report/json_util.h"
#include "report/text_util.h"

#include "report/format.h"

static json_t *
row(const char *name, double value, const char *unit, double range)
{
	char text[NUMBER_SIZE];
	json_t *o = json_pack("{s:o, s:f, s:s}", "name", json_text(name),
	    "value", value, "unit", unit);

	if (o != NULL && range > 0) {
		snprintf(text, sizeof(text), "± %.0f", range);
		json_object_set_new(o, "range", json_string(text));
	}
	return o;
}

int
format_benchmark_action(FILE *f, const struct report *r)
{
	char name[BENCHMARK_SIZE];
	double active = field_number(r->run, "active_s");
	json_t *list = json_array(), *k, *time;
	size_t i;

	if (active > 0)
		json_array_append_new(list, row("time at work", active, "s",
		    0));
	json_array_foreach((json_t *)r->kernels, i, k) {
		time = json_object_get(k, "time");
		if (!(field_number(time, "mean_ns") > 0))
			continue;
		json_array_append_new(list, row(format_benchmark(name, k),
		    field_number(time, "mean_ns"), "ns", field_number(time,
		    "sd_ns")));
	}
	if (list == NULL)
		return -1;
	json_dumpf(list, f, JSON_INDENT(1));
	putc('\n', f);
	json_decref(list);
	return 0;
}
