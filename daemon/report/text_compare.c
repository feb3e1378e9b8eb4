#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_util.h"

#include "report/text.h"

#define KERNELS_SHOWN 15
#define OUTCOMES_SHOWN 5	/* at the end of a report */
#define PREDICTED_COLUMNS 28	/* "3.9 s (3.4 to 4.1)" */
#define ACHIEVED_COLUMNS 13
#define TIME_COLUMNS 10

static void
right(struct out *o, const char *text, int columns)
{

	out_spaces(o, columns - out_columns(o, text));
	out_text(o, text);
}

/* "12.4 s before, 8.7 s after: 3.7 s less" */
static void
text_times(struct out *o, const char *what, double before, double after)
{
	char text[256], a[NUMBER_SIZE], b[NUMBER_SIZE], d[NUMBER_SIZE];

	if (isnan(before) || isnan(after))
		return;
	number_seconds(a, before);
	number_seconds(b, after);
	number_seconds(d, fabs(before - after));
	snprintf(text, sizeof(text), "%s %s before, %s after: %s %s", what, a,
	    b, d, after <= before ? "less" : "more");
	out_wrap(o, 2, text);
}

/* Not if the trial gives its reasons, which are the same. */
static void
text_notes(struct out *o, const json_t *compare)
{
	const json_t *note;
	size_t i;

	if (json_array_size(json_object_get(json_object_get(compare, "trial"),
	    "reasons")) > 0)
		return;
	json_array_foreach(json_object_get(compare, "notes"), i, note) {
		out_style(o, STYLE_WARN);
		out_text(o, "  note: ");
		out_style(o, STYLE_PLAIN);
		out_wrap(o, 4, or_unknown(json_string_value(note)));
	}
}

static void
text_heading(struct out *o, const char *text)
{
	int room = o->width - PREDICTED_COLUMNS - ACHIEVED_COLUMNS;

	out_style(o, STYLE_BOLD);
	if (out_columns(o, text) >= room) {	/* it takes a line of its own */
		out_wrap(o, 0, text);
		text = "";
	}
	out_cell(o, text, room);
	out_style(o, STYLE_PLAIN);
	right(o, "predicted", PREDICTED_COLUMNS);
	right(o, "achieved", ACHIEVED_COLUMNS);
	out_line(o);
}

/* Does another of ${all} have the same text as ${x} under ${key}? Kernels of
 * one name in several launch shapes need their numbers. */
static bool
is_one_of_many(const json_t *all, const json_t *x, const char *key)
{
	const char *name = field_text(x, key), *other;
	const json_t *y;
	size_t i;

	json_array_foreach(all, i, y) {
		other = field_text(y, key);
		if (y != x && name != NULL && other != NULL &&
		    strcmp(name, other) == 0)
			return true;
	}
	return false;
}

/* " #6", the kernel's number in its run; "" if ${id} is not a number. */
static void
number_mark(char *out, size_t size, const json_t *id)
{

	out[0] = '\0';
	if (json_is_integer(id))
		snprintf(out, size, " #%lld",
		    (long long)json_integer_value(id));
}

/* "where #6: rule" */
static void
item_name(char *out, size_t size, const json_t *items, const json_t *item)
{
	char mark[32] = "";

	if (is_one_of_many(items, item, "where"))
		number_mark(mark, sizeof(mark), json_object_get(item,
		    "kernel_id"));
	snprintf(out, size, "%.250s%s: %.100s",
	    or_unknown(field_text(item, "where")), mark,
	    or_unknown(field_text(item, "rule")));
}

/* A finding of the first run: predicted and achieved. On two lines if its name
 * leaves no room for the numbers. */
