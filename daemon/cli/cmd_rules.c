#include <string.h>

#include "cli/table.h"
#include "report/json.h"
#include "report/text.h"
#include "rules/engine/finding.h"

#include "cli/command.h"

int
cmd_rules(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "rule", 0 }, { "category", TABLE_SPARE },
		{ "needs", TABLE_SPARE },
		{ "what it finds", TABLE_CUT | TABLE_LEAST(28) },
	};
	struct error e = ERROR_INIT;
	const struct rule_info *r;
	struct table *t;
	size_t i;
	int rc;

	(void)argc;
	(void)argv;
	if (cli->opt.json)
		return cli_json(cli, json_pack("{s:o}", "items",
		    json_rules()));
	t = table_new(&cli->out, columns, 4);
	for (i = 0; i < rule_count(); i++) {
		r = rule_info(i);
		table_row(t);
		table_cell(t, 0, r->id);
		table_cell(t, 1, r->category);
		table_cell(t, 2, r->needs);
		table_cell(t, 3, r->title);
	}
	rc = table_print(t);
	table_free(t);
	if (rc == 0)
		return 0;
	error_memory(&e);
	return cli_error(cli, &e);
}
