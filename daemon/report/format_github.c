/* Annotations of GitHub Actions ("workflow commands"), at most ten: GitHub
 * shows no more. cli/show_summary.c adds the table to $GITHUB_STEP_SUMMARY. */
#include <stdlib.h>
#include <string.h>

#include "report/text_util.h"

#include "report/format.h"

#define ANNOTATIONS 10		/* that GitHub shows per level and step */

/* In a property, ',' and ':' must be escaped, too: they end it. */
static void
value(FILE *f, const char *s, bool property)
{

	for (; *s != '\0'; s++) {
		if (*s == '%' || *s == '\r' || *s == '\n' ||
		    (property && (*s == ',' || *s == ':')))
			fprintf(f, "%%%02X", (unsigned char)*s);
		else
			putc(*s, f);
	}
}

static int
annotation(FILE *f, const struct report *r, const json_t *x)
{
	struct place p = format_place(r->run, x);
	char *message = format_message(x), *title = format_clean(or_unknown(
	    field_text(x, "title")));

	if (message != NULL && title != NULL) {
		fprintf(f, "::%s ", strcmp(format_level(x), "note") == 0 ?
		    "notice" : "warning");
		if (p.file != NULL && p.line > 0) {
			fputs("file=", f);
			value(f, p.file, true);
			fprintf(f, ",line=%llu,", (unsigned long long)p.line);
		}
		fputs("title=", f);
		value(f, title, true);
		fputs("::", f);
		value(f, message, false);
		putc('\n', f);
	}
	free(title);
	free(message);
	return message != NULL && title != NULL ? 0 : -1;
}

int
format_github(FILE *f, const struct report *r)
{
	size_t i = 0, n = 0;
	const json_t *x;
	int rc = 0;

	while (n++ < ANNOTATIONS && (x = format_next(r, &i)) != NULL)
		rc |= annotation(f, r, x);
	return rc;
}
