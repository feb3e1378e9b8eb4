/*
 * report/out.h: text for people. Everything printed through it is cleaned:
 * control characters, escape sequences and direction overrides from a target's
 * strings never reach the terminal; without a UTF-8 locale the few glyphs we
 * use become ASCII and the rest '?'. One thread at a time.
 */
#ifndef CADV_OUT_H
#define CADV_OUT_H

#include <stdbool.h>
#include <stdio.h>

enum out_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum out_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_WARN,
	STYLE_BAD };

struct out {
	FILE *file;
	int width;		/* columns, at least 40 */
	bool utf8, color;
	int column;		/* where the cursor is */
};

/*
 * out_setup(o, file, color): width from the terminal behind ${file}, else
 * COLUMNS, else 80; UTF-8 from the locale; colour from ${color}, NO_COLOR,
 * CLICOLOR_FORCE, TERM and whether ${file} is a terminal.
 */
void out_setup(struct out *o, FILE *file, enum out_color color);

void out_style(struct out *o, enum out_style style);
/* Cleaned text; "\n" in it is a new line. */
void out_text(struct out *o, const char *s);
void out_format(struct out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Up to ${columns} columns of ${s}, cut with an ellipsis, then padded. */
void out_cell(struct out *o, const char *s, int columns);
void out_spaces(struct out *o, int n);
void out_line(struct out *o);

/*
 * out_wrap(o, indent, s): ${s} from the current column, broken between words
 * at the width, new lines indented by ${indent}; ends the line. Line breaks in
 * ${s} become spaces; a word that no line has room for is broken, but a path is
 * not.
 */
void out_wrap(struct out *o, int indent, const char *s);

/* How many lines out_wrap() of ${s} takes from column ${indent} on. */
int out_lines(const struct out *o, int indent, const char *s);

/* out_code(o, indent, s): ${s} as it is, each line indented. */
void out_code(struct out *o, int indent, const char *s);

/*
 * out_segment(o, indent, separator, s): append ${s}, which is kept whole,
 * behind ${separator} if something is on the line and it fits, else on a new
 * line. How header lines are made.
 */
void out_segment(struct out *o, int indent, const char *separator,
    const char *s);

/* out_command(o, indent, separator, s): the same of a command line that can be
 * copied: never cut, however wide. */
void out_command(struct out *o, int indent, const char *separator,
    const char *s);

/* out_append(o, separator, s): append ${separator} and ${s} if both fit on this
 * line; else nothing, and false. How a line that never wraps is filled. */
bool out_append(struct out *o, const char *separator, const char *s);

/* Columns that ${s} takes when printed by ${o}. */
int out_columns(const struct out *o, const char *s);

/* out_clean(o, s): a malloced copy as it would be printed, without new lines;
 * NULL without memory. */
char *out_clean(const struct out *o, const char *s);

#endif
