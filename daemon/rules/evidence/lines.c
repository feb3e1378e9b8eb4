/*
 * rules/evidence/lines.c: from marked instructions to lines, see lines.h.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/texts.h"

#define TEXT_MAX 160	/* bytes of a line that are shown */
#define LEVELS_MAX 64	/* of inlining */
#define SHARE_MIN 0.02	/* lines with a smaller share are not shown */

/* The marks of a line, or of an instruction without one. */
struct line_sum {
	double weight, over, under, worst;
	size_t instruction;	/* the one with the largest weight */
};

struct mark *
marks_new(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct mark *m = c != NULL ? calloc(c->instructions + 1, sizeof(*m)) :
	    NULL;

	if (c != NULL && m == NULL)
		x->arena->failed = true;
	return m;
}

/* Line ${n} of ${file}, trimmed, without control characters. */
static const char *
text_of(const struct rule_view *x, size_t file, uint32_t n)
{
	const char *s, *end;
	char out[TEXT_MAX + 1];
	size_t o = 0, len;

	if ((s = texts_line(x->texts, x->run, file, n, &len)) == NULL)
		return NULL;
	end = s + len;
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	for (; s < end && o < TEXT_MAX; s++) {
		unsigned char b = (unsigned char)*s;

		out[o++] = b < 0x20 || b == 0x7f ? ' ' : (char)b;
	}
	/* Do not end within a UTF-8 character. */
	if (s < end && ((unsigned char)*s & 0xc0) == 0x80) {
		while (o > 0 && ((unsigned char)out[o - 1] & 0xc0) == 0x80)
			o--;
		if (o > 0)
			o--;
	}
	out[o] = '\0';
	return o > 0 ? arena_format(x->arena, "%s", out) : NULL;
}

static const struct source_file *
file_of(const struct run *run, const struct source_line *l)
{
	return l->file < run->source_files ? &run->source_file[l->file] : NULL;
}

/* Is it a header that comes with CUDA? */
static bool
is_toolkit(const struct source_file *f)
{
	return f != NULL && f->path != NULL &&
	    strstr(f->path, "/include/") != NULL &&
	    (strstr(f->path, "/cuda") != NULL ||
	    strstr(f->path, "/nvidia/") != NULL ||
	    strstr(f->path, "/targets/") != NULL);
}

/* The outermost line that ${l} is inlined into; NULL if it is not inlined. */
static const struct source_line *
caller_of(const struct code *c, const struct source_line *l)
{
	const struct source_line *at = NULL;

	/* No chain is longer than there are lines. */
	for (size_t n = 0; n < c->lines && l->inlined_at < c->lines; n++)
		at = l = &c->line[l->inlined_at];
	return at;
}

/* The line to show for line ${i}: CUDA's own headers say little, so it is the
 * line that calls them. */
static uint32_t
stands_for(const struct run *run, const struct code *c, uint32_t i)
{
	uint32_t at = i;

	for (int n = 0; n < LEVELS_MAX; n++) {
		if (!is_toolkit(file_of(run, &c->line[at])))
			return at;
		if (c->line[at].inlined_at >= c->lines)
			break;
		at = c->line[at].inlined_at;
	}
	return i;
}

static void
set_line(const struct rule_view *x, struct hot_line *h,
    const struct instruction *i)
{
	const struct code *c = x->kernel->code;
	const struct source_line *l, *caller;
	const struct source_file *f;

	h->pc = i->pc;
	if (i->sass < c->sass.instructions)
		h->sass = c->sass.instruction[i->sass].text;
	if (i->line >= c->lines)
		return;
	l = &c->line[stands_for(x->run, c, i->line)];
	f = file_of(x->run, l);
	if (f == NULL || l->line == 0)
		return;
	h->file = f->path;
	h->line = l->line;
	h->function = l->inlined_at != LINE_NONE ? l->function : NULL;
	h->text = text_of(x, l->file, l->line);
	caller = caller_of(c, l);
	f = caller != NULL ? file_of(x->run, caller) : NULL;
	if (f != NULL && caller->line != 0) {
		h->called_file = f->path;
		h->called_line = caller->line;
	}
}

