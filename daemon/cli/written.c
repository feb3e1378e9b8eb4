/* Writes a run in the requested format (report/format.def). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/loaded.h"
#include "report/format.h"

#include "cli/view.h"

/* Appends the table to the step's summary (GitHub Actions). */
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
	format_write *write;
	enum format_reads reads;
} formats[SHOWN_FORMATS] = {
#define SHOWN(name, help)						\
	[SHOWN_##name] = { #name, "", show_##name, NULL, FORMAT_DOCUMENTS },
#define WRITTEN(id, name, suffix, type, reads, help)			\
	[SHOWN_##id] = { name, type, NULL, format_##id, FORMAT_##reads },
#include "report/format.def"
};

int
view_write(struct cli *cli, const struct view *v, format_write *write,
    enum format_reads reads, FILE *f, struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	struct report r = view_report(cli, v);
	struct reader reader;
	json_t *copies = NULL;
	int bad;

	if (write == format_csv)
		r.copies = copies = view_document(cli, v, DOCUMENT_copies,
		    NULL);
	if (reads != FORMAT_DOCUMENTS) {
		loaded_reader(&reader, v->loaded, tmp != NULL &&
		    tmp[0] == '/' ? tmp : "/tmp", e);
		r.reader = &reader;
	}
	bad = write(f, &r);
	json_decref(copies);
	if (bad != 0)
		return error_memory(e);	/* unless it reported more */
	if (write == format_github)
		add_summary(&r);
	return 0;
}

int
view_download(struct cli *cli, const char *id, const char *format, FILE *f,
    struct error *e)
{
	char *path;
	int rc;

	if (asprintf(&path, "/runs/%s/export?format=%s", id, format) < 0)
		return error_memory(e);
	rc = client_download(cli->client, path, f, e);
	free(path);
	return rc < 0 ? -1 : 0;
}

int
view_print(struct cli *cli, const struct view *v)
{
	const struct written *w = &formats[cli->opt.format];
	FILE *f = cli->out.file;
	struct error e = ERROR_INIT;
	int rc;

	if (w->write == NULL)
		return w->show(cli, v);
	rc = view_binary(w->name, w->type, f, &e);
	if (rc == 0)	/* the daemon has its runs' captures */
		rc = w->reads != FORMAT_DOCUMENTS && v->loaded == NULL ?
		    view_download(cli, v->name, w->name, f, &e) :
		    view_write(cli, v, w->write, w->reads, f, &e);
	return rc != 0 ? cli_error(cli, &e) : 0;
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
