/*
 * report/text_operators.c: where a framework's program spends the GPU's time:
 * one row and line per operator, with the line of the program's own code that
 * launches most of it; with -v a row for each such line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#define SHOWN 6			/* rows: as many as are read at a glance */
#define LEAST 0.02		/* of the kernels' time: less saves under 2 % */
#define FIGURES 18		/* columns of share and seconds */
#define NAME_MOST 28		/* columns */
#define PLACE_LEAST 20		/* columns that a place needs beside a name */

/* An operator, or with -v one place of it. */
struct operator {
	const json_t *row;	/* of the place with the most seconds */
	double s;
	size_t places;
};

/* "model.py:88 in forward, 2 more places · cuBLAS"; ${brief}: without the function;
 * ${alone}: without the library. malloced; NULL without memory. */
static char *
place_text(const struct operator *p, bool brief, bool alone)
{
	const char *file = field_text(p->row, "file"),
	    *function = field_text(p->row, "function"),
	    *library = field_text(p->row, "library"), *separator = "";
	char *text = NULL, n[NUMBER_SIZE];
	size_t len = 0;
	FILE *t = open_memstream(&text, &len);

	if (t == NULL)
		return NULL;
	if (field_true(p->row, "backward")) {
		fputs("backward pass", t);
		separator = ", ";
	} else if (file != NULL) {
		fprintf(t, "%s:%llu%s%s", text_base_name(file),
		    (unsigned long long)field_count(p->row, "line"),
		    function != NULL && !brief ? " in " : "",
		    function != NULL && !brief ? function : "");
		separator = ", ";
	}
	if (p->places > 1) {
		fprintf(t, "%s%s", separator, number_of(n,
		    (double)p->places - 1, "more place"));
		separator = " · ";
	}
	if (library != NULL && !alone)
		fprintf(t, "%s%s", separator[0] != '\0' ? " · " : "", library);
	if (fclose(t) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Prints as much of it as fits on the line: first the library is left out, then
 * the function. */
static void
put_place(struct out *o, const struct operator *p)
{
	int room = o->width - o->column, columns;
	char *text = place_text(p, false, false);

	for (int i = 0; i < 2 && text != NULL && out_columns(o, text) > room;
	    i++) {
		free(text);
		text = place_text(p, i > 0, true);
	}
	if (text != NULL) {
		columns = out_columns(o, text);
		out_cell(o, text, columns < room ? columns : room);
	}
	out_line(o);
	free(text);
}

static void
put_row(struct out *o, const struct operator *p, double all, int name_columns,
    bool whole)
{
	const char *name = or_unknown(field_text(p->row, "name"));
	char share[NUMBER_SIZE], s[NUMBER_SIZE], *text = NULL;
	char *place = place_text(p, false, false);

	out_spaces(o, 2);
	out_cell(o, number_percent(share, p->s / all), FIGURES - 2 - 9);
	out_cell(o, number_seconds(s, p->s), 9);
	if (whole || place == NULL || place[0] == '\0') {
		if (asprintf(&text, "%s%s%s", name, place != NULL &&
		    place[0] != '\0' ? " · " : "", place != NULL ? place : "")
		    >= 0)
			out_wrap(o, FIGURES, text);
		free(text);
	} else {
		out_cell(o, name, name_columns);
		out_spaces(o, 2);
		put_place(o, p);
	}
	free(place);
}

static int
by_seconds(const void *va, const void *vb)
{
	const struct operator *a = va, *b = vb;

	return ORDER(b->s, a->s) ?: strcmp(or_unknown(field_text(a->row, "name")),
	    or_unknown(field_text(b->row, "name")));
}

/* The operators of ${items}, most seconds first; with ${each}, each place by
 * itself. malloced; NULL without memory. */
static struct operator *
collect(const json_t *items, bool each, size_t *count)
{
	struct operator *p = calloc(json_array_size(items) + 1, sizeof(*p));
	const json_t *row;
	size_t n = 0, i, at;

	json_array_foreach(items, i, row) {
		if (p == NULL)
			break;
		for (at = each ? n : 0; at < n; at++)
			if (strcmp(or_unknown(field_text(row, "name")),
			    or_unknown(field_text(p[at].row, "name"))) == 0)
				break;
		if (at == n)
			p[n++].row = row;
		p[at].s += field_number(row, "s");
		p[at].places++;
	}
	*count = n;
	if (p != NULL)
		qsort(p, n, sizeof(*p), by_seconds);
	return p;
}

/* The number of the ${n} to show; *${columns}: the width of their longest name. */
static size_t
shown_of(const struct out *o, const struct operator *p, size_t n, double all,
    int *columns)
{
	size_t shown = 0;
	int own;

	*columns = 0;
	for (; shown < n && shown < SHOWN && p[shown].s >= LEAST * all;
	    shown++) {
		own = out_columns(o, or_unknown(field_text(p[shown].row,
		    "name")));
		*columns = own > *columns ? own : *columns;
	}
	*columns = *columns < NAME_MOST ? *columns : NAME_MOST;
	return shown;
}

void
parts_operators(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->operators, "items");
	double all = field_number(r->operators, "kernel_s"), told = 0;
	char rest[NUMBER_SIZE], a[NUMBER_SIZE];
	size_t count, shown, i;
	struct operator *p;
	int columns;
	bool whole;

	if (!field_true(r->operators, "framework") || !(all > 0) ||
	    (p = collect(items, r->verbose, &count)) == NULL)
		return;
	shown = shown_of(o, p, count, all, &columns);
	/* Rows that the document leaves out count, too. */
	if (field_count(r->operators, "count") > json_array_size(items))
		count += field_count(r->operators, "count") -
		    json_array_size(items);
	whole = r->verbose || o->width < FIGURES + columns + 2 + PLACE_LEAST;
	out_line(o);
	out_style(o, STYLE_BOLD);
	out_wrap(o, 0, "Where the kernels' time goes, by operator and line");
	out_style(o, STYLE_PLAIN);
	for (i = 0; i < shown; i++) {
		put_row(o, &p[i], all, columns, whole);
		told += p[i].s;
	}
	free(p);
	if (count <= shown)
		return;
	out_spaces(o, 2);
	out_cell(o, number_percent(rest, (all - told) / all), 7);
	out_format(o, "in %s\n", number_of(a, (double)(count - shown),
	    shown > 0 ? "more operator" : "operator"));
}
