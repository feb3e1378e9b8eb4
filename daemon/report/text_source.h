/*
 * report/text_source.h: a kernel's source with the cost of each line, for the
 * terminal (`cudadvise annotate`). Drawn from JSON nouns only.
 */
#ifndef CADV_TEXT_SOURCE_H
#define CADV_TEXT_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct out;

struct annotate {
	const json_t *source;	/* json_source; with "instructions" if they are
				 * to be shown */
	const json_t *files;	/* array of json_source_file, with text, for all
				 * files that the source names and the capture has */
	const json_t *findings;	/* json_findings of the run */
	const json_t *kernel;	/* json_kernel */
	const char *run;	/* the run's name in commands */
	bool all;		/* every line, not only hot ones */
	bool sass;		/* instructions between the lines */
	bool whole;		/* never cut lines at the width */
	bool plain;		/* no explanation of the columns */
	const char *focus_file;	/* only around this line; NULL: all */
	uint32_t focus_line;
};

/*
 * text_source(o, a): draw it. 0; 1 if focus_line is not a line of this kernel (nothing
 * is drawn then); -1 without memory. Missing fields are left out, never fatal.
 */
int text_source(struct out *o, const struct annotate *a);

#endif
