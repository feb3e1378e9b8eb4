#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/baseline.h"
#include "cli/samples.h"
#include "compare/conditions.h"
#include "report/text_util.h"

#include "cli/command.h"

/* 0; or the exit status, with ${e} set, if every comparison with these runs
 * would be inconclusive. */
static int
check_fit(struct cli *cli, const struct sample_set *s, struct error *e)
{
	json_t *reasons = json_array();
	const json_t *first = s->sample[0].conditions;
	int rc = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		conditions_check(reasons, s->sample[i].conditions,
		    cli->opt.allowed);
		conditions_differ(reasons, first, s->sample[i].conditions,
		    cli->opt.allowed, false);
	}
	if (json_array_size(reasons) > 0) {
		rc = EXIT_INCONCLUSIVE;
		error_set(e, "no baseline: %.400s",
		    or_unknown(field_text(json_array_get(reasons, 0),
		    "text")));
		error_remedy(e, "run the program again; --allow %s keeps it "
		    "all the same", or_unknown(field_text(json_array_get(
		    reasons, 0), "code")));
	}
	json_decref(reasons);
	return rc;
}

static int
save(struct cli *cli, int argc, char **argv, struct error *e)
{
	struct sample_set s = SAMPLES_INIT;
	char n[NUMBER_SIZE];
	int rc = 0, i;

	if (argc == 1)
		rc = samples_load(cli, &s, NULL, e);
	for (i = 1; rc == 0 && i < argc; i++)
		rc = samples_load(cli, &s, argv[i], e);
	if (rc == 0)
		rc = check_fit(cli, &s, e);
	if (rc == 0)
		rc = baseline_save(argv[0], &s, e);
	if (rc == 0)
		cli_note(cli, "baseline '%s' has %s", argv[0], number_of(n,
		    (double)s.n, "run"));
	samples_release(&s);
	return rc;
}

/* One baseline of the list; NULL if it cannot be read. */
static json_t *
row_of(const char *name)
{
	json_t *j = baseline_load(name, NULL), *row;
	const json_t *runs = json_object_get(j, "runs");
	const json_t *c = json_object_get(json_array_get(runs, 0),
	    "conditions");

	if (j == NULL)
		return NULL;
	row = json_pack("{s:s, s:I, s:O?, s:O?, s:O?}", "name", name, "runs",
	    (json_int_t)json_array_size(runs), "program", json_object_get(c,
	    "program"), "level", json_object_get(c, "level"), "started_at",
	    json_object_get(c, "started_at"));
	json_decref(j);
	return row;
}

static json_t *
all_rows(struct error *e)
{
	char directory[PATH_MAX], name[NAME_MAX + 1];
	json_t *list, *row;
	struct dirent **entry;
	int n, i;
	size_t length;

	if (baseline_directory(directory, e) != 0)
		return NULL;
	if ((n = scandir(directory, &entry, NULL, alphasort)) < 0) {
		error_set(e, "cannot read '%s':", directory);
		return NULL;
	}
	list = json_array();
	for (i = 0; i < n; i++) {
		length = strlen(entry[i]->d_name);
		if (list != NULL && length > 5 && strcmp(entry[i]->d_name +
		    length - 5, ".json") == 0) {
			snprintf(name, sizeof(name), "%.*s", (int)length - 5,
			    entry[i]->d_name);
			if ((row = row_of(name)) != NULL)
				json_array_append_new(list, row);
		}
		free(entry[i]);
	}
	free(entry);
	return list;
}

static int
list(struct cli *cli, int argc, char **argv, struct error *e)
{
	json_t *rows = all_rows(e);
	char n[NUMBER_SIZE];
	const json_t *row;
	size_t i;

	(void)argc;
	(void)argv;
	if (rows == NULL)
		return -1;
	if (cli->opt.json) {
		cli_json(cli, json_pack("{s:o}", "items", rows));
		return 0;
	}
	json_array_foreach(rows, i, row) {
		out_format(&cli->out, "%-20s  %s, level %s, %s: %s",
		    or_unknown(field_text(row, "name")), number_of(n,
		    (double)field_count(row, "runs"), "run"),
		    or_unknown(field_text(row, "level")),
		    or_unknown(field_text(row, "started_at")),
		    or_unknown(field_text(row, "program")));
		out_line(&cli->out);
	}
	if (json_array_size(rows) == 0)
		cli_note(cli, "no baseline is saved: cudadvise baseline save "
		    "NAME");
	json_decref(rows);
	return 0;
}

static int
rm(struct cli *cli, int argc, char **argv, struct error *e)
{
	char path[PATH_MAX];

	(void)cli;
	(void)argc;
	/* Only a baseline may be removed by this name. */
	json_t *j = baseline_load(argv[0], e);

	if (j == NULL && (e->code == ERROR_NOT_FOUND || strchr(argv[0],
	    '/') != NULL))
		return -1;
	json_decref(j);
	if (baseline_path(path, argv[0], e) != 0 || unlink(path) != 0)
		return error_set(e, "cannot remove '%.200s':", argv[0]);
	return 0;
}

int
cmd_baseline(struct cli *cli, int argc, char **argv)
{
	static const struct {
		const char *name;
		int least, most;
		int (*run)(struct cli *, int, char **, struct error *);
	} verbs[] = {
		{ "save", 1, TRIAL_RUNS + 1, save }, { "list", 0, 0, list },
		{ "rm", 1, 1, rm },
	};
	struct error e = ERROR_INIT;
	int rc = -1;
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[0], verbs[i].name) == 0)
			break;
	if (i == sizeof(verbs) / sizeof(verbs[0]))
		error_set(&e, "baseline: '%.60s' is none of: save list rm",
		    argv[0]);
	else if (argc - 1 < verbs[i].least || argc - 1 > verbs[i].most)
		error_set(&e, "baseline %s needs %s", argv[0],
		    verbs[i].most == 0 ? "nothing else" : "a NAME");
	else if ((rc = verbs[i].run(cli, argc - 1, argv + 1, &e)) == 0)
		return 0;
	cli_error(cli, &e);
	return rc > 0 ? rc : EXIT_USAGE;
}
