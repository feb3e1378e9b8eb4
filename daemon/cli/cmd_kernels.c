#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "cli/view.h"
#include "report/number.h"
#include "report/text_util.h"

#include "cli/command.h"

#define LINES 50
#define NOTES 16

/* The headline metrics, in the order of their columns. */
static const char *const metrics[] = { "occupancy", "coalescing",
	"bank_conflicts", "divergence" };
#define METRICS ((int)(sizeof(metrics) / sizeof(metrics[0])))

/* Reasons for dashes: each is told once, below the table. Borrowed. */
struct notes {
	const char *reason[NOTES];
	int n;
};

/* The footnote's number, 0 when there are too many different ones. */
static int
note_number(struct notes *notes, const char *reason)
{
	int i;

	for (i = 0; i < notes->n; i++)
		if (strcmp(notes->reason[i], reason) == 0)
			return (i + 1);
	if (notes->n == NOTES)
		return (0);
	notes->reason[notes->n++] = reason;
	return (notes->n);
}

static void
metric_cell(struct table *t, int column, const json_t *m, struct notes *notes)
{
	const char *reason = field_text(m, "reason");
	char text[NUMBER_SIZE + 16], a[NUMBER_SIZE];
	int n;

	number_percent(a, field_number(m, "value"));
	if (!isnan(field_number(m, "value")) || reason == NULL ||
	    (n = note_number(notes, reason)) == 0)
		snprintf(text, sizeof(text), "%s", a);
	else
		snprintf(text, sizeof(text), "– (%d)", n);
	table_cell(t, column, text);
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
		/* Trailing dimensions of 1 say nothing. */
		used = v[2] > 1 ? 3 : v[1] > 1 ? 2 : 1;
		for (j = 0; j < used; j++)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
			    "%s%u", j > 0 ? "," : i > 0 ? " × " : "",
			    (unsigned)v[j]);
	}
	table_cell(t, column, text);
}

static void
kernel_row(struct table *t, const json_t *k, struct notes *notes)
{
	const json_t *headline = json_object_get(k, "headline");
	const json_t *time = json_object_get(k, "time");
	char a[NUMBER_SIZE];
	int i;

	table_row(t);
	snprintf(a, sizeof(a), "%u", (unsigned)field_count(k, "id"));
	table_cell(t, 0, a);
	table_cell(t, 1, field_text(k, "short_name"));
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

static void
print_notes(struct cli *cli, const struct notes *notes, size_t all,
    size_t left_out)
{
	char text[512];
	int i;

	for (i = 0; i < notes->n; i++) {
		snprintf(text, sizeof(text), "(%d) %s", i + 1,
		    notes->reason[i]);
		out_wrap(&cli->out, 4, text);
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
		{ "#", TABLE_RIGHT }, { "kernel", TABLE_CUT },
		{ "total", TABLE_RIGHT }, { "run", TABLE_RIGHT },
		{ "launches", TABLE_RIGHT }, { "mean", TABLE_RIGHT },
		{ "grid × block", TABLE_SHORT }, { "occ.", TABLE_RIGHT },
		{ "coal.", TABLE_RIGHT }, { "conf.", TABLE_RIGHT },
		{ "div.", TABLE_RIGHT }, { "bound", 0 },
	};
	size_t n = json_array_size(kernels), most = LINES, i;
	struct notes notes = { .n = 0 };
	struct error e = ERROR_INIT;
	struct table *t;
	json_t **k;
	int rc, width = cli->out.width;

	if (n == 0) {
		out_text(&cli->out, "No kernel was launched.\n");
		return (0);
	}
	if (cli->opt.limit > 0)
		most = (size_t)cli->opt.limit;
	/* A table wider than the text is easier to read than a cut one. */
	if (cli->out.width < 132 && cli->output == NULL)
		cli->out.width = cli->out.width < 100 ? 100 : cli->out.width;
	t = table_new(&cli->out, columns, (int)(sizeof(columns) /
	    sizeof(columns[0])));
	k = view_by_time(kernels);
	for (i = 0; k != NULL && i < n && i < most; i++)
		kernel_row(t, k[i], &notes);
	rc = k != NULL ? table_print(t) : -1;
	table_free(t);
	free(k);
	cli->out.width = width;
	if (rc != 0) {
		error_set(&e, "out of memory");
		return (cli_error(cli, &e));
	}
	print_notes(cli, &notes, n, n > most ? n - most : 0);
	return (0);
}

int
cmd_kernels(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct view v;
	int status;

	if (view_load(cli, argc > 0 ? argv[0] : NULL, &v, &e) != 0)
		return (cli_error(cli, &e));
	if (cli->opt.json)
		status = cli_json(cli, json_pack("{s:O}", "items", v.kernels));
	else
		status = print_kernels(cli, v.kernels);
	view_release(&v);
	return (status);
}
