#include <stdio.h>
#include <stdlib.h>

#include "base/whole_file.h"
#include "cli/client.h"
#include "cli/view.h"

#include "cli/command.h"

static const struct {
	const char *name, *type;
} formats[EXPORTED_FORMATS] = {
#define SHOWN(name, help)
#define EXPORTED(name, suffix, type, help)				\
	[EXPORTED_##name] = { #name, type },
#define WRITTEN(id, name, suffix, type, reads, help)				\
	[EXPORTED_##id] = { name, type },
#include "report/format.def"
#undef WRITTEN
#undef EXPORTED
#undef SHOWN
};

static int
export_to(struct cli *cli, const char *id, FILE *f, struct error *e)
{
	char *path;
	int rc;

	if (asprintf(&path, "/runs/%s/export?format=%s", id,
	    formats[cli->opt.format].name) < 0)
		return error_memory(e);
	rc = client_download(cli->client, path, f, e);
	free(path);
	return rc < 0 ? -1 : 0;
}

static int
export_file(struct cli *cli, const char *id, struct error *e)
{
	struct whole_file w;
	bool whole;

	if (whole_file_open(&w, cli->opt.output, e) != 0)
		return -1;
	whole = export_to(cli, id, w.file, e) == 0;
	return whole_file_close(&w, whole, e);
}

int
cmd_export(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	char *id;
	int rc;

	(void)argc;
	if (view_run_only("export", argv[0], &e) != 0)
		return cli_error(cli, &e);
	if ((id = client_quote(argv[0])) == NULL) {
		error_memory(&e);
		return cli_error(cli, &e);
	}
	if (cli->opt.output != NULL) {
		rc = export_file(cli, id, &e);
	} else {
		rc = view_binary(formats[cli->opt.format].name,
		    formats[cli->opt.format].type, stdout, &e);
		if (rc == 0)
			rc = export_to(cli, id, stdout, &e);
	}
	free(id);
	return rc == 0 ? 0 : cli_error(cli, &e);
}
