#include <stdlib.h>

#include "cli/client.h"

#include "cli/command.h"

int
cmd_rm(struct cli *cli, int argc, char **argv)
{
	json_t *removed = json_array();
	struct error e;
	char *id, *path;
	int i, status = 0;

	for (i = 0; i < argc; i++) {
		e = (struct error)ERROR_INIT;
		if ((id = client_quote(argv[i])) == NULL ||
		    asprintf(&path, "/runs/%s", id) < 0) {
			free(id);
			error_memory(&e);
			status = cli_error(cli, &e);
			break;
		}
		if (client_send(cli->client, "DELETE", path, NULL, NULL,
		    &e) < 0)
			status = cli_error(cli, &e);
		else
			json_array_append_new(removed, json_string(argv[i]));
		free(path);
		free(id);
	}
	if (cli->opt.json)
		return cli_json(cli, json_pack("{s:o}", "removed", removed)) |
		    status;
	json_decref(removed);
	return status;
}
