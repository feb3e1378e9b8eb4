/*
 * compare/outcome_text.c: prints the documents of outcome.c as text.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/out.h"
#include "report/text_util.h"

#include "compare/outcome.h"

#define STATE_COLUMNS 10
#define LINE_SIZE 600

static void
text_moved(struct out *o, const json_t *item)
{
	const json_t *to = json_object_get(item, "moved_to");
	const char *title = field_text(to, "title");
	const char *bound = field_text(to, "bound");
	const char *reason = field_text(item, "reason");
	char line[LINE_SIZE];

	if (title != NULL || bound != NULL)
		snprintf(line, sizeof(line), "the bottleneck moved to %.200s",
		    title != NULL ? title : bound);
	else if (reason != NULL)
		snprintf(line, sizeof(line), "%.300s", reason);
	else
		return;
	out_spaces(o, 2 + STATE_COLUMNS);
	out_wrap(o, 2 + STATE_COLUMNS, line);
}

static void
text_promise(struct out *o, const json_t *item)
{
	const json_t *predicted = json_object_get(item, "predicted");
	const char *state = or_unknown(field_text(item, "state"));
	double s = field_number(json_object_get(item, "achieved"), "s");
	double others = (double)field_count(item, "shared_with");
	char line[LINE_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE],
	    n[NUMBER_SIZE];
	bool shared = others > 0 && !isnan(s);

	number_seconds(a, field_number(predicted, "s"));
	number_interval(b, field_number(predicted, "s"),
	    field_number(predicted, "low_s"), field_number(predicted,
	    "high_s"));
	snprintf(line, sizeof(line), "%.150s: %.100s: predicted %s%s%s%s, %s%s%s%s%s",
	    or_unknown(field_text(item, "where")),
	    or_unknown(field_text(item, "title")), a, b[0] != '\0' ? " (" : "",
	    b, b[0] != '\0' ? ")" : "", isnan(s) ? "achieved unknown" :
	    "achieved ", isnan(s) ? "" : number_seconds(c, s),
	    shared ? " together with " : "", shared ? number_of(n, others,
	    "other") : "", !shared ? "" : others > 1 ? " that are gone" :
	    " that is gone");
	out_text(o, "  ");
	out_style(o, strcmp(state, "kept") == 0 ? STYLE_GOOD :
	    strcmp(state, "missed") == 0 ? STYLE_BAD : STYLE_WARN);
	out_cell(o, state, STATE_COLUMNS);
	out_style(o, STYLE_PLAIN);
	out_wrap(o, 2 + STATE_COLUMNS, line);
	text_moved(o, item);
}

static void
text_doubts(struct out *o, const json_t *doubts)
{
	char line[LINE_SIZE];
	const json_t *x;
	char n[NUMBER_SIZE];
	double others;
	size_t i;

	json_array_foreach(doubts, i, x) {
		others = (double)field_count(x, "others");
		snprintf(line, sizeof(line), "%.150s%s%s: %.300s",
		    or_unknown(field_text(x, "kernel")), others > 0 ? " and " : "",
		    others > 0 ? number_of(n, others, "other") : "",
		    or_unknown(field_text(x, "text")));
		out_style(o, STYLE_WARN);
		out_text(o, "  doubt: ");
		out_style(o, STYLE_PLAIN);
		out_wrap(o, 4, line);
	}
}

void
text_outcome(struct out *o, const json_t *outcome)
{
	const json_t *items = json_object_get(outcome, "items"), *item;
	size_t i;

	out_style(o, STYLE_BOLD);
	out_text(o, json_array_size(items) == 0 ? "Nothing was predicted" :
	    json_array_size(json_object_get(outcome, "reasons")) > 0 ?
	    "Inconclusive: the predictions, under other conditions" :
	    "What became of the predictions");
	out_style(o, STYLE_PLAIN);
	out_line(o);
	text_reasons(o, outcome);
	json_array_foreach(items, i, item)
		text_promise(o, item);
	text_doubts(o, json_object_get(outcome, "doubts"));
}

void
text_new(struct out *o, const json_t *findings)
{
	char line[LINE_SIZE];
	const char *where;
	const json_t *f;
	size_t i;

	json_array_foreach(findings, i, f) {
		where = location_text(f);
		snprintf(line, sizeof(line), "%.100s (%s): %.200s: %.200s",
		    or_unknown(field_text(f, "rule")),
		    or_unknown(field_text(f, "severity")), where != NULL ?
		    where : or_unknown(field_text(f, "where")),
		    or_unknown(field_text(f, "summary")));
		out_style(o, STYLE_BAD);
		out_text(o, "  new           ");
		out_style(o, STYLE_PLAIN);
		out_wrap(o, 16, line);
	}
}
