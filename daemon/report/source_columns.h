/* report/source_columns.h: the columns beside a line or instruction, those that
 * have something to say. */
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

void columns_choose(struct source_columns *c, const struct source_page *p);
/* The heads of the columns. */
void columns_head(struct out *o, const struct source_columns *c);
/* The values of ${h}, in the colour of its share; NULL: room for them. */
void columns_row(struct out *o, struct source_columns *c,
    const struct source_page *p, const struct heat *h);
/* What the columns and the stall reasons mean that were printed. */
void columns_explain(struct out *o, const struct source_columns *c,
    const struct source_page *p);

#endif
