#include "cli/view.h"

#include "cli/command.h"

int
show_json(struct cli *cli, const struct view *v)
{

	return cli_json(cli, view_json(v));
}
