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
#define SHAPES 3		/* shown per function: those with the most time */

/* The headline metrics, in the order of their columns. */
static const char *const metrics[] = { "occupancy", "coalescing",
	"bank_conflicts", "divergence" };
#define METRICS ((int)(sizeof(metrics) / sizeof(metrics[0])))

static void
metric_cell(struct table *t, int column, const json_t *m, struct footnotes *notes)
{
	double v = field_number(m, "value");
	char a[NUMBER_SIZE];

	footnotes_cell(notes, t, column, v, number_percent(a, v),
	    field_text(m, "reason"));
}

static void
shape_cell(struct table *t, int column, const json_t *k)
{
	const json_t *side;
	const char *const sides[] = { "grid", "block" };
	char text[96];
	size_t at = 0, i, j, used;
	json_int_t v[3];

	text[0] = '\0';
	for (i = 0; i < 2; i++) {
		side = json_object_get(k, sides[i]);
		for (j = 0; j < 3; j++)
			v[j] = json_integer_value(json_array_get(side, j));
		/* Omit trailing dimensions of 1. */
		used = v[2] > 1 ? 3 : v[1] > 1 ? 2 : 1;
		for (j = 0; j < used; j++)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
			    "%s%u", j > 0 ? "," : i > 0 ? " × " : "",
			    (unsigned)v[j]);
	}
	table_cell(t, column, text);
}

/* The number of launch shapes of the function of ${k}; 1 for documents of older
 * versions. */
static uint64_t
shapes_of(const json_t *k)
{
	uint64_t n = field_count(json_object_get(k, "function"), "shapes");

	return n > 0 ? n : 1;
}

static uint64_t
function_of(const json_t *k)
{
	const json_t *id = json_object_get(json_object_get(k, "function"),
	    "id");

	return json_is_integer(id) ? (uint64_t)json_integer_value(id) :
	    field_count(k, "id");
}

static double
function_time(const json_t *k)
{
	double own = field_number(json_object_get(k, "time"), "total_ns");
	double all = field_number(json_object_get(k, "function"), "total_ns");

	return isnan(all) ? own : all;
}

/* For sorting: functions by time, and their shapes within. */
static int
by_function(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	double s = function_time(x), t = function_time(y);
	uint64_t f = function_of(x), g = function_of(y);

	if (s != t)
		return s < t ? 1 : -1;
	if (f != g)
		return f < g ? -1 : 1;
	s = field_number(json_object_get(x, "time"), "total_ns");
	t = field_number(json_object_get(y, "time"), "total_ns");
	return s < t ? 1 : s > t ? -1 : 0;
}

/* The row above a function's shapes: their sums. */
static void
function_row(struct table *t, const json_t *k)
{
	const json_t *f = json_object_get(k, "function");
	double total = field_number(f, "total_ns") / 1e9;
	uint64_t launches = field_count(f, "launches");
	char a[NUMBER_SIZE];

	table_row(t);
	table_cell(t, 1, field_text(k, "short_name"));
	table_cell(t, 2, number_seconds(a, total));
	table_cell(t, 3, number_percent(a, field_number(f, "share_ratio")));
	table_cell(t, 4, number_count(a, launches));
	table_cell(t, 5, number_seconds(a, launches > 0 ?
	    total / (double)launches : NAN));
	table_cell(t, 6, number_of(a, shapes_of(k), "shape"));
}

static void
kernel_row(struct table *t, const json_t *k, struct footnotes *notes)
{
	const json_t *headline = json_object_get(k, "headline");
	const json_t *time = json_object_get(k, "time");
	char a[NUMBER_SIZE];
	int i;

	table_row(t);
	snprintf(a, sizeof(a), "%u", (unsigned)field_count(k, "id"));
	table_cell(t, 0, a);
	table_cell(t, 1, shapes_of(k) > 1 ? "" : field_text(k, "short_name"));
	table_cell(t, 2, number_seconds(a,
	    field_number(time, "total_ns") / 1e9));
	table_cell(t, 3, number_percent(a, field_number(k, "share_ratio")));
	table_cell(t, 4, number_count(a, field_count(k, "launches")));
	table_cell(t, 5, number_seconds(a,
	    field_number(time, "mean_ns") / 1e9));
	shape_cell(t, 6, k);
	for (i = 0; i < METRICS; i++)
		metric_cell(t, 7 + i, json_object_get(headline, metrics[i]),
		    notes);
	table_cell(t, 7 + METRICS, field_text(k, "bound"));
}

