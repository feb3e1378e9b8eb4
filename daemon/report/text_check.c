/* The head of a run of `cudadvise sanitize`: which tools ran, and how they ended. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"

/* The meaning of a state; NULL: it explains itself. */
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

/* "memcheck 4 errors, 1 warning, until the program failed" */
static void
check_text(char *text, size_t size, const json_t *c)
{
	uint64_t errors = field_count(c, "errors"),
	    warnings = field_count(c, "warnings"),
	    unreported = field_count(c, "unreported");
	const char *said = meaning(or_unknown(field_text(c, "state")));
	char found[NUMBER_SIZE], more[NUMBER_SIZE + 4] = "";
	char left[NUMBER_SIZE + 32] = "", a[NUMBER_SIZE];

	if (errors + warnings == 0)
		snprintf(found, sizeof(found), "nothing");
	else if (errors == 0)
		snprintf(found, sizeof(found), "no errors");
	else
		number_of(found, errors, "error");
	if (warnings > 0)
		snprintf(more, sizeof(more), ", %s", number_of(a, warnings,
		    "warning"));
	if (unreported > 0)
		snprintf(left, sizeof(left), " (%s not written out)",
		    number_count(a, unreported));
	snprintf(text, size, "%s %s%s%s%s%s", or_unknown(field_text(c,
	    "tool")), found, more, left, said != NULL ? ", " : "",
	    said != NULL ? said : "");
}

void
parts_checks(struct out *o, const json_t *checks)
{
	const char *state, *text;
	char said[256];
	const json_t *c;
	size_t i;

	/* As many as fit on a line: the head has three lines. */
	json_array_foreach(checks, i, c) {
		check_text(said, sizeof(said), c);
		out_segment(o, 2, i > 0 ? "; " : "", said);
	}
	if (i > 0)
		out_line(o);
	json_array_foreach(checks, i, c) {
		state = or_unknown(field_text(c, "state"));
		text = field_text(c, "text");
		if (meaning(state) == NULL || text == NULL || *text == '\0')
			continue;
		out_spaces(o, 4);
		out_wrap(o, 4, text);
	}
}
