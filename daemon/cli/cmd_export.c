#include <stdio.h>
#include <stdlib.h>

#include "base/whole_file.h"
#include "cli/client.h"
#include "cli/daemon.h"
#include "cli/view.h"

#include "cli/command.h"

/* Writes the export of a capture file, as the daemon would. */
static int
export_capture(struct cli *cli, const char *path, FILE *f, struct error *e)
{
	const struct format *x = &format_exported[cli->opt.format];
	struct view v;
	int rc;

	if (x->write == NULL) {
		error_set(e, "'%.200s' is a file already", path);
		return error_remedy(e, "copy it");
	}
	if (view_load(cli, path, &v, e) != 0)
		return -1;
	rc = view_write(cli, &v, x->write, x->reads, f, e);
	view_release(&v);
	return rc;
}

static int
export_run(struct cli *cli, const char *ref, FILE *f, struct error *e)
{
	char *id;
	int rc;

	if (view_run_only("export", ref, e) != 0 ||
	    (cli->client = daemon_connect(e)) == NULL)
		return -1;
	if ((id = client_quote(ref)) == NULL)
		return error_memory(e);
	rc = view_download(cli, id, format_exported[cli->opt.format].name, f, e);
	free(id);
	return rc;
}

static int
export_to(struct cli *cli, const char *ref, FILE *f, struct error *e)
{

	return view_is_file(ref) ? export_capture(cli, ref, f, e) :
	    export_run(cli, ref, f, e);
}

int
cmd_export(struct cli *cli, int argc, char **argv)
{
	const struct format *x = &format_exported[cli->opt.format];
	struct error e = ERROR_INIT;
	struct whole_file w;
	int rc;

	(void)argc;
	if (cli->opt.output == NULL) {
		rc = view_binary(x->name, x->type, stdout, &e);
		if (rc == 0)
			rc = export_to(cli, argv[0], stdout, &e);
	} else if ((rc = whole_file_open(&w, cli->opt.output, &e)) == 0) {
		rc = export_to(cli, argv[0], w.file, &e);
		rc = whole_file_close(&w, rc == 0, &e);
	}
	return rc == 0 ? 0 : cli_error(cli, &e);
}
