/* The head of a run of `cudadvise sanitize`: which tools ran, and to what end. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"

/* What a state means; NULL: what is to be seen is enough. */
static const char *
meaning(const char *state)
{
	static const struct {
		const char *state, *text;
	} rows[] = {
		{ "partial", "until the program failed" },
		{ "timeout", "until the time limit" },
		{ "no_gpu", "the program used no GPU" },
		{ "failed", "it wrote no report" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].state, state) == 0)
			return rows[i].text;
	return NULL;
}

/* "4 errors, 1 warning" */
static void
put_counts(struct out *o, const json_t *c)
{
	uint64_t errors = field_count(c, "errors"),
	    warnings = field_count(c, "warnings"),
	    unreported = field_count(c, "unreported");
	char text[NUMBER_SIZE], a[NUMBER_SIZE];

	if (errors + warnings == 0)
		snprintf(text, sizeof(text), "nothing");
	else if (errors == 0)
		snprintf(text, sizeof(text), "no errors");
	else
		number_of(text, errors, "error");
	out_text(o, text);
	if (warnings > 0)
		out_format(o, ", %s", number_of(a, warnings, "warning"));
	if (unreported > 0)
		out_format(o, " (%s of them not written out)",
		    number_count(a, unreported));
}

/* "  memcheck  13 errors in 925 ms, until the program failed": one line where the
 * state takes few words. */
static void
put_check(struct out *o, const json_t *c)
{
	const char *said = meaning(or_unknown(field_text(c, "state")));
	char time[NUMBER_SIZE], a[NUMBER_SIZE];

	snprintf(time, sizeof(time), "in %s", number_seconds(a,
	    (field_number(c, "end_ns") - field_number(c, "start_ns")) / 1e9));
	out_spaces(o, 2);
	out_cell(o, or_unknown(field_text(c, "tool")), 10);
	put_counts(o, c);
	out_append(o, " ", time);
	if (said != NULL) {
		out_style(o, STYLE_WARN);
		out_segment(o, 4, ", ", said);
		out_style(o, STYLE_PLAIN);
	}
	out_line(o);
}

void
parts_checks(struct out *o, const json_t *checks)
{
	const char *state, *text;
	const json_t *c;
	size_t i;

	json_array_foreach(checks, i, c) {
		put_check(o, c);
		state = or_unknown(field_text(c, "state"));
		text = field_text(c, "text");
		if (meaning(state) == NULL || text == NULL || *text == '\0')
			continue;
		out_spaces(o, 4);
		out_wrap(o, 4, text);
	}
}
