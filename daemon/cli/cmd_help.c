#include <string.h>

#include "cli/command.h"

int
cmd_help(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	const struct command *c;

	if (argc == 0) {
		help_all(&cli->out);
		return (0);
	}
	if ((c = command_find(argv[0])) == NULL) {
		error_set(&e, "unknown command '%.100s'", argv[0]);
		error_remedy(&e, "cudadvise help lists the commands");
		cli_error(cli, &e);
		return (EXIT_USAGE);
	}
	help_command(&cli->out, c);
	return (0);
}
