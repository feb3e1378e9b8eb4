#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "report/text_util.h"

#include "report/source_draw.h"

#define CONTEXT 2		/* lines around one that matters */
#define CONTEXT_FOCUS 10
#define INLINED_SHOWN 4
#define INLINED_LEAST 0.005	/* of the time: less is not shown */
#define INLINED_HOT 0.01	/* of the time: from here on the caller is shown, too */

/* --- one line ---------------------------------------------------------- */

/* Columns of white space before the code. */
static int
indent_of(const struct line_text *t)
{
	int columns = 0;
	size_t i;

	for (i = 0; t != NULL && i < t->len; i++) {
		if (t->p[i] == '\t')
			columns += 4 - columns % 4;
		else if (t->p[i] == ' ')
			columns++;
		else
			break;
	}
	return columns;
}

static const char *
path_of(const json_t *source, uint32_t index)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(source, "files"), i, f)
		if (field_count(f, "index") == index)
			return or_unknown(field_text(f, "path"));
	return "unknown";
}

static void
draw_inlined(struct drawing *d, const struct source_place *place, int indent)
{
	const struct inlined *x;
	char text[512], a[NUMBER_SIZE];
	size_t i;

	for (i = 0; i < place->inlineds && i < INLINED_SHOWN; i++) {
		x = &d->page.inlined[place->inlined + i];
		if (!(x->share >= INLINED_LEAST))
			break;	/* the largest comes first */
		snprintf(text, sizeof(text), "inlined: %s at %s:%u, %s of the "
		    "time", or_unknown(x->function),
		    text_base_name(path_of(d->a->source, x->file)),
		    x->line, number_percent(a, x->share));
		draw_note(d, indent, STYLE_DIM, "", text);
	}
}

static void
draw_line(struct drawing *d, uint32_t line)
{
	size_t at = page_find(&d->page, d->file, line), i;
	const struct source_place *place = at != SIZE_MAX ? &d->page.place[at] : NULL;
	const struct line_text *t = line >= 1 && line <= d->lines ?
	    &d->text[line - 1] : NULL;
	int indent = indent_of(t);
	char number[16];

	columns_row(d->o, &d->columns, &d->page, place != NULL ?
	    &place->heat : NULL);
	snprintf(number, sizeof(number), "%u", line);
	out_style(d->o, STYLE_DIM);
	out_spaces(d->o, NUMBER_COLUMNS - (int)strlen(number));
	out_text(d->o, number);
	out_style(d->o, STYLE_PLAIN);
	if (t != NULL)
		draw_code(d, t->p, t->len);
	else
		out_line(d->o);
	if (place == NULL)
		return;
	draw_findings(d, line, 0, true, indent);
	draw_inlined(d, place, indent);
	for (i = 0; d->a->sass && i < place->insns; i++)
		draw_insn(d, &d->page.insn[d->page.order[place->insn + i]]);
}

/* --- which lines ------------------------------------------------------- */

static bool
wanted(struct drawing *d, const struct source_place *p)
{
	uint32_t focus = d->a->focus_line;

	if (d->a->focus_file != NULL)
		return p->line + CONTEXT_FOCUS >= focus &&
		    p->line <= (uint64_t)focus + CONTEXT_FOCUS;
	return d->a->all || page_is_hot(&d->page, &p->heat) ||
	    (p->inlineds > 0 &&
	    d->page.inlined[p->inlined].share >= INLINED_HOT) ||
	    (!d->page.sampled && !d->page.counted) ||
	    draw_findings(d, p->line, 0, false, 0) > 0;
}

COMPARE(by_number, uint32_t, ORDER(*x, *y))

/* Adds the lines from ${from} to ${to} that the text has. */
static size_t
add_lines(const struct drawing *d, uint32_t *list, size_t n, uint64_t from,
    uint64_t to)
{

	for (from = from < 1 ? 1 : from; from <= to && from <= d->lines; from++)
		list[n++] = (uint32_t)from;
	return n;
}

/* The numbers of the lines to show, sorted, malloced; *${n} of them. NULL
 * without memory. */
