#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "config/config.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/daemon.h"
#include "cli/loaded.h"
#include "report/compare.h"
#include "report/text_util.h"

#include "cli/view.h"

#include <limits.h>

/* Loads the user's thresholds, which apply here as in the daemon. */
static int
load_config(struct config *config, struct error *e)
{
	char path[PATH_MAX];

	config_init(config);
	if (paths_config(path, NULL) != 0)
		return 0;
	return config_load(config, path, false, e);
}

void
view_note_damage(struct cli *cli, const char *path, bool truncated,
    uint64_t damaged)
{
	char a[NUMBER_SIZE];

	if (truncated)
		cli_note(cli, "'%s' ends early, in the middle of a frame: what "
		    "came before is here, how much is missing is not known",
		    path);
	if (damaged > 0)
		cli_note(cli, "'%s' is damaged in %s; the frames there were "
		    "left out", path, number_of(a, damaged, "place"));
}

static int
load(struct cli *cli, const char *path, struct view *v, bool keep,
    struct error *e)
{
	struct loaded *l;
	struct config config;
	int rc = -1;

	memset(v, 0, sizeof(*v));
	if ((v->loaded = l = calloc(1, sizeof(*l))) == NULL)
		return error_memory(e);
	if (load_config(&config, e) != 0) {
		view_release(v);
		return -1;
	}
	if (loaded_from_file(l, path, config.thresholds, keep, e) != 0)
		goto out;
	view_note_damage(cli, path, l->stats.truncated, l->stats.damaged);
	if ((v->run = loaded_document(l, DOCUMENT_run, e)) == NULL ||
	    (v->findings = loaded_document(l, DOCUMENT_findings, e)) == NULL ||
	    (v->kernels = loaded_kernels(l, e)) == NULL ||
	    (v->diagnostics = loaded_document(l, DOCUMENT_diagnostics, e)) ==
	    NULL ||
	    (v->operators = loaded_document(l, DOCUMENT_operators, e)) == NULL ||
	    (v->ranges = loaded_document(l, DOCUMENT_ranges, e)) == NULL)
		goto out;
	if ((v->name = strdup(path)) == NULL) {
		error_memory(e);
		goto out;
	}
	rc = 0;
out:
	config_clear(&config);
	if (rc != 0)
		view_release(v);
	return rc;
}

int
view_new(struct cli *cli, const char *path, struct view *v, struct error *e)
{

	return load(cli, path, v, true, e);
}

/* The newest run's number as text, malloced. */
static char *
newest(struct cli *cli, struct error *e)
{
	json_t *page = client_items(cli->client, "/runs", 1, e);
	const json_t *number;
	char *name = NULL;

	if (page == NULL)
		return NULL;
	number = json_object_get(json_array_get(page, 0), "number");
	if (!json_is_integer(number)) {
		error_set(e, "no run is recorded yet");
		error_remedy(e, "cudadvise run PROGRAM records one");
	} else if (asprintf(&name, "%lld",
	    (long long)json_integer_value(number)) < 0) {
		name = NULL;
		error_memory(e);
	}
	json_decref(page);
	return name;
}

/* Gets an object of the run: /runs/ID + ${tail}. */
static json_t *
get(struct cli *cli, const char *id, const char *tail, struct error *e)
{
	json_t *got = NULL;
	char *path;

	if (asprintf(&path, "/runs/%s%s", id, tail) < 0) {
		error_memory(e);
		return NULL;
	}
	if (client_get(cli->client, path, &got, e) < 0)
		got = NULL;
	free(path);
	return got;
}

/* Gets a document of the run; of a list, its items. */
static json_t *
get_document(struct cli *cli, const char *id, enum document_id which,
    struct error *e)
{
	const struct document_kind *kind = &document_kind[which];
	json_t *got = get(cli, id, kind->path, e), *items;

	if (got == NULL || kind->shape != DOCUMENT_SHAPE_LIST ||
	    json_is_array(got))
		return got;
	items = json_incref(json_object_get(got, "items"));
	json_decref(got);
	return items != NULL ? items : json_array();
}

/* The path where the daemon keeps the capture of a run. */
static int
capture_path(char *path, const char *uuid, struct error *e)
{
	char state[PATH_MAX], runs[PATH_MAX], dir[PATH_MAX];

	if (!text_is_hex(uuid, 32))
		return error_set(e, "'%.64s' is no run's id", uuid);
	if (paths_state(state, e) != 0 ||
	    paths_join(runs, state, "runs", e) != 0 ||
	    paths_join(dir, runs, uuid, e) != 0)
		return -1;
	return paths_join(path, dir, "capture.cadv", e);
}

