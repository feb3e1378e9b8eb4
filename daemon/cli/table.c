#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/out.h"

#include "cli/table.h"

#define WIDTH_UNCUT 65536u		/* columns: wider than any row */

struct table {
	struct libscols_table *table;
	struct libscols_line *line;
	struct out *out;
	const struct table_column *columns;
	int *width;			/* width of each column's widest cell */
	int n;
	bool cut, failed;
};

/* Notes the width of ${text} for its column. */
static void
widen(struct table *t, int column, const char *text)
{
	int w = out_columns(t->out, text);

	if (w > t->width[column])
		t->width[column] = w;
}

struct table *
table_new(struct out *o, const struct table_column *columns, int n)
{
	struct table *t = calloc(1, sizeof(*t));
	char *title;
	int i, flags;

	if (t == NULL || (t->width = calloc((size_t)n, sizeof(int))) == NULL ||
	    (t->table = scols_new_table()) == NULL) {
		table_free(t);
		return NULL;
	}
	t->out = o;
	t->columns = columns;
	t->n = n;
	/* Output for a script or a pager is not cut, unless COLUMNS gives a width. */
	t->cut = isatty(fileno(o->file)) || getenv("COLUMNS") != NULL;
	scols_table_set_termforce(t->table, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(t->table, t->cut ? (size_t)o->width :
	    WIDTH_UNCUT);
	for (i = 0; i < n; i++) {
		flags = columns[i].flags & TABLE_RIGHT ? SCOLS_FL_RIGHT : 0;
		if (t->cut && (columns[i].flags & (TABLE_CUT | TABLE_SHORT)))
			flags |= SCOLS_FL_TRUNC;
		title = out_clean(o, columns[i].title);
		if (title == NULL || scols_table_new_column(t->table, title,
		    columns[i].flags & TABLE_CUT ? 0.3 :
		    columns[i].flags & TABLE_SHORT ? 0.09 : 0, flags) == NULL)
			t->failed = true;
		else
			widen(t, i, title);
		free(title);
	}
	return t;
}

void
table_row(struct table *t)
{

	if (t == NULL)
		return;
	if ((t->line = scols_table_new_line(t->table, NULL)) == NULL)
		t->failed = true;
}

void
table_cell(struct table *t, int column, const char *text)
{
	char *clean;

	if (t == NULL || t->line == NULL)
		return;
	clean = out_clean(t->out, text != NULL ? text : "");
	if (clean == NULL ||
	    scols_line_refer_data(t->line, (size_t)column, clean) != 0) {
		free(clean);
		t->failed = true;
		return;
	}
	widen(t, column, clean);
}

/* Columns that the line needs: the full width of uncut columns, and the least
 * of the others, whose titles libsmartcols does not cut. */
static int
wanted(const struct table *t)
{
	int sum = -1, i, least, title;

	for (i = 0; i < t->n; i++) {
		if (t->width[i] == 0)
			continue;
		title = out_columns(t->out, t->columns[i].title);
		least = t->columns[i].flags & (TABLE_CUT | TABLE_SHORT) ?
		    t->columns[i].flags >> 8 : t->width[i];
		least = title > least ? title : least;
		sum += 1 + (least < t->width[i] ? least : t->width[i]);
	}
	return sum;
}

static void
add_flag(struct table *t, int column, int flag)
{
	struct libscols_column *c = scols_table_get_column(t->table,
	    (size_t)column);

	scols_column_set_flags(c, scols_column_get_flags(c) | flag);
}

/* Leaves out spare columns until the others fit; if even they do not, the last one
 * with text is cut. */
static void
spare(struct table *t)
{
	int i;

	for (i = t->n - 1; i >= 0 && wanted(t) > t->out->width; i--) {
		if (!(t->columns[i].flags & TABLE_SPARE))
			continue;
		add_flag(t, i, SCOLS_FL_HIDDEN);
		t->width[i] = 0;
	}
	for (i = t->n - 1; i > 0 && (t->width[i] == 0 ||
	    t->columns[i].flags & TABLE_RIGHT); i--)
		;
	if (wanted(t) > t->out->width)
		add_flag(t, i, SCOLS_FL_TRUNC);
}

int
table_print(struct table *t)
{

	if (t == NULL || t->failed)
		return -1;
	if (t->cut)
		spare(t);
	scols_table_set_stream(t->table, t->out->file);
	return scols_print_table(t->table) == 0 ? 0 : -1;
}

void
table_free(struct table *t)
{

	if (t == NULL)
		return;
	scols_unref_table(t->table);
	free(t->width);
	free(t);
}
