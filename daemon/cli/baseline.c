#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/paths.h"
#include "cli/json_file.h"
#include "cli/samples.h"
#include "report/compare.h"

#include "cli/baseline.h"

#define NAME_BYTES 64
#define FILE_MOST (64 << 20)	/* bytes: a baseline of many runs has some MB */

int
baseline_directory(char *out, struct error *e)
{
	char state[PATH_MAX];

	if (paths_state(state, e) != 0 ||
	    paths_join(out, state, "baselines", e) != 0)
		return -1;
	if (mkdir(out, 0700) != 0 && errno != EEXIST)
		return error_set(e, "cannot make '%s':", out);
	return 0;
}

static bool
is_path(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') != NULL ||
	    (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

int
baseline_path(char *out, const char *name, struct error *e)
{
	static const char known[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	char directory[PATH_MAX], file[NAME_BYTES + 8];
	size_t n = strlen(name);

	if (is_path(name)) {
		if (n >= PATH_MAX)
			return error_set(e, "a path of more than %d bytes",
			    PATH_MAX - 1);
		memcpy(out, name, n + 1);
		return 0;
	}
	if (n == 0 || n > NAME_BYTES || strspn(name, known) != n ||
	    name[0] == '.') {
		error_set(e, "'%.80s' is no baseline's name", name);
		return error_remedy(e, "letters, digits, '-', '_' and '.', at "
		    "most %d; or a file: ./NAME.json", NAME_BYTES);
	}
	snprintf(file, sizeof(file), "%s.json", name);
	return baseline_directory(directory, e) != 0 ? -1 :
	    paths_join(out, directory, file, e);
}

/* A copy of ${o} without the members that a comparison does not read. */
static json_t *
without(json_t *o, const char *const *keys)
{
	json_t *copy = json_copy(o);

	for (; copy != NULL && *keys != NULL; keys++)
		json_object_del(copy, *keys);
	return copy;
}

static json_t *
slim(json_t *list, const char *const *keys)
{
	json_t *out = json_array(), *o;
	size_t i;

	json_array_foreach(list, i, o)
		json_array_append_new(out, without(o, keys));
	return out;
}

/* Reduces the evidence of the ${findings} to what a comparison reads. */
static void
slim_evidence(json_t *findings)
{
	json_t *f, *e, *kept;
	size_t i, j;

	json_array_foreach(findings, i, f) {
		kept = json_array();
		json_array_foreach(json_object_get(f, "evidence"), j, e)
			if (compare_reads_evidence(e))
				json_array_append(kept, e);
		json_object_set_new(f, "evidence", kept);
	}
}

static json_t *
sample_json(const struct sample *s)
{
	static const char *const of_finding[] = { "hot_lines", "site",
		"example", "next", NULL };
	static const char *const of_kernel[] = { "findings", "library",
		"not_measured", "function", NULL };
	json_t *findings = json_copy(s->findings);

	if (findings != NULL)
		json_object_set_new(findings, "items", slim(json_object_get(
		    findings, "items"), of_finding));
	slim_evidence(json_object_get(findings, "items"));
	return json_pack("{s:O, s:o, s:o, s:O}", "run", s->run, "findings",
	    findings, "kernels", slim(s->kernels, of_kernel), "conditions",
	    s->conditions);
}

static json_t *
baseline_json(const struct sample_set *s)
{
	json_t *runs = json_array();
	size_t i;

	for (i = 0; runs != NULL && i < s->n; i++)
		if (json_array_append_new(runs, sample_json(&s->sample[i])) !=
		    0) {
			json_decref(runs);
			return NULL;
		}
	return json_pack("{s:i, s:s, s:o}", "cudadvise_baseline",
	    BASELINE_VERSION, "version", CUDADVISE_VERSION, "runs", runs);
}

int
baseline_save(const char *name, const struct sample_set *s, struct error *e)
{
	char path[PATH_MAX];
	json_t *j;
	int rc;

	if (baseline_path(path, name, e) != 0)
		return -1;
	if ((j = baseline_json(s)) == NULL)
		return error_memory(e);
	rc = json_file_write(path, j, e);
	json_decref(j);
	return rc;
}

/* Does each run have what samples.c takes from it? */
static bool
is_whole(const json_t *j)
{
	const json_t *runs = json_object_get(j, "runs"), *r;
	size_t i;

	json_array_foreach(runs, i, r)
		if (!json_is_object(json_object_get(r, "run")) ||
		    !json_is_object(json_object_get(r, "findings")) ||
		    !json_is_array(json_object_get(r, "kernels")) ||
		    !json_is_object(json_object_get(r, "conditions")))
			return false;
	return json_array_size(runs) > 0 &&
	    json_array_size(runs) <= TRIAL_RUNS;
}

json_t *
baseline_load(const char *name, struct error *e)
{
	const json_t *version;
	char path[PATH_MAX];
	json_t *j;

	if (baseline_path(path, name, e) != 0)
		return NULL;
	if (json_file_read(path, FILE_MOST, &j) != 0) {
		error_set(e, "there is no baseline '%.200s':", name);
		error_remedy(e, "cudadvise baseline list shows them; cudadvise "
		    "baseline save NAME makes one");
		return NULL;
	}
	version = json_object_get(j, "cudadvise_baseline");
	if (json_is_integer(version) && json_integer_value(version) >
	    BASELINE_VERSION) {
		error_code(e, ERROR_TOO_NEW, "baseline '%.200s' was made by a "
		    "newer cudadvise", name);
		error_remedy(e, "save it again with this one, or update");
	} else if (!json_is_integer(version) || !is_whole(j)) {
		error_code(e, ERROR_INVALID, "'%.200s' is not a baseline",
		    path);
		error_remedy(e, "cudadvise baseline save NAME makes one");
	} else {
		return j;
	}
	json_decref(j);
	return NULL;
}
