#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "facts/reason.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"
#include "rules/engine/finding.h"

#include "report/text.h"

#define RANK_COLUMNS 4
#define SAVES_COLUMNS 9
#define WHERE_LEAST 8
#define WHERE_MOST 28
#define CHANGE_LINES 2

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

/* "  (3.4 to 4.1)", or "". */
static char *
interval_text(char out[NUMBER_SIZE], const json_t *f)
{
	const json_t *saves = json_object_get(f, "saves");
	char b[NUMBER_SIZE];

	number_interval(b, field_number(saves, "s"),
	    field_number(saves, "low_s"), field_number(saves, "high_s"));
	snprintf(out, NUMBER_SIZE, "%s%.*s%s", b[0] != '\0' ? "  (" : "",
	    NUMBER_SIZE - 5, b, b[0] != '\0' ? ")" : "");
	return out;
}

static void
widen(const struct out *o, struct columns *c, const json_t *f)
{
	char interval[NUMBER_SIZE];

	c->where = larger(c->where, out_columns(o,
	    or_unknown(field_text(f, "where"))));
	c->where = c->where < WHERE_MOST ? c->where : WHERE_MOST;
	c->interval = larger(c->interval, out_columns(o,
	    interval_text(interval, f)));
}

struct columns
parts_columns(const struct out *o, const json_t *items)
{
	struct columns c = { .where = WHERE_LEAST };
	const json_t *f;
	size_t i;

	json_array_foreach(items, i, f)
		widen(o, &c, f);
	/* Where room is short, the seconds are more than their interval, and
	 * more than the end of a name. */
	if (RANK_COLUMNS + c.where + 2 + SAVES_COLUMNS + c.interval > o->width)
		c.interval = 0;
	if (RANK_COLUMNS + c.where + 2 + SAVES_COLUMNS > o->width)
		c.where = o->width - RANK_COLUMNS - 2 - SAVES_COLUMNS;
	return c;
}

bool
parts_row(struct out *o, const json_t *f, struct columns c)
{
	const char *title = or_unknown(field_text(f, "title"));
	const char *where = or_unknown(field_text(f, "where"));
	int end = o->width - SAVES_COLUMNS - c.interval;
	char a[NUMBER_SIZE], b[NUMBER_SIZE];
	bool titled;

	out_style(o, STYLE_BOLD);
	out_format(o, "%2d  ", (int)field_count(f, "rank"));
	titled = out_columns(o, title) <= end - o->column - c.where - 2;
	if (!titled && strcmp(where, PLACE_RUN) == 0 &&
	    out_columns(o, title) <= end - o->column) {
		/* A place that says nothing makes room for the title. */
		out_cell(o, title, end - o->column);
		titled = true;
	} else {
		out_cell(o, where, c.where);
		out_style(o, STYLE_PLAIN);
		out_spaces(o, 2);
		out_text(o, titled ? title : "");
	}
	out_style(o, STYLE_PLAIN);
	out_spaces(o, end - o->column);
	number_seconds(a, field_number(json_object_get(f, "saves"), "s"));
	out_spaces(o, SAVES_COLUMNS - out_columns(o, a));
	out_style(o, STYLE_GOOD);
	out_text(o, a);
	out_style(o, STYLE_PLAIN);
	if (c.interval > 0)
		out_text(o, interval_text(b, f));
	out_line(o);
	return titled;
}

/* The remedy, which should stand out; without ${whole}: those of its clauses
 * that fit on two lines. */
static void
text_change(struct out *o, const json_t *f, bool whole)
{
	const char *change = field_text(f, "change");
	char *clauses = NULL;

	if (change == NULL)
		return;
	if (!whole)
		clauses = parts_clauses(o, 6, change, CHANGE_LINES);
	out_spaces(o, 4);
	out_style(o, STYLE_BOLD);
	out_text(o, "→ ");
	out_wrap(o, 6, clauses != NULL ? clauses : change);
	out_style(o, STYLE_PLAIN);
	free(clauses);
}

