#include "cli/view.h"

#include "cli/command.h"

int
cmd_show(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct view v;
	int status;

	if (view_load(cli, argc > 0 ? argv[0] : NULL, &v, &e) != 0)
		return cli_error(cli, &e);
	/* As of run: errors only, but a file that was asked for is written. */
	status = cli->opt.quiet && cli->output == NULL ? 0 :
	    view_print(cli, &v);
	view_release(&v);
	return status;
}
