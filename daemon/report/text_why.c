/* The reason for a finding: what was measured and what limits; and what is left
 * out if it must fit on two lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_util.h"

#include "report/text_parts.h"

#define INDENT 6
#define WHY_LINES 2
#define WHY_COLUMNS 60		/* the least width for these: a narrower
				 * terminal shows the same on more lines */
#define LEFT_TOLD 0.9		/* of its seconds: if more is left, it is not
				 * mentioned */

/* --- clauses --------------------------------------------------------------- */

/* Where the last clause of the first ${n} bytes of ${s} begins, including its
 * separator; 0: there is only one. */
static size_t
last_clause(const char *s, size_t n)
{
	size_t at = 0, i;
	int depth = 0;

	for (i = 1; i + 1 < n; i++) {
		if (depth == 0 && ((strchr(",;:", s[i]) != NULL && s[i + 1] ==
		    ' ') || (s[i] == ' ' && s[i + 1] == '(')))
			at = i;
		depth += s[i] == '(';
		depth -= s[i] == ')' && depth > 0;
	}
	return at;
}

char *
parts_clauses(const struct out *o, int indent, const char *s, int lines)
{
	size_t n = strlen(s);
	char *text;

	if (out_lines(o, indent, s) <= lines)
		return strdup(s);
	while ((n = last_clause(s, n)) > 0) {
		if (asprintf(&text, "%.*s …", (int)n, s) < 0)
			return NULL;
		if (out_lines(o, indent, text) <= lines)
			return text;
		free(text);
	}
	return NULL;
}

/* Cuts off the last clause of ${s}; false if it is the only one. */
static bool
drop_clause(char *s)
{
	size_t at = s != NULL ? last_clause(s, strlen(s)) : 0;

	if (at > 0)
		s[at] = '\0';
	return at > 0;
}

/* Removes parentheses that follow a space, with their content, from ${s}. */
static void
drop_parentheses(char *s)
{
	char *to = s;
	size_t n;

	while (s != NULL && *s != '\0') {
		n = s[0] == ' ' && s[1] == '(' ? strcspn(s, ")") : 0;
		if (n > 0 && s[n] == ')')
			s += n + 1;
		else
			*to++ = *s++;
	}
	if (s != NULL)
		*to = '\0';
}

/* --- why ------------------------------------------------------------------- */

struct why {
	const char *title;	/* if the row had no room for it, and the
				 * summary does not contain it */
	char *summary;		/* what was measured */
	char *limiter;
	const char *note;	/* why there are no seconds */
};

/* Does the summary "the GPU waits for the host again" contain the title "GPU
 * waits for the host"? */
static bool
says(const char *summary, const char *title)
{
	return summary != NULL && title != NULL && strcasestr(summary, title) !=
	    NULL;
}

/* Says that another finding takes the same time away. */
static void
tell_left(FILE *t, const json_t *f)
{
	const json_t *saves = json_object_get(f, "saves");
	double s = field_number(saves, "s"), left = field_number(saves, "left_s");
	char text[NUMBER_SIZE];

	if (!json_is_integer(json_object_get(saves, "after")) ||
	    !(left < LEFT_TOLD * s))
		return;
	number_seconds(text, left);
	fprintf(t, "; %s%s once %d is fixed", strcmp(text, "0 s") == 0 ?
	    "nothing" : text, strcmp(text, "0 s") == 0 ? " remains" : " remain",
	    (int)field_count(saves, "after"));
}

/* Says why it is not before a finding that saves less. */
static void
tell_behind(FILE *t, const json_t *f)
{
	uint64_t behind = field_count(json_object_get(f, "saves"), "behind");

	if (behind > 0)
		fprintf(t, "; fix %llu first: %s", (unsigned long long)behind,
		    strcmp(or_unknown(field_text(f, "rule")), "gpu-idle-gaps") == 0 ?
		    "the same edit may close these gaps" :
		    "no graph can hold that wait");
}

/* The parts joined, malloced. NULL: there are none. */
static char *
why_text(const json_t *f, const struct why *w)
{
	const char *parts[] = { w->title, w->summary, w->limiter, w->note };
	static const char *const before[] = { "", ": ", "; ", "; " };
	char *text = NULL;
	size_t len = 0, n = 0, i;
	FILE *t;

	if ((t = open_memstream(&text, &len)) == NULL)
		return NULL;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i] != NULL)
			fprintf(t, "%s%s", n++ > 0 ? before[i] : "", parts[i]);
	if (strcmp(or_unknown(field_text(f, "confidence")), "low") == 0)
		fprintf(t, "%slow confidence", n++ > 0 ? "; " : "");
	if (n > 0)
		tell_behind(t, f);
	if (n > 0)
		tell_left(t, f);
	if (fclose(t) == 0 && n > 0)
		return text;
	free(text);
	return NULL;
}

/* Leaves out the least important part. False: nothing more to leave out. */
static bool
leave_out(struct why *w, size_t step)
{
	if (step == 0) {
		drop_parentheses(w->summary);
	} else if (step == 1) {
		drop_parentheses(w->limiter);
	} else if (step == 2) {
		w->note = NULL;
	} else if (drop_clause(w->summary)) {
		return true;
	} else if (w->limiter != NULL) {
		free(w->limiter);
		w->limiter = NULL;
	} else if (w->title != NULL && w->summary != NULL) {
		w->title = NULL;
	} else {
		return false;
	}
	return true;
}

static char *
copy_of(const char *s)
{
	return s != NULL ? strdup(s) : NULL;
}

void
parts_why(struct out *o, const json_t *f, bool titled, bool whole)
{
	const json_t *saves = json_object_get(f, "saves");
	struct why w = { field_text(f, "title"),
		copy_of(field_text(f, "summary")),
		copy_of(field_text(f, "limiter")),
		isnan(field_number(saves, "s")) ? field_text(saves, "note") :
		NULL };
	struct out wide = *o;
	size_t step = 0;
	char *text;

	wide.width = o->width > WHY_COLUMNS ? o->width : WHY_COLUMNS;
	if (titled || says(w.summary, w.title))
		w.title = NULL;
	text = why_text(f, &w);
	while (!whole && text != NULL && out_lines(&wide, INDENT, text) >
	    WHY_LINES && leave_out(&w, step++)) {
		free(text);
		text = why_text(f, &w);
	}
	if (text != NULL)
		out_wrap(o, INDENT, text);
	free(text);
	free(w.summary);
	free(w.limiter);
}
