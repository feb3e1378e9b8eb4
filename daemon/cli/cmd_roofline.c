#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/footnotes.h"
#include "cli/table.h"
#include "cli/view.h"
#include "report/by_time.h"
#include "report/text_util.h"

#include "cli/command.h"

#define LINES 50

static void
rate_cell(struct table *t, int column, const json_t *of, const char *key,
    const char *unit, const char *reason, struct footnotes *notes)
{
	double v = field_number(of, key);
	char a[NUMBER_SIZE];

	footnotes_cell(notes, t, column, v, number_rate(a, v, unit), reason);
}

/* "61 % FP32" */
static void
compute_cell(struct table *t, int column, const json_t *roof)
{
	double v = field_number(roof, "compute_ratio");
	const char *kind = field_text(roof, "compute");
	char text[NUMBER_SIZE + 16], a[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%s%s%s", number_percent(a, v),
	    kind != NULL ? " " : "", kind != NULL ? kind : "");
	table_cell(t, column, text);
}

static void
ratio_cell(struct table *t, int column, const json_t *of, const char *key)
{
	char a[NUMBER_SIZE];

	table_cell(t, column, number_percent(a, field_number(of, key)));
}

static void
plain_cell(struct table *t, int column, const json_t *of, const char *key)
{
	double v = field_number(of, key);
	char a[NUMBER_SIZE];

	table_cell(t, column, isnan(v) ? "–" : number_plain(a, v));
}

static void
kernel_row(struct table *t, const json_t *k, struct footnotes *notes)
{
	const json_t *roof = json_object_get(k, "roofline");
	const json_t *bytes = json_object_get(k, "bandwidth");
	const char *no_flops = field_text(roof, "no_flops");
	const char *no_bytes = field_text(bytes, "reason");
	const char *bound = field_text(roof, "bound");
	char a[NUMBER_SIZE];

	table_row(t);
	snprintf(a, sizeof(a), "%u", (unsigned)field_count(k, "id"));
	table_cell(t, 0, a);
	table_cell(t, 1, or_unknown(field_text(k, "short_name")));
	ratio_cell(t, 2, k, "share_ratio");
	rate_cell(t, 3, roof, "flops_per_s", "FLOP/s", no_flops, notes);
	compute_cell(t, 4, roof);
	plain_cell(t, 5, roof, "dram_flop_per_byte");
	plain_cell(t, 6, roof, "l2_flop_per_byte");
	rate_cell(t, 7, bytes, "used_bytes_per_s", "B/s", no_bytes, notes);
	rate_cell(t, 8, bytes, "dram_bytes_per_s", "B/s", no_bytes, notes);
	ratio_cell(t, 9, bytes, "dram_ratio");
	rate_cell(t, 10, bytes, "l2_bytes_per_s", "B/s", no_bytes, notes);
	ratio_cell(t, 11, bytes, "l2_ratio");
	table_cell(t, 12, bound != NULL ? bound : "–");
}

static int
print_kernels(struct cli *cli, const json_t *kernels, struct footnotes *notes)
{
	static const struct table_column columns[] = {
		{ "#", TABLE_RIGHT }, { "kernel", TABLE_CUT | TABLE_LEAST(18) },
		{ "run", TABLE_RIGHT | TABLE_SPARE }, { "FLOP/s", TABLE_RIGHT },
		{ "of pipe", TABLE_RIGHT | TABLE_SPARE },
		{ "/B DRAM", TABLE_RIGHT | TABLE_SPARE },
		{ "/B L2", TABLE_RIGHT | TABLE_SPARE },
		{ "effective", TABLE_RIGHT | TABLE_SPARE },
		{ "DRAM", TABLE_RIGHT },
		{ "of it", TABLE_RIGHT | TABLE_SPARE },
		{ "L2", TABLE_RIGHT | TABLE_SPARE },
		{ "of it", TABLE_RIGHT | TABLE_SPARE },
		{ "bound", 0 },
	};
	size_t n = json_array_size(kernels), most = LINES, i;
	struct table *t;
	json_t **k;
	int rc;

	if (cli->opt.limit > 0)
		most = (size_t)cli->opt.limit;
	if ((k = by_time(kernels)) == NULL)
		return -1;
	t = table_new(&cli->out, columns, (int)(sizeof(columns) /
	    sizeof(columns[0])));
	for (i = 0; i < n && i < most; i++)
		kernel_row(t, k[i], notes);
	rc = table_print(t);
	table_free(t);
	free(k);
	if (n > most)
		out_format(&cli->out, "%zu more: -n %zu shows them\n",
		    n - most, n);
	return rc;
}

