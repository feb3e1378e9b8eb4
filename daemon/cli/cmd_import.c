#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/view.h"
#include "report/text_util.h"

#include "cli/command.h"

/* Adds the file's name, which the daemon does not know, to its reason ${why}. */
static int
not_taken(const char *path, const struct error *why, struct error *e)
{

	error_set(e, "'%.200s' was not taken: %.350s", path, why->text);
	return error_remedy(e, "%s", why->remedy);
}

static int
import_one(struct cli *cli, const char *path, json_t **out, struct error *e)
{
	/* Do not block on a pipe without a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
	struct stat st;
	struct error why = ERROR_INIT;
	FILE *f = NULL;

	if (fd < 0)
		return error_set(e, "cannot open '%s':", path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(e, "'%s' is not a regular file", path);
	}
	if ((f = fdopen(fd, "r")) == NULL) {
		close(fd);
		return error_set(e, "cannot open '%s':", path);
	}
	rc = client_upload(cli->client, "/runs", f, out, &why);
	fclose(f);
	return rc < 0 ? not_taken(path, &why, e) : 0;
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
		return cli_error(cli, &e);
	view_print(cli, &v);
	view_release(&v);
	return 0;
}

/* Notes that a run did not end normally; a report says so, this command's line
 * does not. A killed program may still have sent everything. */
static void
note_end(struct cli *cli, const char *path, const json_t *run)
{
	const json_t *uploaded = json_object_get(run, "uploaded");
	const char *state = or_unknown(field_text(run, "state"));
	bool cut = field_true(uploaded, "truncated");

	view_note_damage(cli, path, cut, field_count(uploaded, "damaged"));
	if (cut || cli->opt.print)
		return;
	if (json_is_integer(json_object_get(run, "signal")))
		cli_note(cli, "'%s' ends early: its program was killed by "
		    "signal %d, and what it had not sent by then is missing",
		    path, (int)field_count(run, "signal"));
	else if ((strcmp(state, "finished") != 0 &&
	    strcmp(state, "live") != 0) ||
	    field_count(json_object_get(run, "data"), "unended") > 0)
		cli_note(cli, "'%s' ends early: its program was killed, or the "
		    "file was cut; how much is missing is not known", path);
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
			status = cli_error(cli, &e);
			continue;
		}
		note_end(cli, argv[i], answer);
		if (cli->opt.print)
			status |= print_run(cli, answer);
		else if (!cli->opt.json && !cli->opt.quiet)
			out_format(&cli->out, "%s is run %llu\n", argv[i],
			    (unsigned long long)field_count(answer, "number"));
		json_array_append_new(answers, answer);
	}
	if (cli->opt.json && !cli->opt.print)
		return cli_json(cli, json_pack("{s:o}", "items", answers)) |
		    status;
	json_decref(answers);
	return status;
}
