#include "cli/view.h"

#include "cli/command.h"

int
cmd_checklist(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	json_t *checklist;
	struct report r;
	struct view v;
	int status = 0;

	if (view_load(cli, argc > 0 ? argv[0] : NULL, &v, &e) != 0)
		return cli_error(cli, &e);
	checklist = view_document(cli, &v, DOCUMENT_checklist, &e);
	if (checklist == NULL) {
		status = cli_error(cli, &e);
	} else if (cli->opt.json) {
		status = cli_json(cli, json_incref(checklist));
	} else {
		r = view_report(cli, &v);
		text_checklist(&cli->out, &r, checklist);
	}
	json_decref(checklist);
	view_release(&v);
	return status;
}