static void
text_item(struct out *o, const json_t *items, const json_t *item)
{
	const json_t *predicted = json_object_get(item, "predicted");
	const json_t *achieved = json_object_get(item, "achieved");
	const char *state = or_unknown(field_text(item, "state"));
	const char *reason = field_text(item, "reason");
	uint64_t shared = field_count(item, "shared_with");
	double s = field_number(predicted, "s");
	char text[384], a[NUMBER_SIZE], b[NUMBER_SIZE];
	int room = o->width - PREDICTED_COLUMNS - ACHIEVED_COLUMNS;

	item_name(text, sizeof(text), items, item);
	out_spaces(o, 1);
	if (out_columns(o, text) + 2 > room) {
		out_wrap(o, 4, text);
		out_spaces(o, room);
	} else {
		out_cell(o, text, room - 1);
	}
	number_interval(b, s, field_number(predicted, "low_s"),
	    field_number(predicted, "high_s"));
	number_seconds(a, s);
	snprintf(text, sizeof(text), "%s%s%s%s", a, b[0] != '\0' ? " (" : "",
	    b, b[0] != '\0' ? ")" : "");
	right(o, text, PREDICTED_COLUMNS);
	out_style(o, json_is_object(achieved) ? STYLE_GOOD : STYLE_DIM);
	right(o, json_is_object(achieved) ? number_seconds(a,
	    field_number(achieved, "s")) : strcmp(state, "unknown") == 0 ?
	    "unknown" : strcmp(state, "still") == 0 ? "still there" : "gone",
	    ACHIEVED_COLUMNS);
	out_style(o, STYLE_PLAIN);
	out_line(o);
	if (strcmp(state, "unknown") == 0 && reason != NULL) {
		out_spaces(o, 4);
		out_wrap(o, 4, reason);
	}
	if (shared > 0) {
		snprintf(text, sizeof(text), "together with %s that %s gone "
		    "from the same place: what was achieved is that of all",
		    number_of(a, shared, "other"), shared == 1 ? "is" : "are");
		out_spaces(o, 4);
		out_wrap(o, 4, text);
	}
}

static bool
is_item(const json_t *item, const char *state)
{

	return strcmp(or_unknown(field_text(item, "state")), state) == 0;
}

static void
text_predictions(struct out *o, const json_t *items, bool checked_only,
    size_t most)
{
	const json_t *item;
	size_t shown = 0, i;

	json_array_foreach(items, i, item) {
		if (is_item(item, "new") || (checked_only &&
		    !is_item(item, "gone")))
			continue;
		if (shown++ < most)
			text_item(o, items, item);
	}
	if (shown > most)
		out_format(o, "  %zu more\n", shown - most);
}

static void
text_added(struct out *o, const json_t *items)
{
	const json_t *item;
	bool any = false;
	char text[384];
	size_t i;

	json_array_foreach(items, i, item) {
		if (!is_item(item, "new"))
			continue;
		if (!any) {
			out_line(o);
			out_style(o, STYLE_BOLD);
			out_text(o, "New findings\n");
			out_style(o, STYLE_PLAIN);
		}
		any = true;
		item_name(text, sizeof(text), items, item);
		out_spaces(o, 1);
		out_wrap(o, 4, text);
	}
}

/* Do the launches of both runs have the same shape? */
static bool
is_alike(const json_t *kernel)
{

	return strcmp(or_unknown(field_text(kernel, "match")), "shape") == 0;
}

/* A side's seconds: of a launch if their shapes are the same, else of all launches. */
static const char *
side_time(char out[NUMBER_SIZE], const json_t *kernel, const char *side)
{

	return number_seconds(out, field_number(json_object_get(kernel, side),
	    is_alike(kernel) ? "mean_s" : "total_s"));
}

/* The number of the kernel if ${side} of ${k} consists of only one; else NULL. */
static const json_t *
only_id(const json_t *k, const char *side)
{
	const json_t *ids = json_object_get(json_object_get(k, side), "ids");

	return json_array_size(ids) == 1 ? json_array_get(ids, 0) : NULL;
}

static void
text_kernel(struct out *o, const json_t *kernels, const json_t *k)
{
	const json_t *id = only_id(k, "base");
	const char *match = field_text(k, "match");
	double saved = field_number(k, "saved_s");
	double speedup = field_number(k, "speedup_ratio");
	int room = o->width - 4 * TIME_COLUMNS - 1;
	char a[NUMBER_SIZE], mark[32] = "";
	bool same = json_is_false(json_object_get(k, "significant"));

	out_spaces(o, 1);
	if (is_one_of_many(kernels, k, "name"))
		number_mark(mark, sizeof(mark), id != NULL ? id :
		    only_id(k, "target"));
	out_cell(o, or_unknown(field_text(k, "name")), room - 2 -
	    out_columns(o, mark));
	out_text(o, mark);
	out_text(o, is_alike(k) ? "  " : " *");
	right(o, side_time(a, k, "base"), TIME_COLUMNS);
	right(o, side_time(a, k, "target"), TIME_COLUMNS);
	if (match == NULL) {
		out_style(o, STYLE_DIM);
		right(o, json_is_null(json_object_get(k, "base")) ? "new" :
		    "gone", 2 * TIME_COLUMNS);
	} else if (same) {
		out_style(o, STYLE_DIM);
		right(o, "as before", 2 * TIME_COLUMNS);
	} else {
		right(o, number_times(a, speedup), TIME_COLUMNS);
		out_style(o, saved >= 0 ? STYLE_GOOD : STYLE_BAD);
		right(o, number_seconds(a, saved), TIME_COLUMNS);
	}
	out_style(o, STYLE_PLAIN);
	out_line(o);
}

