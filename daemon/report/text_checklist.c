#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#include "report/text.h"

#define STATE_COLUMNS 12	/* "not measured" */
#define INDENT (2 + STATE_COLUMNS + 2)

/* The keys of the states' counts, and their names. */
static const struct {
	const char *key, *text;
	enum out_style style;
} states[] = {
	{ "passed", "passed", STYLE_GOOD }, { "failed", "failed", STYLE_BAD },
	{ "no_gain", "no gain", STYLE_PLAIN },
	{ "not_measured", "not measured", STYLE_DIM },
};
#define STATES (sizeof(states) / sizeof(states[0]))

static bool
is_state(const json_t *line, const char *state)
{

	return strcmp(or_unknown(field_text(line, "state")), state) == 0;
}

static void
text_state(struct out *o, const json_t *line)
{
	size_t i;

	out_spaces(o, 2);
	for (i = 0; i + 1 < STATES && !is_state(line, states[i].key); i++)
		;
	out_style(o, states[i].style);
	out_cell(o, states[i].text, STATE_COLUMNS);
	out_style(o, STYLE_PLAIN);
	out_spaces(o, 2);
}

/* "91 % of the bytes moved were used (98 % of the kernel time)" */
static void
text_fact(struct out *o, const json_t *fact)
{
	double v = field_number(fact, "value");
	double covered = field_number(fact, "covered_ratio");
	const char *of = field_text(fact, "covered_of");
	char a[NUMBER_SIZE], b[NUMBER_SIZE], text[384];
	bool ratio = strcmp(or_unknown(field_text(fact, "unit")), "ratio") == 0;

	if (isnan(v))
		return;
	number_percent(b, covered);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s",
	    ratio ? number_percent(a, v) : "", ratio ? " " : "",
	    or_unknown(field_text(fact, "label")),
	    covered < 0.995 ? " (measured: " : "", covered < 0.995 ? b : "",
	    covered < 0.995 && of != NULL ? " of the " : "",
	    covered < 0.995 && of != NULL ? of : "");
	out_spaces(o, INDENT);
	if (covered < 0.995)
		strncat(text, ")", sizeof(text) - strlen(text) - 1);
	out_wrap(o, INDENT, text);
}

/* The findings because of which a line failed, and the command for more. */
static void
text_line_findings(struct out *o, const json_t *line)
{
	const json_t *items = json_object_get(line, "findings"), *f;
	uint64_t all = field_count(line, "findings_count");
	char text[512], a[NUMBER_SIZE];
	double saves;
	size_t i;

	json_array_foreach(items, i, f) {
		saves = field_number(f, "saves_s");
		snprintf(text, sizeof(text), "%s: %s%s%s",
		    or_unknown(field_text(f, "rule")),
		    or_unknown(field_text(f, "where")),
		    isnan(saves) ? "" : ", would save ",
		    isnan(saves) ? "" : number_seconds(a, saves));
		out_spaces(o, INDENT);
		out_wrap(o, INDENT + 2, text);
	}
	if (all > json_array_size(items))
		out_format(o, "%*s%llu more\n", INDENT, "",
		    (unsigned long long)(all - json_array_size(items)));
	if (field_count(line, "minor_count") > 0) {
		snprintf(text, sizeof(text), "%s not worth a change",
		    number_of(a, (double)field_count(line, "minor_count"),
		    "finding"));
		out_wrap(o, INDENT, text);
	}
}

/* "2 of 4 practices were not checked: counters were not asked for" */
static void
text_unchecked(struct out *o, const json_t *line)
{
	const json_t *rules = json_object_get(line, "rules"), *v;
	const char *reason = NULL;
	size_t n = json_array_size(rules), unchecked = 0, i;
	char text[384], a[NUMBER_SIZE];

	json_array_foreach(rules, i, v) {
		if (!is_state(v, "not_measured"))
			continue;
		unchecked++;
		if (reason == NULL)
			reason = field_text(v, "reason");
	}
	if (unchecked == 0 || is_state(line, "not_measured"))
		return;
	snprintf(text, sizeof(text), "%zu of %s not checked: %s", unchecked,
	    number_of(a, n, "practice"), or_unknown(reason));
	out_spaces(o, INDENT);
	out_style(o, STYLE_DIM);
	out_wrap(o, INDENT, text);
	out_style(o, STYLE_PLAIN);
}

static void
text_line(struct out *o, const json_t *line)
{
	const json_t *facts = json_object_get(line, "facts"), *f;
	const char *reason = field_text(line, "reason");
	size_t i;

	text_state(o, line);
	out_wrap(o, INDENT, or_unknown(field_text(line, "title")));
	if (is_state(line, "not_measured") && reason != NULL) {
		out_spaces(o, INDENT);
		out_style(o, STYLE_DIM);
		out_wrap(o, INDENT, reason);
		out_style(o, STYLE_PLAIN);
	}
	json_array_foreach(facts, i, f)
		text_fact(o, f);
	text_line_findings(o, line);
	text_unchecked(o, line);
}

/* "3 passed, 1 failed, 2 not measured" */
static void
text_counts(struct out *o, const json_t *of)
{
	char text[STATES * 40] = "";
	size_t len = 0, i;
	uint64_t n;

	for (i = 0; i < STATES; i++) {
		if ((n = field_count(of, states[i].key)) == 0)
			continue;
		snprintf(text + len, sizeof(text) - len, "%s%llu %s", len > 0 ?
		    ", " : "", (unsigned long long)n, states[i].text);
		len += strlen(text + len);
	}
	out_wrap(o, 2, text);
}

static void
text_next(struct out *o, const struct report *r, bool failed)
{
	char text[512];

	out_style(o, STYLE_DIM);
	snprintf(text, sizeof(text), "cudadvise findings %s", r->name);
	out_text(o, "Next: ");
	if (failed) {
		out_command(o, 6, "", text);
		snprintf(text, sizeof(text), "cudadvise compare %s NEWER",
		    r->name);
	} else {
		snprintf(text, sizeof(text), "cudadvise roofline %s", r->name);
	}
	out_command(o, 6, failed ? " · " : "", text);
	out_line(o);
	out_style(o, STYLE_PLAIN);
}

void
text_checklist(struct out *o, const struct report *r, const json_t *checklist)
{
	const json_t *groups = json_object_get(checklist, "groups"), *g, *line;
	size_t i, j;

	parts_header(o, r);
	parts_end(o, r->run);
	out_text(o, "  Checklist: ");
	text_counts(o, checklist);
	if (field_count(checklist, "no_gain") > 0) {
		out_style(o, STYLE_DIM);
		out_text(o, "  ");
		out_wrap(o, 2, "no gain: not as it should be, but to change it "
		    "would save nothing here");
		out_style(o, STYLE_PLAIN);
	}
	json_array_foreach(groups, i, g) {
		out_line(o);
		out_style(o, STYLE_BOLD);
		out_text(o, or_unknown(field_text(g, "title")));
		out_style(o, STYLE_PLAIN);
		out_text(o, ": ");
		text_counts(o, g);
		json_array_foreach(json_object_get(g, "lines"), j, line)
			text_line(o, line);
	}
	out_line(o);
	text_next(o, r, field_count(checklist, "failed") > 0);
}
