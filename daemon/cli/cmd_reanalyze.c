#include <stdlib.h>

#include "cli/client.h"

#include "cli/command.h"

int
cmd_reanalyze(struct cli *cli, int argc, char **argv)
{
	json_t *items = json_array(), *answer;
	struct error e;
	char *id, *path;
	int i, status = 0;

	for (i = 0; i < argc; i++) {
		e = (struct error)ERROR_INIT;
		answer = NULL;
		if ((id = client_quote(argv[i])) == NULL ||
		    asprintf(&path, "/runs/%s/reanalyze", id) < 0) {
			free(id);
			error_memory(&e);
			status = cli_error(cli, &e);
			break;
		}
		if (client_send(cli->client, "POST", path, NULL, &answer,
		    &e) < 0)
			status = cli_error(cli, &e);
		else if (!cli->opt.quiet && !cli->opt.json)
			out_format(&cli->out, "run %s analysed again\n",
			    argv[i]);
		if (answer != NULL)
			json_array_append_new(items, answer);
		free(path);
		free(id);
	}
	if (cli->opt.json)
		return cli_json(cli, json_pack("{s:o}", "items", items)) |
		    status;
	json_decref(items);
	return status;
}
