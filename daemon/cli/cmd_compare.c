#include "cli/view.h"

#include "cli/command.h"

int
cmd_compare(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct view base, target;
	json_t *compare;
	int status = 0;

	if (view_load(cli, argv[0], &base, &e) != 0)
		return (cli_error(cli, &e));
	if (view_load(cli, argc > 1 ? argv[1] : NULL, &target, &e) != 0) {
		view_release(&base);
		return (cli_error(cli, &e));
	}
	if ((compare = view_compare(&base, &target)) == NULL) {
		error_set(&e, "out of memory");
		status = cli_error(cli, &e);
	} else if (cli->opt.json) {
		status = cli_json(cli, json_incref(compare));
	} else {
		text_compare(&cli->out, compare, base.name, target.name);
	}
	json_decref(compare);
	view_release(&target);
	view_release(&base);
	return (status);
}
