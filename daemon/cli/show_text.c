#include "cli/view.h"

#include "cli/command.h"

int
show_text(struct cli *cli, const struct view *v)
{
	struct report r = view_report(cli, v);

	text_report(&cli->out, &r);
	return 0;
}
