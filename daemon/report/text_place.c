/* Places: lines of device code, and the host's call sites. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#define SHARE_LEAST 0.05	/* of lines after the first: less is not shown */
#define CALLERS_SHOWN 3
#define TEXT_LEAST 16		/* columns of text, to be of use */
#define INDENT 6

/* "step()" of "step(int, float*)", and of "void step<int>(int)"; "<module>" stays. */
static void
put_function(FILE *t, const char *name)
{
	size_t n = strcspn(name, "("), begin = 0, depth = 0, i;

	/* If a parenthesis is part of the name, it stays whole. */
	if (strstr(name, "operator()") != NULL || n == 0 ||
	    strstr(name, "(anonymous") != NULL || name[0] == '<') {
		fputs(name, t);
		return;
	}
	/* The names of template instances contain the return type. */
	for (i = 0; name[n] == '(' && i < n; i++) {
		depth += name[i] == '<';
		depth -= name[i] == '>' && depth > 0;
		if (name[i] == ' ' && depth == 0)
			begin = i + 1;
	}
	fprintf(t, "%.*s()", (int)(n - begin), name + begin);
}

/* "train.py:31 in step()", "step() in libtorch.so"; false if nothing is known. */
static bool
put_frame(FILE *t, const json_t *f)
{
	const char *function = field_text(f, "function"),
	    *file = field_text(f, "file"), *module = field_text(f, "module");
	uint64_t line = field_count(f, "line");

	if (file != NULL) {
		fputs(text_base_name(file), t);
		if (line > 0)
			fprintf(t, ":%u", (unsigned)line);
		if (function != NULL)
			fputs(" in ", t);
	} else if (function != NULL && field_true(f, "nearest")) {
		fputs("near ", t);
	}
	if (function != NULL)
		put_function(t, function);
	if (file == NULL && module != NULL)
		fprintf(t, "%s%s", function != NULL ? " in " : "",
		    text_base_name(module));
	return file != NULL || function != NULL || module != NULL;
}

/* Is it C that Cython generated, as CuPy is written in it? */
static bool
is_cython(const json_t *f)
{
	const char *function = field_text(f, "function");

	return function != NULL && strncasecmp(function, "__pyx_", 6) == 0;
}

static bool
is_installed(const json_t *f)
{
	return strstr(field_text(f, "file"), "-packages/") != NULL;
}

/* The frames that called the one shown: of Python only Python's, since the native ones
 * behind those are what it called, or the interpreter; of these the innermost. */
static void
put_callers(FILE *t, const json_t *site)
{
	const json_t *frames = json_object_get(site, "frames"), *f;
	size_t first = (size_t)field_count(site, "first"), shown = 0, i;
	const json_t *from = json_array_get(frames, first);
	bool python = field_true(from, "python"), own;

	own = field_text(from, "file") != NULL && !is_installed(from);
	for (i = first + 1; i < json_array_size(frames); i++) {
		f = json_array_get(frames, i);
		if (field_text(f, "file") == NULL || (own && is_installed(f)))
			continue;
		if (python && !field_true(f, "python")) {
			if (is_cython(f))
				return;
			fputs(", through ", t);
			put_frame(t, f);
			return;
		}
		if (shown++ >= CALLERS_SHOWN || is_cython(f))
			continue;
		fputs(", called from ", t);
		put_frame(t, f);
	}
}

static const char *
site_lead(const json_t *site)
{
	const char *call = field_text(site, "call");

	return call == NULL || strcmp(call, "launch") == 0 ? "launched" :
	    "called";
}

/* What makes the call, for a framework's thread, on which there is no line of the
 * program: "the backward pass"; else NULL. */
static const char *
thread_of(const json_t *frames, const json_t *first)
{
	const char *module = field_text(first, "module"), *function;
	bool backward = false;
	const json_t *f;
	size_t i;

	json_array_foreach(frames, i, f) {
		if (field_true(f, "python"))
			return NULL;
		function = field_text(f, "function");
		backward |= function != NULL &&
		    strstr(function, "torch::autograd::") != NULL;
	}
	if (field_text(first, "file") != NULL)
		return NULL;
	if (backward)
		return "the backward pass";
	return module != NULL && strstr(module, "xla_") != NULL ?
	    "a thread of XLA" : NULL;
}

char *
parts_site_text(const json_t *site, const char *location, bool callers)
{
	const json_t *frames = json_object_get(site, "frames");
	const json_t *first = json_object_get(site, "first"), *f = NULL;
	const char *thread;
	char *text = NULL;
	bool known;
	size_t len;
	FILE *t;

	if (json_is_integer(first))
		f = json_array_get(frames,
		    (size_t)json_integer_value(first));
	if (f == NULL || (t = open_memstream(&text, &len)) == NULL)
		return NULL;
	fprintf(t, "%s from ", site_lead(site));
	if ((thread = thread_of(frames, f)) != NULL) {
		fputs(thread, t);
		known = true;
		if (field_text(f, "function") != NULL) {
			fputs(", in ", t);
			put_function(t, field_text(f, "function"));
		}
	} else {
		known = put_frame(t, f);
	}
	if (callers)
		put_callers(t, site);
	if (location != NULL)
		fprintf(t, ": %s", location);
	if (fclose(t) != 0 || !known) {
		free(text);
		return NULL;
	}
	return text;
}

void
parts_site(struct out *o, const json_t *site, int indent)
{
	char *text = parts_site_text(site, NULL, false);

	if (text != NULL)
		out_wrap(o, indent, text);
	free(text);
}

size_t
parts_shapes(const json_t *f)
{
	uint64_t n = field_count(json_object_get(f, "shapes"), "count");

	return n > 0 ? (size_t)n : 1;
}

