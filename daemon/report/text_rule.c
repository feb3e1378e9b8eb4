#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#include "report/text.h"

void
parts_example(struct out *o, const json_t *of, int indent)
{
	const json_t *example = json_object_get(of, "example");
	const char *bad = field_text(example, "bad");
	const char *good = field_text(example, "good");

	if (bad != NULL) {
		out_spaces(o, indent);
		out_style(o, STYLE_BAD);
		out_text(o, "instead of\n");
		out_style(o, STYLE_PLAIN);
		out_code(o, indent + 2, bad);
	}
	if (good != NULL) {
		out_spaces(o, indent);
		out_style(o, STYLE_GOOD);
		out_text(o, "write\n");
		out_style(o, STYLE_PLAIN);
		out_code(o, indent + 2, good);
	}
}

static void
rule_part(struct out *o, const char *heading, const char *text)
{

	if (text == NULL || *text == '\0')
		return;
	out_style(o, STYLE_BOLD);
	out_format(o, "%s\n", heading);
	out_style(o, STYLE_PLAIN);
	out_wrap(o, 2, text);
}

void
text_rule(struct out *o, const json_t *rule)
{
	const char *pair = field_text(rule, "pair"), *unit;
	const json_t *t;
	char text[512], v[NUMBER_SIZE];
	size_t i;

	out_style(o, STYLE_BOLD);
	out_text(o, or_unknown(field_text(rule, "id")));
	out_style(o, STYLE_PLAIN);
	out_format(o, " · %s · %s · at most %s\n",
	    or_unknown(field_text(rule, "title")),
	    or_unknown(field_text(rule, "category")),
	    or_unknown(field_text(rule, "severity")));
	rule_part(o, "Why", field_text(rule, "why"));
	rule_part(o, "What to do", field_text(rule, "advice"));
	parts_example(o, rule, 2);
	rule_part(o, "What it gains", field_text(rule, "gain"));
	rule_part(o, "How it is found", field_text(rule, "detects"));
	json_array_foreach(json_object_get(rule, "thresholds"), i, t) {
		unit = field_text(t, "unit");
		snprintf(text, sizeof(text), "%s = %s (%s)",
		    or_unknown(field_text(t, "key")),
		    number_value(v, field_number(t, "value"), unit),
		    or_unknown(field_text(t, "origin")));
		out_wrap(o, 4, text);
	}
	rule_part(o, "Needs", field_text(rule, "needs"));
	rule_part(o, "Measure next", field_text(rule, "next"));
	if (pair != NULL && *pair != '\0') {
		snprintf(text, sizeof(text), strstr(pair, ".py") != NULL ?
		    "cudadvise run python3 %s bad, then good" :
		    "cudadvise run cudadvise-kernels %s --variant bad, then "
		    "--variant good", pair);
		rule_part(o, "Try it", text);
	}
	rule_part(o, "Sources", field_text(rule, "sources"));
	json_array_foreach(json_object_get(rule, "manuals"), i, t) {
		out_spaces(o, 4);
		out_text(o, or_unknown(field_text(t, "url")));
		out_line(o);
	}
}
