#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#include "report/text.h"

/* Columns of the two right-hand ones: "would save" and the interval. */
#define SAVES_COLUMNS 9
#define INTERVAL_COLUMNS 18	/* "  (0.063 to 0.98)" and its kin */
#define WHERE_MAX 28
#define SMALL_SHARE 0.005	/* of the whole run: nobody sees less */
#define BELOW_SHOWN 3		/* of those that are lost in the noise */
#define BELOW_COUNTED 100	/* of the rest: more is not worth the counting */

int
parts_where_columns(const struct out *o, const json_t *items)
{
	const char *where;
	int most = 8, n;
	const json_t *f;
	size_t i;

	json_array_foreach(items, i, f) {
		where = or_unknown(field_text(f, "where"));
		n = out_columns(o, where);
		if (n > most)
			most = n;
	}
	return most < WHERE_MAX ? most : WHERE_MAX;
}

void
parts_row(struct out *o, const json_t *f, int where)
{
	const json_t *saves = json_object_get(f, "saves");
	const char *title = or_unknown(field_text(f, "title"));
	double s = field_number(saves, "s");
	char a[NUMBER_SIZE], b[NUMBER_SIZE];
	int right = o->width - SAVES_COLUMNS - INTERVAL_COLUMNS;
	int room;

	out_style(o, STYLE_BOLD);
	out_format(o, "%2d  ", (int)field_count(f, "rank"));
	out_cell(o, or_unknown(field_text(f, "where")), where);
	out_style(o, STYLE_PLAIN);
	out_spaces(o, 2);
	room = right - o->column;
	if (out_columns(o, title) <= room)
		out_cell(o, title, room);
	else
		out_spaces(o, room);
	number_seconds(a, s);
	out_spaces(o, SAVES_COLUMNS - out_columns(o, a));
	out_style(o, STYLE_GOOD);
	out_text(o, a);
	out_style(o, STYLE_PLAIN);
	number_interval(b, s, field_number(saves, "low_s"),
	    field_number(saves, "high_s"));
	if (b[0] != '\0')
		out_format(o, "  (%s)", b);
	out_line(o);
	if (out_columns(o, title) > room)
		out_wrap(o, 6, title);
}

void
parts_body(struct out *o, const json_t *f, bool full, bool missing)
{
	const json_t *saves = json_object_get(f, "saves");
	const char *summary = field_text(f, "summary");
	const char *limiter = field_text(f, "limiter");
	const char *note = field_text(saves, "note");
	const char *no_line = field_text(f, "location_missing");
	const char *advice = field_text(f, "advice");
	const char *confidence = or_unknown(field_text(f, "confidence"));
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", summary != NULL ? summary : "",
	    summary != NULL && limiter != NULL ? "; " : "",
	    limiter != NULL ? limiter : "");
	if (text[0] != '\0')
		out_wrap(o, 6, text);
	parts_hot_lines(o, f);
	parts_where(o, f, full);
	if (no_line != NULL && missing)
		out_wrap(o, 6, no_line);
	if (advice != NULL)
		out_wrap(o, 6, advice);
	if (note != NULL && (full || isnan(field_number(saves, "s")))) {
		snprintf(text, sizeof(text), "%s: %s",
		    isnan(field_number(saves, "s")) ? "no prediction" :
		    "the prediction assumes", note);
		out_wrap(o, 6, text);
	}
	if (full || strcmp(confidence, "low") == 0) {
		snprintf(text, sizeof(text), "confidence: %s", confidence);
		out_wrap(o, 6, text);
	}
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
	out_spaces(o, 6);
	out_style(o, STYLE_DIM);
	out_format(o, "rule %s, finding %s\n",
	    or_unknown(field_text(f, "rule")), or_unknown(field_text(f, "id")));
	out_style(o, STYLE_PLAIN);
}

void
text_finding(struct out *o, const json_t *f, bool full)
{

	parts_row(o, f, out_columns(o, or_unknown(field_text(f, "where"))) <
	    WHERE_MAX ? out_columns(o, or_unknown(field_text(f, "where"))) :
	    WHERE_MAX);
	parts_body(o, f, full, full);
	if (full)
		finding_details(o, f);
}

void
parts_heading(struct out *o, const char *heading)
{

	out_style(o, STYLE_BOLD);
	out_cell(o, heading, o->width - SAVES_COLUMNS - INTERVAL_COLUMNS - 1);
	out_style(o, STYLE_PLAIN);
	out_text(o, "would save\n");
}

void
parts_first_heading(struct out *o, const struct report *r)
{

	if (json_array_size(json_object_get(r->run, "checks")) == 0) {
		parts_heading(o, "What to change first");
		return;
	}
	out_style(o, STYLE_BOLD);	/* nothing of it saves time */
	out_text(o, "What to correct first\n");
	out_style(o, STYLE_PLAIN);
}

/* What is worth a change in a short program, and lost in the whole run. */
static void
text_small(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->findings, "items"), *f;
	char text[256], which[64] = "it saves";
	size_t small = 0, all = 0, i;

	json_array_foreach(items, i, f) {
		all += field_true(f, "worth_it");
		small += field_true(f, "worth_it") && field_number(
		    json_object_get(f, "saves"), "share_ratio") < SMALL_SHARE;
	}
	if (small == 0)
		return;
	if (all > 1)
		snprintf(which, sizeof(which), "%zu of them save%s", small,
		    small == 1 ? "s" : "");
	snprintf(text, sizeof(text), "%s less than 0.5 %% of the whole run: held "
	    "against the GPU's work and the short gaps beside it", which);
	out_spaces(o, 4);
	out_wrap(o, 6, text);
}

