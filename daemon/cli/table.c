#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/out.h"

#include "cli/table.h"

#define WIDTH_UNCUT 65536u		/* columns: more than any row has */

struct table {
	struct libscols_table *table;
	struct libscols_line *line;
	struct out *out;
	bool failed;
};

struct table *
table_new(struct out *o, const struct table_column *columns, int n)
{
	struct table *t = calloc(1, sizeof(*t));
	bool cut;
	char *title;
	int i, flags;

	if (t == NULL || (t->table = scols_new_table()) == NULL) {
		free(t);
		return (NULL);
	}
	t->out = o;
	/* What a script or a pager reads is not cut, unless it says how wide
	 * it is. */
	cut = isatty(fileno(o->file)) || getenv("COLUMNS") != NULL;
	scols_table_set_termforce(t->table, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(t->table, cut ? (size_t)o->width :
	    WIDTH_UNCUT);
	for (i = 0; i < n; i++) {
		flags = columns[i].flags & TABLE_RIGHT ? SCOLS_FL_RIGHT : 0;
		if (cut && (columns[i].flags & (TABLE_CUT | TABLE_SHORT)))
			flags |= SCOLS_FL_TRUNC;
		title = out_clean(o, columns[i].title);
		if (title == NULL || scols_table_new_column(t->table, title,
		    columns[i].flags & TABLE_CUT ? 0.3 :
		    columns[i].flags & TABLE_SHORT ? 0.09 : 0, flags) == NULL)
			t->failed = true;
		free(title);
	}
	return (t);
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
	}
}

int
table_print(struct table *t)
{

	if (t == NULL || t->failed)
		return (-1);
	scols_table_set_stream(t->table, t->out->file);
	return (scols_print_table(t->table) == 0 ? 0 : -1);
}

void
table_free(struct table *t)
{

	if (t == NULL)
		return;
	scols_unref_table(t->table);
	free(t);
}