void
parts_body(struct out *o, const json_t *f, bool titled, bool missing)
{
	const char *no_line = field_text(f, "location_missing");

	text_change(o, f, false);
	parts_hot_lines(o, f, 1);
	parts_where(o, f, false);
	if (no_line != NULL && missing)
		out_wrap(o, 6, no_line);
	parts_why(o, f, titled, false);
}

/* For a finding placed at an operator: the kernel that the figures are of. */
static void
text_kernel(struct out *o, const json_t *f)
{
	const char *kernel = field_text(json_object_get(f, "location"),
	    "kernel");
	char *text = NULL;

	if (kernel == NULL || strstr(kernel, or_unknown(field_text(f,
	    "where"))) != NULL || asprintf(&text, "kernel %s", kernel) < 0)
		return;
	out_wrap(o, 6, text);
	free(text);
}

/* Everything about a finding except its evidence. */
static void
finding_body(struct out *o, const json_t *f, bool titled, bool missing)
{
	const json_t *saves = json_object_get(f, "saves");
	const char *no_line = field_text(f, "location_missing");
	const char *note = field_text(saves, "note");
	const char *advice = field_text(f, "advice");
	const char *change = field_text(f, "change");
	const char *confidence = or_unknown(field_text(f, "confidence"));
	char text[1024];

	text_change(o, f, true);
	/* The part before it is the change itself. */
	if (advice != NULL && change != NULL && strlen(advice) >
	    strlen(change) + 1)
		out_wrap(o, 6, advice + strlen(change) + 1);
	parts_hot_lines(o, f, HOT_LINES_SHOWN);
	parts_where(o, f, true);
	text_kernel(o, f);
	if (no_line != NULL && missing)
		out_wrap(o, 6, no_line);
	parts_why(o, f, titled, true);
	if (note != NULL && !isnan(field_number(saves, "s"))) {
		snprintf(text, sizeof(text), "the prediction assumes: %s",
		    note);
		out_wrap(o, 6, text);
	}
	/* "low" is shown as part of the reason. */
	if (strcmp(confidence, "low") == 0)
		return;
	snprintf(text, sizeof(text), "confidence: %s", confidence);
	out_wrap(o, 6, text);
}

static void
finding_evidence(struct out *o, const json_t *f)
{
	const char *unit, *from, *label;
	char text[512], v[NUMBER_SIZE];
	const json_t *e;
	double value;
	size_t i;

	json_array_foreach(json_object_get(f, "evidence"), i, e) {
		label = field_text(e, "label");
		unit = field_text(e, "unit");
		from = field_text(e, "from");
		value = field_number(e, "value");
		snprintf(text, sizeof(text), "%s%s%s [%s%s%s]",
		    or_unknown(label != NULL ? label : field_text(e, "name")),
		    isnan(value) ? "" : ": ",
		    isnan(value) ? "" : number_value(v, value, unit),
		    or_unknown(field_text(e, "source")),
		    from != NULL ? " from " : "", from != NULL ? from : "");
		out_wrap(o, 8, text);
		value = field_number(e, "threshold");
		if (isnan(value))
			continue;
		snprintf(text, sizeof(text), "threshold %s (%s)",
		    number_value(v, value, unit),
		    or_unknown(field_text(e, "threshold_origin")));
		out_wrap(o, 10, text);
	}
}

static void
finding_details(struct out *o, const json_t *f)
{
	const char *next = field_text(f, "next");
	char text[256];

	if (json_array_size(json_object_get(f, "evidence")) > 0)
		out_wrap(o, 6, "evidence");
	finding_evidence(o, f);
	parts_example(o, f, 6);
	if (next != NULL) {
		out_spaces(o, 6);
		out_text(o, "next measurement: ");
		out_text(o, next);
		out_line(o);
	}
	snprintf(text, sizeof(text), "rule %s, finding %s",
	    or_unknown(field_text(f, "rule")), or_unknown(field_text(f, "id")));
	out_style(o, STYLE_DIM);
	out_wrap(o, 6, text);
	out_style(o, STYLE_PLAIN);
}

