/*
 * capture_metrics CAPTURE: prints each kernel of a capture with all its
 * counters, as JSON; compare_ncu.py compares them with ncu's.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "capture/capture.h"
#include "model/model.h"
#include "report/json.h"

static json_t *
counters(const struct kernel *k)
{
	json_t *o = json_object();

	for (size_t i = 0; o != NULL && i < METRIC_COUNT; i++)
		if (isfinite(k->metric[i]))
			json_object_set_new(o, metric_table[i].name,
			    json_real(k->metric[i]));
	return o;
}

static int
print_kernels(const struct run *run)
{
	json_t *list = json_array();
	int rc = -1;

	for (size_t i = 0; list != NULL && i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		const struct record_SIGNATURE *s = &k->shape;

		json_array_append_new(list, json_pack(
		    "{s:s, s:[i,i,i], s:[i,i,i], s:I, s:i, s:b, s:o}",
		    "mangled", k->mangled != NULL ? k->mangled : "",
		    "grid", (int)s->grid_x, (int)s->grid_y, (int)s->grid_z,
		    "block", (int)s->block_x, (int)s->block_y, (int)s->block_z,
		    "launches", (json_int_t)k->launches,
		    "measured", (int)k->metric_launches,
		    "complete", (int)k->metric_complete,
		    "metrics", counters(k)));
	}
	if (list != NULL && json_dumpf(list, stdout, JSON_INDENT(1)) == 0)
		rc = 0;
	json_decref(list);
	return rc;
}

int
main(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct model *m;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: capture_metrics CAPTURE\n");
		return 2;
	}
	m = model_new();
	if (m == NULL)
		return 1;
	rc = capture_load(argv[1], m, NULL, &e);
	if (rc != 0)
		fprintf(stderr, "capture_metrics: %s\n", e.text);
	else
		rc = print_kernels(model_settle(m, true));
	model_free(m);
	return rc != 0;
}
