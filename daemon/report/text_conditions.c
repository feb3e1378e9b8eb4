/* The conditions of a run: those that distort its times, and with -v the others. */
#include <stdio.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_util.h"

#include "report/text_parts.h"

#define LINE_SIZE 640

/* "throttled (too hot)", "shared with 2 other programs"; false: neither. */
static bool
suffered(const json_t *gpu, char out[LINE_SIZE])
{
	const char *why = field_text(gpu, "throttled");
	uint64_t others = field_count(gpu, "others");
	char n[NUMBER_SIZE];

	snprintf(out, LINE_SIZE, "%s%.200s%s%s%s", why != NULL ?
	    "its clocks were lowered: " : "", why != NULL ? why : "",
	    why != NULL && others > 0 ? "; " : "", others > 0 ?
	    "in use before the run began by " : "", others > 0 ?
	    number_of(n, (double)others, "program") : "");
	return why != NULL || others > 0;
}

static void
put_state(struct out *o, size_t i, const json_t *gpu)
{
	const json_t *hz = json_object_get(gpu, "sm_hz");
	char line[LINE_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE],
	    limit[NUMBER_SIZE + 32] = "", link[64] = "";
	double watts = field_number(gpu, "power_limit_w");
	uint64_t lanes = field_count(gpu, "pcie_lanes");

	if (watts > 0)
		snprintf(limit, sizeof(limit), ", %s%.0f W",
		    field_true(gpu, "power_capped") ?
		    "at its power limit of " : "power limit ", watts);
	if (lanes > 0)
		snprintf(link, sizeof(link), ", PCIe %llu × %llu",
		    (unsigned long long)field_count(gpu, "pcie_generation"),
		    (unsigned long long)lanes);
	snprintf(line, sizeof(line), "GPU %zu: SM clock %s to %s, at most "
	    "%llu °C%s%s", i, number_rate(a, json_number_value(json_array_get(
	    hz, 0)), "Hz"), number_rate(b, json_number_value(json_array_get(
	    hz, 1)), "Hz"), (unsigned long long)field_count(gpu, "celsius"),
	    limit, link);
	out_text(o, "  ");
	out_wrap(o, 2, line);
}

void
parts_states(struct out *o, const struct report *r)
{
	const json_t *c = json_object_get(r->run, "conditions"), *gpu;
	size_t i;

	json_array_foreach(json_object_get(c, "gpus"), i, gpu)
		if (field_true(gpu, "used"))
			put_state(o, i, gpu);
}

void
parts_conditions(struct out *o, const struct report *r)
{
	const json_t *c = json_object_get(r->run, "conditions"), *gpu;
	char why[LINE_SIZE], line[LINE_SIZE + 128];
	size_t i;

	json_array_foreach(json_object_get(c, "gpus"), i, gpu) {
		if (!field_true(gpu, "used") || !suffered(gpu, why))
			continue;
		snprintf(line, sizeof(line), "GPU %zu: %s", i, why);
		parts_label(o, "Conditions");
		out_wrap(o, LABEL_COLUMNS, line);
	}
}