static void
text_kernels(struct out *o, const json_t *compare)
{
	const json_t *kernels = json_object_get(compare, "kernels"), *k;
	int room = o->width - 4 * TIME_COLUMNS;
	size_t n = json_array_size(kernels), i;
	bool alike = true;

	if (n == 0)
		return;
	out_line(o);
	out_style(o, STYLE_BOLD);
	out_cell(o, "Kernels (a launch)", room);
	out_style(o, STYLE_PLAIN);
	right(o, "before", TIME_COLUMNS);
	right(o, "after", TIME_COLUMNS);
	right(o, "faster", TIME_COLUMNS);
	right(o, "saves", TIME_COLUMNS);
	out_line(o);
	json_array_foreach(kernels, i, k) {
		if (i >= KERNELS_SHOWN)
			break;
		text_kernel(o, kernels, k);
		alike = alike && is_alike(k);
	}
	if (n > KERNELS_SHOWN)
		out_format(o, "  %zu more: --format json\n",
		    n - KERNELS_SHOWN);
	if (alike)
		return;
	out_style(o, STYLE_DIM);
	out_wrap(o, 2, "* of all launches: their shapes differ, or only one "
	    "run has them");
	out_style(o, STYLE_PLAIN);
}

void
text_compare_head(struct out *o, const json_t *compare, const char *base,
    const char *target)
{
	const json_t *b = json_object_get(compare, "base");
	const json_t *t = json_object_get(compare, "target");
	char text[512];

	out_style(o, STYLE_BOLD);
	out_segment(o, 0, "", "cudadvise");
	out_style(o, STYLE_PLAIN);
	snprintf(text, sizeof(text), "before: run %s", base);
	out_segment(o, 2, " · ", text);
	snprintf(text, sizeof(text), "after: run %s", target);
	out_segment(o, 2, " · ", text);
	out_segment(o, 2, " · ", or_unknown(field_text(t, "command")));
	out_line(o);
	text_times(o, "the run:", field_number(b, "wall_s"),
	    field_number(t, "wall_s"));
	text_times(o, "without start-up, end and measuring:",
	    field_number(b, "active_s"), field_number(t, "active_s"));
	text_times(o, "of it kernels:", field_number(b, "kernel_s"),
	    field_number(t, "kernel_s"));
	text_notes(o, compare);
	out_line(o);
}

void
text_compare(struct out *o, const json_t *compare)
{
	const json_t *findings = json_object_get(compare, "findings");
	const json_t *items = json_object_get(findings, "items");

	if (field_count(findings, "gone") + field_count(findings, "still") +
	    field_count(findings, "unknown") > 0) {
		text_heading(o, "What became of the predictions");
		text_predictions(o, items, false, SIZE_MAX);
	} else {
		out_text(o, "Nothing was found in the first run that is worth "
		    "a change.\n");
	}
	text_added(o, items);
	text_kernels(o, compare);
}

void
text_outcomes(struct out *o, const json_t *compare, const char *base,
    const char *target)
{
	const json_t *findings = json_object_get(compare, "findings");
	char text[512];

	if (field_count(findings, "gone") == 0)
		return;
	out_line(o);
	snprintf(text, sizeof(text), "Since run %s", base);
	text_heading(o, text);
	text_predictions(o, json_object_get(findings, "items"), true,
	    OUTCOMES_SHOWN);
	snprintf(text, sizeof(text), "  cudadvise compare %s %s says more",
	    base, target);
	out_style(o, STYLE_DIM);
	out_wrap(o, 4, text);
	out_style(o, STYLE_PLAIN);
}
