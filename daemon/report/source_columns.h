/* report/source_columns.h: the columns beside a line or instruction; columns
 * without values are left out. */
#ifndef CADV_SOURCE_COLUMNS_H
#define CADV_SOURCE_COLUMNS_H

#include <stdbool.h>

#include "report/source_page.h"

struct out;

#define SOURCE_COLUMNS 7

struct source_columns {
	bool shown[SOURCE_COLUMNS];
	bool stall[STALL_COUNT];	/* reasons that were printed */
	int width;			/* of all that are shown */
};

/* Chooses the columns that have a value for the whole kernel, the first that fit
 * ${room} characters; the time always. */
void columns_choose(struct source_columns *c, const struct source_page *p,
    int room);
/* Prints the heads of the columns. */
void columns_head(struct out *o, const struct source_columns *c);
/* Prints the values of ${h}, in the colour of its share; NULL: blanks. */
void columns_row(struct out *o, struct source_columns *c,
    const struct source_page *p, const struct heat *h);
/* Explains the columns and the stall reasons that were printed. */
void columns_explain(struct out *o, const struct source_columns *c,
    const struct source_page *p);

#endif