/* The rows of ${k}[0..n), sorted; returns the number of shapes left out of the
 * functions shown. */
static size_t
kernel_rows(struct cli *cli, struct table *t, json_t *const *k, size_t n,
    struct footnotes *notes)
{
	bool all = cli->opt.verbose || cli->opt.limit > 0;
	size_t in = 0, left_out = 0, i;

	for (i = 0; i < n; i++) {
		in = i > 0 && function_of(k[i - 1]) == function_of(k[i]) ?
		    in + 1 : 0;
		if (in == 0 && shapes_of(k[i]) > 1)
			function_row(t, k[i]);
		if (in >= SHAPES && !all)
			left_out++;
		else
			kernel_row(t, k[i], notes);
	}
	return left_out;
}

static void
print_notes(struct cli *cli, const struct footnotes *notes, size_t all,
    size_t left_out, size_t shapes)
{
	char text[96];

	footnotes_print(notes, cli);
	if (shapes > 0) {
		snprintf(text, sizeof(text), "%zu more shape%s with less time: "
		    "-v shows all", shapes, shapes == 1 ? "" : "s");
		out_wrap(&cli->out, 0, text);
	}
	if (left_out > 0)
		out_format(&cli->out, "%zu more: -n %zu shows them\n",
		    left_out, all);
	if (!cli->opt.quiet)
		out_wrap(&cli->out, 0, "coal.: bytes used of the bytes moved; "
		    "conf.: shared-memory wavefronts that are bank conflicts; "
		    "div.: lanes idle in executed instructions");
}

static int
print_kernels(struct cli *cli, const json_t *kernels)
{
	static const struct table_column columns[] = {
		{ "#", TABLE_RIGHT }, { "kernel", TABLE_CUT | TABLE_LEAST(18) },
		{ "total", TABLE_RIGHT }, { "run", TABLE_RIGHT },
		{ "launches", TABLE_RIGHT | TABLE_SPARE },
		{ "mean", TABLE_RIGHT | TABLE_SPARE },
		{ "grid × block", TABLE_SHORT | TABLE_SPARE |
		    TABLE_LEAST(10) },
		{ "occ.", TABLE_RIGHT | TABLE_SPARE },
		{ "coal.", TABLE_RIGHT | TABLE_SPARE },
		{ "conf.", TABLE_RIGHT | TABLE_SPARE },
		{ "div.", TABLE_RIGHT | TABLE_SPARE }, { "bound", 0 },
	};
	size_t n = json_array_size(kernels), most = LINES, shapes = 0;
	struct footnotes notes = { .n = 0 };
	struct error e = ERROR_INIT;
	struct table *t;
	json_t **k;
	int rc;

	if (n == 0) {
		out_text(&cli->out, "No kernel was launched.\n");
		return 0;
	}
	if (cli->opt.limit > 0)
		most = (size_t)cli->opt.limit;
	t = table_new(&cli->out, columns, (int)(sizeof(columns) /
	    sizeof(columns[0])));
	k = by_time(kernels);
	if (k != NULL) {
		qsort(k, n, sizeof(*k), by_function);
		shapes = kernel_rows(cli, t, k, n < most ? n : most, &notes);
	}
	rc = k != NULL ? table_print(t) : -1;
	table_free(t);
	free(k);
	if (rc != 0) {
		error_memory(&e);
		return cli_error(cli, &e);
	}
	print_notes(cli, &notes, n, n > most ? n - most : 0, shapes);
	return 0;
}

int
cmd_kernels(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct view v;
	int status;

	if (view_load(cli, argc > 0 ? argv[0] : NULL, &v, &e) != 0)
		return cli_error(cli, &e);
	if (cli->opt.json)
		status = cli_json(cli, json_pack("{s:O}", "items", v.kernels));
	else
		status = print_kernels(cli, v.kernels);
	view_release(&v);
	return status;
}
