/* cli/table.h: a table on standard output, by libsmartcols. Cells are cleaned
 * like all output (report/out.h). */
#ifndef CADV_CLI_TABLE_H
#define CADV_CLI_TABLE_H

#include <stdbool.h>

struct out;
struct table;

enum {
	TABLE_RIGHT = 1,	/* numbers */
	TABLE_CUT = 2,		/* may be cut, and needs a third of the line */
	TABLE_SHORT = 4,	/* may be cut before TABLE_CUT */
	TABLE_SPARE = 8,	/* left out if the line has no room */
};

/* TABLE_LEAST(n): a cut column keeps ${n} columns as long as other columns can
 * be left out. */
#define TABLE_LEAST(n) ((n) << 8)

struct table_column {
	const char *title;
	int flags;
};

/* table_new(o, columns, n): borrows ${columns}. Of spare columns the last is
 * left out first. NULL without memory; all other functions accept NULL. */
struct table *table_new(struct out *o, const struct table_column *columns,
    int n);
/* table_row(t): begin a row. table_cell(t, column, text): set a cell of it to a copy of
 * ${text} (NULL: empty). */
void table_row(struct table *t);
void table_cell(struct table *t, int column, const char *text);
/* table_print(t): print to the out of table_new; -1 without memory. */
int table_print(struct table *t);
void table_free(struct table *t);

#endif