/*
 * For a run without analysis, whose row from the daemon is v->run: analyses
 * what there is of its capture here, and tells the user why.
 */
static int
view_unstored(struct cli *cli, struct view *v, struct error *e)
{
	struct error trouble = ERROR_INIT, said = ERROR_INIT;
	json_t *row = v->run;
	const json_t *problem = json_object_get(row, "problem");
	const char *uuid = or_unknown(field_text(row, "id")),
	    *why = field_text(problem, "text"),
	    *remedy = field_text(problem, "remedy");
	unsigned long long number = field_count(row, "number");
	char path[PATH_MAX];
	int rc = -1;

	why = why != NULL ? why : "its analysis is missing";
	v->run = NULL;
	if (capture_path(path, uuid, &trouble) != 0 ||
	    load(cli, path, v, false, &trouble) != 0) {
		error_set(e, "run %llu was not stored, and nothing can be said "
		    "of it: %.300s", number, why);
		error_remedy(e, "%s", remedy != NULL ? remedy : trouble.text);
		goto out;
	}
	free(v->name);
	if (asprintf(&v->name, "%llu", number) < 0) {
		v->name = NULL;
		error_memory(e);
		goto out;
	}
	json_object_set(v->run, "number", json_object_get(row, "number"));
	error_set(&said, "run %llu was not stored completely: %.300s. What "
	    "follows is what its capture has", number, why);
	error_remedy(&said, "%.150s%scudadvise reanalyze %llu stores it",
	    remedy != NULL ? remedy : "", remedy != NULL ? "; then " : "",
	    number);
	cli_error(cli, &said);
	rc = 0;
out:
	json_decref(row);
	return rc;
}

/* 1: the daemon has a complete analysis of the run v->run; 0: ${v} is filled
 * with what there is without it; -1 with ${e} set. */
static int
view_rest(struct cli *cli, struct view *v, struct error *e)
{
	const json_t *problem = json_object_get(v->run, "problem");
	bool stored = json_object_get(v->run, "summary") != NULL;
	const char *state = or_unknown(field_text(v->run, "state"));
	bool live = strcmp(state, "live") == 0;
	struct error said = ERROR_INIT;

	if (stored && (live || !json_is_object(problem)))
		return 1;
	/* Everything that arrived was stored; "truncated": the latest records
	 * were not. */
	if (stored && strcmp(state, "truncated") != 0) {
		error_set(&said, "run %llu was not stored completely: %.300s",
		    (unsigned long long)field_count(v->run, "number"),
		    or_unknown(field_text(problem, "text")));
		error_remedy(&said, "%.150s; then run it again, unless the "
		    "rest comes by itself", field_text(problem, "remedy") !=
		    NULL ? field_text(problem, "remedy") :
		    "see `cudadvise doctor`");
		cli_error(cli, &said);
		return 1;
	}
	if (!live || json_is_object(problem))
		return view_unstored(cli, v, e);
	error_set(e, "run %llu has just begun: nothing of it is analysed yet",
	    (unsigned long long)field_count(v->run, "number"));
	return error_remedy(e, "try again in a moment");
}

static int
view_run(struct cli *cli, const char *ref, struct view *v, struct error *e)
{
	char *id = client_quote(ref), *path = NULL;
	struct error none = { .set = 0 };
	const json_t *number;
	int rc = -1;

	if (id == NULL || asprintf(&path, "/runs/%s/kernels", id) < 0)
		goto memory;
	if ((v->run = get(cli, id, "", e)) == NULL)
		goto out;
	if ((rc = view_rest(cli, v, e)) <= 0)
		goto out;
	rc = -1;
	if ((v->findings = get_document(cli, id, DOCUMENT_findings, e)) ==
	    NULL ||
	    (v->kernels = client_items(cli->client, path, 0, e)) == NULL ||
	    (v->diagnostics = get_document(cli, id, DOCUMENT_diagnostics, e)) ==
	    NULL)
		goto out;
	/* Runs analysed by older versions lack these. */
	v->operators = get_document(cli, id, DOCUMENT_operators, &none);
	v->ranges = get_document(cli, id, DOCUMENT_ranges, &none);
	number = json_object_get(v->run, "number");
	if (json_is_integer(number)) {
		if (asprintf(&v->name, "%lld",
		    (long long)json_integer_value(number)) < 0)
			v->name = NULL;
	} else {
		v->name = strdup(ref);
	}
	if (v->name == NULL)
		goto memory;
	rc = 0;
	goto out;
memory:
	error_memory(e);
out:
	free(path);
	free(id);
	return rc;
}

