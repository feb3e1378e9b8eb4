/*
 * report/text_source.h: a kernel's source with what each line did, for the
 * terminal (`cudadvise annotate`). Drawn from JSON nouns alone.
 */
#ifndef CADV_TEXT_SOURCE_H
#define CADV_TEXT_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct out;

struct annotate {
	const json_t *source;	/* json_source; with "instructions" they can be
				 * shown */
	const json_t *files;	/* array of json_source_file, with text, of all
				 * that source's files capture */
	const json_t *findings;	/* json_findings of the run */
	const json_t *kernel;	/* json_kernel */
	const char *run;	/* how commands call the run */
	bool all;		/* every line, not only those that matter */
	bool sass;		/* instructions between the lines */
	bool whole;		/* lines are never cut at the width */
	bool plain;		/* no explanation of the columns */
	const char *focus_file;	/* only around this line; NULL: all */
	uint32_t focus_line;
};

/*
 * text_source(o, a): draw it. 0; 1 if focus_line is no line of this kernel
 * (nothing is drawn then); -1 without memory. Missing fields are left out, never
 * fatal.
 */
int text_source(struct out *o, const struct annotate *a);

#endif
