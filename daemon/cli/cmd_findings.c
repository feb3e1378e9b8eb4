#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/client.h"
#include "cli/daemon.h"
#include "cli/table.h"
#include "cli/view.h"
#include "report/format.h"
#include "report/json.h"
#include "report/text_util.h"
#include "rules/engine/finding.h"

#include "cli/command.h"

#define LINES 50		/* of all runs, in text form */
#define PAGE 200

/* --- of one run ------------------------------------------------------------- */

static bool
is_wanted(const struct options *o, const json_t *f)
{

	return (o->rule == NULL || strcmp(or_unknown(field_text(f, "rule")),
	    o->rule) == 0) &&
	    severity_called(field_text(f, "severity")) >= o->severity - 1;
}

/* Removes the findings that were not asked for from ${findings}. */
static void
choose(const struct options *o, json_t *findings)
{
	json_t *items = json_object_get(findings, "items");
	size_t i = json_array_size(items);

	while (i-- > 0)
		if (!is_wanted(o, json_array_get(items, i)))
			json_array_remove(items, i);
}

static int
of_run(struct cli *cli, const char *ref)
{
	struct error e = ERROR_INIT;
	struct report r;
	struct view v;
	int status = 0;

	if (view_load(cli, ref, &v, &e) != 0)
		return cli_error(cli, &e);
	choose(&cli->opt, v.findings);
	r = view_report(cli, &v);
	if (cli->opt.json) {
		status = cli_json(cli, json_incref(v.findings));
	} else if (cli->opt.format == SHOWN_jsonl) {
		if (format_jsonl(cli->out.file, &r) != 0) {
			error_memory(&e);
			status = cli_error(cli, &e);
		}
	} else {
		text_findings(&cli->out, &r, cli->opt.all);
	}
	view_release(&v);
	return status;
}

/* --- of all runs, page by page -------------------------------------------------- */

struct list {
	struct cli *cli;
	size_t left, written;	/* rows: still allowed; written */
	bool more;		/* there are more than allowed */
	struct table *table;	/* for text */
};

/* Appends "&name=value" to ${f}. */
static int
ask(FILE *f, const char *name, const char *value)
{
	char *quoted;

	if (value == NULL)
		return 0;
	if ((quoted = client_quote(value)) == NULL)
		return -1;
	fprintf(f, "&%s=%s", name, quoted);
	free(quoted);
	return 0;
}

/* The page after ${cursor}; NULL with ${e} set. */
static json_t *
get_page(struct list *l, const char *run, const char *cursor,
    struct error *e)
{
	const struct options *o = &l->cli->opt;
	char *path = NULL;
	json_t *page = NULL;
	size_t size;
	FILE *f = open_memstream(&path, &size);
	bool ok;

	if (f == NULL) {
		error_memory(e);
		return NULL;
	}
	/* One more than are written shows whether there are more. */
	fprintf(f, "/findings?limit=%zu", l->left < PAGE ? l->left + 1 :
	    (size_t)PAGE);
	ok = ask(f, "cursor", cursor) == 0 && ask(f, "run", run) == 0 &&
	    ask(f, "rule", o->rule) == 0 && ask(f, "severity", o->severity >
	    0 ? severity_name[o->severity - 1] : NULL) == 0 &&
	    ask(f, "program", o->program) == 0 && ask(f, "since",
	    o->since) == 0 && ask(f, "worth_it", o->format == SHOWN_text &&
	    !o->all ? "true" : NULL) == 0;
	if (fclose(f) != 0 || !ok)
		error_memory(e);
	else if (client_get(l->cli->client, path, &page, e) < 0)
		page = NULL;
	free(path);
	return page;
}

static void
put_row(struct list *l, const json_t *f)
{
	const json_t *run = json_object_get(f, "run");
	const char *started = field_text(run, "started_at");
	double s = field_number(json_object_get(f, "saves"), "s");
	char a[NUMBER_SIZE];

	table_row(l->table);
	snprintf(a, sizeof(a), "%llu", (unsigned long long)field_count(run,
	    "number"));
	table_cell(l->table, 0, a);
	snprintf(a, 11, "%s", started != NULL ? started : "–");
	table_cell(l->table, 1, a);
	table_cell(l->table, 2, isnan(s) ? "–" : number_seconds(a, s));
	table_cell(l->table, 3, field_text(f, "severity"));
	table_cell(l->table, 4, field_text(f, "rule"));
	table_cell(l->table, 5, field_text(f, "where"));
	table_cell(l->table, 6, field_text(run, "command"));
}

