/*
 * cli/footnotes.c: see footnotes.h.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/footnotes.h"
#include "cli/table.h"

void
footnotes_cell(struct footnotes *f, struct table *t, int column, double v,
    const char *text, const char *reason)
{
	char dash[32];
	int i;

	if (isfinite(v) || reason == NULL) {
		table_cell(t, column, text);
		return;
	}
	for (i = 0; i < f->n; i++)
		if (strcmp(f->reason[i], reason) == 0)
			break;
	if (i == FOOTNOTES_MOST) {
		table_cell(t, column, "–");
		return;
	}
	if (i == f->n)
		f->reason[f->n++] = reason;
	snprintf(dash, sizeof(dash), "– (%d)", i + 1);
	table_cell(t, column, dash);
}

void
footnotes_print(const struct footnotes *f, struct cli *cli)
{
	char text[512];

	for (int i = 0; i < f->n; i++) {
		snprintf(text, sizeof(text), "(%d) %s", i + 1, f->reason[i]);
		out_wrap(&cli->out, 4, text);
	}
}
