#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"

#include "report/source_columns.h"

#define CELL 24
#define SHARE_BAD 0.20		/* of the time: to be looked at first */
#define SHARE_WARN 0.05

/* Empty if nothing was counted. */
static void
tally(char out[CELL], double v)
{
	char a[NUMBER_SIZE];

	out[0] = '\0';
	if (v > 0)
		snprintf(out, CELL, "%.12s", number_compact(a, v));
}

static void
times(char out[CELL], double v)
{
	char a[NUMBER_SIZE];

	out[0] = '\0';
	if (isfinite(v))
		snprintf(out, CELL, "%.14s", number_times(a, v));
}

static void
cell_share(char out[CELL], const struct source_page *p, const struct heat *h)
{
	double share = page_share(p, h);
	char a[NUMBER_SIZE];

	out[0] = '\0';
	if (share > 0)
		snprintf(out, CELL, "%.12s", number_percent(a, share));
}

static void
cell_stall(char out[CELL], const struct source_page *p, const struct heat *h)
{
	enum stall s = page_stall(h);

	(void)p;
	snprintf(out, CELL, "%s", s < STALL_COUNT ? stall_table[s].brief : "");
}

static void
cell_inst(char out[CELL], const struct source_page *p, const struct heat *h)
{

	(void)p;
	tally(out, h->inst);
}

/* "32/4": sectors per request, and the fewest for the same data. */
static void
cell_sectors(char out[CELL], const struct source_page *p,
    const struct heat *h)
{
	char a[NUMBER_SIZE], b[NUMBER_SIZE];

	(void)p;
	out[0] = '\0';
	if (!(h->sectors > 0))
		return;
	if (h->requests > 0)
		snprintf(out, CELL, "%.9s/%.9s",
		    number_plain(a, h->sectors / h->requests),
		    number_plain(b, h->ideal / h->requests));
	else if (h->ideal > 0)
		times(out, h->sectors / h->ideal);
}

static void
cell_shared(char out[CELL], const struct source_page *p, const struct heat *h)
{

	(void)p;
	out[0] = '\0';
	if (h->waves > 0 && h->waves_ideal > 0)
		times(out, h->waves / h->waves_ideal);
}

static void
cell_local(char out[CELL], const struct source_page *p, const struct heat *h)
{

	(void)p;
	tally(out, h->local);
}

static void
cell_divergent(char out[CELL], const struct source_page *p,
    const struct heat *h)
{

	(void)p;
	tally(out, h->divergent);
}

static const struct column {
	const char *head;
	int width;
	void (*cell)(char out[CELL], const struct source_page *,
	    const struct heat *);
	const char *meaning;
} table[SOURCE_COLUMNS] = {
	{ "time", 6, cell_share, NULL },
	{ "stall", 9, cell_stall, "what most of its samples waited for" },
	{ "inst", 5, cell_inst, "warp instructions executed" },
	{ "sectors", 9, cell_sectors, "32-byte sectors a request to global "
	    "memory / as few as the same data needs" },
	{ "shared", 7, cell_shared, "wavefronts of shared memory, times those "
	    "it would take without conflicts" },
	{ "local", 5, cell_local, "sectors of local memory (spills, indexed "
	    "arrays)" },
	{ "diverge", 7, cell_divergent, "branches whose lanes went different "
	    "ways" },
};

void
columns_choose(struct source_columns *c, const struct source_page *p, int room)
{
	char text[CELL];
	size_t i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < SOURCE_COLUMNS; i++) {
		table[i].cell(text, p, &p->total);
		c->shown[i] = text[0] != '\0';
		if (c->shown[i])
			c->width += table[i].width + 1;
	}
	/* The time stays. */
	for (i = SOURCE_COLUMNS - 1; i > 0 && c->width > room; i--) {
		if (!c->shown[i])
			continue;
		c->shown[i] = false;
		c->width -= table[i].width + 1;
	}
}

void
columns_head(struct out *o, const struct source_columns *c)
{
	size_t i;

	for (i = 0; i < SOURCE_COLUMNS; i++) {
		if (!c->shown[i])
			continue;
		out_spaces(o, table[i].width - (int)strlen(table[i].head));
		out_text(o, table[i].head);
		out_spaces(o, 1);
	}
}

static enum out_style
style_of(double share)
{

	if (share >= SHARE_BAD)
		return STYLE_BAD;
	return share >= SHARE_WARN ? STYLE_WARN : STYLE_PLAIN;
}

void
columns_row(struct out *o, struct source_columns *c,
    const struct source_page *p, const struct heat *h)
{
	enum out_style style;
	char text[CELL];
	enum stall s;
	size_t i;

	if (h == NULL) {
		out_spaces(o, c->width);
		return;
	}
	style = style_of(page_share(p, h));
	if (style != STYLE_PLAIN)
		out_style(o, style);
	for (i = 0; i < SOURCE_COLUMNS; i++) {
		if (!c->shown[i])
			continue;
		table[i].cell(text, p, h);
		if (table[i].cell == cell_stall && (s = page_stall(h)) <
		    STALL_COUNT)
			c->stall[s] = true;
		out_spaces(o, table[i].width - out_columns(o, text));
		out_text(o, text);
		out_spaces(o, 1);
	}
	if (style != STYLE_PLAIN)
		out_style(o, STYLE_PLAIN);
}

void
columns_explain(struct out *o, const struct source_columns *c,
    const struct source_page *p)
{
	const struct stall_info *info;
	char text[512];
	size_t i;

	if (c->shown[0])
		out_wrap(o, 2, p->total.samples > 0 ? "time: share of the PC "
		    "samples, a sample being a warp at an instruction" :
		    "time: share of the warp instructions executed (no "
		    "samples)");
	for (i = 1; i < SOURCE_COLUMNS; i++) {
		if (!c->shown[i])
			continue;
		snprintf(text, sizeof(text), "%s: %s", table[i].head,
		    table[i].meaning);
		out_wrap(o, 2, text);
	}
	for (i = 0; i < STALL_COUNT; i++) {
		if (!c->stall[i])
			continue;
		info = &stall_table[i];
		if (strcmp(info->brief, info->key) == 0)
			snprintf(text, sizeof(text), "%s: %s", info->brief,
			    info->meaning);
		else
			snprintf(text, sizeof(text), "%s (%s): %s",
			    info->brief, info->key, info->meaning);
		out_wrap(o, 2, text);
	}
}
