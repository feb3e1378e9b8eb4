#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/view.h"
#include "report/text_source.h"
#include "report/text_util.h"

#include "cli/command.h"

#define WIDTH_LEAST 100		/* columns needed for code with columns beside it */
#define CANDIDATES 4

/* --- which kernel ------------------------------------------------------ */

enum match { MATCH_NONE, MATCH_PART, MATCH_NAME, MATCH_ID };

static enum match
match_of(const json_t *kernel, const char *want)
{
	static const char *const names[] = { "short_name", "name", "mangled" };
	enum match best = MATCH_NONE;
	const char *name;
	uint64_t id;
	size_t i;

	if (text_u64(want, 1, UINT32_MAX, &id) == 0)
		return field_count(kernel, "id") == id ? MATCH_ID :
		    MATCH_NONE;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((name = field_text(kernel, names[i])) == NULL)
			continue;
		if (strcmp(name, want) == 0)
			return MATCH_NAME;
		if (strstr(name, want) != NULL)
			best = MATCH_PART;
	}
	return best;
}

static double
time_of(const json_t *kernel)
{

	return field_number(json_object_get(kernel, "time"), "total_ns");
}

/* Among the kernels that match at least as well as ${at_least}, the one with
 * the most time; *${n}: their number, *${mixed}: they are not all one function. */
static const json_t *
most_time(const json_t *kernels, const char *want, enum match at_least,
    size_t *n, bool *mixed)
{
	const json_t *k, *best = NULL;
	size_t i;

	*n = 0;
	*mixed = false;
	json_array_foreach(kernels, i, k) {
		if (want != NULL && match_of(k, want) < at_least)
			continue;
		++*n;
		*mixed = *mixed || (best != NULL && strcmp(
		    or_unknown(field_text(best, "name")),
		    or_unknown(field_text(k, "name"))) != 0);
		if (best == NULL || time_of(k) > time_of(best))
			best = k;
	}
	return best;
}

static const json_t *
kernel_by_id(const json_t *kernels, json_int_t id)
{
	const json_t *k;
	size_t i;

	json_array_foreach(kernels, i, k)
		if (json_integer_value(json_object_get(k, "id")) == id)
			return k;
	return NULL;
}

/* The kernel of the first finding that names a line or instruction, else of the
 * first that is about a kernel, else the kernel with the most time. */
static const json_t *
default_kernel(const struct view *v)
{
	const json_t *items = json_object_get(v->findings, "items"), *f, *id;
	const json_t *k, *first = NULL;
	size_t i, n;
	bool mixed;

	json_array_foreach(items, i, f) {
		id = json_object_get(f, "kernel_id");
		k = json_is_integer(id) ? kernel_by_id(v->kernels,
		    json_integer_value(id)) : NULL;
		if (k != NULL && first == NULL)
			first = k;
		if (k != NULL && json_array_size(json_object_get(f,
		    "hot_lines")) > 0)
			return k;
	}
	return first != NULL ? first :
	    most_time(v->kernels, NULL, MATCH_NONE, &n, &mixed);
}

static void
ambiguous(const struct view *v, const char *want, size_t n, struct error *e)
{
	const json_t *k;
	char *text = NULL;
	size_t len = 0, shown = 0, i;
	FILE *t;

	error_set(e, "'%.100s' is part of the names of %zu kernels", want, n);
	if ((t = open_memstream(&text, &len)) == NULL)
		return;
	fputs("say which, by id or name:", t);
	json_array_foreach(v->kernels, i, k)
		if (match_of(k, want) != MATCH_NONE && shown++ < CANDIDATES)
			fprintf(t, "%s %u %.40s", shown > 1 ? "," : "",
			    (unsigned)field_count(k, "id"),
			    or_unknown(field_text(k, "short_name")));
	if (shown > CANDIDATES)
		fprintf(t, " and %zu more", shown - CANDIDATES);
	if (fclose(t) == 0)
		error_remedy(e, "%s", text);
	free(text);
}

/* NULL with ${e} set if there is none, or several. */
static const json_t *
choose_kernel(struct cli *cli, const struct view *v, const char *want,
    struct error *e)
{
	static const enum match order[] = { MATCH_ID, MATCH_NAME, MATCH_PART };
	const json_t *k = NULL;
	bool mixed = false;
	size_t n = 0, i;

	if (json_array_size(v->kernels) == 0) {
		error_set(e, "run %s launched no kernel", v->name);
		return NULL;
	}
	if (want == NULL)
		return default_kernel(v);
	for (i = 0; i < 3 && k == NULL; i++)
		k = most_time(v->kernels, want, order[i], &n, &mixed);
	if (k == NULL) {
		error_set(e, "run %s has no kernel '%.100s'", v->name, want);
		error_remedy(e, "cudadvise kernels %s lists them", v->name);
		return NULL;
	}
	if (mixed) {
		ambiguous(v, want, n, e);
		return NULL;
	}
	if (n > 1)
		cli_note(cli, "%zu launch shapes of it: this is kernel %u, "
		    "with the most time; cudadvise kernels %s lists the "
		    "others", n,
		    (unsigned)field_count(k, "id"), v->name);
	return k;
}