static int
print_copies(struct cli *cli, const json_t *copies, struct footnotes *notes)
{
	static const struct table_column columns[] = {
		{ "copies", 0 }, { "from → to", 0 }, { "count", TABLE_RIGHT | TABLE_SPARE },
		{ "bytes", TABLE_RIGHT | TABLE_SPARE }, { "reached", TABLE_RIGHT },
		{ "possible", TABLE_RIGHT }, { "of it", TABLE_RIGHT },
	};
	const char *missing;
	char text[128], a[NUMBER_SIZE];
	struct table *t;
	const json_t *c;
	size_t i;
	int rc;

	t = table_new(&cli->out, columns, (int)(sizeof(columns) /
	    sizeof(columns[0])));
	json_array_foreach(copies, i, c) {
		missing = field_text(c, "ceiling_missing");
		table_row(t);
		table_cell(t, 0, or_unknown(field_text(c, "kind")));
		snprintf(text, sizeof(text), "%s%s%s", field_true(c, "memset") ?
		    "" : or_unknown(field_text(c, "src")),
		    field_true(c, "memset") ? "" : " → ",
		    or_unknown(field_text(c, "dst")));
		table_cell(t, 1, text);
		table_cell(t, 2, number_count(a, field_count(c, "count")));
		table_cell(t, 3, number_bytes(a, field_number(c, "bytes")));
		rate_cell(t, 4, c, "bandwidth_bytes_per_s", "B/s", NULL, notes);
		rate_cell(t, 5, c, "ceiling_bytes_per_s", "B/s", missing,
		    notes);
		ratio_cell(t, 6, c, "ceiling_ratio");
	}
	rc = table_print(t);
	table_free(t);
	return rc;
}

static bool
is_measured(const json_t *ceiling)
{

	return strcmp(or_unknown(field_text(ceiling, "source")),
	    "attribute") != 0;
}

/* "NVIDIA H200, calibrated on …: DRAM 4.1 TB/s, …" */
static void
print_ceilings(struct cli *cli, const json_t *devices)
{
	const json_t *d, *ceilings, *c;
	char text[256], a[NUMBER_SIZE];
	size_t measured, i, j;

	json_array_foreach(devices, i, d) {
		ceilings = json_object_get(d, "ceilings");
		measured = 0;
		json_array_foreach(json_object_get(ceilings, "items"), j, c)
			measured += is_measured(c);
		snprintf(text, sizeof(text), "Ceilings of %s, %s:",
		    or_unknown(field_text(d, "name")),
		    or_unknown(field_text(ceilings, "from")));
		out_segment(&cli->out, 0, "", text);
		json_array_foreach(json_object_get(ceilings, "items"), j, c) {
			snprintf(text, sizeof(text), "%s %s%s",
			    or_unknown(field_text(c, "label")),
			    number_rate(a, field_number(c, "value"),
			    or_unknown(field_text(c, "unit"))),
			    measured == 0 || is_measured(c) ? "" :
			    " (by its attributes)");
			out_segment(&cli->out, 2, j == 0 ? " " : "; ", text);
		}
		out_line(&cli->out);
	}
}

static void
print_notes(struct cli *cli, const struct footnotes *notes)
{
	footnotes_print(notes, cli);
	if (!cli->opt.quiet)
		out_wrap(&cli->out, 0, "of pipe: of the nearest pipe's "
		    "ceiling; /B: operations per byte moved; effective: bytes "
		    "that threads asked for, a second; of it: of the ceiling; "
		    "possible: large copies from pinned memory, or the GPU's "
		    "DRAM; bound: latency where nothing is near its "
		    "ceiling");
}

static int
print_roofline(struct cli *cli, const struct view *v, const json_t *devices,
    const json_t *copies)
{
	struct footnotes notes = { .n = 0 };
	int rc = 0;

	print_ceilings(cli, devices);
	if (json_array_size(v->kernels) == 0)
		out_text(&cli->out, "No kernel was launched.\n");
	else
		rc = print_kernels(cli, v->kernels, &notes);
	if (rc == 0 && json_array_size(copies) > 0)
		rc = print_copies(cli, copies, &notes);
	print_notes(cli, &notes);
	return rc;
}

/* The members of the kernels that this command shows. */
static json_t *
roofline_json(const struct view *v, json_t *devices, json_t *copies)
{
	json_t *kernels = json_array(), *k;
	size_t i;

	json_array_foreach(v->kernels, i, k)
		json_array_append_new(kernels,
		    json_pack("{s:O?, s:O?, s:O?, s:O?, s:O?}",
		    "id", json_object_get(k, "id"),
		    "name", json_object_get(k, "name"),
		    "share_ratio", json_object_get(k, "share_ratio"),
		    "roofline", json_object_get(k, "roofline"),
		    "bandwidth", json_object_get(k, "bandwidth")));
	return json_pack("{s:O, s:o, s:O}", "devices", devices, "kernels",
	    kernels, "copies", copies);
}

int
cmd_roofline(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	json_t *devices, *copies = NULL;
	struct view v;
	int status = EXIT_FAILED;

	if (view_load(cli, argc > 0 ? argv[0] : NULL, &v, &e) != 0)
		return cli_error(cli, &e);
	devices = view_document(cli, &v, DOCUMENT_devices, &e);
	if (devices != NULL)
		copies = view_document(cli, &v, DOCUMENT_copies, &e);
	if (devices == NULL || copies == NULL) {
		status = cli_error(cli, &e);
	} else if (cli->opt.json) {
		status = cli_json(cli, roofline_json(&v, devices, copies));
	} else if ((status = print_roofline(cli, &v, devices, copies)) != 0) {
		error_memory(&e);
		status = cli_error(cli, &e);
	}
	json_decref(copies);
	json_decref(devices);
	view_release(&v);
	return status;
}