static void
add_hot(const struct rule_view *x, struct draft *d, const struct line_sum *s,
    double all, const char *what)
{
	struct hot_line *h = &d->f.hot[d->f.hots++];
	const struct code *c = x->kernel->code;

	memset(h, 0, sizeof(*h));
	set_line(x, h, &c->instruction[s->instruction]);
	h->share = fmin(1, s->weight / all);
	h->value = s->under > 0 ? s->over / s->under : NAN;
	if (what != NULL && isfinite(h->value)) {
		const char *v = say_plain(x->arena, h->value);
		const char *at = strstr(what, "%s"), *unit;
		int n;

		h->what = what;
		if (at == NULL || at[2] != ' ')
			return;
		unit = at + 3;	/* "%s sectors per request": 1 sector */
		n = (int)strcspn(unit, " ");
		h->what = arena_format(x->arena, "%.*s%s %.*s%s",
		    (int)(at - what), what, v, v[0] == '1' && v[1] == '\0' &&
		    n > 0 && unit[n - 1] == 's' ? n - 1 : n, unit, unit + n);
	}
}

/* "softmax.cu:42, grid 256 × 4, …"; for inlined code also the caller. */
static void
set_location(const struct rule_view *x, struct draft *d)
{
	const struct hot_line *h = &d->f.hot[0];
	const char *called = "";

	if (d->f.hots == 0 || h->file == NULL)
		return;
	if (h->called_file != NULL)
		called = arena_format(x->arena, " in %s:%u",
		    text_base_name(h->called_file), h->called_line);
	d->f.location = arena_format(x->arena, "%s:%u%s, %s",
	    text_base_name(h->file), h->line, called,
	    say_shape(x->arena, x->kernel));
	d->f.location_missing = NULL;
}

/* Sums up the marks by line; instructions without a line follow, each by itself. */
static double
sum_up(const struct run *run, const struct code *c, const struct mark *m,
    struct line_sum *sum)
{
	double all = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		uint32_t line = c->instruction[i].line;
		struct line_sum *s;

		if (!(m[i].weight > 0) || !isfinite(m[i].weight))
			continue;
		s = line < c->lines ? &sum[stands_for(run, c, line)] :
		    &sum[c->lines + i];
		if (m[i].weight > s->worst) {
			s->worst = m[i].weight;
			s->instruction = i;
		}
		s->weight += m[i].weight;
		s->over += m[i].over;
		s->under += m[i].under;
		all += m[i].weight;
	}
	return all;
}

void
lines_fill(const struct rule_view *x, struct draft *d, const struct mark *m,
    const char *what)
{
	const struct code *c = x->kernel->code;
	struct line_sum *sum;
	size_t n;
	double all;

	if (m == NULL || c == NULL)
		return;
	n = c->lines + c->instructions;
	sum = calloc(n + 1, sizeof(*sum));
	if (sum == NULL)
		return;
	d->f.hots = 0;
	all = sum_up(x->run, c, m, sum);
	while (all > 0 && d->f.hots < HOT_LINES_MAX) {
		size_t top = 0;

		for (size_t i = 1; i < n; i++)
			if (sum[i].weight > sum[top].weight)
				top = i;
		if (!(sum[top].weight > 0) || (d->f.hots > 0 &&
		    sum[top].weight < SHARE_MIN * all))
			break;
		add_hot(x, d, &sum[top], all, what);
		sum[top].weight = 0;
	}
	free(sum);
	set_location(x, d);
}

enum rule_state
lines_settle(struct rule_view *x, struct draft *d, const struct mark *m,
    const char *what)
{

	lines_fill(x, d, m, what);
	return rule_settle(x, d);
}

void
lines_stalled(const struct rule_view *x, struct draft *d, uint32_t mask)
{
	const struct code *c = x->kernel->code;
	struct mark *m;

	if (c == NULL || !c->sampled || (m = marks_new(x)) == NULL)
		return;
	for (size_t i = 0; i < c->instructions; i++)
		m[i].weight = inst_stalled(c, i, mask);
	lines_fill(x, d, m, NULL);
	for (size_t i = 0; i < d->f.hots; i++)
		d->f.hot[i].what = "of its stalls";
	free(m);
}

void
lines_loads(const struct rule_view *x, struct draft *d)
{
	const struct code *c = x->kernel->code;
	struct mark *m = c != NULL && c->counted ? marks_new(x) : NULL;

	for (size_t i = 0; m != NULL && i < c->instructions; i++) {
		if (inst_global(c, i) != INST_LOAD)
			continue;
		m[i].weight = m[i].over = inst_value(c, i,
		    SOURCE_GLOBAL_SECTORS);
		m[i].under = inst_value(c, i, SOURCE_INST);
	}
	lines_fill(x, d, m, "%s sectors per request");
	free(m);
}

void
lines_time(const struct rule_view *x, struct draft *d)
{
	const struct code *c = x->kernel->code;
	struct mark *m;

	if (c == NULL || (m = marks_new(x)) == NULL)
		return;
	for (size_t i = 0; i < c->instructions; i++)
		m[i].weight = c->sampled ? inst_samples(c, i) :
		    inst_value(c, i, SOURCE_INST);
	lines_fill(x, d, m, NULL);
	for (size_t i = 0; i < d->f.hots; i++)
		d->f.hot[i].what = c->sampled ? "of the time" :
		    "of the instructions";
	free(m);
}

