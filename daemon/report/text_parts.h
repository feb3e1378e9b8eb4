/* report/text_parts.h: pieces that several text_*.c share. Private to these. */
#ifndef CADV_TEXT_PARTS_H
#define CADV_TEXT_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct out;
struct report;

/* Is the report about a capture file, which no daemon stores? */
bool parts_is_file(const struct report *r);

/* The head of a report: what ran; how it ended; what the GPU did, how much of
 * that was measured, and what to know about it. */
void parts_header(struct out *o, const struct report *r);
void parts_end(struct out *o, const json_t *run);
void parts_activity(struct out *o, const struct report *r);
/* What -v adds to the head; the last of it: the state of each GPU. */
void parts_details(struct out *o, const struct report *r);
void parts_states(struct out *o, const struct report *r);
/* The correctness tools, for a run of `cudadvise sanitize`. */
void parts_checks(struct out *o, const json_t *checks);
/* What to know of the measurement, with remedies: with ${errors} the errors,
 * else the rest. */
void parts_diagnostics(struct out *o, const struct report *r, bool errors);
/* For a program with NVTX ranges: those with the most time. */
void parts_ranges(struct out *o, const struct report *r);
/* For a framework's program: its operators with the most time. */
void parts_operators(struct out *o, const struct report *r);

/* Columns that a list of findings needs, bounded: for the places, and for the
 * interval, "  (3.4 to 4.1)". */
struct columns {
	int where, interval;
};
struct columns parts_columns(const struct out *o, const json_t *items);
/* "What to change first", or for errors "What to correct first". */
void parts_first_heading(struct out *o, const struct report *r,
    struct columns c);
/* If nothing is worth a change: that, or that the important part was not measured. */
void parts_nothing(struct out *o, const struct report *r);
/* One finding: its row in the list; false if the row had no room for its title.
 * The lines under it (parts_body): what to change, where, why. */
bool parts_row(struct out *o, const json_t *f, struct columns c);
/* ${titled}: the row has the title; ${missing}: also print why its line is not
 * known. */
void parts_body(struct out *o, const json_t *f, bool titled, bool missing);
/* Item ${i} of a list in full; with ${evidence} including that. */
void parts_full(struct out *o, const json_t *items, size_t i, struct columns c,
    bool evidence);
/* The lines that it is about, most first, at most ${most}. */
#define HOT_LINES_SHOWN 3
void parts_hot_lines(struct out *o, const json_t *f, size_t most);
/* Why (text_why.c): what was measured and what limits; without ${whole}: as
 * much as fits on two lines of an 80-column terminal. */
void parts_why(struct out *o, const json_t *f, bool titled, bool whole);
/* As many clauses of ${s} as fit on ${lines} lines, and "…" if that is not all;
 * NULL if not even the first fits, or without memory. malloced. */
char *parts_clauses(const struct out *o, int indent, const char *s, int lines);
/* Where it is called from, and its location; with ${full} also the callers, and
 * of which launch shape the figures are. */
void parts_where(struct out *o, const json_t *f, bool full);
/* The number of launch shapes that it is about; at least 1. */
size_t parts_shapes(const json_t *f);
/* "launched from train.py:31 in step()", and behind that ${location}, unless that is
 * NULL; with ${callers} also the frames that called it. NULL without memory or if nothing
 * is known of the site. The caller frees. */
char *parts_site_text(const json_t *site, const char *location, bool callers);
/* The same without location and callers, on lines of its own. */
void parts_site(struct out *o, const json_t *site, int indent);
/* Has an item before the one at ${at} said why its kernel's lines are missing,
 * or is there nothing to say? */
bool parts_missing_told(const json_t *items, size_t at);
/* The end of a report, one line each (text_end.c): what all findings save together,
 * savings below the noise, single events, what is clean, what was not measured, and
 * what to type next; ${worth_it}: the number of findings worth a change. */
void parts_summary(struct out *o, const struct report *r, size_t worth_it);
/* Only the first of these: what all findings save together, and the noise. */
void parts_together(struct out *o, const struct report *r, size_t worth_it);
/* Of these, events that happened once or a few times and that no finding
 * counts: results that the host processed, the longest gap. */
void parts_phases(struct out *o, const struct report *r);
/* A note if the program was held for longer at one place than permitted. */
void parts_held(struct out *o, const json_t *run);
/* What distorted a run's times: throttling, other programs. */
void parts_conditions(struct out *o, const struct report *r);
/* The label of such a line: "Clean", in LABEL_COLUMNS columns. */
#define LABEL_COLUMNS 14	/* "Not measured" and two */
void parts_label(struct out *o, const char *label);
/* "cudadvise ${command} ${option} RUN"; without option and run if it is the
 * newest run. */
void parts_command(const struct report *r, const char *command,
    const char *option, char *text, size_t size);
/* The bad and the good code of a finding or a rule. */
void parts_example(struct out *o, const json_t *of, int indent);

#endif
