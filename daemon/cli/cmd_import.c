#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/client.h"
#include "cli/view.h"
#include "report/text_util.h"

#include "cli/command.h"

static int
import_one(struct cli *cli, const char *path, json_t **out, struct error *e)
{
	struct stat st;
	FILE *f;
	int rc;

	if ((f = fopen(path, "re")) == NULL)
		return (error_set(e, "cannot open '%s':", path));
	if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode)) {
		fclose(f);
		return (error_set(e, "'%s' is not a regular file", path));
	}
	rc = client_upload(cli->client, "/runs", f, out, e);
	fclose(f);
	return (rc < 0 ? -1 : 0);
}

static int
print_run(struct cli *cli, const json_t *answer)
{
	const char *uuid = field_text(answer, "uuid");
	struct error e = ERROR_INIT;
	struct view v;

	if (uuid == NULL)
		uuid = field_text(answer, "id");
	if (view_load(cli, uuid, &v, &e) != 0)
		return (cli_error(cli, &e));
	view_print(cli, &v);
	view_release(&v);
	return (0);
}

int
cmd_import(struct cli *cli, int argc, char **argv)
{
	json_t *answers = json_array(), *answer;
	struct error e;
	int i, status = 0;

	for (i = 0; i < argc; i++) {
		e = (struct error)ERROR_INIT;
		answer = NULL;
		if (import_one(cli, argv[i], &answer, &e) != 0) {
			struct error named = ERROR_INIT;

			error_set(&named, "%.150s: %.350s", argv[i], e.text);
			error_remedy(&named, "%s", e.remedy);
			status = cli_error(cli, &named);
			continue;
		}
		if (cli->opt.print)
			status |= print_run(cli, answer);
		else if (!cli->opt.json && !cli->opt.quiet)
			out_format(&cli->out, "%s is run %llu\n", argv[i],
			    (unsigned long long)field_count(answer, "number"));
		json_array_append_new(answers, answer);
	}
	if (cli->opt.json && !cli->opt.print)
		return (cli_json(cli, json_pack("{s:o}", "items", answers)) |
		    status);
	json_decref(answers);
	return (status);
}
