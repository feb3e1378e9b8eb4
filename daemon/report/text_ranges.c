/*
 * report/text_ranges.c: the kernels' time by the program's own names for its
 * phases, its NVTX ranges.
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#define SHOWN 6			/* rows: as many as are read at a glance */
#define LEAST 0.02		/* of the kernels' time: less saves under 2 % */

/* "jit_step" of XLA's "XlaModule:#hlo_module=jit_step,program_id=7#", whose first value
 * is the name; other names as they are. Returns the length, and in *${name} where it
 * begins. */
static size_t
plain_name(const char **name)
{
	const char *at = *name + strcspn(*name, ":#"), *value;
	size_t n;

	if (strncmp(at, ":#", 2) != 0 || (value = strchr(at, '=')) == NULL)
		return strlen(*name);
	*name = value + 1;
	n = strcspn(*name, ",");
	return n > 0 && (*name)[n] == '\0' && (*name)[n - 1] == '#' ? n - 1 : n;
}

/* ${whole}: wrapped instead of cut. */
static void
put_row(struct out *o, const json_t *row, bool whole)
{
	const char *domain = field_text(row, "domain"),
	    *name = or_unknown(field_text(row, "name"));
	size_t length;
	char share[NUMBER_SIZE], s[NUMBER_SIZE], n[NUMBER_SIZE];
	char inner[NUMBER_SIZE], text[512];
	double kernel = field_number(row, "kernel_s"),
	    own = field_number(row, "own_s");
	int columns, room;

	out_spaces(o, 2);
	out_cell(o, number_percent(share, field_number(row, "share_ratio")), 7);
	out_cell(o, number_seconds(s, kernel), 9);
	length = plain_name(&name);
	snprintf(text, sizeof(text), "%.*s%s%s%s · %s%s%s", (int)length, name,
	    domain != NULL ? " (" : "",
	    domain != NULL ? domain : "", domain != NULL ? ")" : "",
	    number_of(n, field_count(row, "count"), "range"),
	    own > 0 && own < kernel ? ", in inner ranges " : "",
	    own > 0 && own < kernel ? number_seconds(inner, kernel - own) : "");
	if (whole) {
		out_wrap(o, 20, text);
		return;
	}
	columns = out_columns(o, text);
	room = o->width - o->column;
	out_cell(o, text, columns < room ? columns : room);
	out_line(o);
}

void
parts_ranges(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->ranges, "items"), *row;
	double all = field_number(r->ranges, "kernel_s");
	char outside[NUMBER_SIZE];
	size_t i, shown = 0;

	json_array_foreach(items, i, row) {
		if (shown == SHOWN || !(field_number(row, "kernel_s") >=
		    LEAST * all) || !(field_number(row, "kernel_s") > 0))
			break;
		if (shown++ == 0) {
			out_line(o);
			out_style(o, STYLE_BOLD);
			out_text(o, "Where the kernels' time goes, by NVTX "
			    "range\n");
			out_style(o, STYLE_PLAIN);
		}
		put_row(o, row, r->verbose);
	}
	all = all > 0 ? 1 - field_number(r->ranges, "inside_s") / all : 0;
	if (shown == 0 || !(all >= LEAST))
		return;
	out_spaces(o, 2);
	out_cell(o, number_percent(outside, all), 7);
	out_text(o, "launched outside of any range\n");
}
