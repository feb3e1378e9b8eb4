#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/source_draw.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#include "report/text_source.h"

#define CODE_LEAST 16		/* columns of code: fewer tell nothing */
#define CONTEXT_SASS 2		/* instructions around one that matters */

/* --- what is known of the kernel --------------------------------------- */

static void
draw_shape(struct out *o, const struct annotate *a)
{
	const json_t *k = a->kernel;
	const char *const sides[] = { "grid", "block" };
	char text[128], n[NUMBER_SIZE];
	size_t i;

	snprintf(text, sizeof(text), "kernel %u of %s%.64s",
	    (unsigned)field_count(k, "id"), strchr(a->run, '/') != NULL ||
	    strchr(a->run, '.') != NULL ? "" : "run ", a->run);
	out_segment(o, 2, "", text);
	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s %s", sides[i],
		    field_shape(n, k, sides[i]));
		out_segment(o, 2, " · ", text);
	}
	out_segment(o, 2, " · ", number_of(n, field_count(k, "launches"),
	    "launch"));
	out_segment(o, 2, " · ", number_seconds(n,
	    field_number(json_object_get(k, "time"), "total_ns") / 1e9));
	snprintf(text, sizeof(text), "%s of the run",
	    number_percent(n, field_number(k, "share_ratio")));
	out_segment(o, 2, " · ", text);
	out_line(o);
}

/* "occupancy 42 %", or why it is not known; a reason that all four share is
 * given once. */
static void
draw_headline(struct out *o, const struct annotate *a)
{
	static const struct {
		const char *key, *text;
	} parts[] = {
		{ "occupancy", "occupancy" }, { "coalescing", "coalescing" },
		{ "bank_conflicts", "bank conflicts" },
		{ "divergence", "idle lanes" },
	};
	const json_t *headline = json_object_get(a->kernel, "headline"), *h;
	const char *reason, *first = NULL;
	char text[256], n[NUMBER_SIZE];
	size_t i, same = 0;
	double v;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		h = json_object_get(headline, parts[i].key);
		reason = or_unknown(field_text(h, "reason"));
		if (i == 0)
			first = reason;
		same += isnan(field_number(h, "value")) &&
		    strcmp(reason, first) == 0;
	}
	if (same == sizeof(parts) / sizeof(parts[0])) {
		snprintf(text, sizeof(text), "occupancy, coalescing, bank "
		    "conflicts and idle lanes: %s", first);
		out_wrap(o, 2, text);
		return;
	}
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		h = json_object_get(headline, parts[i].key);
		v = field_number(h, "value");
		snprintf(text, sizeof(text), "%s%s %s", parts[i].text,
		    isnan(v) ? ":" : "", isnan(v) ?
		    or_unknown(field_text(h, "reason")) :
		    number_percent(n, v));
		out_segment(o, 2, i > 0 ? " · " : "", text);
	}
	out_line(o);
}

static void
draw_measured(struct out *o, const struct drawing *d)
{
	const json_t *s = d->a->source;
	uint64_t shared = field_count(s, "samples_shared_by");
	char text[160], n[NUMBER_SIZE];

	if (!d->page.counted && !d->page.sampled)
		return;
	if (d->page.counted)
		out_segment(o, 2, "", "exact counts of one launch");
	if (d->page.sampled) {
		number_of(n, d->page.total.samples > 0 ?
		    (uint64_t)d->page.total.samples : 0, "sample");
		snprintf(text, sizeof(text), "%s of all launches", n);
		out_segment(o, 2, d->page.counted ? "; " : "", text);
	}
	if (d->page.sampled && shared > 1) {
		snprintf(text, sizeof(text), "shared by %u launch shapes of "
		    "this function", (unsigned)shared);
		out_segment(o, 4, ", ", text);
	}
	out_line(o);
}

/* The missing parts and the reasons; a reason for several parts is given once. */
static void
draw_missing(struct out *o, const struct annotate *a, bool sass)
{
	static const struct {
		const char *key, *text;
	} parts[] = {
		{ "counts", "not counted" }, { "samples", "no samples" },
		{ "lines", "no lines" }, { "sass", "no instructions" },
	};
	const json_t *missing = json_object_get(a->source, "missing");
	const char *why, *before;
	size_t i, j;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		why = field_text(missing, parts[i].key);
		if (why == NULL ||
		    (strcmp(parts[i].key, "sass") == 0 && !sass))
			continue;
		for (j = 0; j < i; j++) {
			before = field_text(missing, parts[j].key);
			if (before != NULL && strcmp(before, why) == 0)
				break;
		}
		if (j < i)
			continue;
		out_style(o, STYLE_WARN);
		out_format(o, "  %s: ", parts[i].text);
		out_style(o, STYLE_PLAIN);
		out_wrap(o, 4, why);
	}
	if (field_true(a->source, "debug")) {
		out_style(o, STYLE_WARN);
		out_text(o, "  compiled with -G: ");
		out_style(o, STYLE_PLAIN);
		out_wrap(o, 4, "nothing was optimised, so this is not what a "
		    "release build does");
	}
}

/* The kernel's launch site, from one of its findings. */
static void
draw_site(struct out *o, const struct drawing *d)
{
	const json_t *f, *site;
	size_t i;

	json_array_foreach(json_object_get(d->a->findings, "items"), i, f) {
		site = json_object_get(f, "site");
		if (draw_concerns(d, f) && json_is_object(site)) {
			parts_site(o, site, 2);
			return;
		}
	}
}

