#include "cli/command.h"

int
cmd_help(struct cli *cli, int argc, char **argv)
{
	const struct command *c;

	if (argc == 0) {
		help_all(&cli->out);
		return 0;
	}
	if ((c = command_find(argv[0])) == NULL)
		return help_unknown(cli, argv[0]);
	help_command(&cli->out, c);
	return 0;
}
