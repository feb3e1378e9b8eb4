/* JUnit: one test case per finding, which fails, and one per practice without a
 * finding: it passes if clean, and is skipped if it was not measured. */
#include <stdlib.h>
#include <string.h>

#include "report/text_util.h"

#include "report/format.h"

/* Text of an attribute or element (XML 1.0, 2.2): XML has no control characters. */
static void
text(FILE *f, const char *s)
{
	char *clean = format_clean(s), *p;

	for (p = clean; p != NULL && *p != '\0'; p++) {
		switch (*p) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			putc(*p, f);
		}
	}
	free(clean);
}

static void
attribute(FILE *f, const char *name, const char *value)
{

	fprintf(f, " %s=\"", name);
	text(f, value);
	putc('"', f);
}

static void
case_begin(FILE *f, const char *class, const char *name)
{

	fputs("  <testcase", f);
	attribute(f, "classname", class);
	attribute(f, "name", name);
	fputs(" time=\"0\"", f);
}

static int
failure(FILE *f, const struct report *r, const json_t *x)
{
	struct place p = format_place(r->run, x);
	char *message = format_message(x);

	case_begin(f, or_unknown(field_text(x, "where")),
	    or_unknown(field_text(x, "rule")));
	fputs(">\n   <failure", f);
	attribute(f, "type", or_unknown(field_text(x, "severity")));
	attribute(f, "message", or_unknown(field_text(x, "title")));
	putc('>', f);
	text(f, message != NULL ? message : "");
	if (p.file != NULL) {
		text(f, " at ");
		text(f, p.file);
		fprintf(f, ":%llu", (unsigned long long)p.line);
	}
	fputs("</failure>\n  </testcase>\n", f);
	free(message);
	return message != NULL ? 0 : -1;
}

static void
rule_case(FILE *f, const json_t *rule)
{
	const char *reason = field_text(rule, "reason");

	case_begin(f, "run", or_unknown(field_text(rule, "rule")));
	if (strcmp(or_unknown(field_text(rule, "state")), "not_measured") !=
	    0) {
		fputs("/>\n", f);
		return;
	}
	fputs(">\n   <skipped", f);
	attribute(f, "message", or_unknown(reason));
	fputs("/>\n  </testcase>\n", f);
}

int
format_junit(FILE *f, const struct report *r)
{
	const json_t *rules = json_object_get(r->findings, "rules"), *x;
	size_t failures = 0, passed = 0, skipped = 0, i = 0;
	const char *state;
	int rc = 0;

	while (format_next(r, &i) != NULL)
		failures++;
	json_array_foreach(rules, i, x) {
		state = or_unknown(field_text(x, "state"));
		passed += strcmp(state, "clean") == 0;
		skipped += strcmp(state, "not_measured") == 0;
	}
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuites>\n <testsuite name=\"cudadvise\" tests=\"%zu\" "
	    "failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\">\n",
	    failures + passed + skipped, failures, skipped);
	for (i = 0; (x = format_next(r, &i)) != NULL;)
		rc |= failure(f, r, x);
	json_array_foreach(rules, i, x) {
		state = or_unknown(field_text(x, "state"));
		if (strcmp(state, "clean") == 0 ||
		    strcmp(state, "not_measured") == 0)
			rule_case(f, x);
	}
	fputs(" </testsuite>\n</testsuites>\n", f);
	return rc;
}
