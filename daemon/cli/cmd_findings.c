#include "cli/view.h"

#include "cli/command.h"

int
cmd_findings(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct report r;
	struct view v;
	int status = 0;

	if (view_load(cli, argc > 0 ? argv[0] : NULL, &v, &e) != 0)
		return cli_error(cli, &e);
	r = view_report(cli, &v);
	if (cli->opt.json)
		status = cli_json(cli, json_incref(v.findings));
	else
		text_findings(&cli->out, &r, cli->opt.all);
	view_release(&v);
	return status;
}