/* Whether two findings are one fault of one kernel, at other launch shapes. */
static bool
same_place(const json_t *a, const json_t *b)
{

	return strcmp(or_unknown(field_text(a, "rule")),
	    or_unknown(field_text(b, "rule"))) == 0 &&
	    strcmp(or_unknown(field_text(a, "where")),
	    or_unknown(field_text(b, "where"))) == 0;
}

/* What finding ${at} and its kin save, all of them lost in the noise; 0: nothing,
 * or one before it has spoken for it. */
static double
below_noise(const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at), *g;
	double sum = 0, s;
	size_t i;

	json_array_foreach(items, i, g) {
		if (field_true(g, "worth_it") || !same_place(f, g))
			continue;
		if (i < at)
			return 0;
		s = field_number(json_object_get(g, "saves"), "s");
		sum += s > 0 ? s : 0;
	}
	return sum;
}

/* "; tail-effect in step 0.1 ms; … 3 more": once each, with its seconds. */
static void
put_below(FILE *t, const json_t *items)
{
	char a[NUMBER_SIZE];
	size_t shown = 0, more = 0, i;
	const json_t *f;
	double s;

	json_array_foreach(items, i, f) {
		if (field_true(f, "worth_it") || more >= BELOW_COUNTED)
			continue;
		s = below_noise(items, i);
		if (!(s > 0))
			continue;
		if (shown == BELOW_SHOWN) {
			more++;
			continue;
		}
		fprintf(t, "%s %s in %s %s", shown++ == 0 ? ":" : ",",
		    or_unknown(field_text(f, "rule")),
		    or_unknown(field_text(f, "where")), number_seconds(a, s));
	}
	if (more > 0)
		fprintf(t, ", and %zu%s more (--all)", more,
		    more >= BELOW_COUNTED ? " or" : "");
}

/* What was found and is not worth it, in one paragraph. */
static void
text_below(struct out *o, const struct report *r, size_t n)
{
	const json_t *items = json_object_get(r->findings, "items");
	double noise = field_number(r->findings, "noise_s");
	char *text = NULL, a[NUMBER_SIZE];
	size_t len = 0;
	FILE *t;

	if ((t = open_memstream(&text, &len)) == NULL)
		return;
	if (json_array_size(json_object_get(r->run, "checks")) > 0) {
		fprintf(t, "%zu found, not worth it: %s", n, n == 1 ?
		    "it follows from an error, or harms nobody" :
		    "they follow from an error, or harm nobody");
	} else {
		fprintf(t, "%zu found, not worth it: %s would save nothing, or "
		    "less than this run's noise (%s)", n, n == 1 ? "it" :
		    "each", number_seconds(a, noise));
		put_below(t, items);
	}
	if (fclose(t) == 0) {
		out_spaces(o, 4);
		out_style(o, STYLE_DIM);
		out_wrap(o, 6, text);
		out_style(o, STYLE_PLAIN);
	}
	free(text);
}

void
parts_together(struct out *o, const struct report *r, size_t worth_it)
{
	double together = field_number(r->findings, "together_s");
	size_t all = json_array_size(json_object_get(r->findings, "items"));
	char text[256], a[NUMBER_SIZE];

	if (worth_it > 1 && together > 0) {
		snprintf(text, sizeof(text), "together at most %s%s",
		    number_seconds(a, together),
		    field_true(r->findings, "overlap") ? ": some fix the same "
		    "time, so their sum is not what you get" : "");
		out_spaces(o, 4);
		out_wrap(o, 6, text);
	}
	text_small(o, r);
	if (all > worth_it)
		text_below(o, r, all - worth_it);
}

/* Where most of the time went into what nobody looked at, that is no news. */
void
parts_nothing(struct out *o, const struct report *r)
{
	const char *unmeasured = field_text(r->findings, "unmeasured");

	out_style(o, STYLE_BOLD);
	if (unmeasured != NULL) {
		out_text(o, "Not measured: ");
		out_wrap(o, 4, unmeasured);
	} else {
		out_text(o, "Nothing found that is worth a change.\n");
	}
	out_style(o, STYLE_PLAIN);
}

void
text_findings(struct out *o, const struct report *r, bool all)
{
	const json_t *items = json_object_get(r->findings, "items"), *f;
	size_t worth_it = 0, others = 0, i;
	int where = parts_where_columns(o, items);

	json_array_foreach(items, i, f) {
		if (!field_true(f, "worth_it")) {
			others++;
			continue;
		}
		if (worth_it++ == 0)
			parts_first_heading(o, r);
		parts_row(o, f, where);
		parts_body(o, f, true, !parts_missing_told(items, i));
		finding_details(o, f);
	}
	if (worth_it == 0)
		parts_nothing(o, r);
	if (!all) {
		parts_together(o, r, worth_it);
		return;
	}
	if (others > 0) {
		out_line(o);
		parts_heading(o, "Found, not worth it");
	}
	json_array_foreach(items, i, f) {
		if (field_true(f, "worth_it"))
			continue;
		parts_row(o, f, where);
		parts_body(o, f, true, !parts_missing_told(items, i));
	}
	parts_together(o, r, worth_it);
}

