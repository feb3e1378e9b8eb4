#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/text_util.h"

#include "report/source_draw.h"

#define NOTE_LEAST 40		/* columns that a note needs */

/* --- rows -------------------------------------------------------------- */

void
draw_code(struct drawing *d, const char *s, size_t len)
{
	char *wide = malloc(4 * len + 1);
	size_t at = 0, i;

	if (wide == NULL) {
		d->failed = true;
		return;
	}
	for (i = 0; i < len; i++) {
		if (s[i] == '\t')
			do {
				wide[at++] = ' ';
			} while (at % 4 != 0);
		else
			wide[at++] = s[i];
	}
	while (at > 0 && (wide[at - 1] == ' ' || wide[at - 1] == '\r'))
		at--;
	wide[at] = '\0';
	if (at > 0)
		out_spaces(d->o, 2);
	if (d->a->whole || out_columns(d->o, wide) <=
	    d->o->width - d->o->column)
		out_text(d->o, wide);
	else
		out_cell(d->o, wide, d->o->width - d->o->column);
	free(wide);
	out_line(d->o);
}

void
draw_note(struct drawing *d, int indent, enum out_style style,
    const char *mark, const char *note)
{
	int column = d->columns.width + NUMBER_COLUMNS + 2 + indent;
	int most = d->o->width - NOTE_LEAST;

	if (column > most)
		column = most > 0 ? most : 0;
	out_spaces(d->o, column);
	out_style(d->o, style);
	out_text(d->o, mark);
	out_wrap(d->o, d->o->column, note);
	out_style(d->o, STYLE_PLAIN);
}

void
draw_insn(struct drawing *d, const struct source_insn *s)
{
	char pc[16];

	columns_row(d->o, &d->columns, &d->page, &s->heat);
	snprintf(pc, sizeof(pc), "%04x", s->pc);
	out_style(d->o, STYLE_DIM);
	out_spaces(d->o, NUMBER_COLUMNS - (int)strlen(pc));
	out_text(d->o, pc);
	if (s->text != NULL) {
		out_spaces(d->o, 2);
		draw_code(d, s->text, strlen(s->text));
	} else {
		out_line(d->o);
	}
	out_style(d->o, STYLE_PLAIN);
}

void
draw_gap(struct drawing *d)
{

	out_spaces(d->o, d->columns.width + NUMBER_COLUMNS -
	    (d->o->utf8 ? 1 : 3));
	out_text(d->o, "…\n");
}

/* --- findings ---------------------------------------------------------- */

bool
draw_concerns(const struct drawing *d, const json_t *finding)
{
	const json_t *id = json_object_get(finding, "kernel_id");

	return json_is_integer(id) && json_integer_value(id) ==
	    json_integer_value(json_object_get(d->a->source, "kernel_id"));
}

static void
draw_finding(struct drawing *d, const json_t *f, const json_t *hot,
    bool first, int indent)
{
	const char *what = field_text(hot, "what");
	double share = field_number(hot, "share_ratio");
	double s = field_number(json_object_get(f, "saves"), "s");
	char a[NUMBER_SIZE], *note = NULL;
	size_t len;
	FILE *t;

	if ((t = open_memstream(&note, &len)) == NULL) {
		d->failed = true;
		return;
	}
	fprintf(t, "%u %s", (unsigned)field_count(f, "rank"),
	    or_unknown(field_text(f, "title")));
	if (!isnan(share))
		fprintf(t, ": %s of it", number_percent(a, share));
	if (what != NULL)
		fprintf(t, "%s %s", isnan(share) ? ":" : ",", what);
	if (first && field_true(f, "worth_it") && s > 0)
		fprintf(t, "; would save %s", number_seconds(a, s));
	if (fclose(t) == 0)
		draw_note(d, indent, STYLE_BOLD, "^ ", note);
	free(note);
}

/* Is the hot line ${line} of the file being drawn or, with ${line} 0, the
 * instruction without a line at ${pc}? */
static bool
is_here(const struct drawing *d, const json_t *hot, uint32_t line, uint32_t pc)
{
	const char *file = field_text(hot, "file");

	if (line == 0)
		return file == NULL && field_count(hot, "pc") == pc;
	return file != NULL && d->path != NULL &&
	    strcmp(file, d->path) == 0 && field_count(hot, "line") == line;
}

size_t
draw_findings(struct drawing *d, uint32_t line, uint32_t pc, bool draw,
    int indent)
{
	const json_t *items = json_object_get(d->a->findings, "items");
	const json_t *f, *hots, *hot;
	size_t n = 0, i, j;

	json_array_foreach(items, i, f) {
		if (!draw_concerns(d, f))
			continue;
		hots = json_object_get(f, "hot_lines");
		json_array_foreach(hots, j, hot) {
			if (!is_here(d, hot, line, pc))
				continue;
			n++;
			if (!draw)
				continue;
			draw_finding(d, f, hot, j == 0, indent);
			d->told[i] = true;
		}
	}
	return n;
}
