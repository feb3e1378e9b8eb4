/* report/text_parts.h: pieces that several text_*.c draw. Not for others. */
#ifndef CADV_TEXT_PARTS_H
#define CADV_TEXT_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct out;
struct report;

/* The head of a report: what ran and what measuring cost; how it ended; what the
 * GPU did and how much of it was measured; what to know about that. */
void parts_header(struct out *o, const struct report *r);
void parts_end(struct out *o, const json_t *run);
void parts_activity(struct out *o, const struct report *r);
/* What happened once or a few times, and no finding counts: results that the host
 * went through, the longest gap. */
void parts_phases(struct out *o, const json_t *run);
/* The correctness tools that ran instead. */
void parts_checks(struct out *o, const json_t *checks);
void parts_diagnostics(struct out *o, const struct report *r);

/* Columns that the "where" of all of ${items} need, bounded. */
int parts_where_columns(const struct out *o, const json_t *items);
/* ${heading} … "would save" */
void parts_heading(struct out *o, const char *heading);
/* "What to change first", or of errors "What to correct first" */
void parts_first_heading(struct out *o, const struct report *r);
/* Where nothing is worth a change: that, or that what weighs was not measured. */
void parts_nothing(struct out *o, const struct report *r);
/* One finding: its row of the list, and the lines under it. */
void parts_row(struct out *o, const json_t *f, int where);
/* ${missing}: also why its line is not known. */
void parts_body(struct out *o, const json_t *f, bool full, bool missing);
/* The lines it is about, most first. */
void parts_hot_lines(struct out *o, const json_t *f);
/* Its location, and where that is called from; ${full}: and who calls that. */
void parts_where(struct out *o, const json_t *f, bool full);
/* How many launch shapes it is about; at least 1. */
size_t parts_shapes(const json_t *f);
/* "launched from train.py:31 in step()"; nothing if nothing is known. */
void parts_site(struct out *o, const json_t *site, int indent);
/* Whether an item before the one at ${at} has said why the lines of that kernel
 * are not known, or there is nothing to say. */
bool parts_missing_told(const json_t *items, size_t at);
/* What all findings save together, and how many are not worth it. */
void parts_together(struct out *o, const struct report *r, size_t worth_it);
/* The bad and the good code of a finding or a rule. */
void parts_example(struct out *o, const json_t *of, int indent);

#endif