/* ${text} … "would save" */
static void
heading(struct out *o, const char *text, struct columns c)
{

	out_style(o, STYLE_BOLD);
	/* Ends at the column at which the seconds end. */
	out_cell(o, text, o->width - c.interval - 10);
	out_style(o, STYLE_PLAIN);
	out_text(o, "would save\n");
}

void
parts_first_heading(struct out *o, const struct report *r, struct columns c)
{

	if (json_array_size(json_object_get(r->run, "checks")) == 0) {
		heading(o, "What to change first", c);
		return;
	}
	out_style(o, STYLE_BOLD);	/* none of it saves time */
	out_text(o, "What to correct first\n");
	out_style(o, STYLE_PLAIN);
}

/* Why nothing was found; for the correctness tools: why not all of them ran. */
static const char *
unchecked_reason(const json_t *rules, bool checks)
{
	const char *reason = NULL, *code;
	const json_t *v;
	size_t i;

	json_array_foreach(rules, i, v) {
		code = or_unknown(field_text(v, "reason_code"));
		if (strncmp(or_unknown(field_text(v, "state")), "not", 3) != 0 ||
		    (checks && strcmp(code,
		    reason_row[REASON_CHECKED_RUN].name) == 0))
			continue;
		reason = field_text(v, "reason");
		if (reason != NULL)
			break;
	}
	return or_unknown(reason);
}

/* If most of the time was not examined, or nothing at all, "nothing found" is
 * not good news. */
void
parts_nothing(struct out *o, const struct report *r)
{
	const json_t *rules = json_object_get(r->findings, "rules"), *v;
	const char *unmeasured = field_text(r->findings, "unmeasured");
	bool checks = json_array_size(json_object_get(r->run, "checks")) > 0;
	char text[128], a[NUMBER_SIZE];
	size_t looked_at = 0, i;

	json_array_foreach(rules, i, v)
		looked_at += strncmp(or_unknown(field_text(v, "state")), "not",
		    3) != 0;
	if (looked_at == 0 && unmeasured == NULL)
		unmeasured = unchecked_reason(rules, checks);
	out_style(o, STYLE_BOLD);
	if (unmeasured != NULL) {
		out_text(o, "Not measured: ");
		out_wrap(o, 4, unmeasured);
	} else {
		snprintf(text, sizeof(text), "that is worth a change: %s "
		    "checked.", checks ? "errors and races were" :
		    number_of(a, looked_at, "practice"));
		out_text(o, "Nothing found ");
		out_wrap(o, 4, text);
	}
	out_style(o, STYLE_PLAIN);
}

void
parts_full(struct out *o, const json_t *items, size_t i, struct columns c,
    bool evidence)
{
	const json_t *f = json_array_get(items, i);
	bool titled = parts_row(o, f, c);

	finding_body(o, f, titled, !parts_missing_told(items, i));
	if (evidence)
		finding_details(o, f);
}

void
text_findings(struct out *o, const struct report *r, bool all)
{
	const json_t *items = json_object_get(r->findings, "items"), *f;
	size_t worth_it = 0, others = 0, i;
	struct columns c = parts_columns(o, items);

	parts_header(o, r);
	out_line(o);
	json_array_foreach(items, i, f) {
		if (!field_true(f, "worth_it")) {
			others++;
			continue;
		}
		if (worth_it++ == 0)
			parts_first_heading(o, r, c);
		parts_full(o, items, i, c, true);
	}
	if (worth_it == 0)
		parts_nothing(o, r);
	if (all && others > 0) {
		out_line(o);
		heading(o, "Below the noise", c);
	}
	json_array_foreach(items, i, f)
		if (all && !field_true(f, "worth_it"))
			parts_full(o, items, i, c, false);
	out_line(o);
	parts_together(o, r, worth_it);
}