bool
view_is_file(const char *ref)
{
	struct stat st;
	uint64_t number;

	return strchr(ref, '/') != NULL ||
	    (text_u64(ref, 0, UINT64_MAX, &number) != 0 &&
	    stat(ref, &st) == 0);
}

int
view_run_only(const char *command, const char *ref, struct error *e)
{

	if (*ref == '\0') {
		error_set(e, "an empty name is no run");
		return error_remedy(e, "cudadvise list shows the runs");
	}
	if (!view_is_file(ref))
		return 0;
	error_set(e, "'%.200s' is a file: %s takes a run of the daemon", ref,
	    command);
	return error_remedy(e, "cudadvise import makes it one; cudadvise show "
	    "--json reads a capture file as it is");
}

int
view_load(struct cli *cli, const char *ref, struct view *v, struct error *e)
{
	struct error untold = ERROR_INIT;
	char *latest = NULL;
	int rc = -1;

	memset(v, 0, sizeof(*v));
	if (ref != NULL && view_is_file(ref))
		return load(cli, ref, v, false, e);
	if (ref != NULL && view_run_only("show", ref, e) != 0)
		return -1;
	if (ref != NULL && strchr(ref, '.') != NULL) {	/* not a run's name */
		error_set(e, "there is no file '%.300s' here, and no run of "
		    "that name", ref);
		return error_remedy(e, "cudadvise list shows the runs");
	}
	if (cli->client == NULL && (cli->client = daemon_connect(e)) == NULL)
		return -1;
	if (ref == NULL && (ref = latest = newest(cli, e)) == NULL)
		return -1;
	rc = view_run(cli, ref, v, e);
	if (rc == 0 && latest == NULL)
		latest = newest(cli, &untold);
	v->newest = rc == 0 && latest != NULL && strcmp(v->name, latest) == 0;
	free(latest);
	if (rc != 0)
		view_release(v);
	return rc;
}

void
view_release(struct view *v)
{

	free(v->name);
	if (v->loaded != NULL)
		loaded_release(v->loaded);
	free(v->loaded);
	json_decref(v->run);
	json_decref(v->findings);
	json_decref(v->kernels);
	json_decref(v->diagnostics);
	json_decref(v->operators);
	json_decref(v->ranges);
	json_decref(v->traced);
	json_decref(v->compare);
	json_decref(v->was);
	memset(v, 0, sizeof(*v));
}

json_t *
view_source(struct cli *cli, const struct view *v, uint32_t kernel, bool sass,
    struct error *e)
{
	char tail[64];

	if (v->loaded != NULL)
		return loaded_source(v->loaded, kernel, sass, e);
	snprintf(tail, sizeof(tail), "/kernels/%u/source%s", kernel,
	    sass ? "?sass=1" : "");
	return get(cli, v->name, tail, e);
}

json_t *
view_source_file(struct cli *cli, const struct view *v, uint32_t index,
    struct error *e)
{
	char tail[64];

	if (v->loaded != NULL)
		return loaded_source_file(v->loaded, index, e);
	snprintf(tail, sizeof(tail), "/source-files/%u", index);
	return get(cli, v->name, tail, e);
}

json_t *
view_document(struct cli *cli, const struct view *v, enum document_id which,
    struct error *e)
{

	return v->loaded != NULL ? loaded_document(v->loaded, which, e) :
	    get_document(cli, v->name, which, e);
}

json_t *
view_compare(const struct view *base, const struct view *target)
{
	struct compare_side before = { base->run, base->findings,
	    base->kernels };
	struct compare_side after = { target->run, target->findings,
	    target->kernels };

	return compare_runs(&before, &after, true);
}

struct report
view_report(const struct cli *cli, const struct view *v)
{
	struct report r = { .run = v->run, .findings = v->findings,
	    .kernels = v->kernels, .diagnostics = v->diagnostics,
	    .operators = v->operators, .ranges = v->ranges,
	    .compare = v->compare, .was = v->was,
	    .name = v->name, .newest = v->newest,
	    .verbose = cli->opt.verbose };

	return r;
}

json_t *
view_json(const struct view *v)
{

	return json_pack("{s:O, s:O, s:O, s:O, s:O*, s:O*, s:O*}", "run",
	    v->run, "findings", v->findings, "kernels", v->kernels,
	    "diagnostics", v->diagnostics, "operators", v->operators, "ranges",
	    v->ranges, "traced", v->traced);
}
