/* report/text_parts.h: pieces that several text_*.c draw. Not for others. */
#ifndef CADV_TEXT_PARTS_H
#define CADV_TEXT_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct out;
struct report;

/* A capture, which no daemon knows? */
bool parts_is_file(const struct report *r);

/* The head of a report: what ran; how it ended; what the GPU did and how much of
 * that was measured; what to know about that. */
void parts_header(struct out *o, const struct report *r);
void parts_end(struct out *o, const json_t *run);
void parts_activity(struct out *o, const struct report *r);
/* What -v adds to the head; the last of it: the state of each GPU. */
void parts_details(struct out *o, const struct report *r);
void parts_states(struct out *o, const struct report *r);
/* The correctness tools that ran instead. */
void parts_checks(struct out *o, const json_t *checks);
/* What to know of the measurement, with remedies: the errors, or the rest. */
void parts_diagnostics(struct out *o, const struct report *r, bool errors);
/* Of a program with NVTX ranges: those with the most time. */
void parts_ranges(struct out *o, const struct report *r);
/* Of a framework's program: its operators with the most time. */
void parts_operators(struct out *o, const struct report *r);

/* Columns that all of a list of findings need, bounded: for where they are, and for
 * the interval, "  (3.4 to 4.1)". */
struct columns {
	int where, interval;
};
struct columns parts_columns(const struct out *o, const json_t *items);
/* "What to change first", or of errors "What to correct first" */
void parts_first_heading(struct out *o, const struct report *r,
    struct columns c);
/* Where nothing is worth a change: that, or that what weighs was not measured. */
void parts_nothing(struct out *o, const struct report *r);
/* One finding: its row of the list, false if that had no room for its title; and
 * the lines under it: what to change, where, why. */
bool parts_row(struct out *o, const json_t *f, struct columns c);
/* ${titled}: its row has the title; ${missing}: also why its line is not known. */
void parts_body(struct out *o, const json_t *f, bool titled, bool missing);
/* Item ${i} of a list with all that is known of it; ${evidence}: with that. */
void parts_full(struct out *o, const json_t *items, size_t i, struct columns c,
    bool evidence);
/* The lines it is about, most first, at most ${most}. */
#define HOT_LINES_SHOWN 3
void parts_hot_lines(struct out *o, const json_t *f, size_t most);
/* Why (text_why.c): what was measured and what limits; not ${whole}: what two lines
 * of a terminal of 80 columns hold of it. */
void parts_why(struct out *o, const json_t *f, bool titled, bool whole);
/* As many clauses of ${s} as ${lines} lines hold, and "…" where that is not all; NULL
 * if not even the first does, or without memory. malloced. */
char *parts_clauses(const struct out *o, int indent, const char *s, int lines);
/* Where it is called from, and its location; ${full}: and who calls that, and of
 * which launch shape the figures are. */
void parts_where(struct out *o, const json_t *f, bool full);
/* How many launch shapes it is about; at least 1. */
size_t parts_shapes(const json_t *f);
/* "launched from train.py:31 in step()"; nothing if nothing is known. */
void parts_site(struct out *o, const json_t *site, int indent);
/* Whether an item before the one at ${at} has said the same of its kernel's lines,
 * or there is nothing to say of them. */
bool parts_missing_told(const json_t *items, size_t at);
/* The end of a report, a line each (text_end.c): what all findings save together,
 * what is lost in the noise, what happened once, what is clean and what was not
 * measured, what to type next; ${worth_it}: how many findings are. */
void parts_summary(struct out *o, const struct report *r, size_t worth_it);
/* The first of these alone: what all findings save together, and the noise. */
void parts_together(struct out *o, const struct report *r, size_t worth_it);
/* Of it what happened once or a few times, and no finding counts: results that
 * the host went through, the longest gap. */
void parts_phases(struct out *o, const json_t *run);
/* That the program stood still for longer at one place than it may. */
void parts_held(struct out *o, const json_t *run);
/* What a run's times suffered from: throttling, other programs. */
void parts_conditions(struct out *o, const struct report *r);
/* A line of it: "Clean", in the LABEL_COLUMNS before what follows. */
#define LABEL_COLUMNS 14	/* "Not measured" and two */
void parts_label(struct out *o, const char *label);
/* "cudadvise ${command} ${option} RUN": without option and run where the newest run
 * is meant anyhow. */
void parts_command(const struct report *r, const char *command,
    const char *option, char *text, size_t size);
/* The bad and the good code of a finding or a rule. */
void parts_example(struct out *o, const json_t *of, int indent);

#endif
