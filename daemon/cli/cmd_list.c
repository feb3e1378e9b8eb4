#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/client.h"
#include "cli/table.h"
#include "report/text_util.h"

#include "cli/command.h"

#define LINES 20

/* "2026-11-20T13:26:15.000Z" as "2026-11-20 13:26" */
static void
instant_cell(struct table *t, int column, const char *instant)
{
	char text[17];

	snprintf(text, sizeof(text), "%s", instant != NULL ? instant : "–");
	if (instant != NULL && strlen(instant) > 10)
		text[10] = ' ';
	table_cell(t, column, text);
}

static void
list_row(struct table *t, const json_t *run)
{
	char a[NUMBER_SIZE];
	const char *label = field_text(run, "label");
	double saves = field_number(run, "together_s");

	table_row(t);
	snprintf(a, sizeof(a), "%llu",
	    (unsigned long long)field_count(run, "number"));
	table_cell(t, 0, a);
	instant_cell(t, 1, field_text(run, "started_at"));
	table_cell(t, 2, field_text(run, "state"));
	table_cell(t, 3, number_seconds(a,
	    field_number(run, "wall_ns") / 1e9));
	/* Runs that an older version analysed lack "changes". */
	table_cell(t, 4, number_count(a, field_count(run, json_object_get(run,
	    "changes") != NULL ? "changes" : "worth_it")));
	table_cell(t, 5, saves > 0 ? number_seconds(a, saves) : "–");
	table_cell(t, 6, label != NULL && *label != '\0' ? label :
	    field_text(run, "command"));
}

int
cmd_list(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "run", TABLE_RIGHT }, { "started (UTC)", 0 }, { "state", 0 },
		{ "took", TABLE_RIGHT | TABLE_SPARE },
		{ "findings", TABLE_RIGHT | TABLE_SPARE },
		{ "would save", TABLE_RIGHT },
		{ "command", TABLE_CUT | TABLE_LEAST(18) },
	};
	struct error e = ERROR_INIT;
	size_t limit = cli->opt.limit > 0 ? (size_t)cli->opt.limit :
	    cli->opt.all ? 0 : LINES, i;
	struct table *t;
	const json_t *run;
	json_t *runs;
	int status = 0;
	bool cut;

	(void)argc;
	(void)argv;
	/* Without --limit get one more, to know whether there are more. */
	cut = limit > 0 && cli->opt.limit == 0 && !cli->opt.json;
	if ((runs = client_items(cli->client, "/runs", limit + cut, &e)) ==
	    NULL)
		return cli_error(cli, &e);
	if (cut && (cut = json_array_size(runs) > limit))
		json_array_remove(runs, limit);
	if (cli->opt.json)
		return cli_json(cli, json_pack("{s:o}", "items", runs));
	if (json_array_size(runs) == 0) {
		out_text(&cli->out, "No run is recorded yet: cudadvise run "
		    "PROGRAM records one.\n");
		json_decref(runs);
		return 0;
	}
	t = table_new(&cli->out, columns, (int)(sizeof(columns) /
	    sizeof(columns[0])));
	json_array_foreach(runs, i, run)
		list_row(t, run);
	if (table_print(t) != 0) {
		error_memory(&e);
		status = cli_error(cli, &e);
	}
	table_free(t);
	if (cut)
		out_text(&cli->out, "older ones: cudadvise list --all\n");
	json_decref(runs);
	return status;
}
