/*
 * report/out.h: text for people. Everything printed through it is cleaned:
 * control characters, escape sequences and direction overrides in a program's
 * strings never reach the terminal; without a UTF-8 locale our few glyphs
 * become ASCII and other characters '?'. One thread at a time.
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

/* out_style(o, style): from here on; nothing without colour. */
void out_style(struct out *o, enum out_style style);
/* Cleaned text; "\n" in it is a new line. */
void out_text(struct out *o, const char *s);
void out_format(struct out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Up to ${columns} columns of ${s}, cut with an ellipsis, then padded. */
void out_cell(struct out *o, const char *s, int columns);
/* out_spaces(o, n): nothing if ${n} ≤ 0. out_line(o): end the line. */
void out_spaces(struct out *o, int n);
void out_line(struct out *o);

/*
 * out_wrap(o, indent, s): print ${s} from the current column, broken between
 * words at the width, but not between a number and its unit, new lines indented by
 * ${indent}; ends the line. Line breaks in ${s} become spaces; a word wider than a
 * line is broken, except a path.
 */
void out_wrap(struct out *o, int indent, const char *s);

/* out_lines(o, indent, s): the number of lines of out_wrap() from column
 * ${indent} on. */
int out_lines(const struct out *o, int indent, const char *s);

/* out_code(o, indent, s): ${s} unwrapped, each line indented. */
void out_code(struct out *o, int indent, const char *s);

/*
 * out_segment(o, indent, separator, s): append ${s} in one piece: behind ${separator}
 * if the line is not empty and it fits, else on a new line. Used for header lines.
 */
void out_segment(struct out *o, int indent, const char *separator,
    const char *s);

/* out_command(o, indent, separator, s): out_segment for a command line to be
 * copied: never cut, however wide. */
void out_command(struct out *o, int indent, const char *separator,
    const char *s);

/* out_append(o, separator, s): append ${separator} and ${s} if both fit on this
 * line; else nothing, and false. Used for lines that never wrap. */
bool out_append(struct out *o, const char *separator, const char *s);

/* out_columns(o, s): columns that ${s} takes. */
int out_columns(const struct out *o, const char *s);

/* out_clean(o, s): a malloced copy as it would be printed, without line breaks;
 * NULL without memory. */
char *out_clean(const struct out *o, const char *s);

#endif