/* --- what to show of it ------------------------------------------------ */

/* Parses --line, "softmax.cu:57", into ${a}; *${file} is malloced. */
static int
parse_focus(const char *line, struct annotate *a, char **file,
    struct error *e)
{
	const char *colon = strrchr(line, ':');
	uint64_t n;

	if (colon == NULL || colon == line ||
	    text_u64(colon + 1, 1, UINT32_MAX, &n) != 0)
		return error_set(e, "--line: '%.100s' is not FILE:NUMBER",
		    line);
	if ((*file = strndup(line, (size_t)(colon - line))) == NULL)
		return error_memory(e);
	a->focus_file = *file;
	a->focus_line = (uint32_t)n;
	return 0;
}

/* The text of every file of ${source} that has one, as an array. */
static json_t *
load_files(struct cli *cli, const struct view *v, const json_t *source,
    struct error *e)
{
	const json_t *files = json_object_get(source, "files"), *f;
	json_t *list = json_array(), *one;
	size_t i;

	json_array_foreach(files, i, f) {
		if (!field_true(f, "captured"))
			continue;
		one = view_source_file(cli, v,
		    (uint32_t)field_count(f, "index"), e);
		if (one == NULL) {
			json_decref(list);
			return NULL;
		}
		json_array_append_new(list, one);
	}
	return list;
}

static int
print_source(struct cli *cli, const struct view *v, struct annotate *a,
    struct error *e)
{
	json_t *files = load_files(cli, v, a->source, e);
	int rc;

	if (files == NULL)
		return cli_error(cli, e);
	a->files = files;
	a->findings = v->findings;
	a->run = v->name;
	a->all = cli->opt.all;
	a->sass = cli->opt.sass;
	a->plain = cli->opt.quiet;
	/* A terminal wraps long lines, a file does not. */
	a->whole = !isatty(fileno(cli->out.file));
	if (a->whole && cli->out.width < WIDTH_LEAST)
		cli->out.width = WIDTH_LEAST;
	rc = text_source(&cli->out, a);
	json_decref(files);
	if (rc == 0)
		return 0;
	if (rc < 0)
		error_memory(e);
	else {
		error_set(e, "kernel %u has no code at %.100s:%u",
		    (unsigned)field_count(a->kernel, "id"), a->focus_file,
		    a->focus_line);
		error_remedy(e, "without --line all that matters is shown, "
		    "with --all every line");
	}
	return cli_error(cli, e);
}

/* Is the operand a capture file instead of a kernel's name? Then the kernel of
 * its first finding is meant. */
static bool
is_capture(const char *operand)
{
	size_t len = strlen(operand);
	struct stat st;

	return len > 5 && strcmp(operand + len - 5, ".cadv") == 0 &&
	    stat(operand, &st) == 0;
}

int
cmd_annotate(struct cli *cli, int argc, char **argv)
{
	const char *want = argc > 0 ? argv[0] : NULL, *run = cli->opt.run;
	struct annotate a = { .source = NULL };
	struct error e = ERROR_INIT;
	json_t *source = NULL;
	char *file = NULL;
	struct view v;
	uint32_t id;
	int status;

	if (cli->opt.line != NULL &&
	    parse_focus(cli->opt.line, &a, &file, &e) != 0) {
		cli_error(cli, &e);
		return EXIT_USAGE;
	}
	if (run == NULL && want != NULL && is_capture(want)) {
		run = want;
		want = NULL;
	}
	if (view_load(cli, run, &v, &e) != 0) {
		free(file);
		return cli_error(cli, &e);
	}
	a.kernel = choose_kernel(cli, &v, want, &e);
	if (a.kernel == NULL)
		goto error;
	id = (uint32_t)field_count(a.kernel, "id");
	source = view_source(cli, &v, id, cli->opt.sass, &e);
	/* Without lines, only instructions can be shown. */
	if (source != NULL && !cli->opt.json && !cli->opt.sass &&
	    json_array_size(json_object_get(source, "lines")) == 0) {
		json_decref(source);
		source = view_source(cli, &v, id, true, &e);
	}
	if (source == NULL)
		goto error;
	a.source = source;
	if (cli->opt.json)
		status = cli_json(cli, json_incref(source));
	else
		status = print_source(cli, &v, &a, &e);
	goto out;
error:
	status = cli_error(cli, &e);
out:
	json_decref(source);
	free(file);
	view_release(&v);
	return status;
}