static void
draw_head(struct drawing *d, bool sass)
{
	struct out *o = d->o;
	const char *name = field_text(d->a->kernel, "name");

	if (name == NULL)
		name = field_text(d->a->source, "name");
	out_style(o, STYLE_BOLD);
	out_wrap(o, 0, or_unknown(name));
	out_style(o, STYLE_PLAIN);
	draw_shape(o, d->a);
	draw_headline(o, d->a);
	draw_measured(o, d);
	draw_site(o, d);
	draw_missing(o, d->a, sass);
}

/* --- instructions ------------------------------------------------------ */

/* Are there counts or samples of the instructions? */
static bool
is_known(const struct drawing *d)
{

	return d->page.counted || d->page.sampled;
}

/* Which instructions to show: those that matter with their context, or all;
 * with lines, only those without one. malloced. */
static bool *
choose_insns(struct drawing *d, bool lines)
{
	size_t n = d->page.insns, i, j;
	bool *show = calloc(n + 1, sizeof(*show));
	bool all = d->a->all || lines || (d->a->sass && !is_known(d));

	for (i = 0; show != NULL && i < n; i++) {
		if (lines && d->page.insn[i].place != SIZE_MAX)
			continue;
		if (all) {
			show[i] = true;
			continue;
		}
		if (!page_is_hot(&d->page, &d->page.insn[i].heat) &&
		    draw_findings(d, 0, d->page.insn[i].pc, false, 0) == 0)
			continue;
		for (j = i > CONTEXT_SASS ? i - CONTEXT_SASS : 0;
		    j < n && j <= i + CONTEXT_SASS; j++)
			show[j] = true;
	}
	return show;
}

static void
draw_insns(struct drawing *d, bool lines)
{
	bool *show = choose_insns(d, lines), any = false;
	char n[NUMBER_SIZE], text[2 * NUMBER_SIZE + 80];
	size_t i;

	if (show == NULL) {
		d->failed = true;
		return;
	}
	for (i = 0; i < d->page.insns; i++) {
		if (!show[i])
			continue;
		if (!any) {
			out_text(d->o, lines ? "\nInstructions of no line\n" :
			    "\n");
			columns_head(d->o, &d->columns);
			out_spaces(d->o, NUMBER_COLUMNS - 2);
			out_text(d->o, "pc\n");
		} else if (!show[i - 1]) {
			draw_gap(d);
		}
		any = true;
		draw_insn(d, &d->page.insn[i]);
		draw_findings(d, 0, d->page.insn[i].pc, true, 0);
	}
	free(show);
	if (any || lines || is_known(d) || d->page.insns == 0)
		return;
	/* A listing without any cost is of no use. */
	number_of(n, d->page.insns, "instruction");
	snprintf(text, sizeof(text), "%s, none of them counted or sampled: "
	    "--sass shows them", n);
	out_line(d->o);
	out_segment(d->o, 2, "", text);
	out_line(d->o);
}

/* --- the page ---------------------------------------------------------- */

static void
draw_other_findings(struct drawing *d)
{
	const json_t *items = json_object_get(d->a->findings, "items"), *f;
	const char *summary;
	char *text, a[NUMBER_SIZE];
	bool any = false;
	size_t len, i;
	double s;
	FILE *t;

	json_array_foreach(items, i, f) {
		if (!draw_concerns(d, f) || d->told[i] ||
		    (t = open_memstream(&text, &len)) == NULL)
			continue;
		summary = field_text(f, "summary");
		s = field_number(json_object_get(f, "saves"), "s");
		fputs(or_unknown(field_text(f, "title")), t);
		if (summary != NULL)
			fprintf(t, ": %s", summary);
		if (field_true(f, "worth_it") && s > 0)
			fprintf(t, "; would save %s", number_seconds(a, s));
		if (fclose(t) == 0) {
			if (!any)
				out_text(d->o, "\nOf the whole kernel\n");
			any = true;
			out_format(d->o, " %2u  ",
			    (unsigned)field_count(f, "rank"));
			out_wrap(d->o, 5, text);
		}
		free(text);
	}
}

/* Does any line near the focus have code? */
static bool
focus_exists(const struct drawing *d)
{
	const json_t *files = json_object_get(d->a->source, "files"), *f;
	size_t i;

	json_array_foreach(files, i, f)
		if (draw_is_focus(d->a, f) && page_find(&d->page,
		    (uint32_t)field_count(f, "index"), d->a->focus_line) !=
		    SIZE_MAX)
			return true;
	return false;
}

int
text_source(struct out *o, const struct annotate *a)
{
	size_t items = json_array_size(json_object_get(a->findings, "items"));
	struct drawing d = { .o = o, .a = a };
	bool lines, sass;
	int rc = -1;

	if ((d.told = calloc(items + 1, sizeof(*d.told))) == NULL ||
	    page_make(&d.page, a->source) != 0)
		goto out;
	rc = 1;
	if (a->focus_file != NULL && !focus_exists(&d))
		goto out;
	lines = d.page.places > 0;
	sass = a->sass || !lines;
	columns_choose(&d.columns, &d.page, o->width - NUMBER_COLUMNS - 2 -
	    CODE_LEAST);
	draw_head(&d, sass);
	if (lines)
		draw_files(&d);
	if (sass && a->focus_file == NULL)
		draw_insns(&d, lines);
	if (a->focus_file == NULL)
		draw_other_findings(&d);
	if (!a->plain && (lines || (d.page.insns > 0 && (is_known(&d) ||
	    a->all || a->sass)))) {
		out_line(o);
		out_style(o, STYLE_DIM);
		columns_explain(o, &d.columns, &d.page);
		out_style(o, STYLE_PLAIN);
	}
	rc = d.failed ? -1 : 0;
out:
	page_free(&d.page);
	free(d.told);
	return rc;
}
