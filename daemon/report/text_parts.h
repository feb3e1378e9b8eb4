/* report/text_parts.h: pieces that several text_*.c draw. Not for others. */
#ifndef CADV_TEXT_PARTS_H
#define CADV_TEXT_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct out;
struct report;

/* Columns that the "where" of all of ${items} need, bounded. */
int parts_where_columns(const struct out *o, const json_t *items);
/* ${heading} … "would save" */
void parts_heading(struct out *o, const char *heading);
/* One finding: its row of the list, and the lines under it. */
void parts_row(struct out *o, const json_t *f, int where);
void parts_body(struct out *o, const json_t *f, bool full);
/* What all findings save together, and how many are not worth it. */
void parts_together(struct out *o, const struct report *r, size_t worth_it);
/* The bad and the good code of a finding or a rule. */
void parts_example(struct out *o, const json_t *of, int indent);

#endif