static void
put_json(struct list *l, json_t *f)
{
	FILE *out = l->cli->out.file;
	/* A program's strings must not reach a terminal unescaped. */
	size_t flags = JSON_COMPACT | (isatty(fileno(out)) ?
	    JSON_ENSURE_ASCII : 0);

	if (l->cli->opt.format == SHOWN_jsonl) {
		json_object_set_new(f, "schema_version",
		    json_integer(SCHEMA_VERSION));
		json_dumpf(f, out, flags);
		putc('\n', out);
		return;
	}
	fputs(l->written > 0 ? ",\n" : "\n", out);
	json_dumpf(f, out, flags);
}

static void
put_page(struct list *l, const json_t *page)
{
	json_t *f;
	size_t i;

	json_array_foreach(json_object_get(page, "items"), i, f) {
		if (l->left == 0) {
			l->more = true;
			return;
		}
		if (l->table != NULL)
			put_row(l, f);
		else
			put_json(l, f);
		l->written++;
		l->left--;
	}
}

static int
put_pages(struct list *l, const char *run, struct error *e)
{
	char *cursor = NULL;
	const char *next;
	json_t *page;

	do {
		page = get_page(l, run, cursor, e);
		free(cursor);
		if (page == NULL)
			return -1;
		put_page(l, page);
		next = field_text(page, "next_cursor");
		cursor = next != NULL ? strdup(next) : NULL;
		json_decref(page);
	} while (cursor != NULL && !l->more && !ferror(l->cli->out.file));
	free(cursor);
	return 0;
}

static void
table_end(struct list *l)
{
	struct out *o = &l->cli->out;

	if (l->written == 0) {
		out_text(o, "No such finding in any run.\n");
		return;
	}
	if (table_print(l->table) != 0)
		return;
	if (l->more)
		out_text(o, "there are more: --limit COUNT, or --format jsonl\n");
}

static int
of_all(struct cli *cli, const char *run)
{
	static const struct table_column columns[] = {
		{ "run", TABLE_RIGHT }, { "started", TABLE_SPARE },
		{ "would save", TABLE_RIGHT }, { "severity", TABLE_SPARE },
		{ "rule", 0 }, { "where", TABLE_CUT | TABLE_LEAST(18) },
		{ "command", TABLE_CUT | TABLE_SPARE },
	};
	bool text = cli->opt.format == SHOWN_text;
	struct list l = { .cli = cli, .left = cli->opt.limit > 0 ?
	    (size_t)cli->opt.limit : text ? LINES : SIZE_MAX };
	struct error e = ERROR_INIT;
	int rc;

	if (cli->client == NULL &&
	    (cli->client = daemon_connect(&e)) == NULL)
		return cli_error(cli, &e);
	if (text && (l.table = table_new(&cli->out, columns,
	    (int)(sizeof(columns) / sizeof(columns[0])))) == NULL) {
		error_memory(&e);
		return cli_error(cli, &e);
	}
	if (cli->opt.json)
		fprintf(cli->out.file, "{\"schema_version\":%d,\"items\":[",
		    SCHEMA_VERSION);
	rc = put_pages(&l, run, &e);
	if (cli->opt.json)
		fputs("\n]}\n", cli->out.file);
	if (text && rc == 0)
		table_end(&l);
	table_free(l.table);
	return rc != 0 ? cli_error(cli, &e) : 0;
}

int
cmd_findings(struct cli *cli, int argc, char **argv)
{
	const char *ref = argc > 0 ? argv[0] : NULL;
	const char *rule = cli->opt.rule;
	struct error e = ERROR_INIT;

	if (rule != NULL && rule_find(rule) == NULL) {
		error_set(&e, "--rule: there is no practice '%.60s'", rule);
		error_remedy(&e, "cudadvise rules lists them");
		cli_error(cli, &e);
		return EXIT_USAGE;
	}
	if (!cli->opt.all_runs && cli->opt.limit > 0) {
		error_set(&e, "--limit is for the findings of all runs: "
		    "--all-runs, --program or --since");
		cli_error(cli, &e);
		return EXIT_USAGE;
	}
	if (!cli->opt.all_runs)
		return of_run(cli, ref);
	if (ref != NULL && view_run_only("findings --all-runs", ref, &e) != 0)
		return cli_error(cli, &e);
	return of_all(cli, ref);
}