/* For a finding about several shapes: which of them the figures are of, and
 * whether the others were measured. */
static void
figures_of(struct out *o, const json_t *f)
{
	double measured = field_number(json_object_get(f, "shapes"),
	    "measured_ratio");
	const json_t *items = json_object_get(json_object_get(f, "shapes"),
	    "items"), *s;
	char text[192], grid[NUMBER_SIZE], block[NUMBER_SIZE];
	char tail[96] = "", a[NUMBER_SIZE];
	size_t i;

	if (parts_shapes(f) < 2)
		return;
	if (measured < 1)
		snprintf(tail, sizeof(tail), "; %s of the time was measured, "
		    "the rest taken to be alike", number_percent(a, measured));
	json_array_foreach(items, i, s) {
		if (field_count(s, "kernel_id") != field_count(f, "kernel_id"))
			continue;
		snprintf(text, sizeof(text), "the figures are of grid %s, "
		    "block %s%s", field_shape(grid, s, "grid"),
		    field_shape(block, s, "block"), tail);
		out_wrap(o, INDENT, text);
		return;
	}
}

/* The location without the line, which is shown above with its text. */
static const char *
location_rest(const json_t *f)
{
	const json_t *hot = json_array_get(json_object_get(f, "hot_lines"), 0);
	const char *location = location_text(f);
	const char *file = field_text(hot, "file"), *rest;
	char line[256];

	if (location == NULL || file == NULL)
		return location;
	snprintf(line, sizeof(line), "%s:%u", text_base_name(file),
	    (unsigned)field_count(hot, "line"));
	if (strncmp(location, line, strlen(line)) != 0)
		return location;
	rest = strchr(location, ',');
	return rest != NULL ? rest + strspn(rest, ", ") : NULL;
}

void
parts_where(struct out *o, const json_t *f, bool full)
{
	const json_t *site = json_object_get(f, "site");
	const char *location = location_rest(f);
	char *text = json_is_object(site) ? parts_site_text(site, location, full) :
	    NULL;

	if (text != NULL)
		out_wrap(o, INDENT, text);
	else if (location != NULL)
		out_wrap(o, INDENT, location);
	if (full)
		figures_of(o, f);
	free(text);
}

/* "94 %: 32 sectors a request", "inlined from store() at softmax.cu:15" */
static char *
hot_remark(const json_t *h)
{
	const char *what = field_text(h, "what"),
	    *function = field_text(h, "function"),
	    *called = field_text(h, "called_file");
	char *text = NULL;
	size_t len;
	FILE *t;

	if ((t = open_memstream(&text, &len)) == NULL)
		return NULL;
	if (what != NULL)
		fputs(what, t);
	if (function != NULL && called != NULL) {
		fprintf(t, "%sin ", what != NULL ? "; " : "");
		put_function(t, function);
		fprintf(t, ", inlined at %s:%u", text_base_name(called),
		    (unsigned)field_count(h, "called_line"));
	}
	if (fclose(t) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Does the remark, like "of its stalls", say what the share before it is a share of? */
static bool
is_part(const char *remark)
{
	return strncmp(remark, "of", 2) == 0 && remark[2] == ' ';
}

/* softmax.cu:10  maxval = fmaxf(…);  94 %: 32 sectors a request */
static void
hot_line(struct out *o, const json_t *h)
{
	const char *file = field_text(h, "file"), *code = field_text(h, "text");
	double share = field_number(h, "share_ratio");
	char *remark = hot_remark(h), right[NUMBER_SIZE] = "";
	int room, remark_columns;
	bool beside;

	out_spaces(o, INDENT);
	out_style(o, STYLE_BOLD);
	if (file != NULL)
		out_format(o, "%s:%u", text_base_name(file),
		    (unsigned)field_count(h, "line"));
	else
		out_format(o, "at %04x", (unsigned)field_count(h, "pc"));
	out_style(o, STYLE_PLAIN);
	if (!isnan(share))
		number_percent(right, share);
	if (code == NULL)
		code = field_text(h, "sass");
	remark_columns = remark != NULL && *remark != '\0' ?
	    out_columns(o, remark) + 2 : 0;
	room = o->width - o->column - 2 - 2 - out_columns(o, right);
	beside = remark_columns > 0 && (code != NULL ? out_columns(o, code) :
	    0) + remark_columns <= room;
	if (code != NULL && room >= TEXT_LEAST) {
		out_spaces(o, 2);
		if (out_columns(o, code) <= room)
			out_text(o, code);
		else
			out_cell(o, code, room);
	}
	if (right[0] != '\0')
		out_format(o, "  %s", right);
	if (beside)
		out_format(o, "%s %s", right[0] == '\0' ? " " :
		    is_part(remark) ? "" : ":", remark);
	out_line(o);
	if (remark_columns > 0 && !beside)
		out_wrap(o, INDENT + 2, remark);
	free(remark);
}

void
parts_hot_lines(struct out *o, const json_t *f, size_t most)
{
	const json_t *lines = json_object_get(f, "hot_lines"), *h;
	size_t i;

	json_array_foreach(lines, i, h)
		if (i == 0 || (i < most &&
		    !(field_number(h, "share_ratio") < SHARE_LEAST)))
			hot_line(o, h);
}

bool
parts_missing_told(const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at), *g;
	const char *missing = field_text(f, "location_missing"), *before;
	size_t i;

	for (i = 0; missing != NULL && i < at; i++) {
		g = json_array_get(items, i);
		before = field_text(g, "location_missing");
		if (before != NULL && strcmp(before, missing) == 0)
			return true;
	}
	return missing == NULL;
}
