/* cli/table.h: a table on standard output, by libsmartcols. Cells are cleaned
 * like everything that is printed (report/out.h). */
#ifndef CADV_CLI_TABLE_H
#define CADV_CLI_TABLE_H

#include <stdbool.h>

struct out;
struct table;

enum {
	TABLE_RIGHT = 1,	/* numbers */
	TABLE_CUT = 2,		/* may be cut, and wants a third of the line */
	TABLE_SHORT = 4,	/* may be cut before those */
	TABLE_SPARE = 8,	/* left out where the line has no room for it */
};

/* TABLE_LEAST(n): what is cut keeps ${n} columns as long as there is something
 * to spare. */
#define TABLE_LEAST(n) ((n) << 8)

struct table_column {
	const char *title;
	int flags;
};

/* table_new: borrows ${columns}. Of those that can be spared the last goes
 * first. Without memory NULL; all others accept NULL. */
struct table *table_new(struct out *o, const struct table_column *columns,
    int n);
void table_row(struct table *t);
void table_cell(struct table *t, int column, const char *text);
/* table_print(t): to the out of table_new; -1 without memory. */
int table_print(struct table *t);
void table_free(struct table *t);

#endif
