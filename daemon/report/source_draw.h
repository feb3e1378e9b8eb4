/* report/source_draw.h: pieces of the annotated source that source_*.c and
 * text_source.c share. Private to these. */
#ifndef CADV_SOURCE_DRAW_H
#define CADV_SOURCE_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/out.h"
#include "report/source_columns.h"
#include "report/source_page.h"
#include "report/text_source.h"

#define NUMBER_COLUMNS 5	/* of a line number or pc */

struct line_text {
	const char *p;
	size_t len;
};

struct drawing {
	struct out *o;
	const struct annotate *a;
	struct source_page page;
	struct source_columns columns;
	bool *told;		/* findings drawn at a line, by item */
	bool failed;		/* no memory */
	/* The file being drawn: */
	uint32_t file;
	const char *path;
	struct line_text *text;	/* NULL: not captured */
	size_t lines;
};

/* draw_code(d, s, len): what follows a line number: ${s} with tabs as spaces,
 * cut at the width unless lines are left whole; ends the line. */
void draw_code(struct drawing *d, const char *s, size_t len);
/* draw_note(d, indent, style, mark, note): a remark below a line, ${indent}
 * columns into its code, after ${mark}. */
void draw_note(struct drawing *d, int indent, enum out_style style,
    const char *mark, const char *note);
/* draw_insn(d, s): an instruction's line: its columns, address in hex, text. */
void draw_insn(struct drawing *d, const struct source_insn *s);
/* draw_gap(d): the gap between two parts. */
void draw_gap(struct drawing *d);

/* draw_concerns(d, finding): is the finding about the kernel of the page? */
bool draw_concerns(const struct drawing *d, const json_t *finding);

/*
 * draw_findings(d, line, pc, draw, indent): the number of findings that name
 * this line of the file being drawn or, with ${line} 0, the instruction without
 * a line at ${pc}; draws them if ${draw}.
 */
size_t draw_findings(struct drawing *d, uint32_t line, uint32_t pc, bool draw,
    int indent);

/* draw_files(d): all files, those with the most time first; with a focus only
 * its file. */
void draw_files(struct drawing *d);
/* draw_is_focus(a, file): does the focus name this file? True without a focus. */
bool draw_is_focus(const struct annotate *a, const json_t *file);

#endif
