/* cli/footnotes.h: reasons for dashes in a table, each printed once below it. */
#ifndef CADV_CLI_FOOTNOTES_H
#define CADV_CLI_FOOTNOTES_H

struct cli;
struct table;

#define FOOTNOTES_MOST 16

struct footnotes {
	const char *reason[FOOTNOTES_MOST];	/* borrowed */
	int n;
};

/* footnotes_cell(f, t, column, v, text, reason): set a cell to ${text}, or, where ${v} is
 * no finite number and has a ${reason}, to a dash with the number of its footnote. */
void footnotes_cell(struct footnotes *f, struct table *t, int column, double v,
    const char *text, const char *reason);

/* footnotes_print(f, cli): one line for each. */
void footnotes_print(const struct footnotes *f, struct cli *cli);

#endif