static uint32_t *
choose_lines(struct drawing *d, size_t *n)
{
	uint32_t *list = calloc(d->page.places * (2 * CONTEXT + 2) + d->lines +
	    2 * CONTEXT_FOCUS + 2, sizeof(*list));
	uint64_t from, low = UINT64_MAX, high = 0;
	size_t i, kept = 0;
	const struct source_place *p;

	*n = 0;
	if (list == NULL)
		return NULL;
	for (i = 0; i < d->page.places; i++) {
		p = &d->page.place[i];
		if (p->file != d->file || !wanted(d, p))
			continue;
		list[(*n)++] = p->line;
		low = p->line < low ? p->line : low;
		high = p->line > high ? p->line : high;
		from = p->line > CONTEXT ? p->line - CONTEXT : 1;
		if (!d->a->all && d->a->focus_file == NULL)
			*n = add_lines(d, list, *n, from,
			    (uint64_t)p->line + CONTEXT);
	}
	if (*n > 0 && d->a->focus_file != NULL)
		*n = add_lines(d, list, *n, d->a->focus_line > CONTEXT_FOCUS ?
		    d->a->focus_line - CONTEXT_FOCUS : 1,
		    (uint64_t)d->a->focus_line + CONTEXT_FOCUS);
	else if (*n > 0 && d->a->all)
		*n = add_lines(d, list, *n, low > CONTEXT ? low - CONTEXT : 1,
		    high + CONTEXT);
	qsort(list, *n, sizeof(*list), by_number);
	for (i = 0; i < *n; i++)
		if (i == 0 || list[kept - 1] != list[i])
			list[kept++] = list[i];
	*n = kept;
	return list;
}

/* --- files ------------------------------------------------------------- */

/* Splits ${text} into lines; it must outlive the drawing of the file. */
static void
split_text(struct drawing *d, const char *text)
{
	size_t n = 1, len;
	const char *p;

	d->text = NULL;
	d->lines = 0;
	if (text == NULL)
		return;
	for (p = text; *p != '\0'; p++)
		n += *p == '\n';
	if ((d->text = calloc(n, sizeof(*d->text))) == NULL) {
		d->failed = true;
		return;
	}
	for (p = text; *p != '\0'; p += len + (p[len] == '\n')) {
		len = strcspn(p, "\n");
		d->text[d->lines].p = p;
		d->text[d->lines++].len = len;
	}
}

static const char *
captured_text(const struct annotate *a, uint32_t index)
{
	const json_t *f, *n;
	size_t i;

	json_array_foreach(a->files, i, f) {
		n = json_object_get(f, "index");
		if (json_is_integer(n) && field_count(f, "index") == index)
			return field_text(f, "text");
	}
	return NULL;
}

static double
file_share(const struct source_page *p, uint32_t file)
{
	double sum = 0, share;
	size_t i;

	for (i = 0; i < p->places; i++) {
		share = page_share(p, &p->place[i].heat);
		if (p->place[i].file == file && !isnan(share))
			sum += share;
	}
	return sum;
}

static void
draw_file_head(struct drawing *d, const json_t *file)
{
	const char *missing = field_text(file, "missing");
	double share = file_share(&d->page, d->file);
	char a[NUMBER_SIZE];

	out_line(d->o);
	out_style(d->o, STYLE_BOLD);
	out_text(d->o, or_unknown(d->path));
	out_style(d->o, STYLE_PLAIN);
	if (share > 0)
		out_format(d->o, "  %s of the time", number_percent(a, share));
	out_line(d->o);
	if (d->text == NULL) {
		out_text(d->o, "  no source text: ");
		out_wrap(d->o, 4, missing != NULL ? missing :
		    "its text did not arrive");
	}
	columns_head(d->o, &d->columns);
	out_spaces(d->o, NUMBER_COLUMNS - 4);
	out_text(d->o, "line\n");
}

static void
draw_file(struct drawing *d, const json_t *file)
{
	uint32_t *list;
	size_t n, i;

	d->file = (uint32_t)field_count(file, "index");
	d->path = field_text(file, "path");
	split_text(d, captured_text(d->a, d->file));
	if ((list = choose_lines(d, &n)) == NULL)
		d->failed = true;
	if (n > 0)
		draw_file_head(d, file);
	for (i = 0; i < n && list != NULL; i++) {
		if (i > 0 && list[i] != list[i - 1] + 1)
			draw_gap(d);
		draw_line(d, list[i]);
	}
	free(list);
	free(d->text);
	d->text = NULL;
	d->lines = 0;
}

bool
draw_is_focus(const struct annotate *a, const json_t *file)
{
	const char *path = field_text(file, "path"), *want = a->focus_file;
	size_t n, m;

	if (want == NULL)
		return true;
	if (path == NULL)
		return false;
	n = strlen(path);
	m = strlen(want);
	return m <= n && strcmp(path + n - m, want) == 0 &&
	    (m == n || path[n - m - 1] == '/');
}

void
draw_files(struct drawing *d)
{
	const json_t *files = json_object_get(d->a->source, "files"), *f;
	size_t n = json_array_size(files), drawn, best, i;
	bool *done = calloc(n + 1, sizeof(*done));
	double share, most;

	if (done == NULL) {
		d->failed = true;
		return;
	}
	for (drawn = 0; drawn < n; drawn++) {
		most = -1;
		best = n;
		json_array_foreach(files, i, f) {
			share = file_share(&d->page,
			    (uint32_t)field_count(f, "index"));
			if (!done[i] && share > most) {
				most = share;
				best = i;
			}
		}
		done[best] = true;
		f = json_array_get(files, best);
		if (draw_is_focus(d->a, f))
			draw_file(d, f);
	}
	free(done);
}