bool
lines_moves(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].function != NULL &&
		    strstr(s->frame[f].function, "cuMemcpyDtoD") != NULL)
			return false;
	return true;
}

/* Does a line of Python make this copy, by ${function} of the driver? */
static bool
is_asked(const struct site *s, const char *function)
{
	if ((s->call != CALL_MEMCPY && s->call != CALL_MEMCPY_ASYNC) ||
	    s->first >= s->frames || !s->frame[s->first].python ||
	    s->frame[s->first].file == NULL)
		return false;
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].function != NULL &&
		    strstr(s->frame[f].function, function) != NULL)
			return true;
	return false;
}

bool
lines_reads(const struct site *s)
{
	return is_asked(s, "cuMemcpyDtoH");
}

bool
lines_feeds(const struct site *s)
{
	return is_asked(s, "cuMemcpyHtoD");
}

/* Of two places the one that a finding is to name: one that ${is}, one that is no
 * compiler's trial, one with more calls. */
static bool
is_better(const struct site *s, const struct site *than,
    bool (*is)(const struct site *s))
{
	int mine = is == NULL || is(s), other;

	if (than == NULL)
		return true;
	other = is == NULL || is(than);
	if (mine != other)
		return mine > other;
	/* Mostly neither is a trial: then the one with fewer calls is not asked,
	 * which is all but one of a kernel's, in their order. */
	other = framework_tunes(than);
	if (!other && s->count <= than->count)
		return false;
	mine = framework_tunes(s);
	if (mine != other)
		return mine < other;
	return s->count > than->count;
}

void
lines_site_of(const struct rule_view *x, struct draft *d, uint64_t calls,
    bool (*is)(const struct site *s))
{
	const struct run *run = x->run;
	const struct site *best = NULL;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call >= 64 || !(calls >> s->call & 1) ||
		    s->frames == 0)
			continue;
		if (is_better(s, best, is))
			best = s;
	}
	if (best != NULL)
		d->f.site = best;
	if (x->rule->scope == SCOPE_RUN)
		d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
}

void
lines_site_asked(const struct rule_view *x, struct draft *d,
    bool (*is)(const struct site *s))
{
	const struct site *any = d->f.site;

	lines_site_of(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC), is);
	if (d->f.site == NULL || !is(d->f.site))
		d->f.site = any;
}

void
lines_site(const struct rule_view *x, struct draft *d, uint64_t calls)
{
	lines_site_of(x, d, calls, NULL);
}

bool
lines_python(const struct run *run)
{
	for (size_t i = 0; i < run->sites; i++)
		for (size_t f = 0; f < run->site[i].frames; f++)
			if (run->site[i].frame[f].python)
				return true;
	for (size_t i = 0; i < run->processes; i++)
		if (run->process[i].python)
			return true;
	return false;
}

const struct site *
lines_launched(const struct run *run, uint32_t kernel)
{
	const struct site *best = NULL;
	size_t end, i = site_launches(run->site, run->sites, kernel, &end);

	for (; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != kernel ||
		    s->frames == 0)
			continue;
		if (is_better(s, best, NULL))
			best = s;
	}
	return best;
}

void
lines_launch(const struct rule_view *x, struct draft *d, uint32_t kernel)
{
	const struct site *best = lines_launched(x->run, kernel);

	if (best != NULL)
		d->f.site = best;
	if (x->rule->scope == SCOPE_RUN)
		d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
}

static const struct reason *
why_no_line(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;

	if (c == NULL || (!c->counted && !c->sampled)) {
		const struct reason *lack = inst_lacks(x, NEED_SOURCE);

		return rule_reason(x, lack->code, "line not known: %s",
		    lack->text);
	}
	if (!c->has_lines)
		return c->lineless != NULL ? c->lineless :
		    &reason_row[REASON_NO_LINEINFO];
	return NULL;		/* a finding about the launch, not a line */
}

void
lines_finish(const struct rule_view *x, struct draft *d)
{
	if (x->kernel == NULL)
		return;
	if (d->f.site == NULL)
		lines_launch(x, d, x->kernel->id);
	/* For a library's kernel the line of the call matters. */
	if (x->library != NULL)
		d->f.location_missing = d->f.site != NULL ? NULL :
		    &reason_row[REASON_LINE_NO_SITE];
	else if (d->f.hots == 0 || d->f.hot[0].file == NULL)
		d->f.location_missing = why_no_line(x);
}
