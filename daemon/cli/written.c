/* A run in the format that was asked for (report/format.def). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/loaded.h"
#include "report/format.h"

#include "cli/view.h"

/* The table of the step is beside its log (GitHub Actions). */
static void
add_summary(const struct report *r)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *f;

	if (path == NULL || *path == '\0' || (f = fopen(path, "ae")) == NULL)
		return;
	format_markdown(f, r);
	fclose(f);
}

static const struct written {
	const char *name, *type;
	int (*show)(struct cli *, const struct view *);
	int (*write)(FILE *, const struct report *);
	enum format_reads reads;
} formats[SHOWN_FORMATS] = {
#define EXPORTED(name, suffix, type, help)
#define SHOWN(name, help)						\
	[SHOWN_##name] = { #name, "", show_##name, NULL, FORMAT_DOCUMENTS },
#define WRITTEN(id, name, suffix, type, reads, help)			\
	[SHOWN_##id] = { name, type, NULL, format_##id, FORMAT_##reads },
#include "report/format.def"
#undef WRITTEN
#undef SHOWN
#undef EXPORTED
};

/* A document for another program. */
static int
write_out(struct cli *cli, const struct view *v, const struct written *w)
{
	const char *tmp = getenv("TMPDIR");
	struct report r = view_report(cli, v);
	struct error e = ERROR_INIT;
	struct reader reader;
	json_t *copies = NULL;
	int bad;

	if (w->write == format_csv)
		r.copies = copies = view_document(cli, v, DOCUMENT_copies,
		    NULL);
	if (w->reads == FORMAT_CAPTURE) {
		loaded_reader(&reader, v->loaded, tmp != NULL &&
		    tmp[0] == '/' ? tmp : "/tmp", &e);
		r.reader = &reader;
	}
	bad = w->write(cli->out.file, &r);
	json_decref(copies);
	if (bad != 0) {
		error_memory(&e);	/* unless it said more */
		return cli_error(cli, &e);
	}
	if (w->write == format_github)
		add_summary(&r);
	return 0;
}

/* The daemon has the capture of its runs. */
static int
download(struct cli *cli, const struct view *v, const struct written *w)
{
	struct error e = ERROR_INIT;
	char *path;
	int rc;

	if (asprintf(&path, "/runs/%s/export?format=%s", v->name, w->name) < 0)
		rc = error_memory(&e);
	else {
		rc = client_download(cli->client, path, cli->out.file, &e);
		free(path);
	}
	return rc < 0 ? cli_error(cli, &e) : 0;
}

int
view_print(struct cli *cli, const struct view *v)
{
	const struct written *w = &formats[cli->opt.format];
	struct error e = ERROR_INIT;

	if (w->write == NULL)
		return w->show(cli, v);
	if (view_binary(w->name, w->type, cli->out.file, &e) != 0)
		return cli_error(cli, &e);
	return w->reads == FORMAT_CAPTURE && v->loaded == NULL ?
	    download(cli, v, w) : write_out(cli, v, w);
}

int
view_binary(const char *name, const char *type, FILE *f, struct error *e)
{

	if (strcmp(type, "application/octet-stream") != 0 ||
	    !isatty(fileno(f)))
		return 0;
	error_set(e, "%s is not for a terminal", name);
	return error_remedy(e, "use -o FILE, or a pipe");
}
