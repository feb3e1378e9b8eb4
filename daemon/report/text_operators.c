/*
 * report/text_operators.c: where a framework's program spends the GPU's time, an
 * operator and a line of its own a row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#define SHOWN 6			/* rows, as many as are read at a glance */
#define LEAST 0.02		/* of the kernels' time: less saves under 2 % */
#define NAME_COLUMNS 28
#define PLACE_LEAST 24		/* columns that a place wants beside a name */

static void
row_place(char *out, size_t size, const json_t *row)
{
	const char *file = field_text(row, "file");
	const char *function = field_text(row, "function");

	if (field_true(row, "backward"))
		snprintf(out, size, "backward pass");
	else if (file != NULL && function != NULL)
		snprintf(out, size, "%s:%llu in %s", base_name(file),
		    (unsigned long long)field_count(row, "line"), function);
	else if (file != NULL)
		snprintf(out, size, "%s:%llu", base_name(file),
		    (unsigned long long)field_count(row, "line"));
	else
		out[0] = '\0';
}

static void
put_row(struct out *o, const json_t *row)
{
	const char *library = field_text(row, "library");
	const char *name = or_unknown(field_text(row, "name"));
	char share[NUMBER_SIZE], s[NUMBER_SIZE], place[160], text[512];
	char *all = NULL;
	bool beside;

	row_place(place, sizeof(place), row);
	out_spaces(o, 2);
	out_cell(o, number_percent(share, field_number(row, "share_ratio")), 7);
	out_cell(o, number_seconds(s, field_number(row, "s")), 9);
	snprintf(text, sizeof(text), "%s%s%s", place, place[0] != '\0' &&
	    library != NULL ? " · " : "", library != NULL ? library : "");
	beside = o->width - o->column >= NAME_COLUMNS + PLACE_LEAST;
	if (text[0] == '\0' || !beside) {
		if (asprintf(&all, "%s%s%s", name, text[0] != '\0' ? " · " : "",
		    text) >= 0)
			out_wrap(o, 20, all);
		free(all);
		return;
	}
	out_cell(o, name, NAME_COLUMNS);
	out_spaces(o, 1);
	out_wrap(o, 20, text);
}

void
parts_operators(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->operators, "items"), *row;
	double all = field_number(r->operators, "kernel_s"), told = 0;
	char rest[NUMBER_SIZE], n[NUMBER_SIZE];
	size_t i, shown = 0;

	if (!field_true(r->operators, "framework") || !(all > 0))
		return;
	out_line(o);
	out_style(o, STYLE_BOLD);
	out_text(o, "Where the kernels' time goes, by operator and line\n");
	out_style(o, STYLE_PLAIN);
	json_array_foreach(items, i, row) {
		if (shown == SHOWN || !(field_number(row, "s") >= LEAST * all))
			break;
		put_row(o, row);
		told += field_number(row, "s");
		shown++;
	}
	if (field_count(r->operators, "count") <= shown)
		return;
	out_spaces(o, 2);
	out_cell(o, number_percent(rest, (all - told) / all), 7);
	out_format(o, "in %s\n", number_of(n, field_count(r->operators,
	    "count") - shown, shown > 0 ? "more operator" : "operator"));
}
